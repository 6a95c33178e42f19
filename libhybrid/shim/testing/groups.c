/* Four ranks: communicators of all kinds, and the ranks in them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

/* Sub-communicator of the odd and even ranks, in reverse order; its duplicate; handles that are reused. */
static void sub(void) {
  MPI_Comm half, copy;
  MPI_Request request;
  int mine, round;
  for (round = 0; round < 2; ++round) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, round == 0 ? -rank : rank, &half);
    MPI_Comm_rank(half, &mine);
    if (mine == 0) MPI_Send(&mine, 1, MPI_INT, 1, 1, half);
    if (mine == 1) MPI_Recv(&mine, 1, MPI_INT, 0, 1, half, MPI_STATUS_IGNORE);
    if (round == 1) {
      MPI_Comm_idup(half, &copy, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      /* A receive outlives its communicator. */
      if (rank >= 2) MPI_Irecv(&mine, 1, MPI_INT, MPI_ANY_SOURCE, 2, copy, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank < 2) MPI_Send(&mine, 1, MPI_INT, 1, 2, copy);
      MPI_Comm_free(&copy);
      if (rank >= 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&half);
  }
}

static void inter(void) {
  MPI_Comm half, both, merged;
  int mine, value = rank;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Comm_rank(half, &mine);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &both);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - mine, 3, MPI_ANY_SOURCE, 3, both, MPI_STATUS_IGNORE);
  MPI_Bcast(&value, 1, MPI_INT, rank == 1 ? MPI_ROOT : rank < 2 ? MPI_PROC_NULL : 1, both);
  MPI_Intercomm_merge(both, rank < 2, &merged);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 0, 4, merged);
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 2, 4, merged, MPI_STATUS_IGNORE);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void grid(void) {
  MPI_Comm line, row;
  const int size = 4, periodic = 0, keep = 1;
  int sent = rank, got[2] = {-1, -1}, before, after;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  MPI_Cart_shift(line, 0, 1, &before, &after);
  MPI_Sendrecv(&sent, 1, MPI_INT, after, 6, got, 1, MPI_INT, before, 6, line, MPI_STATUS_IGNORE);
  MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, line);
  MPI_Cart_sub(line, &keep, &row);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&line);
}

static void graph(void) {
  MPI_Comm ring;
  const int next = (rank + 1) % 4, previous = (rank + 3) % 4, one = 1, two = 2;
  int sent[2] = {rank, rank}, got[2];
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  const int zero = 0;
  MPI_Neighbor_alltoallv(sent, &two, &zero, MPI_INT, got, &two, &zero, MPI_INT, ring);
  MPI_Neighbor_allgather(sent, one, MPI_INT, got, one, MPI_INT, ring);
  MPI_Comm_free(&ring);
}

/* Communicators made from two others in an order that differs between ranks, by calls that make none on some
   ranks, and by calls collective over the members. Each then carries one message, with a tag of its own, from
   each rank to the next. */
static void order(void) {
  MPI_Comm made[8], one, two, none;
  MPI_Group all;
  MPI_Request requests[2];
  const int first = rank % 2;
  int i, value;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  MPI_Comm_idup(first == 0 ? one : two, &made[first], &requests[0]);
  MPI_Comm_idup(first == 0 ? two : one, &made[1 - first], &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_split(one, rank < 2 ? 0 : MPI_UNDEFINED, rank, &none);
  MPI_Comm_dup(one, &made[2]);
  MPI_Comm_split(two, 0, rank, &made[3]);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(one, all, 5, &made[4]);
  MPI_Comm_create_group(one, all, 6, &made[5]);
  MPI_Comm_create_group(two, all, 6, &made[6]);
  MPI_Comm_create(made[0], all, &made[7]);
  MPI_Group_free(&all);
  for (i = 0; i < 8; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 4, i, &value, 1, MPI_INT, (rank + 3) % 4, i, made[i],
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&made[i]);
  }
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "sub") == 0) sub();
  if (strcmp(what, "inter") == 0) inter();
  if (strcmp(what, "grid") == 0) grid();
  if (strcmp(what, "graph") == 0) graph();
  if (strcmp(what, "order") == 0) order();
  MPI_Finalize();
  return 0;
}
