// The operations of hint expressions: the meaning of a node's fields by operation, and arithmetic.
#pragma once

#include <cstdint>
#include <optional>

namespace hybrid {

enum class HintType : std::uint8_t { none, value, communicator, list };

/// The meaning of one of a node's fields a, b, c.
enum class HintOperand : std::uint8_t {
  unused,
  value,          // a node of a 64-bit value
  value_or_none,  // the same, or HYBRID_NONE
  communicator,
  list,          // a HYBRID_LIST
  list_or_none,  // a HYBRID_LIST or HYBRID_NONE
  string,        // a string or HYBRID_NONE
};

struct HintOperands {
  HintType type = HintType::none;  // of the node; none: unknown operation
  HintOperand a = HintOperand::unused, b = HintOperand::unused, c = HintOperand::unused;
};

HintOperands hint_operands(std::uint32_t op);

/// Whether the field contains the index of a node (or HYBRID_NONE).
constexpr bool is_node(HintOperand operand) {
  return operand != HintOperand::unused && operand != HintOperand::string;
}

/// Whether the result of the operation is always a truth value, 1 or 0.
bool is_hint_truth(std::uint32_t op);

/// The result of operation `op` (HYBRID_ADD to HYBRID_ZEXT except HYBRID_SELECT), or nullopt if it has none
/// (see HintEvaluator). Unary operations ignore `b`. `value` is the constant of the node.
std::optional<std::int64_t> hint_arithmetic(std::uint32_t op, std::int64_t a, std::int64_t b,
                                            std::int64_t value);

}  // namespace hybrid
