#include "core/hints/print_expression.h"

#include <initializer_list>

#include "core/hint_abi.h"

namespace hybrid {
namespace {

// Precedence as in C: a higher value binds more tightly.
enum Precedence : int {
  kConditional = 1,
  kOr = 4,
  kXor,
  kAnd,
  kEqual,
  kLess,
  kBitShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

// A binary operator. `text` is null if the operation is none.
struct Binary {
  const char* text = nullptr;
  Precedence precedence = kPrimary;
};

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
      return {" << ", kBitShift};
    case HYBRID_SHR:
    case HYBRID_SAR:
      return {" >> ", kBitShift};
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
    default:
      return {};
  }
}

std::string variable_name(const HintUnit& unit, std::int64_t variable) {
  const std::string_view name = unit.text(unit.variables[static_cast<std::size_t>(variable)].name);
  return name.empty() ? "i" + std::to_string(variable) : std::string(name);
}

class Printer {
 public:
  Printer(const HintUnit& unit, std::size_t limit) : unit_(unit), limit_(limit) {}

  std::string print(std::uint32_t node) {
    put(node, kConditional);
    return printed();
  }
  std::string print_loop(std::uint32_t at) {
    loop(at);
    return printed();
  }

 private:
  std::string printed() {
    if (text_.size() > limit_) text_ = text_.substr(0, limit_) + "...";
    return std::move(text_);
  }

  // "for (i = 0; i < n; i = i + 1)", or "while (...)" for a loop without variables.
  void loop(std::uint32_t at) {
    const hybrid_loop& loop = unit_.loops[at];
    const auto variables = [&](std::uint32_t hybrid_variable::* expression) {
      for (std::uint32_t i = 0; i < loop.variable_count; ++i) {
        if (text_.size() > limit_) return;
        const std::uint32_t v = loop.first_variable + i;
        text_ += (i == 0 ? "" : ", ") + variable_name(unit_, v) + " = ";
        put(unit_.variables[v].*expression, kConditional);
      }
    };
    text_ += loop.variable_count == 0 ? "while (" : "for (";
    if (loop.variable_count != 0) {
      variables(&hybrid_variable::first);
      text_ += "; ";
    }
    if (loop.condition == HYBRID_NONE)
      text_ += '?';
    else
      put(loop.condition, kConditional);
    if (loop.variable_count != 0) {
      text_ += "; ";
      variables(&hybrid_variable::next);
    }
    text_ += ')';
  }

