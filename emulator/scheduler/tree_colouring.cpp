// Performance: the time is spent in random accesses to the tables of which connection uses which port. So the
// tables store no more than a chain needs, with 16 bits per entry if the tree is small enough, and the ports
// of a switch contiguously. They are also the only record of the connections' paths: a link's number
// determines the ports that its connection has taken so far, so that a moved connection changes its place in
// a table and nothing else.
#include "emulator/scheduler/tree_colouring.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emulator/scheduler/tree_links.h"

namespace hybrid {
namespace {

/// Returns the largest number of links up from one level.
std::uint32_t most_links(const FatTree& tree) {
  std::uint32_t most = 0;
  for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) most = std::max(most, tree.links(h));
  return most;
}

/// Computes x div d for x and d up to 2^24 by a multiplication.
class WideDivider {
 public:
  explicit WideDivider(std::uint32_t d)
      : shift_(d <= 1U << 16 ? 40 : 48), magic_((std::uint64_t{1} << shift_) / d + 1) {}
  std::uint32_t operator()(std::uint32_t x) const { return static_cast<std::uint32_t>(x * magic_ >> shift_); }

 private:
  std::uint32_t shift_;
  std::uint64_t magic_;
};

/// `Number`: type of the number of a link or a connection.
template <std::size_t kWords, class Number>
class TreeColouringOver final : public TreeColouring {
 public:
  TreeColouringOver(const FatTree& tree, std::uint32_t most_moves)
      : links_(tree),
        most_moves_(most_moves),
        by_width_(tree.shape().up),
        request_of_(tree.nodes()),
        begun_(tree.levels() > 1 ? tree.up_power(tree.levels() - 2) : 0),
        up_(most_links(tree)),
        below_(up_.size()),
        down_(up_.size()) {
    std::uint32_t most = 0;
    for (std::uint32_t h = 0; h + 1 < tree.levels(); ++h) most = std::max(most, tree.switches(h));
    // A chain visits a switch at most once on either side, and ends at a free port.
    for (auto& chain : chain_) chain.resize(std::size_t{2} * most + 2);
  }

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths,
                       std::span<const std::uint8_t> only) override {
    links_.reset();
    moved_ = 0;
    nodes_were_shared_ = false;
    const std::uint32_t top = links_.tree().levels() - 1;
    std::size_t granted = assign_level_0(requests, paths, only);
    if (top == 0) return granted;
    for (std::uint32_t height = 1; height < top; ++height) granted += climb<false>(height, paths);
    return granted + climb<true>(top, paths);
  }

 private:
  using Links = TreeLinks<kWords>;
  using Direction = typename Links::Direction;
  static constexpr Direction kUp = Links::kUp, kDown = Links::kDown;
  static constexpr Number kFree = std::numeric_limits<Number>::max();

  /// The user of a switch's link up.
  struct User {
    Number far = kFree;  // the first link of the switch at the other end
    Number connection = 0;
  };

  /// The data of the inner loops, as values that they keep in registers.
  struct Level {
    TreeRow<kWords> row;
    User* up = nullptr;
    Number* down = nullptr;
  };

  Level begin_level(std::uint32_t level) {
    row_ = links_.row(level);
    std::fill_n(up_.begin(), links_.tree().links(level), User{});
    std::fill_n(down_.begin(), links_.tree().links(level), kFree);
    return {row_, up_.data(), down_.data()};
  }

