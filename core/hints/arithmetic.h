// The arithmetic of hints' expressions: one operation on values that are known.
#pragma once

#include <cstdint>
#include <optional>

namespace hybrid {

/// Operations HYBRID_ADD to HYBRID_ROUND but for SELECT; `b` is not looked at where there is one operand,
/// `value` is the node's constant. Nothing where there is no result (see HintEvaluator).
std::optional<std::int64_t> hint_arithmetic(std::uint32_t op, std::int64_t a, std::int64_t b,
                                            std::int64_t value);

}  // namespace hybrid
