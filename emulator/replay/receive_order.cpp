#include "emulator/replay/receive_order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace hybrid {
namespace {

/// Finds the operations that take a message of a location: a blocking receive, a posted one with its match,
/// or the completion of one that was posted without it.
class ReceiveFilter {
 public:
  bool receives(const Operation& operation) {
    switch (operation.kind) {
      case Operation::Kind::recv:
        return true;
      case Operation::Kind::recv_post:
        if (operation.matched) posted_.insert(operation.request);
        return operation.matched;
      case Operation::Kind::recv_complete:
        return posted_.erase(operation.request) == 0;
      case Operation::Kind::cancelled:
        posted_.erase(operation.request);
        return false;
      default:
        return false;
    }
  }

 private:
  std::unordered_set<std::uint64_t> posted_;  // requests
};

struct Receive {
  std::tuple<std::uint32_t, std::uint32_t, std::int32_t> key;  // peer, communicator, tag
  Time completed;
  std::uint32_t location, index;  // among the location's receives

  auto order() const { return std::tie(key, completed, location, index); }
};

/// By location: the order of each of its receives; empty if it has none with an order.
using Orders = std::vector<std::vector<std::uint32_t>>;

void read_receives(JobTrace& trace, std::uint32_t location, std::vector<Receive>& receives) {
  const std::size_t first = receives.size();
  ReceiveFilter filter;
  for (Operation operation; trace.next(location, operation);) {
    if (!filter.receives(operation)) continue;
    const auto index = static_cast<std::uint32_t>(receives.size() - first);
    receives.push_back(
        {{operation.peer, operation.communicator, operation.tag}, operation.completed, location, index});
  }
  // A receive had its match before each later one with its key, whichever was completed first.
  std::map<decltype(Receive::key), Time> earliest;
  for (std::size_t i = receives.size(); i-- > first;) {
    Receive& receive = receives[i];
    const auto [found, fresh] = earliest.try_emplace(receive.key, receive.completed);
    receive.completed = found->second = std::min(found->second, receive.completed);
  }
}

void number(std::vector<Receive>& receives, Orders& orders) {
  std::sort(receives.begin(), receives.end(),
            [](const Receive& a, const Receive& b) { return a.order() < b.order(); });
  for (auto first = receives.begin(); first != receives.end();) {
    const auto end =
        std::find_if(first, receives.end(), [&](const Receive& r) { return r.key != first->key; });
    if (std::any_of(first, end, [&](const Receive& r) { return r.location != first->location; }))
      for (auto receive = first; receive != end; ++receive) {
        std::vector<std::uint32_t>& order = orders[receive->location];
        if (order.size() <= receive->index) order.resize(receive->index + 1);
        order[receive->index] = static_cast<std::uint32_t>(receive - first) + 1;
      }
    first = end;
  }
}

class OrderedTrace final : public ForwardingTrace {
 public:
  OrderedTrace(std::unique_ptr<JobTrace> trace, Orders orders)
      : ForwardingTrace(std::move(trace)),
        orders_(std::move(orders)),
        next_(orders_.size()),
        filters_(orders_.size()) {}

  bool next(std::uint32_t location, Operation& operation) override {
    if (!ForwardingTrace::next(location, operation)) return false;
    const std::vector<std::uint32_t>& orders = orders_[location];
    if (orders.empty() || !filters_[location].receives(operation)) return true;
    const std::size_t receive = next_[location]++;
    if (receive < orders.size()) operation.order = orders[receive];
    return true;
  }

 private:
  Orders orders_;
  std::vector<std::size_t> next_;  // by location: its receives so far
  std::vector<ReceiveFilter> filters_;
};

}  // namespace

bool has_threads(const JobTrace& trace) { return trace.locations().size() > trace.ranks(); }

std::unique_ptr<JobTrace> order_receives(std::unique_ptr<JobTrace> trace, JobTrace& again) {
  const std::vector<JobTrace::Location>& locations = again.locations();
  std::vector<std::vector<std::uint32_t>> of_rank(again.ranks());
  for (std::uint32_t l = 0; l < locations.size(); ++l) of_rank[locations[l].rank].push_back(l);
  Orders orders(locations.size());
  for (const std::vector<std::uint32_t>& threads : of_rank) {
    if (threads.size() < 2) continue;
    std::vector<Receive> receives;
    for (const std::uint32_t location : threads) read_receives(again, location, receives);
    number(receives, orders);
  }
  return std::make_unique<OrderedTrace>(std::move(trace), std::move(orders));
}

}  // namespace hybrid
