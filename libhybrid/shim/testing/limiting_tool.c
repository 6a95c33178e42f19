/* Another tool: forbids the program to write a byte into any file, as a full disk would, once MPI itself has
 * its own. LIMITED_RANK names the only rank that it forbids. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

int MPI_Init(int* argc, char*** argv) {
  const struct rlimit none = {0, 0};
  const int result = PMPI_Init(argc, argv);
  const char* const limited = getenv("LIMITED_RANK");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (limited == NULL || atoi(limited) == rank) setrlimit(RLIMIT_FSIZE, &none);
  return result;
}
