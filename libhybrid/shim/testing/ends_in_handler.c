/* An error handler that ends the program in the way that argv[1] selects. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* how = "";

static void on_error(MPI_Comm* comm, int* code, ...) {
  int flag, i;
  (void)comm;
  (void)code;
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 4);
  /* Calls nested in an MPI call are not the program's own: not recorded. */
  for (i = 0; i < 3; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Finalize();
  puts("ended by the handler");
  exit(3);
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  int value = 1;
  how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  return 0;
}
