/* Another tool: forbids the program to write a byte into any file, as a full disk would, once MPI itself has
 * its own. */
#include <mpi.h>
#include <sys/resource.h>

int MPI_Init(int* argc, char*** argv) {
  const struct rlimit none = {0, 0};
  const int result = PMPI_Init(argc, argv);
  setrlimit(RLIMIT_FSIZE, &none);
  return result;
}
