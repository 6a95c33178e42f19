// Arithmetic of hint expressions: one operation on known values.
#pragma once

#include <cstdint>
#include <optional>

namespace hybrid {

/// The result of operation `op` (HYBRID_ADD to HYBRID_ROUND except HYBRID_SELECT), or nullopt if it has none
/// (see HintEvaluator). Unary operations ignore `b`. `value` is the constant of the node.
std::optional<std::int64_t> hint_arithmetic(std::uint32_t op, std::int64_t a, std::int64_t b,
                                            std::int64_t value);

}  // namespace hybrid
