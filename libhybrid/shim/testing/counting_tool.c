/* Another tool that uses the profiling interface: counts calls, and prints the counts at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends, waits;

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++sends;
  return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  ++waits;
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("tool: %d sends %d waits\n", sends, waits);
  return PMPI_Finalize();
}
