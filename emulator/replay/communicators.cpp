#include "emulator/replay/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/replay/replay.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kNotMember = ~std::uint32_t{0};

}  // namespace

Communicators::Communicators(const JobTrace& trace)
    : trace_(trace), self_(trace.ranks()), views_(trace.ranks()) {
  std::iota(self_.begin(), self_.end(), 0);
}

const Communicators::Groups& Communicators::groups(std::uint32_t communicator) {
  const auto [found, fresh] = groups_.try_emplace(communicator);
  if (fresh) {
    const auto index = [](const std::vector<std::uint32_t>& members) {
      Index result;
      result.reserve(members.size());
      for (std::uint32_t local = 0; local < members.size(); ++local)
        result.emplace_back(members[local], local);
      std::sort(result.begin(), result.end());
      return result;
    };
    const CommunicatorInfo& info = trace_.communicator(communicator);
    found->second = {index(info.members), index(info.remote)};
  }
  return found->second;
}

std::uint32_t Communicators::local_of(const Index& index, std::uint32_t world) {
  const auto found = std::lower_bound(index.begin(), index.end(), std::pair{world, std::uint32_t{0}});
  return found == index.end() || found->first != world ? kNotMember : found->second;
}

Communicators::View& Communicators::view(std::uint32_t communicator, std::uint32_t rank) {
  const auto [found, fresh] = views_[rank].try_emplace(communicator);
  View& view = found->second;
  if (!fresh) return view;
  const CommunicatorInfo& info = trace_.communicator(communicator);
  if (info.members.empty()) {
    view.peers = &self_[rank];
    return view;
  }
  const Groups& index = groups(communicator);
  const bool inter = !info.remote.empty();
  view.participants = static_cast<std::uint32_t>(info.members.size() + info.remote.size());
  const std::vector<std::uint32_t>*own = &info.members, *other = &info.remote;
  view.local = local_of(index.members, rank);
  if (view.local == kNotMember) {
    view.local = local_of(index.remote, rank);
    std::swap(own, other);
  }
  if (view.local == kNotMember)
    throw UnfinishedReplay(
        UnfinishedReplay::Fault::trace,
        fmt::format("rank {} calls a collective on a communicator it is not a member of", rank),
        "The trace is damaged, or its writer broke the format.");
  view.size = static_cast<std::uint32_t>(own->size());
  view.remote_size = inter ? static_cast<std::uint32_t>(other->size()) : 0;
  view.peers = inter ? other->data() : own->data();
  return view;
}

CollectiveCall Communicators::call(const Operation& operation, std::uint32_t rank, const View& view) {
  CollectiveCall call;
  call.op = operation.collective;
  call.rank = view.local;
  call.size = view.size;
  call.bytes = operation.bytes;
  call.counts_sent = operation.counts_sent;
  call.counts_received = operation.counts_received;
  call.neighbors_out = operation.neighbors_out;
  call.neighbors_in = operation.neighbors_in;
  call.nonblocking = operation.kind == Operation::Kind::collective_start;
  call.remote_size = view.remote_size;
  if (!is_rooted(call.op)) return call;
  if (view.remote_size != 0 && (operation.peer == kNoRoot || operation.peer == rank)) {
    call.root = operation.peer == rank ? CollectiveCall::kRootSelf : CollectiveCall::kRootElsewhere;
    return call;
  }
  const CommunicatorInfo& info = trace_.communicator(operation.communicator);
  if (info.members.empty()) return call;
  const Groups& index = groups(operation.communicator);
  call.root = local_of(view.peers == info.remote.data() ? index.remote : index.members, operation.peer);
  if (call.root == kNotMember)
    throw UnfinishedReplay(
        UnfinishedReplay::Fault::trace,
        fmt::format("rank {} names rank {} as the root of a {}, which is not in the communicator", rank,
                    operation.peer, name_of(call.op)),
        "The trace is damaged, or its writer broke the format.");
  return call;
}

}  // namespace hybrid
