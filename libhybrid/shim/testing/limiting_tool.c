/* Another tool: after MPI_Init, sets the file size limit to 0, which acts like a full disk. LIMITED_RANK
 * limits one rank only. */
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
