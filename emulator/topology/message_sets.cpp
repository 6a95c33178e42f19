#include "emulator/topology/message_sets.h"

#include <numeric>
#include <utility>

#include "emulator/topology/channel_load.h"

namespace hybrid {

namespace {

Connection draw_message(const BinaryFatTree& tree, Random& random) {
  const auto source = static_cast<Port>(random.below(tree.processors()));
  const auto other = static_cast<Port>(random.below(tree.processors() - 1));
  return {source, other < source ? other : other + 1};
}

std::vector<Port> shuffled(std::uint32_t processors, Random& random) {
  std::vector<Port> order(processors);
  std::iota(order.begin(), order.end(), Port{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// Returns the address bits rotated left by `by`.
Port rotated(Port address, std::uint32_t by, std::uint32_t height) {
  return ((address << by) | (address >> (height - by))) & ((Port{1} << height) - 1);
}

std::vector<Connection> random_permutation(const BinaryFatTree& tree, std::uint32_t load_factor,
                                           Random& random) {
  const std::vector<Port> to = shuffled(tree.processors(), random);
  return repeated_permutation(tree, load_factor, random, [&](Port p) { return to[p]; });
}

std::vector<Connection> bit_complement(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random) {
  return repeated_permutation(tree, load_factor, random, [&](Port p) { return tree.processors() - 1 - p; });
}

std::vector<Connection> bit_reversal(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random) {
  return repeated_permutation(tree, load_factor, random, [&](Port p) {
    Port reversed = 0;
    for (std::uint32_t i = 0; i < tree.height(); ++i) reversed = reversed << 1 | (p >> i & 1U);
    return reversed;
  });
}

std::vector<Connection> transpose(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random) {
  return repeated_permutation(tree, load_factor, random,
                              [&](Port p) { return rotated(p, tree.height() / 2, tree.height()); });
}

std::vector<Connection> shift(const BinaryFatTree& tree, std::uint32_t load_factor, Random& random) {
  return repeated_permutation(tree, load_factor, random, [&](Port p) { return (p + 1) % tree.processors(); });
}

}  // namespace

std::vector<Connection> random_messages(const BinaryFatTree& tree, std::uint32_t load_factor,
                                        Random& random) {
  std::vector<Connection> messages;
  ChannelLoads loads(tree);
  for (Connection m = draw_message(tree, random); loads.fits(m, load_factor);
       m = draw_message(tree, random)) {
    loads.add(m);
    messages.push_back(m);
  }
  return messages;
}

std::vector<Connection> filled_messages(const BinaryFatTree& tree, std::uint32_t load_factor,
                                        Random& random) {
  std::vector<Connection> messages;
  ChannelLoads loads(tree);
  // A height is regarded as full after as many consecutive failed tries as there are processors.
  for (std::uint32_t t = tree.height(); t > 0; --t)
    for (std::uint32_t failed_tries = 0; failed_tries < tree.processors();) {
      Connection m = draw_message(tree, random);
      m.destination = m.source ^ (Port{1} << (t - 1)) ^ (m.destination & ((Port{1} << (t - 1)) - 1));
      if (!loads.fits(m, load_factor)) {
        ++failed_tries;
        continue;
      }
      loads.add(m);
      messages.push_back(m);
      failed_tries = 0;
    }
  return messages;
}

std::vector<Connection> repeated_permutation(const BinaryFatTree& tree, std::uint32_t load_factor,
                                             Random& random, const std::function<Port(Port)>& to) {
  std::vector<Connection> messages;
  ChannelLoads loads(tree);
  for (std::size_t before = 1; before != messages.size();) {
    before = messages.size();
    for (const Port p : shuffled(tree.processors(), random)) {
      const Connection m{p, to(p)};
      if (m.destination == p || !loads.fits(m, load_factor)) continue;
      loads.add(m);
      messages.push_back(m);
    }
  }
  return messages;
}

const std::vector<MessageSetKind>& message_set_kinds() {
  static const std::vector<MessageSetKind> kinds{{"random", random_messages},
                                                 {"filled", filled_messages},
                                                 {"permutation", random_permutation},
                                                 {"bit-complement", bit_complement},
                                                 {"bit-reversal", bit_reversal},
                                                 {"transpose", transpose},
                                                 {"shift", shift}};
  return kinds;
}

}  // namespace hybrid
