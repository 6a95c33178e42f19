#include "core/hints/operands.h"

#include "core/hint_abi.h"

namespace hybrid {

HintOperands hint_operands(std::uint32_t op) {
  using enum HintOperand;
  constexpr HintType kValue = HintType::value, kCommunicator = HintType::communicator;
  switch (op) {
    case HYBRID_CONSTANT:
    case HYBRID_VARIABLE:
    case HYBRID_PROC_NULL:
    case HYBRID_ANY_SOURCE:
      return {kValue};
    case HYBRID_RANK:
    case HYBRID_SIZE:
    case HYBRID_COORDINATE:
    case HYBRID_MEMBER:
      return {kValue, communicator};
    case HYBRID_LOAD:
      return {kValue, value_or_none, string, width};
    case HYBRID_INPUT:
      return {kValue, unused, string};
    case HYBRID_SELECT:
      return {kValue, value, value, value};
    case HYBRID_TRUNC:
    case HYBRID_ZEXT:
    case HYBRID_FNEG:
    case HYBRID_FABS:
    case HYBRID_FROM_INT:
    case HYBRID_TO_INT:
    case HYBRID_SQRT:
    case HYBRID_CBRT:
    case HYBRID_LOG:
    case HYBRID_LOG2:
    case HYBRID_LOG10:
    case HYBRID_EXP:
    case HYBRID_FLOOR:
    case HYBRID_CEIL:
    case HYBRID_ROUND:
      return {kValue, value};
    case HYBRID_WORLD:
    case HYBRID_SELF:
    case HYBRID_UNKNOWN_COMMUNICATOR:
      return {kCommunicator};
    case HYBRID_DUP:
      return {kCommunicator, communicator};
    case HYBRID_SPLIT:
      return {kCommunicator, communicator, value, value};
    case HYBRID_CART:
      return {kCommunicator, communicator, list, list};
    case HYBRID_CART_SUB:
      return {kCommunicator, communicator, list};
    case HYBRID_LIST:
      return {HintType::list, value, list_or_none};
    case HYBRID_CART_RANK:
      return {kValue, communicator, list};
    case HYBRID_SHIFT:
      return {kValue, communicator, value, value};
    case HYBRID_TRANSLATE:
      return {kValue, communicator, value, communicator};
    case HYBRID_AFTER:
      return {kValue, in_turn};
    case HYBRID_ENTRY:
      return {kValue, value, in_turn, in_turn};
    default:
      break;
  }
  if ((op >= HYBRID_ADD && op <= HYBRID_ULE) || (op >= HYBRID_FADD && op <= HYBRID_FDIV) ||
      (op >= HYBRID_FEQ && op <= HYBRID_FLE) || op == HYBRID_POW)
    return {kValue, value, value};
  return {};
}

bool is_hint_truth(std::uint32_t op) {
  return (op >= HYBRID_EQ && op <= HYBRID_ULE) || (op >= HYBRID_FEQ && op <= HYBRID_FLE) ||
         op == HYBRID_MEMBER;
}

}  // namespace hybrid
