#include "emulator/replay/fabric_collectives.h"

#include <algorithm>
#include <utility>

#include "emulator/network/longest_run.h"
#include "emulator/replay/collective_runs.h"

namespace hybrid {

void FabricCollectives::join(CollectiveHandle handle, const CollectivePart& part) {
  Instance& instance = instances_[part.instance];
  const bool all = ++instance.joined == part.view->participants;
  if (part.call.op == CollectiveOp::barrier) {
    instance.waiting.push_back({handle, part.rank});
    if (all)
      for (const Member& member : instance.waiting) complete(plane_->barrier(events_.now()), member.part);
  } else if (part.call.rank == part.call.root) {
    complete(broadcast(part, instance), handle);
    for (const Member& member : std::exchange(instance.waiting, {}))
      complete(arrival(member.rank, instance), member.part);
  } else if (instance.sent) {
    complete(arrival(part.rank, instance), handle);
  } else {
    instance.waiting.push_back({handle, part.rank});
  }
  if (all) instances_.erase(part.instance);
}

Time FabricCollectives::broadcast(const CollectivePart& part, Instance& instance) {
  const std::vector<std::uint32_t>& placement = messages_.placement();
  const Bytes bytes = part.call.bytes;
  const Time now = events_.now();
  instance.source = placement[part.rank];
  bool copies_inside = false;  // to ranks of the same port
  PortSet ports(1 + *std::max_element(placement.begin(), placement.end()));
  for (std::uint32_t peer = 0; peer < part.call.size; ++peer) {
    const Port port = placement[Communicators::world_rank(part.call, *part.view, peer)];
    if (port != instance.source) {
      ports.set(port);
    } else if (peer != part.call.rank) {
      messages_.count_local(bytes);
      copies_inside = true;
    }
  }
  Time left = later_in_run(now, time_on_link(bytes, options_.local_rate));
  instance.sent = true;
  instance.local = left + options_.local_latency;
  if (!ports.any()) return left;
  const CollectivePlane::Copied copied = plane_->multicast(now, instance.source, ports, bytes);
  left = copies_inside ? std::max(left, copied.injected) : copied.injected;
  instance.copied = copied.delivered;
  for_each_port(ports.words(), [&](Port) {
    copies_.count(bytes);
    messages_.count_latency(part.phase, copied.delivered - now);
  });
  return left;
}

Time FabricCollectives::arrival(std::uint32_t rank, const Instance& instance) const {
  const bool local = messages_.port_of(rank) == instance.source;
  return std::max(events_.now(), local ? instance.local : instance.copied);
}

std::uint64_t FabricCollectives::drop_waiting() {
  auto first = instances_.end();
  for (auto i = instances_.begin(); i != instances_.end(); ++i)
    if (!i->second.waiting.empty() && (first == instances_.end() || i->first < first->first)) first = i;
  if (first == instances_.end()) return 0;
  const std::vector<Member> waiting = std::exchange(first->second.waiting, {});
  for (const Member& member : waiting) complete(events_.now(), member.part);
  return waiting.size();
}

void FabricCollectives::report(Measures& measures) const {
  if (plane_ != nullptr) measures.multicast = copies_;
}

}  // namespace hybrid
