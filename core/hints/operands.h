// What the fields of a node mean, by its operation: one table for whoever checks, prints or evaluates notes.
#pragma once

#include <cstdint>

namespace hybrid {

enum class HintType : std::uint8_t { none, value, communicator, list };

/// The meaning of one of a node's fields a, b, c.
enum class HintOperand : std::uint8_t {
  unused,
  value,          // a node of a 64-bit value
  value_or_none,  // the same, or HYBRID_NONE
  in_turn,        // the same as `value`, in a turn of the loop that the node's value tells
  communicator,
  list,          // a HYBRID_LIST
  list_or_none,  // a HYBRID_LIST or HYBRID_NONE
  string,        // a string or HYBRID_NONE
  width,         // of a load: 1, 2, 4 or 8, or one of these negative
};

struct HintOperands {
  HintType type = HintType::none;  // of the node itself; none: there is no such operation
  HintOperand a = HintOperand::unused, b = HintOperand::unused, c = HintOperand::unused;
};

HintOperands hint_operands(std::uint32_t op);

/// Whether the field refers to a node (or is HYBRID_NONE in its place).
constexpr bool is_node(HintOperand operand) {
  return operand != HintOperand::unused && operand != HintOperand::string && operand != HintOperand::width;
}

/// Whether the node's value is a loop, of whose turns one of its operands is.
constexpr bool is_of_a_loop(const HintOperands& operands) {
  return operands.a == HintOperand::in_turn || operands.b == HintOperand::in_turn;
}

/// Whether the operation's value is a truth, 1 or 0, whatever its operands.
bool is_hint_truth(std::uint32_t op);

}  // namespace hybrid
