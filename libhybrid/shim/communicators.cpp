// Communicators, windows and groups: MPI is queried once for each, so that the world rank of a transfer's
// peer is one array access.
#include <algorithm>
#include <exception>
#include <numeric>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/one_sided.h"
#include "libhybrid/shim/process.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

namespace {

// Returns the world rank of each member; kNoPeer for processes of another job (spawned, connected).
std::vector<std::int32_t> world_ranks(MPI_Group group, MPI_Group world) {
  int size = 0;
  mpi::Group_size(group, &size);
  std::vector<int> local(static_cast<std::size_t>(size));
  std::iota(local.begin(), local.end(), 0);
  std::vector<std::int32_t> ranks(local.size(), kNoPeer);
  if (size > 0) mpi::Group_translate_ranks(group, size, local.data(), world, ranks.data());
  std::replace(ranks.begin(), ranks.end(), std::int32_t{MPI_UNDEFINED}, kNoPeer);
  return ranks;
}

struct Neighbors {
  std::vector<int> out, in;  // ranks in the communicator
};

Neighbors grid_neighbors(MPI_Comm comm) {
  Neighbors result;
  int dimensions = 0;
  mpi::Cartdim_get(comm, &dimensions);
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    mpi::Cart_shift(comm, dimension, 1, &before, &after);
    result.out.insert(result.out.end(), {before, after});
  }
  result.in = result.out;
  return result;
}

Neighbors graph_neighbors(MPI_Comm comm, int rank) {
  Neighbors result;
  int count = 0;
  mpi::Graph_neighbors_count(comm, rank, &count);
  result.out.resize(static_cast<std::size_t>(count));
  if (count > 0) mpi::Graph_neighbors(comm, rank, count, result.out.data());
  result.in = result.out;
  return result;
}

Neighbors distributed_graph_neighbors(MPI_Comm comm) {
  Neighbors result;
  int in = 0, out = 0, weighted = 0;
  mpi::Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  // One element more than needed: MPI gets a valid address also when there is no neighbour.
  std::vector<int> in_weights(static_cast<std::size_t>(in) + 1),
      out_weights(static_cast<std::size_t>(out) + 1);
  result.in.resize(static_cast<std::size_t>(in) + 1);
  result.out.resize(static_cast<std::size_t>(out) + 1);
  mpi::Dist_graph_neighbors(comm, in, result.in.data(), in_weights.data(), out, result.out.data(),
                            out_weights.data());
  result.in.resize(static_cast<std::size_t>(in));
  result.out.resize(static_cast<std::size_t>(out));
  return result;
}

Neighbors topology_of(MPI_Comm comm, int rank) {
  int topology = MPI_UNDEFINED;
  mpi::Topo_test(comm, &topology);
  switch (topology) {
    case MPI_CART:
      return grid_neighbors(comm);
    case MPI_GRAPH:
      return graph_neighbors(comm, rank);
    case MPI_DIST_GRAPH:
      return distributed_graph_neighbors(comm);
    default:
      return {};
  }
}

std::vector<std::int32_t> in_world(const std::vector<int>& local, const Communicator& communicator) {
  std::vector<std::int32_t> result;
  result.reserve(local.size());
  for (const int rank : local)
    result.push_back(rank == MPI_PROC_NULL ? kNoPeer : communicator.world_rank(rank));
  return result;
}

}  // namespace

static_assert(MPI_PROC_NULL == kNoPeer && MPI_ANY_SOURCE == kAnyPeer && MPI_ANY_TAG == kAnyTag,
              "MPICH's wildcards equal the journal's");

namespace {

// Returns nullptr when the communicator is invalid.
std::unique_ptr<Communicator> query_communicator(MPI_Comm comm, MPI_Group world) {
  auto known = std::make_unique<Communicator>();
  MPI_Group group = MPI_GROUP_NULL;
  if (mpi::Comm_group(comm, &group) != MPI_SUCCESS) return nullptr;
  known->members = world_ranks(group, world);
  mpi::Group_rank(group, &known->rank);
  mpi::Group_free(&group);
  int inter = 0;
  mpi::Comm_test_inter(comm, &inter);
  known->inter = inter != 0;
  if (known->inter && mpi::Comm_remote_group(comm, &group) == MPI_SUCCESS) {
    known->remote = world_ranks(group, world);
    mpi::Group_free(&group);
  }
  if (!known->inter) {
    const Neighbors neighbors = topology_of(comm, known->rank);
    known->neighbors_out = in_world(neighbors.out, *known);
    known->neighbors_in = in_world(neighbors.in, *known);
  }
  return known;
}

}  // namespace

