/* Two ranks: collectives whose order in the journals of a rank is not the order in which MPI matches them.
 *   persistent  the ranks start two persistent collectives in different orders
 *   threads     rank 1 calls every other collective in a thread of its own
 *   error       a call that fails on rank 0 only */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#define ROUNDS 20

static int rank, value, sum;

static void persistent(void) {
  MPI_Request requests[2], in_order[2];
  int i;
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (i = 0; i < ROUNDS; ++i) {
    const int first = (i + rank) % 2;
    in_order[0] = requests[first];
    in_order[1] = requests[1 - first];
    MPI_Startall(2, in_order);
    MPI_Waitall(2, in_order, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void* reduce(void* unused) {
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  return unused;
}

static void threads(void) {
  int i;
  for (i = 0; i < ROUNDS; ++i) {
    pthread_t thread;
    if (rank == 0) {
      reduce(NULL);
    } else {
      pthread_create(&thread, NULL, reduce, NULL);
      pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void error(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0 && MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  reduce(NULL);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2 || provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  if (strcmp(argv[1], "persistent") == 0) persistent();
  if (strcmp(argv[1], "threads") == 0) threads();
  if (strcmp(argv[1], "error") == 0) error();
  MPI_Finalize();
  return 0;
}
