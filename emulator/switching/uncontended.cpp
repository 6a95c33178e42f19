// Bound `uncontended`: the switch without contention, scheduling and establishment of circuits. Messages wait
// only for earlier messages of their own PE or of their own connection. Every technique of the switch injects
// and delivers each message at this instant or later, if messages are sent at the same instants.
//
// The bound consists of rules that hold in all techniques:
// - A PE generates its messages in the order of sending, one word per word generation (D 8.3.1). Overhead
//   words are not counted.
// - A word leaves the NIC no sooner than one NIC delay after it entered. Words of one connection leave in
//   order, no faster than the link carries them. Words of different connections do not delay each other
//   here, since no technique keeps their order.
// - The path is the faster one of a circuit and a worm whose outputs are granted at once, through as many
//   switches as are between the two ports; then one NIC delay.
//
// A replayed job. The begin of an operation is the maximum of sums of compute times and of the instants of
// messages (a max-plus system), and the instants above are such expressions of the send times. Compute times
// and the matching of receives with messages are those recorded; a wildcard receive has its recorded match
// and does not depend on the order of arrival. So the job's time does not decrease if messages arrive later,
// and no technique finishes the job before `uncontended`.
// Requires: each PE sends in an order that does not depend on arrivals. With several ranks or threads at one
// port, nonblocking collectives, and one-sided gets it may depend on them; then a slower network can change
// the order, and, as in any list schedule (R. L. Graham, 1969), a different order can end sooner.
//
// `no-network` is below `uncontended`, but does not know the switch.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/network/connection_table.h"
#include "emulator/network/timing.h"
#include "emulator/switching/bounds.h"
#include "emulator/switching/known_times.h"

namespace hybrid {

namespace {

class Uncontended final : public KnownTimes {
 public:
  explicit Uncontended(const SwitchParameters& p) : timing_(p), generated_(p.nodes), link_free_(p.nodes) {}

 private:
  Instants instants_of(Time at, const Message& message) override {
    const Connection c = message.connection;
    const std::uint64_t words = timing_.payload(message.bytes);
    if (words > static_cast<std::uint64_t>(kLongestMessage / std::max(timing_.generation, timing_.word)))
      refuse_longer_run();
    const auto more = static_cast<std::int64_t>(words - 1);  // after the first
    const Time first = std::max(at, generated_[c.source]) + timing_.generation;
    const Time injected = within_run(first + timing_.generation * more);
    generated_[c.source] = injected;
    // The last word waits for its generation, or for the words before it on the link.
    Time& free = link_free_.get(c.source, c.destination);
    const Time last =
        std::max(injected + timing_.nic, std::max(first + timing_.nic, free) + timing_.word * more);
    free = within_run(last + timing_.word);
    return {injected, last + path(c) + timing_.nic};
  }

  /// From the start of a word on the sender's link to the receiver's NIC.
  Time path(Connection c) const {
    const Time worm = timing_.wire + timing_.digital * std::int64_t{timing_.switches_between(c)};
    return std::min(timing_.circuit_of(c), worm);
  }

  Timing timing_;
  std::vector<Time> generated_;      // by source: the last word of its messages
  ConnectionTable<Time> link_free_;  // earliest start of the connection's next word
};

const TechniqueRegistration kUncontended{
    "uncontended",
    "switch without contention, scheduling and establishment of circuits",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Uncontended>(p); },
    {.options = joined({digital_fabric_options(), {"analog-fabric-cycle", "analog-fabric-latency"}}),
     .fat_trees = true}};
const BoundRegistration kUncontendedBound{"uncontended", "lower bound of every technique",
                                          [] { return std::make_unique<Bound>(); }};

}  // namespace

}  // namespace hybrid
