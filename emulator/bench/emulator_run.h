// The emulator with the traffic of emulator/bench/saturated_traffic.h.
#pragma once

#include <memory>
#include <vector>

#include "emulator/bench/saturated_traffic.h"

namespace hybrid::bench {

class EmulatorRun final : private TransferListener {
 public:
  explicit EmulatorRun(const SwitchParameters& parameters)
      : parameters_(parameters),
        technique_(TechniqueRegistration::make(parameters.technique, parameters)),
        sent_(parameters.nodes, 0) {
    for (Port port = 0; port < parameters.nodes; ++port) send(Time{}, port);
  }
  EmulatorRun(const EmulatorRun&) = delete;
  EmulatorRun& operator=(const EmulatorRun&) = delete;

  /// Advances by `cycles` word times.
  void run(std::uint64_t cycles) {
    cycles_ += cycles;
    const Time until = parameters_.word_time() * static_cast<std::int64_t>(cycles_) - picoseconds(1);
    for (;;) {
      const Time at = technique_->advance(until, *this);
      for (const Port port : may_send_) send(at, port);
      may_send_.clear();
      if (at >= until) return;
    }
  }
  /// Number of cycles run so far.
  std::uint64_t cycles() const { return cycles_; }
  const Delivered& delivered() const { return delivered_; }

 private:
  void send(Time at, Port source) {
    const std::uint64_t k = sent_[source]++;
    technique_->send(at, {k, {source, destination(parameters_.nodes, source, k)}, kMessage});
  }
  void injected(Time, const Message& message) override { may_send_.push_back(message.connection.source); }
  void delivered(Time at, const Message& message, bool) override {
    delivered_.add(message.connection.source, message.connection.destination, message.id,
                   static_cast<std::uint64_t>(at / parameters_.word_time()), message.bytes);
  }

  SwitchParameters parameters_;
  std::unique_ptr<Technique> technique_;
  std::vector<std::uint64_t> sent_;
  std::vector<Port> may_send_;
  std::uint64_t cycles_ = 0;
  Delivered delivered_;
};

}  // namespace hybrid::bench
