/* A hundred exchanges around a ring; with an argument, repeated until a second has passed. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, i, value, got = -1, sum, again;
  double start;
  const int until_late = argc > 1;
  MPI_Init(&argc, &argv);
  start = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  value = rank;
  do {
    for (i = 0; i < 100; ++i)
      MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    again = until_late && MPI_Wtime() - start < 1.0;
    if (until_late) MPI_Bcast(&again, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } while (again);
  MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
