/* 2D halo exchange: heat diffusion on a periodic square, split over a Cartesian grid of ranks.
 *
 * In every step each rank sends its four edges to its four neighbours (nonblocking); every tenth step an
 * allreduce finds the largest change. At the end every rank computes the whole square and compares its own
 * part, bit for bit: the parallel program does the same additions in the same order.
 *
 *   halo2d [SIDE [STEPS]]        SIDE: points; default 240 100
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double start_value(int row, int column, int side) {
  return (double)((row * 31 + column * 17) % side) / side + (row == column ? 1.0 : 0.0);
}

static double step_value(double centre, double north, double south, double west, double east) {
  return centre + 0.2 * (((north + south) + (west + east)) - 4.0 * centre);
}

/* Computes the whole square serially. Returns a new array of side x side. */
static double* serial(int side, int steps) {
  double* now = malloc(sizeof(double) * (size_t)side * (size_t)side);
  double* next = malloc(sizeof(double) * (size_t)side * (size_t)side);
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) now[r * side + c] = start_value(r, c, side);
  for (int s = 0; s < steps; ++s) {
    for (int r = 0; r < side; ++r)
      for (int c = 0; c < side; ++c)
        next[r * side + c] = step_value(now[r * side + c], now[(r + side - 1) % side * side + c],
                                        now[(r + 1) % side * side + c], now[r * side + (c + side - 1) % side],
                                        now[r * side + (c + 1) % side]);
    double* swap = now;
    now = next;
    next = swap;
  }
  free(next);
  return now;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int side = argc > 1 ? atoi(argv[1]) : 240;
  const int steps = argc > 2 ? atoi(argv[2]) : 100;

  int ranks, dims[2] = {0, 0}, periods[2] = {1, 1}, coords[2], rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  side = (side + dims[0] * dims[1] - 1) / (dims[0] * dims[1]) *
         (dims[0] * dims[1]); /* divisible by both dimensions */
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coords);
  int north, south, west, east;
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);

  const int rows = side / dims[0], columns = side / dims[1], stride = columns + 2;
  double* now = calloc((size_t)(rows + 2) * (size_t)stride, sizeof(double));
  double* next = calloc((size_t)(rows + 2) * (size_t)stride, sizeof(double));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      now[(r + 1) * stride + c + 1] = start_value(coords[0] * rows + r, coords[1] * columns + c, side);

  MPI_Datatype column;
  MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  for (int s = 0; s < steps; ++s) {
    MPI_Request pending[8];
    MPI_Irecv(&now[1], columns, MPI_DOUBLE, north, 0, grid, &pending[0]);
    MPI_Irecv(&now[(rows + 1) * stride + 1], columns, MPI_DOUBLE, south, 1, grid, &pending[1]);
    MPI_Irecv(&now[stride], 1, column, west, 2, grid, &pending[2]);
    MPI_Irecv(&now[stride + columns + 1], 1, column, east, 3, grid, &pending[3]);
    MPI_Isend(&now[rows * stride + 1], columns, MPI_DOUBLE, south, 0, grid, &pending[4]);
    MPI_Isend(&now[stride + 1], columns, MPI_DOUBLE, north, 1, grid, &pending[5]);
    MPI_Isend(&now[stride + columns], 1, column, east, 2, grid, &pending[6]);
    MPI_Isend(&now[stride + 1], 1, column, west, 3, grid, &pending[7]);
    MPI_Waitall(8, pending, MPI_STATUSES_IGNORE);

    double change = 0;
    for (int r = 1; r <= rows; ++r)
      for (int c = 1; c <= columns; ++c) {
        const int i = r * stride + c;
        next[i] = step_value(now[i], now[i - stride], now[i + stride], now[i - 1], now[i + 1]);
        change = fmax(change, fabs(next[i] - now[i]));
      }
    double* swap = now;
    now = next;
    next = swap;
    if (s % 10 == 9) MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, grid);
  }

  double* expected = serial(side, steps);
  int wrong = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      wrong +=
          now[(r + 1) * stride + c + 1] != expected[(coords[0] * rows + r) * side + coords[1] * columns + c];
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, grid);
  if (rank == 0)
    printf("halo2d: %d x %d points, %d steps on %d x %d ranks: %s\n", side, side, steps, dims[0], dims[1],
           wrong == 0 ? "equal to the serial result" : "WRONG");

  free(expected);
  free(now);
  free(next);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
