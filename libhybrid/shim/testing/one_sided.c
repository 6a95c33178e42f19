/* Two ranks: one-sided transfers under every kind of synchronisation. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, peer, values[4] = {1, 2, 3, 4}, old, one = 1, *memory;
  MPI_Win win;
  MPI_Request request;
  MPI_Group all, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  MPI_Put(values, 4, MPI_INT, peer, 0, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(values, 2, MPI_INT, peer, 0, 2, MPI_INT, win);
  MPI_Accumulate(values + 2, 1, MPI_INT, peer, 4, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, peer, 5, MPI_SUM, win);
  MPI_Win_flush(peer, win);
  MPI_Rput(values, 3, MPI_INT, peer, 6, 3, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(peer, win);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Put(values, 1, MPI_INT, 1, 9, 1, MPI_INT, win);
    MPI_Win_complete(win);
  } else {
    MPI_Win_post(other, 0, win);
    MPI_Win_wait(win);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
