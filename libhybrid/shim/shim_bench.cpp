// Cost of recording per call. An MPI program, run by
//
//   mpiexec -n 2 -genv LD_PRELOAD libhybrid.so -genv HYBRID_AT_FINALIZE trace bin/shim_bench
//
// Measures in one run, so that the ratios hold on a noisy machine: the calls of the MPI library without the
// shim, the same calls through the shim (journal, predictor and live scheduler as configured), and the two
// reads of the cycle counter of a recorded call. Prints minima over repetitions, in nanoseconds per call.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "libhybrid/shim/clock.h"

namespace {

constexpr int kRepetitions = 15;

using Send = decltype(&MPI_Send);
using Recv = decltype(&MPI_Recv);

template <class Work>
double best_ns_per_call(int calls, Work&& work) {
  double best = 1e30;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / calls);
  }
  return best;
}

template <class Function>
Function in_mpi_library(void* library, const char* name) {
  auto* const function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    std::fprintf(stderr, "shim_bench: libmpich has no %s\n", name);
    std::exit(1);
  }
  return function;
}

// One way: half a round trip.
double ping_pong(Send send, Recv recv, int rank, int calls) {
  long value = 0;
  return best_ns_per_call(calls,
                          [&] {
                            if (rank == 0) send(&value, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                            recv(&value, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                            if (rank == 1) send(&value, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
                          }) /
         2;
}

void print(const char* what, double bare, double recorded, double clock) {
  const double cost = recorded - bare;
  std::printf(
      "%-34s bare %7.1f ns  recorded %7.1f ns  (x%.2f)  cost %6.1f ns, of which clock %.1f ns (%.0f %%), "
      "rest %.1f ns\n",
      what, bare, recorded, recorded / bare, cost, clock, cost > 0 ? 100 * clock / cost : 0, cost - clock);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void* const library = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr || size != 2) {
    std::fprintf(stderr, "shim_bench: run with two ranks of MPICH: mpiexec -n 2 shim_bench\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto bare_send = in_mpi_library<Send>(library, "PMPI_Send");
  const auto bare_recv = in_mpi_library<Recv>(library, "PMPI_Recv");
  Send shim_send = &MPI_Send;
  Recv shim_recv = &MPI_Recv;

  long value = 0;
  const auto send_to_null = [&](Send send) {
    return best_ns_per_call(20000, [&] { send(&value, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD); });
  };
  std::uint64_t sink = 0;
  const double clock = best_ns_per_call(20000, [&] {
    sink += hybrid::shim::ticks();
    sink += hybrid::shim::ticks();
  });
  const double bare_null = send_to_null(bare_send), shim_null = send_to_null(shim_send);
  const double bare_pong = ping_pong(bare_send, bare_recv, rank, 5000);
  const double shim_pong = ping_pong(shim_send, shim_recv, rank, 5000);
  if (rank == 0) {
    std::printf("two reads of the cycle counter: %.1f ns%s\n", clock, sink == 0 ? "!" : "");
    print("MPI_Send to MPI_PROC_NULL", bare_null, shim_null, clock);
    // One direction is a send on one rank and then a receive on the other.
    print("8-byte ping-pong, one way", bare_pong, shim_pong, 2 * clock);
  }
  MPI_Finalize();
  return 0;
}
