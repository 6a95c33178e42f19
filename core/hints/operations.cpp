#include "core/hints/operations.h"

#include <algorithm>

#include "core/hint_abi.h"

namespace hybrid {
namespace {

std::optional<std::int64_t> divide(std::uint32_t op, std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  if (op == HYBRID_UDIV) return static_cast<std::int64_t>(ua / ub);
  if (op == HYBRID_UMOD) return static_cast<std::int64_t>(ua % ub);
  if (a == INT64_MIN && b == -1) return std::nullopt;  // no 64-bit result
  return op == HYBRID_DIV ? a / b : a % b;
}

std::optional<std::int64_t> shift(std::uint32_t op, std::int64_t a, std::int64_t by) {
  if (by < 0 || by > 63) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(a);
  if (op == HYBRID_SHL) return static_cast<std::int64_t>(bits << by);
  return op == HYBRID_SHR ? static_cast<std::int64_t>(bits >> by) : a >> by;
}

std::optional<std::int64_t> lowest_bits(std::uint32_t op, std::int64_t a, std::int64_t count) {
  if (count >= 64) return a;
  const auto moved = static_cast<std::uint64_t>(a) << (64 - count);
  return op == HYBRID_ZEXT ? static_cast<std::int64_t>(moved >> (64 - count))
                           : static_cast<std::int64_t>(moved) >> (64 - count);
}

}  // namespace

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
    case HYBRID_ARGUMENT:
    case HYBRID_INPUT:
      return {kValue, unused, string};
    case HYBRID_SELECT:
      return {kValue, value, value, value};
    case HYBRID_TRUNC:
    case HYBRID_ZEXT:
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
    default:
      break;
  }
  if (op >= HYBRID_ADD && op <= HYBRID_ULE) return {kValue, value, value};
  return {};
}

bool is_hint_truth(std::uint32_t op) { return (op >= HYBRID_EQ && op <= HYBRID_ULE) || op == HYBRID_MEMBER; }

std::optional<std::int64_t> hint_arithmetic(std::uint32_t op, std::int64_t a, std::int64_t b,
                                            std::int64_t value) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case HYBRID_ADD:
      return static_cast<std::int64_t>(ua + ub);
    case HYBRID_SUB:
      return static_cast<std::int64_t>(ua - ub);
    case HYBRID_MUL:
      return static_cast<std::int64_t>(ua * ub);
    case HYBRID_DIV:
    case HYBRID_MOD:
    case HYBRID_UDIV:
    case HYBRID_UMOD:
      return divide(op, a, b);
    case HYBRID_AND:
      return a & b;
    case HYBRID_OR:
      return a | b;
    case HYBRID_XOR:
      return a ^ b;
    case HYBRID_SHL:
    case HYBRID_SHR:
    case HYBRID_SAR:
      return shift(op, a, b);
    case HYBRID_MIN:
      return std::min(a, b);
    case HYBRID_MAX:
      return std::max(a, b);
    case HYBRID_EQ:
      return a == b;
    case HYBRID_NE:
      return a != b;
    case HYBRID_LT:
      return a < b;
    case HYBRID_LE:
      return a <= b;
    case HYBRID_ULT:
      return ua < ub;
    case HYBRID_ULE:
      return ua <= ub;
    case HYBRID_TRUNC:
    case HYBRID_ZEXT:
      return lowest_bits(op, a, value);
    default:
      return std::nullopt;
  }
}

}  // namespace hybrid