  // Appends the node's text, in parentheses if its precedence is below `least`.
  void put(std::uint32_t at, int least) {
    if (text_.size() > limit_) return;
    const hybrid_node& n = unit_.nodes[at];
    if (const Binary b = binary(n.op); b.text != nullptr)
      return parenthesized(b.precedence < least, [&] {
        put(n.a, b.precedence);
        text_ += b.text;
        put(n.b, b.precedence + 1);
      });
    switch (n.op) {
      case HYBRID_CONSTANT:
        parenthesized(hint_value(n) < 0 && least > kUnary, [&] { text_ += std::to_string(hint_value(n)); });
        return;
      case HYBRID_RANK:
        return of_communicator("rank", n.a, least);
      case HYBRID_SIZE:
        return of_communicator("size", n.a, least);
      case HYBRID_VARIABLE:
        text_ += variable_name(unit_, hint_value(n));
        return;
      case HYBRID_ARGUMENT:
      case HYBRID_INPUT:
        return name(n.b, "unknown");
      case HYBRID_PROC_NULL:
        text_ += "MPI_PROC_NULL";
        return;
      case HYBRID_ANY_SOURCE:
        text_ += "MPI_ANY_SOURCE";
        return;
      case HYBRID_MIN:
        return call("min", {n.a, n.b});
      case HYBRID_MAX:
        return call("max", {n.a, n.b});
      case HYBRID_SELECT:
        return parenthesized(kConditional < least, [&] {
          put(n.a, kConditional + 1);
          text_ += " ? ";
          put(n.b, kConditional);
          text_ += " : ";
          put(n.c, kConditional);
        });
      case HYBRID_TRUNC:
        return cast(n, "int", least);
      case HYBRID_ZEXT:
        return cast(n, "uint", least);
      case HYBRID_WORLD:
        text_ += "MPI_COMM_WORLD";
        return;
      case HYBRID_SELF:
        text_ += "MPI_COMM_SELF";
        return;
      case HYBRID_UNKNOWN_COMMUNICATOR:
        text_ += "unknown communicator";
        return;
      case HYBRID_DUP:
        return call("MPI_Comm_dup", {n.a});
      case HYBRID_SPLIT:
        return call("MPI_Comm_split", {n.a, n.b, n.c});
      case HYBRID_CART:
        return call("MPI_Cart_create", {n.a, n.b, n.c});
      case HYBRID_CART_SUB:
        return call("MPI_Cart_sub", {n.a, n.b});
      case HYBRID_LIST:
        return list(at);
      case HYBRID_COORDINATE:
        text_ += "coordinate " + std::to_string(hint_value(n));
        return of_communicator("", n.a, kPrimary);
      case HYBRID_CART_RANK:
        return call("MPI_Cart_rank", {n.a, n.b});
      case HYBRID_SHIFT:
        text_ += hint_value(n) == 0 ? "source of " : "destination of ";
        return call("MPI_Cart_shift", {n.a, n.b, n.c});
      case HYBRID_MEMBER:
        return parenthesized(kEqual < least, [&] {
          put(n.a, kEqual);
          text_ += " != MPI_COMM_NULL";
        });
      default:  // all other operations of a unit are binary operators or functions, see above
        return;
    }
  }

  template <class Inner>
  void parenthesized(bool wanted, const Inner& inner) {
    if (wanted) text_ += '(';
    inner();
    if (wanted) text_ += ')';
  }

  void call(const char* function, std::initializer_list<std::uint32_t> arguments) {
    text_ += function;
    const char* before = "(";
    for (const std::uint32_t argument : arguments) {
      text_ += before;
      put(argument, kConditional);
      before = ", ";
    }
    text_ += ')';
  }

  void cast(const hybrid_node& n, const char* kind, int least) {
    parenthesized(kUnary < least, [&] {
      text_ += "(" + std::string(kind) + std::to_string(hint_value(n)) + "_t)";
      put(n.a, kUnary);
    });
  }

  void name(std::uint32_t string, const char* otherwise) {
    const std::string_view text = unit_.text(string);
    text_ += text.empty() ? otherwise : text;
  }

  void list(std::uint32_t at) {
    const char* before = "{";
    for (; at != HYBRID_NONE && text_.size() <= limit_; at = unit_.nodes[at].b) {
      text_ += before;
      put(unit_.nodes[at].a, kConditional);
      before = ", ";
    }
    text_ += '}';
  }

  // "rank" for MPI_COMM_WORLD; "(rank of ...)" for other communicators.
  void of_communicator(const char* what, std::uint32_t communicator, int least) {
    const std::uint32_t op = unit_.nodes[communicator].op;
    if (op == HYBRID_WORLD && *what != '\0') {
      text_ += what;
      return;
    }
    parenthesized(*what != '\0' && least > kConditional, [&] {
      text_ += std::string(what) + " of ";
      put(communicator, kConditional);
    });
  }

  const HintUnit& unit_;
  const std::size_t limit_;
  std::string text_;
};

}  // namespace

std::string print_expression(const HintUnit& unit, std::uint32_t node, std::size_t limit) {
  return node == HYBRID_NONE ? std::string() : Printer(unit, limit).print(node);
}

std::vector<std::string> print_loops(const HintUnit& unit, std::uint32_t innermost) {
  constexpr std::size_t kLongest = 400;
  std::vector<std::string> loops;
  for (std::uint32_t at = innermost; at != HYBRID_NONE; at = unit.loops[at].parent)
    loops.insert(loops.begin(), Printer(unit, kLongest).print_loop(at));
  return loops;
}

}  // namespace hybrid
