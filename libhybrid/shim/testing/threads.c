/* Two ranks of four threads under MPI_THREAD_MULTIPLE; each thread has a partner thread on the other rank.
 * One more pair of transfers starts in one thread and completes in another. */
#include <mpi.h>
#include <pthread.h>

#define THREADS 4
#define ROUNDS 200

static int rank, peer;

static void* work(void* number) {
  const int tag = (int)(long)number;
  int i, value;
  for (i = 0; i < ROUNDS; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&i, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (value != i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return NULL;
}

static MPI_Request handed_over[2];
static int sent = 7, received;

static void* finish(void* unused) {
  MPI_Waitall(2, handed_over, MPI_STATUSES_IGNORE);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  long i;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  for (i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  MPI_Irecv(&received, 1, MPI_INT, peer, 99, MPI_COMM_WORLD, &handed_over[0]);
  MPI_Isend(&sent, 1, MPI_INT, peer, 99, MPI_COMM_WORLD, &handed_over[1]);
  pthread_create(&threads[0], NULL, finish, NULL);
  pthread_join(threads[0], NULL);
  MPI_Finalize();
  return received == 7 ? 0 : 1;
}
