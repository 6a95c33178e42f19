// How the operations of hints are written: as in C, signs with how tightly they bind, and functions.
#pragma once

#include <cstdint>

namespace hybrid::hint_operators {

/// Binding strength, as in C: the higher, the tighter.
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

/// A sign between two operands; no text where the operation has none.
struct Binary {
  const char* text = nullptr;
  Precedence precedence = kPrimary;
  bool of_reals = false;
};

Binary binary(std::uint32_t op);

/// The C function of one double that the operation is, or null.
const char* real_function(std::uint32_t op);

}  // namespace hybrid::hint_operators
