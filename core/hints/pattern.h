// The communication patterns that a directive names and that a set of connections is recognised as: mesh2d,
// ring, hypercube, ... One registry (core/registry.h), a line each in pattern.cpp.
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

  /// The dimensions to use for those of a directive (none, or as many as the pattern has; a size of 0 is
  /// found as MPI_Dims_create does). Throws UserError where the pattern cannot be made of so many ranks.
  virtual Dimensions settle(const Dimensions& given, std::uint32_t ranks) const = 0;

  /// All settled dimensions that a recogniser tries.
  virtual std::vector<Dimensions> all(std::uint32_t ranks) const = 0;

  /// Whom `rank` sends to, in any order, each perhaps more than once, perhaps itself. O(their number).
  virtual void destinations(std::uint32_t rank, std::uint32_t ranks, const Dimensions& settled,
                            std::vector<std::uint32_t>& out) const = 0;
};

using HintPatternRegistration = Registration<HintPattern>;

/// The pattern that the connections (sorted, each once, of different ranks) are, with its dimensions:
/// "mesh2d 4x4", "hypercube", "scatter 0", ... Empty where they are none. Where several fit, the first in
/// the order of the registry's most to least special ones. O(connections x patterns tried).
std::string recognize_pattern(const std::vector<Connection>& connections, std::uint32_t ranks);

}  // namespace hybrid
