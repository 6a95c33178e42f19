/* Three ranks: every collective once, in its blocking, nonblocking or persistent form. */
#include <mpi.h>
#include <string.h>

#define SIZE 3

static int rank;
static int a[64], b[64];
static int counts[SIZE] = {1, 2, 3}, places[SIZE] = {0, 1, 3}, fives[SIZE] = {5, 5, 5},
           at_fives[SIZE] = {0, 5, 10};
static MPI_Datatype types[SIZE];
static int bytes_at[SIZE] = {0, 20, 40};

static void blocking(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Barrier(world);
  MPI_Bcast(a, 10, MPI_INT, 1, world);
  MPI_Gather(a, 4, MPI_INT, b, 4, MPI_INT, 2, world);
  MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, 0, world);
  MPI_Scatter(a, 4, MPI_INT, b, 4, MPI_INT, 0, world);
  MPI_Scatterv(a, counts, places, MPI_INT, b, counts[rank], MPI_INT, 0, world);
  MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, world);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, world);
  MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, world);
  MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, world);
  MPI_Alltoallv(a, fives, at_fives, MPI_INT, b, fives, at_fives, MPI_INT, world);
  MPI_Alltoallw(a, fives, bytes_at, types, b, fives, bytes_at, types, world);
  MPI_Reduce(a, b, 6, MPI_INT, MPI_SUM, 1, world);
  MPI_Allreduce(a, b, 7, MPI_INT, MPI_SUM, world);
  MPI_Scan(a, b, 8, MPI_INT, MPI_SUM, world);
  MPI_Exscan(a, b, 9, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, world);
  MPI_Allreduce_c(a, b, (MPI_Count)7, MPI_INT, MPI_SUM, world);
}

static void nonblocking(void) {
  MPI_Request requests[3];
  MPI_Ibcast(a, 10, MPI_INT, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(a + 20, b + 20, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ialltoallv(a, fives, at_fives, MPI_INT, b, fives, at_fives, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void persistent(void) {
  MPI_Request request;
  int round;
  MPI_Allgatherv_init(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request);
  for (round = 0; round < 2; ++round) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < SIZE; ++i) types[i] = MPI_INT;
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "blocking") == 0) blocking();
  if (strcmp(what, "nonblocking") == 0) nonblocking();
  if (strcmp(what, "persistent") == 0) persistent();
  MPI_Finalize();
  return 0;
}
