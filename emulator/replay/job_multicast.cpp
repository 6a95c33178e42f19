// The driver's part that leaves broadcasts and barriers to the fabric (emulator/network/collective_plane.h).
//
// A broadcast's root is done when its last word has left; the others when it has arrived, or at once where it
// had before they came. Ranks on the root's port have it through shared memory, as any message between them.
#include <algorithm>

#include "emulator/network/longest_run.h"
#include "emulator/replay/job_driver.h"

namespace hybrid {

bool JobDriver::in_fabric(const CollectiveCall& call) const { return plane_ != nullptr && call.by_fabric(); }

void JobDriver::join_in_fabric(std::uint32_t number) {
  const Run& run = runs_[number];
  Instance& instance = instances_[run.instance];
  if (run.call.op == CollectiveOp::barrier) {
    instance.waiting.push_back(number);
    if (instance.begun == run.view->participants)
      for (const std::uint32_t member : std::exchange(instance.waiting, {}))
        schedule(plane_->barrier(now_), Event::Kind::fabric, member);
  } else if (run.call.rank == run.call.root) {
    broadcast(run, instance);
    schedule(instance.left, Event::Kind::fabric, number);
    for (const std::uint32_t member : std::exchange(instance.waiting, {}))
      schedule(arrival(runs_[member], instance), Event::Kind::fabric, member);
  } else if (instance.sent) {
    schedule(arrival(run, instance), Event::Kind::fabric, number);
  } else {
    instance.waiting.push_back(number);
  }
}

void JobDriver::broadcast(const Run& run, Instance& instance) {
  const Port source = placement_[run.rank];
  PortSet ports(1 + *std::max_element(placement_.begin(), placement_.end()));
  for (std::uint32_t peer = 0; peer < run.call.size; ++peer) {
    const Port port = placement_[Communicators::world_rank(run.call, *run.view, peer)];
    if (port == source && peer != run.call.rank) count_local(run.call.bytes);
    if (port != source) ports.set(port);
  }
  instance.sent = true;
  instance.left = later_in_run(now_, time_on_link(run.call.bytes, options_.local_rate));
  instance.local = instance.left + options_.local_latency;
  if (!ports.any()) return;
  const CollectivePlane::Copied copied = plane_->multicast(now_, source, ports, run.call.bytes);
  instance.left = std::max(instance.left, copied.injected);
  instance.copied = copied.delivered;
  for_each_port(ports.words(), [&](Port) {
    multicast_.count(run.call.bytes);
    latency_.add(copied.delivered - now_);
    account_.latency(run.phase, copied.delivered - now_);
  });
}

/// When the member of a broadcast that was sent has it, and is there to take it.
Time JobDriver::arrival(const Run& run, const Instance& instance) const {
  const bool local = placement_[run.rank] == placement_[instance.root];
  return std::max(now_, local ? instance.local : instance.copied);
}

/// In a recording that lacks something: those that wait in the fabric for members that do not come go on.
/// Whether there were any.
bool JobDriver::drop_from_fabric() {
  auto first = instances_.end();
  for (auto i = instances_.begin(); i != instances_.end(); ++i)
    if (!i->second.waiting.empty() && (first == instances_.end() || i->first < first->first)) first = i;
  if (first == instances_.end()) return false;
  for (const std::uint32_t member : std::exchange(first->second.waiting, {})) {
    ++dropped_receives_;
    schedule(now_, Event::Kind::fabric, member);
  }
  return true;
}

}  // namespace hybrid
