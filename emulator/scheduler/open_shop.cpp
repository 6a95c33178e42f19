#include "emulator/scheduler/open_shop.h"

#include <algorithm>
#include <numeric>

namespace hybrid {

OpenShop::OpenShop(const std::vector<DemandEntry>& entries, std::uint32_t ports, std::int64_t set_up)
    : entries_(entries), ports_(ports), set_up_(set_up), waiting_(2 * std::size_t{ports}) {}

std::int64_t OpenShop::schedule(std::span<const std::size_t> members, std::vector<Start>& starts) {
  starts.clear();
  for (auto& waiting : waiting_) waiting.clear();
  work_waiting_.assign(waiting_.size(), 0);
  free_.assign(waiting_.size(), 1);
  started_.assign(entries_.size(), 0);
  for (const std::size_t e : members)
    for (const std::uint32_t port : {input(e), output(e)}) {
      waiting_[port].push_back(e);
      work_waiting_[port] += work(e);
    }
  fresh_.resize(waiting_.size());
  std::iota(fresh_.begin(), fresh_.end(), std::uint32_t{0});
  std::int64_t now = 0;
  for (join_fresh(now, starts); !running_.empty(); join_fresh(now, starts)) {
    now = running_.top().first;
    fresh_.clear();
    while (!running_.empty() && running_.top().first == now) {
      const std::size_t e = running_.top().second;
      running_.pop();
      for (const std::uint32_t port : {input(e), output(e)}) {
        free_[port] = 1;
        fresh_.push_back(port);
      }
    }
  }
  return now;
}

/// Of the ports that were free before, no two wait for one another: only those that have just become free can
/// be joined to something.
void OpenShop::join_fresh(std::int64_t now, std::vector<Start>& starts) {
  std::sort(fresh_.begin(), fresh_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return work_waiting_[a] != work_waiting_[b] ? work_waiting_[a] > work_waiting_[b] : a < b;
  });
  for (const std::uint32_t port : fresh_) {
    if (free_[port] == 0) continue;
    auto& waiting = waiting_[port];
    std::erase_if(waiting, [this](std::size_t e) { return started_[e] != 0; });
    const std::size_t* best = nullptr;
    std::uint32_t partner = 0;
    for (const std::size_t& e : waiting) {
      const std::uint32_t other = port < ports_ ? output(e) : input(e);
      if (free_[other] == 0 || (best != nullptr && work_waiting_[other] <= work_waiting_[partner])) continue;
      best = &e;
      partner = other;
    }
    if (best == nullptr) continue;
    started_[*best] = 1;
    for (const std::uint32_t end : {port, partner}) {
      free_[end] = 0;
      work_waiting_[end] -= work(*best);
    }
    running_.emplace(now + work(*best), *best);
    starts.push_back({now, *best});
  }
}

}  // namespace hybrid
