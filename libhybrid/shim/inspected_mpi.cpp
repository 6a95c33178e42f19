#include "libhybrid/shim/inspected_mpi.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/process.h"

namespace hybrid::shim {
namespace {

/// A Cartesian communicator.
struct Grid {
  static constexpr int kMostDimensions = 16;
  int dimensions = 0;
  std::array<int, kMostDimensions> sizes{}, periods{}, here{};

  /// Returns false for other communicators.
  bool read(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    if (mpi::Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_CART) return false;
    if (mpi::Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions > kMostDimensions) return false;
    return mpi::Cart_get(comm, dimensions, sizes.data(), periods.data(), here.data()) == MPI_SUCCESS;
  }
  /// The rank at these coordinates, which are in row-major order (MPI 4.0, 8.2); MPI_PROC_NULL outside.
  int rank(std::span<const int> coordinates) const {
    std::int64_t rank = 0;
    for (int i = 0; i < dimensions; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::int64_t coordinate = coordinates[at];
      if (periods[at] != 0) coordinate = (coordinate % sizes[at] + sizes[at]) % sizes[at];
      if (coordinate < 0 || coordinate >= sizes[at]) return MPI_PROC_NULL;
      rank = rank * sizes[at] + coordinate;
    }
    return static_cast<int>(rank);
  }
  int coordinate(int rank, int dimension) const {
    for (int i = dimensions - 1; i > dimension; --i) rank /= sizes[static_cast<std::size_t>(i)];
    return rank % sizes[static_cast<std::size_t>(dimension)];
  }
};

std::optional<int> neighbor(MPI_Comm comm, bool to, int number) {
  int topology = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
  if (mpi::Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_DIST_GRAPH) return std::nullopt;
  mpi::Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const int count = to ? out : in;
  if (number < 0) return count;
  if (number >= count) return std::nullopt;
  std::vector<int> from(static_cast<std::size_t>(in) + 1), into(static_cast<std::size_t>(out) + 1);
  std::vector<int> weights(from.size() + into.size());
  mpi::Dist_graph_neighbors(comm, in, from.data(), weights.data(), out, into.data(), weights.data() + in);
  return (to ? into : from)[static_cast<std::size_t>(number)];
}

}  // namespace

std::optional<std::int32_t> RecordedMpi::answer(std::uint32_t what, std::span<const std::int32_t> arguments) {
  if (what == HYBRID_QUERY_DIMENSION) {
    std::vector<int> sizes(arguments.begin() + 2, arguments.end());
    std::int64_t given = 1;
    for (const int size : sizes) given = size < 0 || given > arguments[0] ? 0 : given * std::max(size, 1);
    if (given <= 0 || arguments[0] <= 0 || arguments[0] % given != 0 || arguments[1] < 0 ||
        static_cast<std::size_t>(arguments[1]) >= sizes.size() ||
        (std::find(sizes.begin(), sizes.end(), 0) == sizes.end() && given != arguments[0]))
      return std::nullopt;
    mpi::Dims_create(arguments[0], static_cast<int>(sizes.size()), sizes.data());
    return sizes[static_cast<std::size_t>(arguments[1])];
  }
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(arguments[0]));
  if (known == nullptr) return std::nullopt;
  const auto comm = static_cast<MPI_Comm>(arguments[0]);
  const auto size = static_cast<int>(known->members.size());
  Grid grid;
  switch (what) {
    case HYBRID_QUERY_RANK:
      return known->rank;
    case HYBRID_QUERY_SIZE:
      return size;
    case HYBRID_QUERY_COORDINATE:
      if (!grid.read(comm) || arguments[1] < 0 || arguments[1] >= size || arguments[2] < 0 ||
          arguments[2] >= grid.dimensions)
        break;
      return grid.coordinate(arguments[1], arguments[2]);
    case HYBRID_QUERY_CART_RANK: {
      if (!grid.read(comm) || static_cast<int>(arguments.size()) - 1 < grid.dimensions) break;
      return grid.rank(arguments.subspan(1));
    }
    case HYBRID_QUERY_SHIFT: {
      if (!grid.read(comm) || arguments[1] < 0 || arguments[1] >= grid.dimensions) break;
      std::array<int, Grid::kMostDimensions> there = grid.here;
      const std::int64_t by = arguments[3] != 0 ? arguments[2] : -std::int64_t{arguments[2]};
      const auto dimension = static_cast<std::size_t>(arguments[1]);
      there[dimension] =
          static_cast<int>(std::clamp<std::int64_t>(there[dimension] + by, INT32_MIN, INT32_MAX));
      return grid.rank(there);
    }
    case HYBRID_QUERY_DEGREE:
    case HYBRID_QUERY_NEIGHBOR:
      return neighbor(comm, arguments[1] != 0, what == HYBRID_QUERY_DEGREE ? -1 : std::max(arguments[2], 0));
    default:
      break;
  }
  return std::nullopt;
}

std::int32_t RecordedMpi::world_rank(std::int32_t communicator, std::int32_t peer) {
  if (communicator == HYBRID_STARTED_REQUEST) {
    const RequestTable::Slot* const slot = process().requests.find(static_cast<std::uint32_t>(peer));
    const bool sends = slot != nullptr && slot->request.persistent && slot->request.kind == RequestKind::send;
    return sends && slot->request.peer != process().rank ? slot->request.peer : kNoPeer;
  }
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(communicator));
  const std::int32_t rank = known == nullptr ? kNoPeer : known->world_rank(peer);
  return rank == process().rank ? kNoPeer : rank;
}

}  // namespace hybrid::shim