  /// Assigns the ports of level 0, in the order of the requests. Returns the number of requests that are
  /// granted without a port.
  std::size_t assign_level_0(std::span<const Connection> requests, std::span<TreePath> paths,
                             std::span<const std::uint8_t> only) {
    Level level{};
    if (links_.tree().levels() > 1) level = begin_level(0);
    std::size_t granted = 0;
    std::uint32_t connection = 0;
    std::uint32_t* const request_of = request_of_.data();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      // Each path is written once: here, or when the connection turns or finds no port.
      if (!only.empty() && only[i] == 0) {
        paths[i] = {};
        continue;
      }
      const Connection c = requests[i];
      if (!links_.nodes_free(c)) {
        nodes_were_shared_ = true;
        paths[i] = {};
        continue;
      }
      links_.take_nodes(c);
      const TreeClimb climb = links_.start(c);
      if (links_.turns(0, climb)) {
        paths[i] = {true, 0, {}};
        ++granted;
        continue;
      }
      request_of[connection] = static_cast<std::uint32_t>(i);
      if (!assign_port(level, climb.source, climb.destination, connection)) paths[i] = {};
      ++connection;
    }
    return granted;
  }

  /// Moves the connections on the links of level height - 1, in the order of the links, to links of level
  /// `height`, or ends them where they turn. The ports that a connection has taken are in the link's number.
  /// Returns the number of connections that turn.
  template <bool kTop>
  [[gnu::noinline]] std::size_t climb(std::uint32_t height, std::span<TreePath> paths) {
    const FatTree& tree = links_.tree();
    const std::uint32_t width = row_.width, powers = tree.up_power(height - 1), next = powers * width;
    const std::uint32_t lowest_turn = tree.lowest_turn();
    const std::uint32_t children = tree.shape().down, subtrees = kTop ? 1 : tree.switches(height) / next;
    up_.swap(below_);
    const Level level = kTop ? Level{} : begin_level(height);
    const WideDivider by_subtree(children * next);  // from a link to the subtree above
    const User* user = below_.data();
    const std::uint32_t* const request_of = request_of_.data();
    for (std::uint32_t ports = 0; ports < powers; ++ports) begun_[ports] = begun_path(height, ports);
    const TreePath* const begun = begun_.data();
    std::size_t granted = 0;
    for (std::uint32_t subtree = 0; subtree < subtrees; ++subtree)
      for (std::uint32_t child = 0; child < children; ++child)
        for (std::uint32_t ports = 0; ports < powers; ++ports) {
          const TreePath path = begun[ports];
          for (std::uint32_t port = 0; port < width; ++port, ++user) {
            const std::uint32_t far = user->far, connection = user->connection;
            if (far == kFree) continue;
            const std::uint32_t ports_taken = ports * width + port;
            if constexpr (!kTop)
              if (const std::uint32_t destination = by_subtree(far);
                  destination != subtree || height < lowest_turn) {
                if (!assign_port(level, subtree * next + ports_taken, destination * next + ports_taken,
                                 connection))
                  paths[request_of[connection]] = {};
                continue;
              }
            TreePath& written = paths[request_of[connection]];
            written = path;
            written.up[height - 1] = static_cast<std::uint16_t>(port);
            ++granted;
          }
        }
    return granted;
  }

  /// Returns the path that turns at `height`, with all its ports except the last.
  TreePath begun_path(std::uint32_t height, std::uint32_t ports) const {
    TreePath path{true, static_cast<std::uint8_t>(height), {}};
    for (std::uint32_t h = height - 1; h-- > 0;) {
      const std::uint32_t below = by_width_(ports);
      path.up[h] = static_cast<std::uint16_t>(ports - below * row_.width);
      ports = below;
    }
    return path;
  }

  /// Assigns a port to the connection. Returns false if there is none.
  [[gnu::always_inline]] bool assign_port(const Level& level, std::uint32_t source, std::uint32_t destination,
                                          std::uint32_t connection) {
    std::uint32_t port = level.row.take_first_common(source, destination);
    if (port == level.row.none()) {
      port = make_room(source, destination);
      if (port == level.row.none()) return false;
      level.row.take(kUp, source, port);
      level.row.take(kDown, destination, port);
    }
    const std::uint32_t from = source * level.row.width, to = destination * level.row.width;
    level.up[from + port] = {static_cast<Number>(to), static_cast<Number>(connection)};
    level.down[to + port] = static_cast<Number>(from);
    return true;
  }

  /// Moves other connections so that a port is free at both ends: a single one if that is enough, or the
  /// first chain that is short enough. Returns the port, or none(). Not inlined: it is rare, and would use
  /// the registers of the loop around it.
  [[gnu::noinline]] std::uint32_t make_room(std::uint32_t source, std::uint32_t destination) {
    const std::uint32_t none = row_.none();
    if (most_moves_ == 0) return none;
    if (const std::uint32_t port = try_one_move(source, destination); port != none) return port;
    for (std::uint32_t a = row_.next_free(kUp, source, 0); a != none; a = row_.next_free(kUp, source, a + 1))
      for (std::uint32_t b = row_.next_free(kDown, destination, 0); b != none;
           b = row_.next_free(kDown, destination, b + 1)) {
        const std::size_t moves = follow_chains(source, destination, a, b);
        if (moves == 0) continue;
        moved_ += moves;
        if (chain_[kDown][moves + 1] == kFree) {
          swap_ports(kDown, moves, a, b);
          return a;
        }
        swap_ports(kUp, moves, b, a);
        return b;
      }
    return none;
  }

  /// Moves one connection at either end that can leave a port that is free at the other end. Returns that
  /// port, or none().
  std::uint32_t try_one_move(std::uint32_t source, std::uint32_t destination) {
    const TreeRow<kWords> row = row_;
    const TreeDivider by_width = by_width_;
    const std::uint32_t none = row.none();
    const User* const from = up_.data() + source * row.width;
    const Number* const to = down_.data() + destination * row.width;
    for (std::uint32_t b = row.next_free(kDown, destination, 0); b != none;
         b = row.next_free(kDown, destination, b + 1)) {
      const std::uint32_t other = by_width(from[b].far);
      const std::uint32_t a = row.take_first_common(source, other);
      if (a == none) continue;
      move_connection(source, other, b, a);
      return b;
    }
    for (std::uint32_t a = row.next_free(kUp, source, 0); a != none; a = row.next_free(kUp, source, a + 1)) {
      const std::uint32_t other = by_width(to[a]);
      const std::uint32_t b = row.take_first_common(other, destination);
      if (b == none) continue;
      move_connection(other, destination, a, b);
      return a;
    }
    return none;
  }

  /// Moves the connection from `source` to `destination` from port p to port q, which is already taken for
  /// it.
  void move_connection(std::uint32_t source, std::uint32_t destination, std::uint32_t p, std::uint32_t q) {
    const Number from = first_link(source), to = first_link(destination);
    up_[from + q] = std::exchange(up_[from + p], User{});
    down_[to + q] = std::exchange(down_[to + p], kFree);
    row_.give_back(kUp, source, p);
    row_.give_back(kDown, destination, p);
    ++moved_;
  }

  /// Follows two chains, from the destination by ports a, b, a, ..., and from the source by b, a, b, ...,
  /// until one of them ends: it has no link where the other one continues. Both at once, so that the memory
  /// accesses of one overlap with those of the other. Returns the length of the chain that ends; 0 if it has
  /// more than most_moves_ connections.
  std::size_t follow_chains(std::uint32_t source, std::uint32_t destination, std::uint32_t a,
                            std::uint32_t b) {
    const User* const up = up_.data();
    const Number* const down = down_.data();
    Number *const from_destination = chain_[kDown].data(), *const from_source = chain_[kUp].data();
    // Current ends of the two chains, as values: what is stored is not read back here.
    std::uint32_t x = first_link(destination), y = first_link(source);
    from_destination[0] = static_cast<Number>(x);
    from_source[0] = static_cast<Number>(y);
    const auto record_step = [&](std::size_t at, Number next_x, Number next_y) {
      from_destination[at] = next_x;
      from_source[at] = next_y;
      x = next_x;
      y = next_y;
      return (next_x == kFree) | (next_y == kFree);
    };
    for (std::size_t moves = 0;; moves += 2) {
      if (record_step(moves + 1, down[x + a], up[y + b].far)) return moves;
      if (moves >= most_moves_) return 0;
      if (record_step(moves + 2, up[x + b].far, down[y + a])) return moves + 1;
      if (moves + 1 >= most_moves_) return 0;
    }
  }

  /// Exchanges ports p and q at every switch on the chain of `moves` connections that starts with port p. The
  /// chain never reaches the other end of the edge that it makes room for: there p is free, and the chain
  /// enters that side by p only.
  void swap_ports(Direction direction, std::size_t moves, std::uint32_t p, std::uint32_t q) {
    const Number* const at = chain_[direction].data();
    const std::size_t up =
        direction == kUp ? 0 : 1;  // parity of the chain's switches at the lower end of a link up
    for (std::size_t i = 2 - up; i < moves; i += 2) {
      std::swap(up_[at[i] + p], up_[at[i] + q]);
    }
    for (std::size_t i = 1 + up; i < moves; i += 2) std::swap(down_[at[i] + p], down_[at[i] + q]);
    // At the ends of the chain one of the two ports is free.
    swap_end_port(direction, at[0], p, q);
    if (moves % 2 == 0) {
      swap_end_port(direction, at[moves], q, p);
    } else {
      swap_end_port(opposite(direction), at[moves], p, q);
    }
  }

  /// Moves the connection on port `used` to port `free`.
  void swap_end_port(Direction direction, Number at, std::uint32_t used, std::uint32_t free) {
    const std::uint32_t number = by_width_(at);
    row_.give_back(direction, number, used);
    row_.take(direction, number, free);
    if (direction == kDown) {
      std::swap(down_[at + used], down_[at + free]);
    } else {
      std::swap(up_[at + used], up_[at + free]);
    }
  }

  static Direction opposite(Direction direction) { return direction == kUp ? kDown : kUp; }
  Number first_link(std::uint32_t of) const { return static_cast<Number>(of * row_.width); }

  Links links_;
  std::uint32_t most_moves_;
  TreeDivider by_width_;
  TreeRow<kWords> row_;
  std::vector<std::uint32_t> request_of_;  // by connection
  std::vector<TreePath> begun_;            // by the ports taken
  // By link of this level: its user, and the first link of the switch at its lower end; and the users of the
  // links of the level below.
  std::vector<User> up_, below_;
  std::vector<Number> down_;
  // The first links of the switches on the two chains: from the source, and from the destination.
  std::array<std::vector<Number>, 2> chain_;
};

/// Whether 16 bits are enough to number the nodes and the first links, with one number to spare.
bool is_small(const FatTree& tree) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  return tree.nodes() <= kMost + 1 && most_links(tree) < kMost + tree.shape().up;
}

template <std::size_t kWords>
std::unique_ptr<TreeColouring> make(const FatTree& tree, std::uint32_t most_moves) {
  if (is_small(tree)) return std::make_unique<TreeColouringOver<kWords, std::uint16_t>>(tree, most_moves);
  return std::make_unique<TreeColouringOver<kWords, std::uint32_t>>(tree, most_moves);
}

}  // namespace

std::unique_ptr<TreeColouring> make_tree_colouring(const FatTree& tree, std::uint32_t most_moves) {
  return tree.shape().up <= kWordBits ? make<1>(tree, most_moves) : make<0>(tree, most_moves);
}

}  // namespace hybrid
