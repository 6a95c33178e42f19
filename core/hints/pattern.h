// HintPattern: communication patterns such as mesh2d, ring and hypercube, which a directive names and which
// recognize_pattern() finds in a set of connections. They are registered (core/registry.h) in pattern.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "core/registry.h"

namespace hybrid {

class HintPattern {
 public:
  static constexpr std::string_view kKind = "hint pattern";
  using Dimensions = std::vector<std::int64_t>;

  virtual ~HintPattern() = default;

  /// Completes the dimensions of a directive for `ranks` ranks. `given` is empty or has as many dimensions as
  /// the pattern; a size of 0 is computed as by MPI_Dims_create. Throws UserError if the pattern is not
  /// possible with this number of ranks.
  virtual Dimensions complete(const Dimensions& given, std::uint32_t ranks) const = 0;

  /// All complete dimensions that recognize_pattern() tries.
  virtual std::vector<Dimensions> all(std::uint32_t ranks) const = 0;

  /// Appends the ranks that `rank` sends to, in any order, possibly with duplicates and `rank` itself.
  /// Requires: `dimensions` are complete. O(number of destinations).
  virtual void destinations(std::uint32_t rank, std::uint32_t ranks, const Dimensions& dimensions,
                            std::vector<std::uint32_t>& out) const = 0;
};

using HintPatternRegistration = Registration<HintPattern>;

/// The pattern with exactly these connections, with its dimensions: "mesh2d 4x4", "hypercube", "scatter 0";
/// empty if there is none. If several match, the most specific one. Requires: `connections` are sorted,
/// without duplicates, between different ranks. O(connections x patterns tried).
std::string recognize_pattern(const std::vector<Connection>& connections, std::uint32_t ranks);

}  // namespace hybrid
