// Draining with partial reconfiguration is an open shop: a connection occupies its input and its output once,
// for its set-up and its demand; no two at one port overlap. Here by list schedule: whenever ports are free,
// the one with the most work waiting (set-ups included) is joined to the free partner with the most work
// waiting, so that no two free ports wait for one another; it ends in less than twice the largest work of a
// port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "emulator/scheduler/demand_matrix.h"

namespace hybrid {

class OpenShop {
 public:
  struct Start {
    std::int64_t time = 0;
    std::size_t entry = 0;
  };

  /// Entry e takes set_up + entries[e].left.
  OpenShop(const std::vector<DemandEntry>& entries, std::uint32_t ports, std::int64_t set_up);

  /// Schedules `members`: returns when the last one ends; the starts by time.
  std::int64_t schedule(std::span<const std::size_t> members, std::vector<Start>& starts);

 private:
  using Running = std::pair<std::int64_t, std::size_t>;  // end, entry

  std::uint32_t input(std::size_t e) const { return entries_[e].connection.source; }
  std::uint32_t output(std::size_t e) const { return ports_ + entries_[e].connection.destination; }
  std::int64_t work(std::size_t e) const { return set_up_ + entries_[e].left; }
  void join_fresh(std::int64_t now, std::vector<Start>& starts);

  const std::vector<DemandEntry>& entries_;
  std::uint32_t ports_;
  std::int64_t set_up_;
  // Of each input, then each output.
  std::vector<std::vector<std::size_t>> waiting_;  // entries; those started go when they are met
  std::vector<std::int64_t> work_waiting_;
  std::vector<unsigned char> free_;
  std::vector<std::uint32_t> fresh_;    // have just become free
  std::vector<unsigned char> started_;  // by entry
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

}  // namespace hybrid