void Process::add_communicator(MPI_Comm comm, std::unique_ptr<Communicator> known, const Origin& origin) {
  known->id = next_communicator_.fetch_add(1, std::memory_order_relaxed);
  definitions->communicator(known->id, known->members, known->remote, origin);
  if (!known->neighbors_out.empty() || !known->neighbors_in.empty())
    definitions->neighbors(known->id, known->neighbors_out, known->neighbors_in);
  communicators.reclaim_some([this](const Communicator& each) {
    return requests.uses(each) || shared_requests.uses(each) ||
           windows.any([&](const Window& window) { return window.communicator == &each; });
  });
  communicators.insert(static_cast<std::uint32_t>(comm), std::move(known));
}

void Process::define_world() {
  auto all = std::make_unique<Communicator>();
  all->id = kWorldCommunicator;
  all->rank = rank;
  all->members.resize(static_cast<std::size_t>(size));
  std::iota(all->members.begin(), all->members.end(), 0);
  definitions->communicator(all->id, all->members);
  world_communicator_ = communicators.insert(static_cast<std::uint32_t>(MPI_COMM_WORLD), std::move(all));
  auto self = std::make_unique<Communicator>();
  self->id = kSelfCommunicator;
  self->members = {rank};
  definitions->communicator(self->id, self->members);
  communicators.insert(static_cast<std::uint32_t>(MPI_COMM_SELF), std::move(self));
}

const Communicator* Process::first_use(MPI_Comm comm) {
  if (is_no_object(static_cast<std::uint32_t>(comm))) return nullptr;
  define_communicator(comm);
  return communicators.find(static_cast<std::uint32_t>(comm));
}

Origin Process::next_origin(MPI_Comm parent) noexcept {
  try {
    const Communicator* const known = communicator(parent);
    if (known == nullptr) return {};
    return {known->id, std::to_string(next_collective_call(*known))};
  } catch (const std::exception&) {
    return {};  // memory is short
  }
}

void Process::define_communicator(MPI_Comm comm, const Origin& origin) noexcept {
  if (comm == MPI_COMM_NULL) return;
  try {
    if (auto known = query_communicator(comm, world); known != nullptr)
      add_communicator(comm, std::move(known), origin);
  } catch (const std::exception& error) {
    warn(std::string("a communicator is not recorded: ") + error.what());
  }
}

void Process::define_duplicate(MPI_Comm comm, MPI_Comm made, const Origin& origin) noexcept {
  try {
    const Communicator* const original = communicator(comm);
    if (original == nullptr) return;
    auto known = std::make_unique<Communicator>();
    known->rank = original->rank;
    known->members = original->members;
    known->remote = original->remote;
    known->neighbors_out = original->neighbors_out;
    known->neighbors_in = original->neighbors_in;
    known->inter = original->inter;
    add_communicator(made, std::move(known), origin);
  } catch (const std::exception& error) {
    warn(std::string("a communicator is not recorded: ") + error.what());
  }
}

void Process::define_window(MPI_Win win, MPI_Comm comm) noexcept {
  if (win == MPI_WIN_NULL) return;
  try {
    auto known = std::make_unique<Window>();
    known->communicator = communicator(comm);
    if (known->communicator == nullptr) return;
    known->id = next_window_.fetch_add(1, std::memory_order_relaxed);
    definitions->window(known->id, known->communicator->id);
    windows.reclaim([](const Window&) { return false; });  // freed windows: nothing else refers to them
    windows.insert(static_cast<std::uint32_t>(win), std::move(known));
  } catch (const std::exception& error) {
    warn(std::string("a window is not recorded: ") + error.what());
  }
}

const Window* Process::window(MPI_Win win) { return windows.find(static_cast<std::uint32_t>(win)); }

void record_members(Thread& thread, MPI_Group group) {
  constexpr int kAtOnce = 64;  // without allocation
  int size = 0, local[kAtOnce], members[kAtOnce];
  mpi::Group_size(group, &size);
  for (int first = 0; first < size; first += kAtOnce) {
    const int count = std::min(kAtOnce, size - first);
    std::iota(local, local + count, first);
    if (mpi::Group_translate_ranks(group, count, local, process().world, members) != MPI_SUCCESS) return;
    for (int i = 0; i < count; ++i)
      if (members[i] != MPI_UNDEFINED) thread.extension(Extension::member, members[i], 0);
  }
}

}  // namespace hybrid::shim
