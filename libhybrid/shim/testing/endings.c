/* Two ranks that end in the way that argv[1] selects. Before that, each does one exchange, or, with argv[2],
   exchanges for one second. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns when both ranks have returned from their exchange. MPI cannot be used for this: when a rank ends,
   the other one is killed wherever it is. */
static void wait_for_both(int rank) {
  char name[] = "exchanged-0";
  name[10] = (char)('0' + rank);
  const int file = open(name, O_CREAT | O_WRONLY, 0600);
  if (file < 0) abort();
  close(file);
  name[10] = (char)('1' - rank);
  while (access(name, F_OK) != 0) sched_yield();
}

int main(int argc, char** argv) {
  int rank, value = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double start = MPI_Wtime();
  int again;
  do { /* rank 0 decides whether it is the last */
    again = argc > 2 && MPI_Wtime() - start < 1.0;
    value = again;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) again = value;
  } while (again);
  wait_for_both(rank);
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "killed") == 0 && rank == 1) kill(getpid(), SIGKILL);
  if (strcmp(how, "killed") == 0 || strcmp(how, "abort") == 0)
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* never sent */
  if (strcmp(how, "no-finalize") == 0) exit(0);
  if (strcmp(how, "return-3") == 0) {
    MPI_Finalize();
    return rank == 0 ? 3 : 0;
  }
  MPI_Finalize();
  return 0;
}
