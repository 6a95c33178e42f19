// 2D Fourier transform by transposition: each rank holds some rows and transforms them; an all-to-all turns
// rows into columns. Forward and back must give the input, and the transform of a plane wave is a single
// peak.
//
//   transpose [SIDE [REPETITIONS]]     SIDE: points, rounded up to a power of two, at least the number of
//   ranks;
//                                      default 256 2
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <vector>

namespace {

using Complex = std::complex<double>;

// In place, radix 2; unscaled. n is a power of two.
void fourier(Complex* x, std::size_t n, double sign) {
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const Complex root = std::polar(1.0, sign * 2 * std::numbers::pi / static_cast<double>(length));
    for (std::size_t i = 0; i < n; i += length) {
      Complex w = 1;
      for (std::size_t k = 0; k < length / 2; ++k, w *= root) {
        const Complex a = x[i + k], b = x[i + k + length / 2] * w;
        x[i + k] = a + b;
        x[i + k + length / 2] = a - b;
      }
    }
  }
}

// A square matrix of `side`; the ranks have equal blocks of rows.
class Matrix {
 public:
  Matrix(std::size_t side, int ranks)
      : side_(side), rows_(side / static_cast<std::size_t>(ranks)), ranks_(ranks), values_(side * rows_) {}
  std::size_t rows() const { return rows_; }
  Complex& at(std::size_t row, std::size_t column) { return values_[row * side_ + column]; }

  void transform_rows(double sign) {
    for (std::size_t r = 0; r < rows_; ++r) fourier(&values_[r * side_], side_, sign);
  }

  void transpose() {
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<Complex> out(values_.size()), in(values_.size());
    for (std::size_t block = 0; block < ranks; ++block)
      for (std::size_t c = 0; c < rows_; ++c)
        for (std::size_t r = 0; r < rows_; ++r)
          out[(block * rows_ + c) * rows_ + r] = at(r, block * rows_ + c);
    const int count = static_cast<int>(rows_ * rows_);
    MPI_Alltoall(out.data(), count, MPI_C_DOUBLE_COMPLEX, in.data(), count, MPI_C_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
    for (std::size_t block = 0; block < ranks; ++block)
      for (std::size_t r = 0; r < rows_; ++r)
        for (std::size_t c = 0; c < rows_; ++c)
          at(r, block * rows_ + c) = in[(block * rows_ + r) * rows_ + c];
  }

  void transform(double sign) {
    transform_rows(sign);
    transpose();
    transform_rows(sign);
    transpose();
  }

 private:
  std::size_t side_, rows_;
  int ranks_;
  std::vector<Complex> values_;
};

/// Returns the N-th argument as a number; `otherwise` when it is missing or no number.
int number(int argc, char** argv, int n, int otherwise) {
  int value = otherwise;
  if (n < argc) {
    const char* end = argv[n] + std::strlen(argv[n]);
    if (const auto [stop, error] = std::from_chars(argv[n], end, value); error != std::errc{} || stop != end)
      value = otherwise;
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
    if (rank == 0) std::fprintf(stderr, "transpose: needs a power of two of ranks, not %d\n", ranks);
    MPI_Finalize();
    return 2;
  }
  const auto least = static_cast<std::size_t>(number(argc, argv, 1, 256));
  const std::size_t side = std::bit_ceil(std::max(least, static_cast<std::size_t>(ranks)));
  const int repetitions = number(argc, argv, 2, 2);

  // A plane wave of frequency (3, 5): its transform is side^2 at (3, 5) and 0 elsewhere.
  Matrix matrix(side, ranks);
  const std::size_t first = static_cast<std::size_t>(rank) * matrix.rows();
  const auto wave = [&](std::size_t row, std::size_t column) {
    const auto phase =
        static_cast<double>((3 * (first + row) + 5 * column) % side) / static_cast<double>(side);
    return std::polar(1.0, 2 * std::numbers::pi * phase);
  };
  double error = 0;
  const auto points = static_cast<double>(side * side);
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    for (std::size_t c = 0; c < side; ++c) matrix.at(r, c) = wave(r, c);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    matrix.transform(-1);
    for (std::size_t r = 0; r < matrix.rows(); ++r)
      for (std::size_t c = 0; c < side; ++c) {
        const double expected = first + r == 3 % side && c == 5 % side ? 1.0 : 0.0;
        error = std::max(error, std::abs(matrix.at(r, c) / points - expected));
      }
    matrix.transform(+1);
    for (std::size_t r = 0; r < matrix.rows(); ++r)
      for (std::size_t c = 0; c < side; ++c) {
        matrix.at(r, c) /= points;
        error = std::max(error, std::abs(matrix.at(r, c) - wave(r, c)));
      }
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = error < 1e-9;
  if (rank == 0)
    std::printf(
        "transpose: 2D Fourier transform of %zu x %zu points, %d times there and back: %s (error %.1e)\n",
        side, side, repetitions, right ? "correct" : "WRONG", error);
  MPI_Finalize();
  return right ? 0 : 1;
}
