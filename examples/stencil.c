/* A stencil with phases marked by directives: heat spreads over a square plate, split over a grid of ranks.
 *
 * In every step each rank exchanges its edges with its neighbours in a mesh; every tenth step all ranks send
 * their heat to rank 0. `#pragma hybrid` declares these two working sets; hybridcc makes hints of them, other
 * compilers ignore them. At the end every rank computes the whole plate and compares its own part, bit for
 * bit.
 *
 *   stencil [SIDE [STEPS]]        SIDE: points; default 120 50
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double start_value(int row, int column) { return (row * 7 + column * 13) % 101 / 100.0; }

/* One step of rows x columns points, with a border of one point on each side. */
static void compute(const double* now, double* next, int rows, int columns) {
  const int stride = columns + 2;
  for (int r = 1; r <= rows; ++r)
    for (int c = 1; c <= columns; ++c) {
      const double* p = now + r * stride + c;
      next[r * stride + c] = p[0] + 0.2 * (((p[-stride] + p[stride]) + (p[-1] + p[1])) - 4 * p[0]);
    }
}

/* Returns the part of the plate that starts at (row, column), with a border of zeros. */
static double* start(int row, int column, int rows, int columns) {
  double* made = calloc((size_t)(rows + 2) * (size_t)(columns + 2), sizeof(double));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      made[(r + 1) * (columns + 2) + c + 1] = start_value(row + r, column + c);
  return made;
}

static double heat(const double* plate, int rows, int columns) {
  double sum = 0;
  for (int r = 1; r <= rows; ++r)
    for (int c = 1; c <= columns; ++c) sum += plate[r * (columns + 2) + c];
  return sum;
}

int main(int argc, char** argv) {
  int rank, size, dims[2] = {0, 0}, wraps[2] = {0, 0}, place[2], north, south, west, east;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* equals the rank in the grid, which does not reorder */
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Comm_free(&grid);

  int side = argc > 1 ? atoi(argv[1]) : 120;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  side = (side + size - 1) / size * size; /* divisible by both dimensions */
  const int rows = side / dims[0], columns = side / dims[1], stride = columns + 2;
  double* now = start(place[0] * rows, place[1] * columns, rows, columns);
  double* next = start(place[0] * rows, place[1] * columns, rows, columns);
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  double total = 0;
  for (int step = 1; step <= steps; ++step) {
#pragma hybrid phase(exchange) pattern(mesh2d) preload
    MPI_Sendrecv(now + stride + 1, columns, MPI_DOUBLE, north, 0, now + (rows + 1) * stride + 1, columns,
                 MPI_DOUBLE, south, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + rows * stride + 1, columns, MPI_DOUBLE, south, 1, now + 1, columns, MPI_DOUBLE, north,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + stride + 1, 1, column, west, 2, now + stride + columns + 1, 1, column, east, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + stride + columns, 1, column, east, 3, now + stride, 1, column, west, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    compute(now, next, rows, columns);
    double* swap = now;
    now = next;
    next = swap;

    if (step % 10 == 0) {
#pragma hybrid phase(collect) pattern(gather, 0)
      double mine = heat(now, rows, columns), other;
      if (rank != 0) MPI_Send(&mine, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
      for (int from = 1; rank == 0 && from < size; ++from) {
        MPI_Recv(&other, 1, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine += other;
      }
      total = mine;
    }
  }

  double *whole = start(0, 0, side, side), *after = start(0, 0, side, side);
  for (int step = 1; step <= steps; ++step) {
    compute(whole, after, side, side);
    double* swap = whole;
    whole = after;
    after = swap;
  }
  int wrong = 0, all_wrong;
  for (int r = 1; r <= rows; ++r)
    wrong += memcmp(now + r * stride + 1, whole + (place[0] * rows + r) * (side + 2) + place[1] * columns + 1,
                    sizeof(double) * (size_t)columns) != 0;
  /* The sum is that of the last tenth step, added in another order. */
  const double expected = heat(whole, side, side);
  if (rank == 0 && steps > 0 && steps % 10 == 0)
    wrong += total < expected * (1 - 1e-9) || total > expected * (1 + 1e-9);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("stencil: %d x %d points, %d steps on %d x %d ranks: %s\n", side, side, steps, dims[0], dims[1],
           all_wrong == 0 ? "equal to the serial result" : "WRONG");
  free(after);
  free(whole);
  free(next);
  free(now);
  MPI_Type_free(&column);
  MPI_Finalize();
  return all_wrong != 0;
}
