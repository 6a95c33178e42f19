#include "core/hints/operator_text.h"

#include "core/hint_abi.h"

namespace hybrid::hint_operators {

Binary binary(std::uint32_t op) {
  switch (op) {
    case HYBRID_ADD:
      return {" + ", kSum};
    case HYBRID_SUB:
      return {" - ", kSum};
    case HYBRID_MUL:
      return {" * ", kProduct};
    case HYBRID_DIV:
    case HYBRID_UDIV:
      return {" / ", kProduct};
    case HYBRID_MOD:
    case HYBRID_UMOD:
      return {" % ", kProduct};
    case HYBRID_AND:
      return {" & ", kAnd};
    case HYBRID_OR:
      return {" | ", kOr};
    case HYBRID_XOR:
      return {" ^ ", kXor};
    case HYBRID_SHL:
      return {" << ", kShift};
    case HYBRID_SHR:
    case HYBRID_SAR:
      return {" >> ", kShift};
    case HYBRID_EQ:
      return {" == ", kEqual};
    case HYBRID_NE:
      return {" != ", kEqual};
    case HYBRID_LT:
    case HYBRID_ULT:
      return {" < ", kLess};
    case HYBRID_LE:
    case HYBRID_ULE:
      return {" <= ", kLess};
    case HYBRID_FADD:
      return {" + ", kSum, true};
    case HYBRID_FSUB:
      return {" - ", kSum, true};
    case HYBRID_FMUL:
      return {" * ", kProduct, true};
    case HYBRID_FDIV:
      return {" / ", kProduct, true};
    case HYBRID_FEQ:
      return {" == ", kEqual, true};
    case HYBRID_FNE:
      return {" != ", kEqual, true};
    case HYBRID_FLT:
      return {" < ", kLess, true};
    case HYBRID_FLE:
      return {" <= ", kLess, true};
    default:
      return {};
  }
}

const char* real_function(std::uint32_t op) {
  switch (op) {
    case HYBRID_FABS:
      return "fabs";
    case HYBRID_SQRT:
      return "sqrt";
    case HYBRID_CBRT:
      return "cbrt";
    case HYBRID_LOG:
      return "log";
    case HYBRID_LOG2:
      return "log2";
    case HYBRID_LOG10:
      return "log10";
    case HYBRID_EXP:
      return "exp";
    case HYBRID_FLOOR:
      return "floor";
    case HYBRID_CEIL:
      return "ceil";
    case HYBRID_ROUND:
      return "round";
    default:
      return nullptr;
  }
}

}  // namespace hybrid::hint_operators
