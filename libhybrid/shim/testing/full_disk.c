/* Limits its file size after MPI has started, which acts like a full disk; sends 40000 messages to
 * MPI_PROC_NULL. */
#include <mpi.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  const struct rlimit small = {4096, 4096};
  int i, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setrlimit(RLIMIT_FSIZE, &small);
  for (i = 0; i < 40000; ++i) MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return rank < 0;
}
