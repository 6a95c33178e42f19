/* Rank 0 sends to ranks 1 to 6 from one of four call sites, each with a different order. The call sites take
 * turns at random, and all messages have the same tag: only the call site predicts the next destination. */
#include <mpi.h>

enum { kRounds = 300, kOrder = 6 };

/* A separate function, and therefore a separate call site. */
#define PLACE(name, a, b, c, d, e, f)                                                       \
  static void name(void) {                                                                  \
    static const int order[kOrder] = {a, b, c, d, e, f};                                    \
    for (int i = 0; i < kOrder; ++i) MPI_Send(&i, 1, MPI_INT, order[i], 0, MPI_COMM_WORLD); \
  }
PLACE(up, 1, 2, 3, 4, 5, 6)
PLACE(down, 1, 6, 5, 4, 3, 2)
PLACE(even, 1, 3, 5, 2, 4, 6)
PLACE(odd, 1, 4, 2, 6, 3, 5)

int main(int argc, char** argv) {
  static void (*const places[])(void) = {up, down, even, odd};
  unsigned random = 12345;
  int rank, value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < kRounds; ++round) {
    random = random * 1664525u + 1013904223u;
    if (rank == 0)
      places[random >> 30]();
    else if (rank <= kOrder)
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
