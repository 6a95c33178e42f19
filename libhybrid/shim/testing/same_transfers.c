/* Four ranks; the same transfers as the Fortran and C++ programs of this folder. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, next, previous, i, sent[3], got[3], sum;
  MPI_Comm copy;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (i = 0; i < 3; ++i) sent[i] = rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Irecv(got, 3, MPI_INTEGER, previous, 5, copy, &requests[0]);
  MPI_Isend(sent, 3, MPI_INTEGER, next, 5, copy, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(got, 3, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(sent, 2, MPI_INTEGER, next, 6, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Sendrecv(sent, 1, MPI_INTEGER, next, 7, got, 1, MPI_INTEGER, previous, 7, copy, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &sum, 1, MPI_INTEGER, MPI_SUM, copy);
  MPI_Bcast(got, 3, MPI_INTEGER, 2, MPI_COMM_WORLD);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return sum == size * (size - 1) / 2 ? 0 : 1;
}
