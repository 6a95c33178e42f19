// Circuit switching (D 8.4.2): data waits in the NIC's N-queue until a circuit is established for it.
//
// Timing (D 8.4, 5.5.1; a worked example is in docs/timing.md)
// - When a message is offered to the NIC and its connection is idle, a request leaves one NIC delay later and
//   is at the scheduler one wire delay after that.
// - The scheduler (emulator/network/wormhole_scheduler.h) passes on the first edge of its clock at or after
//   an instant at which somebody asked or ports came free. One scheduler delay and one reconfiguration later
//   the circuit is established, and the grant leaves for the NIC: one wire delay.
// - From then on words leave one per word time, each at the earliest one NIC delay after it entered its
//   queue; each arrives after serialiser, cable, analog fabric, cable, deserialiser, and is delivered one NIC
//   delay later.
// - The circuit is held until the NIC's buffer for that connection is empty: when the last word has gone (one
//   word time after its start) and no message to that destination has been offered since, the release leaves
//   the NIC; one wire delay later both ports are free.
// A message is a hit when the NIC held the grant when its first word was offered.
// Preload and flush change nothing.
#pragma once

#include "emulator/network/engine.h"
#include "emulator/network/wormhole_scheduler.h"

namespace hybrid {

class Circuit final : public Engine {
 public:
  explicit Circuit(const SwitchParameters& parameters);
  TechniqueStatistics statistics() const override;

 protected:
  WordQueue& classify(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void moved(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle(Time now, const SwitchEvent& event) override;
  bool steady(std::uint32_t kind) const override;
  void visit(StateVisitor& v) override;

 private:
  enum class State : std::uint8_t { idle, requested, held };
  struct Virtual : WordQueue {
    Virtual(const Timing& timing, Connection c) : WordQueue(timing), connection(c) {}
    /// As at first, for `c`; it is idle, and no word is in it.
    void serve(const Timing& /*timing*/, Connection c) {
      connection = c;
      empty_again();
    }
    Connection connection;
    State state = State::idle;
    Time asked_at{};
    Time established{};  // at the switch
    Time idle_since{};   // last word gone, while held
  };

  void drain(std::uint32_t port, Virtual& queue);
  void wake_scheduler(Time now);

  ConnectionTable<Virtual> queues_;  // of connections that are not idle
  std::vector<Time> link_free_;      // by source
  std::vector<Virtual*> held_;       // by source: the queue whose circuit its link carries; nullptr: none
  WormholeScheduler scheduler_;
  Time pass_at_ = Time::never();
  Time last_pass_{-1};
};

}  // namespace hybrid
