/* Rank 0 polls for a message that is sent only after it requests it, and prints for each kind of poll how
 * many polls were empty and how often the shim yielded the core meanwhile (yield_counter.c). The messages
 * come from the last rank. All ranks run on one core: with two ranks or more, the job is oversubscribed on
 * any machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

enum { kPolls = 500, kGo = 1, kAnswer = 2 };

static unsigned long (*yields_of_shim)(void);
static int peer;

static void share_one_core(void) {
  cpu_set_t all, one;
  int cpu = 0;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void print(const char* what, int empty, unsigned long before) {
  printf("%s %d empty %lu yields\n", what, empty, yields_of_shim() - before);
}

static void test(void) {
  MPI_Request request, go;
  int value, go_value = 0, answer = 0, flag, empty = 0, i;
  unsigned long before;
  MPI_Irecv(&value, 1, MPI_INT, peer, kAnswer, MPI_COMM_WORLD, &request);
  before = yields_of_shim();
  for (i = 0; i < kPolls; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    empty += !flag;
  }
  print("MPI_Test", empty, before);
  MPI_Isend(&empty, 1, MPI_INT, peer, kGo, MPI_COMM_WORLD, &go);
  if (peer == 0) MPI_Recv(&go_value, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (peer == 0) MPI_Send(&answer, 1, MPI_INT, 0, kAnswer, MPI_COMM_WORLD);
  MPI_Wait(&go, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probe(void) {
  int flag, empty = 0, i;
  const unsigned long before = yields_of_shim();
  for (i = 0; i < kPolls; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, kAnswer, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    empty += !flag;
  }
  print("MPI_Iprobe", empty, before);
}

int main(int argc, char** argv) {
  int rank, size, value = 0;
  share_one_core();
  *(void**)&yields_of_shim = dlsym(RTLD_DEFAULT, "yields_of_shim");
  if (yields_of_shim == NULL) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  peer = size - 1;
  if (rank == 0) {
    test();
    if (size > 1) probe(); /* a single rank polls no network in MPI_Iprobe */
  } else if (rank == peer) {
    MPI_Recv(&value, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, kAnswer, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
