// The transfers of every_collective.cpp, shared by the program and by the test of its recording. Ranks are
// those of its communicators, which have the reverse order: rank r is world rank 3 - r.
#pragma once

#include <vector>

namespace hybrid::shim::testing {

inline constexpr int kMembers = 4;
inline constexpr int kRoot = 1;
inline constexpr int kVector = 3;  // elements of bcast, reduce, allreduce, scan, exscan
inline constexpr int kBlock = 2;   // elements of a member's block in operations with equal blocks
inline constexpr int kStarts = 2;  // of each persistent request

inline constexpr int world_rank(int rank) { return kMembers - 1 - rank; }
/// Elements of rank `r`'s block in operations with a size for each rank.
inline constexpr int own_count(int r) { return r + 1; }
/// Elements from rank `r` to rank `q` in operations with a size for each pair.
inline constexpr int pair_count(int r, int q) { return 1 + (r + 2 * q) % 3; }
/// Whether they are MPI_SHORT rather than MPI_INT in operations with a type for each pair.
inline constexpr bool pair_is_short(int r, int q) { return (r + q) % 2 != 0; }

/// Neighbours of rank `r` in the graph, a ring and a pair across it: destinations and sources. Both have the
/// same number, because MPICH 4.0.2 confuses the two numbers in MPI_Neighbor_alltoallw_init.
inline std::vector<int> neighbors_out(int r) {
  std::vector all = {(r + 1) % kMembers};
  if (r % 2 == 0) all.push_back(2 - r);
  return all;
}
inline std::vector<int> neighbors_in(int r) {
  std::vector all = {(r + kMembers - 1) % kMembers};
  if (r % 2 == 0) all.push_back(2 - r);
  return all;
}

}  // namespace hybrid::shim::testing
