/* A thread ends inside a phase, and the next one takes over its journal; a phase has no name. */
#include <mpi.h>
#include <pthread.h>

#include "libhybrid/hybrid.h"

static void* body(void* leaks) {
  if (leaks) {
    hybrid_phase_begin("around");
    hybrid_phase_begin("left open");
  }
  MPI_Barrier(MPI_COMM_SELF);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, i;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  for (i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, i == 0 ? &provided : NULL);
    pthread_join(thread, NULL);
  }
  hybrid_phase_begin("outer");
  hybrid_phase_begin(NULL);
  hybrid_phase_end();
  MPI_Barrier(MPI_COMM_WORLD);
  hybrid_phase_end();
  MPI_Finalize();
  return 0;
}
