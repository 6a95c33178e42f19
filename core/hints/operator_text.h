// The C notation of the operations of hints: binary operators with their precedence, and functions.
#pragma once

#include <cstdint>

namespace hybrid::hint_operators {

/// Precedence as in C: a higher value binds more tightly.
enum Precedence : int {
  kConditional = 1,
  kOr = 4,
  kXor,
  kAnd,
  kEqual,
  kLess,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

/// A binary operator. `text` is null if the operation is none.
struct Binary {
  const char* text = nullptr;
  Precedence precedence = kPrimary;
  bool of_reals = false;
};

Binary binary(std::uint32_t op);

/// The name of the C function of one double for this operation, or null.
const char* real_function(std::uint32_t op);

}  // namespace hybrid::hint_operators
