// Conjugate gradient: solves A x = b for the 2D Laplacian plus identity; each rank has some rows of the
// square. Each iteration exchanges one row with the rank above and the rank below, and computes two global
// dot products. The solution is known, so the result is checked.
//
//   cg [SIDE]       SIDE: points; default 192
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Vector = std::vector<double>;

struct Slice {
  int side, rows, first, up, down;
  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(side); }
};

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// y = (5 I - neighbours) x; the square's border is 0.
void apply(const Slice& s, const Vector& x, Vector& y) {
  const auto side = static_cast<std::size_t>(s.side), rows = static_cast<std::size_t>(s.rows);
  Vector above(side, 0.0), below(side, 0.0);
  const double* first_row = rows > 0 ? x.data() : above.data();
  const double* last_row = rows > 0 ? &x[(rows - 1) * side] : below.data();
  MPI_Sendrecv(first_row, s.side, MPI_DOUBLE, s.up, 0, below.data(), s.side, MPI_DOUBLE, s.down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last_row, s.side, MPI_DOUBLE, s.down, 1, above.data(), s.side, MPI_DOUBLE, s.up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < side; ++c) {
      const std::size_t i = r * side + c;
      const double north = r > 0 ? x[i - side] : above[c], south = r + 1 < rows ? x[i + side] : below[c];
      const double west = c > 0 ? x[i - 1] : 0.0, east = c + 1 < side ? x[i + 1] : 0.0;
      y[i] = 5 * x[i] - north - south - west - east;
    }
}

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
  const int side = std::max(number(argc, argv, 1, 192), ranks);  // at least one row each
  Slice slice{};
  slice.side = side;
  slice.first = static_cast<int>(static_cast<long>(side) * rank / ranks);
  slice.rows = static_cast<int>(static_cast<long>(side) * (rank + 1) / ranks) - slice.first;
  slice.up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  slice.down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;

  Vector solution(slice.size()), b(slice.size()), x(slice.size(), 0.0);
  for (std::size_t i = 0; i < solution.size(); ++i) {
    const std::size_t point = i + static_cast<std::size_t>(slice.first) * static_cast<std::size_t>(side);
    solution[i] = std::sin(0.01 * static_cast<double>(point)) + 1.0;
  }
  apply(slice, solution, b);

  Vector r = b, p = b, q(slice.size());
  double rho = dot(r, r);
  const double target = 1e-24 * rho;
  int iterations = 0;
  for (; iterations < 1000 && rho > target; ++iterations) {
    apply(slice, p, q);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    const double next = dot(r, r);
    for (std::size_t i = 0; i < x.size(); ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
  }

  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - solution[i]));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = error < 1e-9;
  if (rank == 0)
    std::printf("cg: %d x %d unknowns, %d iterations: %s (error %.1e)\n", side, side, iterations,
                right ? "the known solution" : "WRONG", error);
  MPI_Finalize();
  return right ? 0 : 1;
}
