#include "emulator/replay/collective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <numeric>

#include "core/error.h"
#include "core/option.h"

namespace hybrid {
namespace {

constexpr std::array<std::string_view, 22> kNames = {"barrier",
                                                     "bcast",
                                                     "gather",
                                                     "gatherv",
                                                     "scatter",
                                                     "scatterv",
                                                     "allgather",
                                                     "allgatherv",
                                                     "alltoall",
                                                     "alltoallv",
                                                     "alltoallw",
                                                     "reduce",
                                                     "allreduce",
                                                     "reduce_scatter",
                                                     "reduce_scatter_block",
                                                     "scan",
                                                     "exscan",
                                                     "neighbor_allgather",
                                                     "neighbor_allgatherv",
                                                     "neighbor_alltoall",
                                                     "neighbor_alltoallv",
                                                     "neighbor_alltoallw"};
static_assert(kNames.size() == static_cast<std::size_t>(CollectiveOp::neighbor_alltoallw) + 1);

// MPICH's control variables; its tuning table states their defaults as numbers.
constexpr std::uint32_t kBcastMinProcs = 8;          // MPIR_CVAR_BCAST_MIN_PROCS
constexpr Bytes kBcastShortMsgSize = 12288;          // MPIR_CVAR_BCAST_SHORT_MSG_SIZE
constexpr Bytes kBcastLongMsgSize = 524288;          // MPIR_CVAR_BCAST_LONG_MSG_SIZE
constexpr Bytes kReduceShortMsgSize = 2048;          // MPIR_CVAR_REDUCE_SHORT_MSG_SIZE
constexpr Bytes kAllreduceShortMsgSize = 2048;       // MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE, of MPI_Iallreduce
constexpr Bytes kAllreduceTableSize = 8;             // the value in the table of 4.0.2 for the blocking form
constexpr Bytes kAllgatherShortMsgSize = 81920;      // MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE
constexpr Bytes kAllgatherLongMsgSize = 524288;      // MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE
constexpr Bytes kReduceScatterLongMsgSize = 524288;  // MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE
constexpr std::uint32_t kAlltoallMinProcs = 8;
constexpr Bytes kAlltoallShortMsgSize = 256;     // MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE
constexpr Bytes kIalltoallShortMsgSize = 2048;   // the table's for MPI_Ialltoall
constexpr Bytes kAlltoallMediumMsgSize = 32768;  // MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE

constexpr Bytes kElement = 8;

Bytes total_received(const CollectiveCall& call) {
  if (call.counts_received.empty()) return call.bytes * call.size;
  return std::accumulate(call.counts_received.begin(), call.counts_received.end(), Bytes{0});
}

std::string_view choose_bcast(const CollectiveCall& call) {
  // The nonblocking form's bounds are exclusive.
  const Bytes bytes = call.bytes + (call.nonblocking ? 1 : 0);
  if (call.size < kBcastMinProcs || bytes <= kBcastShortMsgSize) return "bcast/binomial";
  if (std::has_single_bit(call.size) && bytes <= kBcastLongMsgSize)
    return "bcast/scatter-recursive-doubling-allgather";
  return "bcast/scatter-ring-allgather";
}

std::string_view choose_alltoall(const CollectiveCall& call) {
  const Bytes small = call.nonblocking ? kIalltoallShortMsgSize : kAlltoallShortMsgSize;
  if (call.size >= kAlltoallMinProcs && call.bytes <= small) return "alltoall/brucks";
  return call.bytes <= kAlltoallMediumMsgSize ? "alltoall/scattered" : "alltoall/pairwise";
}

/// Whether the vector has too few elements to scatter it to the largest power of two of ranks.
bool too_few_elements(const CollectiveCall& call) {
  return call.bytes / kElement < std::bit_floor(call.size);
}

}  // namespace

std::string_view name_of(CollectiveOp op) { return kNames.at(static_cast<std::size_t>(op)); }

bool is_rooted(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::bcast:
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
    case CollectiveOp::reduce:
      return true;
    default:
      return false;
  }
}

