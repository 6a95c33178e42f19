#include "emulator/scheduler/bit_transpose.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

namespace hybrid {

namespace {

/// Transposes a block: bit j of block[i] becomes bit i of block[j].
void transpose_block(std::array<Word, kWordBits>& block) {
  Word low = ~Word{0} >> 32;
  for (std::size_t half = 32; half != 0; half /= 2, low ^= low << half)
    for (std::size_t i = 0; i < kWordBits; i = (i + half + 1) & ~half) {
      const Word swapped = ((block[i] >> half) ^ block[i + half]) & low;
      block[i] ^= swapped << half;
      block[i + half] ^= swapped;
    }
}

}  // namespace

void transpose(const BitMatrix& matrix, BitMatrix& transposed) {
  if (transposed.rows() != matrix.columns() || transposed.columns() != matrix.rows())
    throw std::logic_error("transpose: the matrices' sizes do not match");
  std::array<Word, kWordBits> block;
  for (std::size_t up = 0; up < matrix.rows(); up += kWordBits) {
    const std::size_t rows = std::min(kWordBits, matrix.rows() - up);
    for (std::size_t left = 0; left < matrix.columns(); left += kWordBits) {
      const std::size_t columns = std::min(kWordBits, matrix.columns() - left);
      Word any = 0;
      for (std::size_t i = 0; i < rows; ++i) any |= block[i] = matrix.row(up + i)[left / kWordBits];
      std::fill(block.begin() + static_cast<std::ptrdiff_t>(rows), block.end(), Word{0});
      if (any != 0) transpose_block(block);
      for (std::size_t i = 0; i < columns; ++i) transposed.row(left + i)[up / kWordBits] = block[i];
    }
  }
}

}  // namespace hybrid
