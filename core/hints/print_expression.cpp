#include "core/hints/print_expression.h"

#include <utility>

#include "core/hint_abi.h"
#include "core/hints/operations.h"

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

// How an operation is printed: an operator between two operands, or a name with its operands, if any, in
// parentheses.
struct Notation {
  std::uint32_t op;
  const char* text;
  Precedence precedence = kPrimary;  // of an operator
};
constexpr Notation kNotations[] = {
    {HYBRID_ADD, " + ", kSum},
    {HYBRID_SUB, " - ", kSum},
    {HYBRID_MUL, " * ", kProduct},
    {HYBRID_DIV, " / ", kProduct},
    {HYBRID_UDIV, " / ", kProduct},
    {HYBRID_MOD, " % ", kProduct},
    {HYBRID_UMOD, " % ", kProduct},
    {HYBRID_AND, " & ", kAnd},
    {HYBRID_OR, " | ", kOr},
    {HYBRID_XOR, " ^ ", kXor},
    {HYBRID_SHL, " << ", kBitShift},
    {HYBRID_SHR, " >> ", kBitShift},
    {HYBRID_SAR, " >> ", kBitShift},
    {HYBRID_EQ, " == ", kEqual},
    {HYBRID_NE, " != ", kEqual},
    {HYBRID_LT, " < ", kLess},
    {HYBRID_ULT, " < ", kLess},
    {HYBRID_LE, " <= ", kLess},
    {HYBRID_ULE, " <= ", kLess},
    {HYBRID_MIN, "min"},
    {HYBRID_MAX, "max"},
    {HYBRID_PROC_NULL, "MPI_PROC_NULL"},
    {HYBRID_ANY_SOURCE, "MPI_ANY_SOURCE"},
    {HYBRID_WORLD, "MPI_COMM_WORLD"},
    {HYBRID_SELF, "MPI_COMM_SELF"},
    {HYBRID_UNKNOWN_COMMUNICATOR, "unknown communicator"},
    {HYBRID_DUP, "MPI_Comm_dup"},
    {HYBRID_SPLIT, "MPI_Comm_split"},
    {HYBRID_CART, "MPI_Cart_create"},
    {HYBRID_CART_SUB, "MPI_Cart_sub"},
    {HYBRID_CART_RANK, "MPI_Cart_rank"},
};

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
    for (const Notation& notation : kNotations)
      if (notation.op == n.op) return notated(notation, n, least);
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
        text_ += unit_.text(n.b).empty() ? "unknown" : unit_.text(n.b);
        return;
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
      case HYBRID_LIST:
        return list(at);
      case HYBRID_COORDINATE:
        text_ += "coordinate " + std::to_string(hint_value(n));
        return of_communicator("", n.a, kPrimary);
      case HYBRID_SHIFT:
        text_ += hint_value(n) == 0 ? "source of " : "destination of ";
        return notated({n.op, "MPI_Cart_shift"}, n, least);
      case HYBRID_MEMBER:
        return parenthesized(kEqual < least, [&] {
          put(n.a, kEqual);
          text_ += " != MPI_COMM_NULL";
        });
      default:  // all other operations of a unit have a notation, see above
        return;
    }
  }

  template <class Inner>
  void parenthesized(bool wanted, const Inner& inner) {
    if (wanted) text_ += '(';
    inner();
    if (wanted) text_ += ')';
  }

  void notated(const Notation& notation, const hybrid_node& n, int least) {
    if (notation.precedence != kPrimary)
      return parenthesized(notation.precedence < least, [&] {
        put(n.a, notation.precedence);
        text_ += notation.text;
        put(n.b, notation.precedence + 1);
      });
    text_ += notation.text;
    const HintOperands operands = hint_operands(n.op);
    const char* before = "(";
    for (const auto& [operand, field] :
         {std::pair{operands.a, n.a}, std::pair{operands.b, n.b}, std::pair{operands.c, n.c}}) {
      if (!is_node(operand)) continue;
      text_ += before;
      put(field, kConditional);
      before = ", ";
    }
    if (is_node(operands.a)) text_ += ')';
  }

  void cast(const hybrid_node& n, const char* kind, int least) {
    parenthesized(kUnary < least, [&] {
      text_ += "(" + std::string(kind) + std::to_string(hint_value(n)) + "_t)";
      put(n.a, kUnary);
    });
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
