/* Task farm: rank 0 assigns intervals, the others count the primes in them and get the next one with each
 * result. Which rank gets which interval depends on timing (wildcard receives); the total does not, and is
 * compared with a sieve.
 *
 *   farm [LIMIT [TASKS]]       default 400000 200
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTask = 1, kResult = 2, kStop = 3 };

static int is_prime(long n) {
  if (n < 2) return 0;
  for (long d = 2; d * d <= n; ++d)
    if (n % d == 0) return 0;
  return 1;
}

static long count_primes(const long interval[2]) {
  long count = 0;
  for (long n = interval[0]; n < interval[1]; ++n) count += is_prime(n);
  return count;
}

static long sieve(long limit) {
  char* composite = calloc((size_t)limit + 1, 1);
  long count = 0;
  for (long n = 2; n < limit; ++n) {
    if (composite[n]) continue;
    ++count;
    for (long m = n * n; m < limit; m += n) composite[m] = 1;
  }
  free(composite);
  return count;
}

static long hand_out(long limit, int tasks, int ranks) {
  const long step = (limit + tasks - 1) / tasks;
  long total = 0, next = 0;
  int working = 0;
  long interval[2];
  for (int worker = 1; worker < ranks && next < limit; ++worker, ++working) {
    interval[0] = next;
    interval[1] = next = next + step < limit ? next + step : limit;
    MPI_Send(interval, 2, MPI_LONG, worker, kTask, MPI_COMM_WORLD);
  }
  while (working > 0) {
    long count;
    MPI_Status status;
    MPI_Recv(&count, 1, MPI_LONG, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
    total += count;
    if (next < limit) {
      interval[0] = next;
      interval[1] = next = next + step < limit ? next + step : limit;
      MPI_Send(interval, 2, MPI_LONG, status.MPI_SOURCE, kTask, MPI_COMM_WORLD);
    } else {
      --working;
    }
  }
  for (int worker = 1; worker < ranks; ++worker) MPI_Send(NULL, 0, MPI_LONG, worker, kStop, MPI_COMM_WORLD);
  return total;
}

static void work(void) {
  for (;;) {
    long interval[2];
    MPI_Status status;
    MPI_Recv(interval, 2, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    const long count = count_primes(interval);
    MPI_Send(&count, 1, MPI_LONG, 0, kResult, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long limit = argc > 1 ? atol(argv[1]) : 400000;
  const int tasks = argc > 2 ? atoi(argv[2]) : 200;
  int rank, ranks, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    const long whole[2] = {0, limit};
    const long total = ranks > 1 ? hand_out(limit, tasks, ranks) : count_primes(whole);
    right = total == sieve(limit);
    printf("farm: %ld primes below %ld, counted in %d tasks by %d workers: %s\n", total, limit, tasks,
           ranks > 1 ? ranks - 1 : 1, right ? "equal to the sieve" : "WRONG");
  } else {
    work();
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
