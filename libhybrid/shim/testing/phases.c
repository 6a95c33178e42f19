/* Marks its phases; built with hybrid.h and nothing else of libhybrid. */
#include <mpi.h>
#include <stdio.h>

#include "libhybrid/hybrid.h"

int main(int argc, char** argv) {
  hybrid_phase_begin("before MPI");
  hybrid_phase_end();
  MPI_Init(&argc, &argv);
  hybrid_phase_begin("outer");
  hybrid_phase_begin("inner");
  MPI_Barrier(MPI_COMM_WORLD);
  hybrid_phase_end();
  const int next[] = {1, 0, 7, -1}; /* with two ranks: one is the rank itself, two do not exist */
  hybrid_preload(next, 4);
  hybrid_preload(NULL, 3);
  hybrid_flush();
  hybrid_phase_begin("inner");
  hybrid_phase_end();
  hybrid_phase_end();
  hybrid_phase_end(); /* one too many */
  MPI_Finalize();
  puts("done");
  return 0;
}
