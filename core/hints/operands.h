// Table of the meaning of a node's fields by operation, for checking, printing and evaluating notes.
#pragma once

#include <cstdint>

namespace hybrid {

enum class HintType : std::uint8_t { none, value, communicator, list };

/// The meaning of one of a node's fields a, b, c.
enum class HintOperand : std::uint8_t {
  unused,
  value,          // a node of a 64-bit value
  value_or_none,  // the same, or HYBRID_NONE
  in_turn,        // as `value`, evaluated in a turn of the loop with the number `value` of the node
  communicator,
  list,          // a HYBRID_LIST
  list_or_none,  // a HYBRID_LIST or HYBRID_NONE
  string,        // a string or HYBRID_NONE
  width,         // width of a load: 1, 2, 4 or 8, or one of these negated
};

struct HintOperands {
  HintType type = HintType::none;  // of the node; none: unknown operation
  HintOperand a = HintOperand::unused, b = HintOperand::unused, c = HintOperand::unused;
};

HintOperands hint_operands(std::uint32_t op);

/// Whether the field contains the index of a node (or HYBRID_NONE).
constexpr bool is_node(HintOperand operand) {
  return operand != HintOperand::unused && operand != HintOperand::string && operand != HintOperand::width;
}

/// Whether the node is a result of a loop; its `value` is then the number of the loop.
constexpr bool is_loop_result(const HintOperands& operands) {
  return operands.a == HintOperand::in_turn || operands.b == HintOperand::in_turn;
}

/// Whether the result of the operation is always a truth value, 1 or 0.
bool is_hint_truth(std::uint32_t op);

}  // namespace hybrid