std::string_view mpich_choice(const CollectiveCall& call) {
  if (call.remote_size != 0) return "intercommunicator/direct";
  switch (call.op) {
    case CollectiveOp::barrier:
      return "barrier/dissemination";
    case CollectiveOp::bcast:
      return choose_bcast(call);
    case CollectiveOp::gather:
      return "gather/binomial";
    case CollectiveOp::gatherv:
      return "gatherv/linear";
    case CollectiveOp::scatter:
      return "scatter/binomial";
    case CollectiveOp::scatterv:
      return "scatterv/linear";
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv: {
      const bool v = call.op == CollectiveOp::allgatherv;
      const Bytes total = total_received(call);
      if (std::has_single_bit(call.size)) {
        if (total < kAllgatherLongMsgSize)
          return v ? "allgatherv/recursive-doubling" : "allgather/recursive-doubling";
      } else if (total < kAllgatherShortMsgSize) {
        return v ? "allgatherv/brucks" : "allgather/brucks";
      }
      return v ? "allgatherv/ring" : "allgather/ring";
    }
    case CollectiveOp::alltoall:
      return choose_alltoall(call);
    case CollectiveOp::alltoallv:
      return "alltoallv/scattered";
    case CollectiveOp::alltoallw:
      return "alltoallw/scattered";
    case CollectiveOp::reduce:
      return call.bytes <= kReduceShortMsgSize || too_few_elements(call) ? "reduce/binomial"
                                                                         : "reduce/reduce-scatter-gather";
    case CollectiveOp::allreduce:
      return call.bytes <= (call.nonblocking ? kAllreduceShortMsgSize : kAllreduceTableSize) ||
                     too_few_elements(call)
                 ? "allreduce/recursive-doubling"
                 : "allreduce/reduce-scatter-allgather";
    case CollectiveOp::reduce_scatter:
      return total_received(call) < kReduceScatterLongMsgSize ? "reduce_scatter/recursive-halving"
                                                              : "reduce_scatter/pairwise";
    case CollectiveOp::reduce_scatter_block:
      return total_received(call) < kReduceScatterLongMsgSize ? "reduce_scatter_block/recursive-halving"
                                                              : "reduce_scatter_block/pairwise";
    case CollectiveOp::scan:
      return "scan/recursive-doubling";
    case CollectiveOp::exscan:
      return "exscan/recursive-doubling";
    case CollectiveOp::neighbor_allgather:
      return "neighbor_allgather/direct";
    case CollectiveOp::neighbor_allgatherv:
      return "neighbor_allgatherv/direct";
    case CollectiveOp::neighbor_alltoall:
      return "neighbor_alltoall/direct";
    case CollectiveOp::neighbor_alltoallv:
      return "neighbor_alltoallv/direct";
    case CollectiveOp::neighbor_alltoallw:
      return "neighbor_alltoallw/direct";
  }
  return "barrier/dissemination";
}

CollectiveAlgorithms::CollectiveAlgorithms(const std::map<std::string, std::string>& chosen) {
  for (const std::string_view name : registered_names(CollectiveAlgorithm::kKind))
    algorithms_.emplace(name, CollectiveRegistration::make(name));
  for (const auto& [collective, algorithm] : chosen) {
    const auto* const op = std::find(kNames.begin(), kNames.end(), collective);
    if (op == kNames.end()) {
      const std::string_view meant = closest_name(collective, {kNames.begin(), kNames.end()});
      throw UserError(fmt::format("no collective is called \"{}\"", collective),
                      meant.empty() ? fmt::format("Known: {}.", fmt::join(kNames, ", "))
                                    : fmt::format("Did you mean \"{}\"?", meant));
    }
    const auto found = algorithms_.find(fmt::format("{}/{}", collective, algorithm));
    if (found == algorithms_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, made] : algorithms_)
        if (name.substr(0, name.find('/')) == collective) known.push_back(name.substr(name.find('/') + 1));
      throw UserError(fmt::format("no algorithm \"{}\" for {}", algorithm, collective),
                      fmt::format("Known: {}.", fmt::join(known, ", ")));
    }
    chosen_[static_cast<CollectiveOp>(op - kNames.begin())] = found->second.get();
  }
}

const CollectiveAlgorithm& CollectiveAlgorithms::named(std::string_view name) const {
  return *algorithms_.at(name);
}

const CollectiveAlgorithm& CollectiveAlgorithms::pick(const CollectiveCall& call) const {
  if (call.remote_size == 0)
    if (const auto found = chosen_.find(call.op); found != chosen_.end() && found->second->suits(call))
      return *found->second;
  return named(mpich_choice(call));
}

}  // namespace hybrid
