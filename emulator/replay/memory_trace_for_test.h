// For tests and benchmarks: a job in memory, and a network in which nothing disturbs anything.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "emulator/network/technique.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// Each location's operations come from a list or, endlessly long ones, from a function.
class MemoryTrace final : public JobTrace {
 public:
  using Source = std::function<bool(std::uint64_t number, Operation& operation)>;

  /// One location a rank; communicator 0 is the world, 1 is MPI_COMM_SELF.
  explicit MemoryTrace(std::uint32_t ranks)
      : ranks_(ranks), operations_(ranks), sources_(ranks), next_(ranks) {
    CommunicatorInfo world;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      locations_.push_back({r, "rank " + std::to_string(r)});
      world.members.push_back(r);
    }
    communicators = {std::move(world), {}};
  }

  void add(std::uint32_t location, Operation operation) {
    operations_[location].push_back(std::move(operation));
  }
  void generate(std::uint32_t location, Source source) { sources_[location] = std::move(source); }

  std::uint32_t ranks() const override { return ranks_; }
  const std::vector<Location>& locations() const override { return locations_; }
  const CommunicatorInfo& communicator(std::uint32_t id) const override { return communicators.at(id); }
  const std::string& region_name(std::uint32_t id) const override { return regions.at(id); }
  const std::vector<std::uint32_t>& placement() const override { return ports; }
  std::string property(std::string_view name) const override {
    for (const auto& [fact, value] : facts)
      if (fact == name) return value;
    return {};
  }
  std::vector<std::pair<std::string, std::string>> properties() const override { return facts; }
  bool next(std::uint32_t location, Operation& operation) override {
    const std::uint64_t number = next_[location]++;
    if (sources_[location]) return sources_[location](number, operation);
    if (number >= operations_[location].size()) return false;
    operation = operations_[location][number];
    return true;
  }

  std::vector<CommunicatorInfo> communicators;
  std::vector<std::string> regions;
  std::vector<std::uint32_t> ports;
  std::vector<std::pair<std::string, std::string>> facts;

 private:
  std::uint32_t ranks_;
  std::vector<Location> locations_;
  std::vector<std::vector<Operation>> operations_;
  std::vector<Source> sources_;
  std::vector<std::uint64_t> next_;
};

/// Registered as "fixed-latency": a message has left after its bytes at 8 Gb/s (1 ns a byte) and is there 1
/// us later.
class FixedLatency final : public Technique {
 public:
  static constexpr Time kLatency = microseconds(1);

  void send(Time at, const Message& message) override {
    Time& left = left_[{message.connection.source, message.connection.destination}];
    left = std::max(left, at + nanoseconds(static_cast<std::int64_t>(message.bytes)));  // none overtakes
    flights_.push({left, order_++, message, false});
    flights_.push({left + kLatency, order_++, message, true});
  }
  void flush(Time /*at*/, Port /*source*/) override { ++statistics_.flushes; }
  Time next_event() const override { return flights_.empty() ? Time::never() : flights_.top().at; }
  Time advance(Time until, TransferListener& listener) override {
    if (flights_.empty() || flights_.top().at > until) return until;
    const Time at = flights_.top().at;
    while (!flights_.empty() && flights_.top().at == at) {
      const Flight flight = flights_.top();
      flights_.pop();
      if (!flight.arrives) {
        listener.injected(at, flight.message);
        continue;
      }
      ++statistics_.messages;
      statistics_.bytes += flight.message.bytes;
      listener.delivered(at, flight.message, flight.message.bytes % 2 == 0);
    }
    return at;
  }
  TechniqueStatistics statistics() const override { return statistics_; }

 private:
  struct Flight {
    Time at;
    std::uint64_t order;
    Message message;
    bool arrives;
    bool operator>(const Flight& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  std::priority_queue<Flight, std::vector<Flight>, std::greater<>> flights_;
  std::map<std::pair<Port, Port>, Time> left_;  // the last message of each connection
  std::uint64_t order_ = 0;
  TechniqueStatistics statistics_;
};

}  // namespace hybrid
