/* Two phases (D 5.5.1): one all-to-all among all ranks, then 16 rounds in which every rank sends to its four
 * neighbours of a 2D mesh in random order. Each word contains its sender, its receiver and its index; all are
 * checked.
 *
 *   two_phase [BYTES [REPETITIONS]]     BYTES: of a message; default 2048 3
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 16, kNeighbours = 4 };

static uint64_t word(int from, int to, int round, int index) {
  return (uint64_t)from << 48 | (uint64_t)to << 32 | (uint64_t)round << 24 | (uint64_t)index;
}

/* A fixed sequence for each rank: every run sends the same messages. */
static uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int words = (argc > 1 ? atoi(argv[1]) : 2048) / (int)sizeof(uint64_t);
  const int repetitions = argc > 2 ? atoi(argv[2]) : 3;
  int rank, ranks, dims[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm mesh;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &mesh);
  int neighbour[kNeighbours]; /* up, down, left, right; a message sent in direction d arrives from the
                                 opposite direction */
  MPI_Cart_shift(mesh, 0, 1, &neighbour[0], &neighbour[1]);
  MPI_Cart_shift(mesh, 1, 1, &neighbour[2], &neighbour[3]);

  uint64_t* out = malloc(sizeof(uint64_t) * (size_t)words * (size_t)ranks);
  uint64_t* in =
      malloc(sizeof(uint64_t) * (size_t)words * (size_t)(ranks > kNeighbours ? ranks : kNeighbours));
  long wrong = 0;
  uint32_t random_state = (uint32_t)rank + 1;

  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int to = 0; to < ranks; ++to)
      for (int i = 0; i < words; ++i) out[to * words + i] = word(rank, to, repetition, i);
    MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < words; ++i) wrong += in[from * words + i] != word(from, rank, repetition, i);

    for (int round = 0; round < kRounds; ++round) {
      MPI_Request receives[kNeighbours];
      for (int d = 0; d < kNeighbours; ++d)
        MPI_Irecv(&in[d * words], words, MPI_UINT64_T, neighbour[d], d ^ 1, mesh, &receives[d]);
      int order[kNeighbours] = {0, 1, 2, 3};
      for (int d = kNeighbours - 1; d > 0; --d) {
        const int other = (int)(next_random(&random_state) % (uint32_t)(d + 1));
        const int swap = order[d];
        order[d] = order[other];
        order[other] = swap;
      }
      for (int k = 0; k < kNeighbours; ++k) {
        const int d = order[k];
        for (int i = 0; i < words; ++i) out[i] = word(rank, neighbour[d], round, i);
        MPI_Send(out, words, MPI_UINT64_T, neighbour[d], d, mesh);
      }
      MPI_Waitall(kNeighbours, receives, MPI_STATUSES_IGNORE);
      for (int d = 0; d < kNeighbours; ++d)
        for (int i = 0; i < words; ++i) wrong += in[d * words + i] != word(neighbour[d], rank, round, i);
    }
  }

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("two_phase: %d x (all-to-all, then %d mesh rounds) of %d-byte messages: %s\n", repetitions,
           kRounds, words * (int)sizeof(uint64_t), wrong == 0 ? "every word arrived" : "WRONG");
  free(out);
  free(in);
  MPI_Comm_free(&mesh);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
