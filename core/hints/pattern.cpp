#include "core/hints/pattern.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/hints/cartesian.h"

namespace hybrid {
namespace {

using Dimensions = HintPattern::Dimensions;
using Ranks = std::vector<std::uint32_t>;

std::string text_of(const Dimensions& dimensions) {
  std::string text;
  for (const std::int64_t d : dimensions) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

[[noreturn]] void impossible(std::string_view name, const std::string& needs, std::uint32_t ranks) {
  throw UserError("pattern " + std::string(name) + " " + needs + "; the job has " + std::to_string(ranks) +
                  " ranks");
}

// Neighbours in a grid. Reach::corners: including those across corners (and edges).
enum class Border { ends, wraps };
enum class Reach { sides, corners };

class Grid : public HintPattern {
 public:
  Grid(std::string_view name, std::size_t count, Border border, Reach reach = Reach::sides)
      : name_(name), count_(count), border_(border), reach_(reach) {}

  Dimensions complete(const Dimensions& given, std::uint32_t ranks) const override {
    Dimensions sizes = given.empty() ? Dimensions(count_, 0) : given;
    if (sizes.size() != count_)
      throw UserError("pattern " + std::string(name_) + " has " + std::to_string(count_) +
                      " dimensions, not " + std::to_string(sizes.size()));
    const auto found = create_dimensions(ranks, sizes);
    if (!found) impossible(name_, "of " + text_of(sizes) + " has a different number of places", ranks);
    return *found;
  }

  std::vector<Dimensions> all(std::uint32_t ranks) const override {
    std::vector<Dimensions> found;
    Dimensions sizes;
    extend(ranks, sizes, found);
    return found;
  }

  void destinations(std::uint32_t rank, std::uint32_t, const Dimensions& sizes, Ranks& out) const override {
    const std::vector<bool> wraps(count_, border_ == Border::wraps);
    const Dimensions place = grid_coordinates(rank, sizes);
    const auto add = [&](const Dimensions& at) {
      if (const auto to = grid_rank(at, sizes, wraps)) out.push_back(static_cast<std::uint32_t>(*to));
    };
    if (reach_ == Reach::sides) {
      for (std::size_t d = 0; d < count_; ++d)
        for (const std::int64_t step : {-1, 1}) {
          Dimensions at = place;
          at[d] += step;
          add(at);
        }
      return;
    }
    std::int64_t neighbors = 1;
    for (std::size_t d = 0; d < count_; ++d) neighbors *= 3;
    for (std::int64_t n = 0; n < neighbors; ++n) {
      Dimensions at = place;
      std::int64_t digits = n;
      for (std::size_t d = 0; d < count_; ++d, digits /= 3) at[d] += digits % 3 - 1;
      add(at);
    }
  }

 private:
  void extend(std::int64_t left, Dimensions& sizes, std::vector<Dimensions>& found) const {
    if (sizes.size() + 1 == count_) {
      if (left < 2) return;
      found.push_back(sizes);
      found.back().push_back(left);
      return;
    }
    for (std::int64_t size = 2; size <= left; ++size) {
      if (left % size != 0) continue;
      sizes.push_back(size);
      extend(left / size, sizes, found);
      sizes.pop_back();
    }
  }

  std::string_view name_;
  std::size_t count_;
  Border border_;
  Reach reach_;
};

using Destinations = void (*)(std::uint32_t rank, std::uint32_t ranks, std::int64_t number, Ranks& out);

// Patterns without dimensions. `need`: the requirement on the number of ranks that is not met, or "".
class Plain final : public HintPattern {
 public:
  using Need = std::string_view (*)(std::uint32_t ranks);
  Plain(std::string_view name, Need need, Destinations to) : name_(name), need_(need), to_(to) {}
  Dimensions complete(const Dimensions& given, std::uint32_t ranks) const override {
    if (!given.empty()) throw UserError("pattern " + std::string(name_) + " takes no dimensions");
    if (const std::string_view need = need_(ranks); !need.empty())
      impossible(name_, std::string(need), ranks);
    return {};
  }
  std::vector<Dimensions> all(std::uint32_t ranks) const override {
    return need_(ranks).empty() ? std::vector<Dimensions>(1) : std::vector<Dimensions>();
  }
  void destinations(std::uint32_t rank, std::uint32_t ranks, const Dimensions&, Ranks& out) const override {
    to_(rank, ranks, 0, out);
  }

 private:
  std::string_view name_;
  Need need_;
  Destinations to_;
};

std::string_view nothing(std::uint32_t) { return {}; }
std::string_view power_of_two(std::uint32_t ranks) {
  return std::has_single_bit(ranks) ? "" : "needs a power of two";
}
std::string_view even(std::uint32_t ranks) { return ranks % 2 == 0 ? "" : "needs an even number"; }

void hypercube(std::uint32_t rank, std::uint32_t ranks, std::int64_t, Ranks& out) {
  for (std::uint32_t bit = 1; bit < ranks; bit *= 2) out.push_back(rank ^ bit);
}

void pairwise(std::uint32_t rank, std::uint32_t, std::int64_t, Ranks& out) { out.push_back(rank ^ 1); }

std::uint32_t side_of(std::uint32_t ranks) {
  std::uint32_t side = 1;
  while (std::uint64_t{side + 1} * (side + 1) <= ranks) ++side;
  return side;
}
std::string_view square(std::uint32_t ranks) {
  return side_of(ranks) * side_of(ranks) == ranks ? "" : "needs a square number";
}
void transpose(std::uint32_t rank, std::uint32_t ranks, std::int64_t, Ranks& out) {
  const std::uint32_t side = side_of(ranks);
  out.push_back(rank % side * side + rank / side);
}

void tree(std::uint32_t rank, std::uint32_t ranks, std::int64_t, Ranks& out) {
  if (rank != 0) out.push_back((rank - 1) / 2);
  for (const std::uint64_t child : {2 * std::uint64_t{rank} + 1, 2 * std::uint64_t{rank} + 2})
    if (child < ranks) out.push_back(static_cast<std::uint32_t>(child));
}

void all_to_all(std::uint32_t, std::uint32_t ranks, std::int64_t, Ranks& out) {
  for (std::uint32_t to = 0; to < ranks; ++to) out.push_back(to);
}

// Patterns with one number: a root or a distance.
class OneNumber final : public HintPattern {
 public:
  OneNumber(std::string_view name, std::string_view number, std::int64_t otherwise, Destinations to)
      : name_(name), number_(number), default_(otherwise), to_(to) {}
  Dimensions complete(const Dimensions& given, std::uint32_t ranks) const override {
    if (given.size() > 1)
      throw UserError("pattern " + std::string(name_) + " takes one number, the " + std::string(number_));
    const std::int64_t number = given.empty() ? default_ : given.front();
    if (number <= -std::int64_t{ranks} || number >= ranks || (number < 0 && number_ == "root"))
      impossible(name_, "has the " + std::string(number_) + " " + std::to_string(number), ranks);
    return {(number + ranks) % ranks};
  }
  std::vector<Dimensions> all(std::uint32_t ranks) const override {
    std::vector<Dimensions> found;
    found.reserve(ranks);
    for (std::uint32_t number = 0; number < ranks; ++number) found.push_back({number});
    return found;
  }
  void destinations(std::uint32_t rank, std::uint32_t ranks, const Dimensions& number,
                    Ranks& out) const override {
    to_(rank, ranks, number[0], out);
  }

 private:
  std::string_view name_, number_;
  std::int64_t default_;
  Destinations to_;
};

void scatter(std::uint32_t rank, std::uint32_t ranks, std::int64_t root, Ranks& out) {
  if (rank == root) all_to_all(rank, ranks, 0, out);
}
void gather(std::uint32_t, std::uint32_t, std::int64_t root, Ranks& out) {
  out.push_back(static_cast<std::uint32_t>(root));
}
void shifted(std::uint32_t rank, std::uint32_t ranks, std::int64_t by, Ranks& out) {
  out.push_back(static_cast<std::uint32_t>((rank + by) % ranks));
}

using Made = std::unique_ptr<HintPattern>;
using R = HintPatternRegistration;
using enum Border;
using enum Reach;

const R kLine{"line", "both neighbours in rank order",
              []() -> Made { return std::make_unique<Grid>("line", 1, ends); }};
const R kRing{"ring", "both neighbours; the last rank is next to the first",
              []() -> Made { return std::make_unique<Grid>("ring", 1, wraps); }};
const R kMesh2{"mesh2d", "neighbours in a plane grid; dims: rows, columns",
               []() -> Made { return std::make_unique<Grid>("mesh2d", 2, ends); }};
const R kMesh3{"mesh3d", "neighbours in a grid of three dimensions; dims: their sizes",
               []() -> Made { return std::make_unique<Grid>("mesh3d", 3, ends); }};
const R kTorus2{"torus2d", "mesh2d with wrap-around in both dimensions",
                []() -> Made { return std::make_unique<Grid>("torus2d", 2, wraps); }};
const R kTorus3{"torus3d", "mesh3d with wrap-around in all dimensions",
                []() -> Made { return std::make_unique<Grid>("torus3d", 3, wraps); }};
const R kStencil2{"stencil2d", "mesh2d with the four neighbours across corners",
                  []() -> Made { return std::make_unique<Grid>("stencil2d", 2, ends, corners); }};
const R kStencil3{"stencil3d", "mesh3d with the neighbours across edges and corners, 26 in total",
                  []() -> Made { return std::make_unique<Grid>("stencil3d", 3, ends, corners); }};
const R kHypercube{"hypercube", "all ranks with numbers that differ in one bit (butterfly)",
                   []() -> Made { return std::make_unique<Plain>("hypercube", power_of_two, hypercube); }};
const R kButterfly{"butterfly", "the exchanges of a butterfly over all its stages: hypercube",
                   []() -> Made { return std::make_unique<Plain>("butterfly", power_of_two, hypercube); }};
const R kPairwise{"pairwise", "ranks 0 and 1, 2 and 3, ...",
                  []() -> Made { return std::make_unique<Plain>("pairwise", even, pairwise); }};
const R kTranspose{"transpose", "rank (i, j) of a square to (j, i)",
                   []() -> Made { return std::make_unique<Plain>("transpose", square, transpose); }};
const R kTree{"tree", "parent and children in the binary tree with children 2r + 1, 2r + 2",
              []() -> Made { return std::make_unique<Plain>("tree", nothing, tree); }};
const R kAllToAll{"alltoall", "every rank to every other",
                  []() -> Made { return std::make_unique<Plain>("alltoall", nothing, all_to_all); }};
const R kScatter{"scatter", "one rank to all others; dims: the root (default 0)",
                 []() -> Made { return std::make_unique<OneNumber>("scatter", "root", 0, scatter); }};
const R kGather{"gather", "all others to one rank; dims: the root (default 0)",
                []() -> Made { return std::make_unique<OneNumber>("gather", "root", 0, gather); }};
const R kShift{"shift", "rank r to r + d, modulo the number of ranks; dims: the distance d (default 1)",
               []() -> Made { return std::make_unique<OneNumber>("shift", "distance", 1, shifted); }};

// The patterns that recognize_pattern() tries first. With few ranks several patterns have the same
// connections; the most common name comes first.
constexpr std::string_view kOrder[] = {"pairwise",  "transpose", "ring",     "line",
                                       "mesh2d",    "torus2d",   "mesh3d",   "torus3d",
                                       "hypercube", "stencil2d", "stencil3d"};

bool matches(const std::vector<Connection>& connections, std::uint32_t ranks, const HintPattern& pattern,
             const Dimensions& dimensions) {
  auto next = connections.begin();
  Ranks expected;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    expected.clear();
    pattern.destinations(rank, ranks, dimensions, expected);
    std::erase(expected, rank);
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    for (const std::uint32_t to : expected) {
      if (next == connections.end() || *next != Connection{rank, to}) return false;
      ++next;
    }
    if (next != connections.end() && next->source == rank) return false;
  }
  return true;
}

}  // namespace

std::string recognize_pattern(const std::vector<Connection>& connections, std::uint32_t ranks) {
  if (connections.empty()) return {};
  std::vector<std::string_view> names(std::begin(kOrder), std::end(kOrder));
  for (const std::string_view name : registered_names(HintPattern::kKind))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const std::string_view name : names) {
    const auto pattern = HintPatternRegistration::make(name);
    for (const Dimensions& dimensions : pattern->all(ranks)) {
      if (!matches(connections, ranks, *pattern, dimensions)) continue;
      const bool is_size = dimensions.size() == 1 && dimensions.front() == ranks;  // of a ring
      return std::string(name) + (dimensions.empty() || is_size ? "" : " " + text_of(dimensions));
    }
  }
  return {};
}

}  // namespace hybrid
