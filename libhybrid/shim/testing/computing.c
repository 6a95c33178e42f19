/* Computes for 20 ms of CPU time, sleeps for 200 ms, sends. With `null`, sends to MPI_PROC_NULL, before,
 * while it computes, and after. */
#include <mpi.h>
#include <string.h>
#include <time.h>

int main(int argc, char** argv) {
  const int null = argc > 1 && strcmp(argv[1], "null") == 0;
  int rank, value = 1;
  struct timespec begin, now;
  const struct timespec nap = {0, 200000000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    if (null) MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 20000000L);
  nanosleep(&nap, NULL);
  if (null)
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  else
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
