// For tests and benchmarks: drives a technique with a fixed list of sends and records what comes out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "emulator/network/technique.h"

namespace hybrid {

/// One action of a script, in time order.
struct Action {
  enum class What : std::uint8_t { send, preload, flush } what = What::send;
  Time at{};
  Message message;              // send
  std::uint32_t slot = 0;       // preload
  Configuration configuration;  // preload
  Port source = kNoPort;        // flush
};

/// What happened to a message.
struct Outcome {
  Time injected{-1}, delivered{-1};
  bool hit = false;
  bool operator==(const Outcome&) const = default;
};

/// Records by message id (0, 1, ...); throws std::logic_error when anything happens twice or goes back in
/// time.
class Recorder : public TransferListener {
 public:
  explicit Recorder(std::size_t messages) : outcomes(messages) {}
  void injected(Time at, const Message& message) override {
    note(at);
    if (outcomes.at(message.id).injected != Time{-1}) throw std::logic_error("injected twice");
    outcomes[message.id].injected = at;
  }
  void delivered(Time at, const Message& message, bool hit) override {
    note(at);
    if (outcomes.at(message.id).delivered != Time{-1}) throw std::logic_error("delivered twice");
    outcomes[message.id].delivered = at;
    outcomes[message.id].hit = hit;
    order.push_back(message.id);
  }

  std::vector<Outcome> outcomes;
  std::vector<std::uint64_t> order;  // of delivery

 private:
  void note(Time at) {
    if (at < last_) throw std::logic_error("listener called back in time");
    last_ = at;
  }
  Time last_{};
};

inline void act(Technique& technique, const Action& action) {
  switch (action.what) {
    case Action::What::send:
      return technique.send(action.at, action.message);
    case Action::What::preload:
      return technique.preload(action.at, action.slot, action.configuration);
    case Action::What::flush:
      return technique.flush(action.at, action.source);
  }
}

/// Runs the script to the last delivery (or to `give_up`).
inline Recorder run_script(Technique& technique, const std::vector<Action>& script, Time give_up) {
  std::size_t messages = 0;
  for (const Action& action : script) messages += action.what == Action::What::send ? 1 : 0;
  Recorder recorder(messages);
  std::size_t next = 0;
  while (recorder.order.size() < messages) {
    const Time action = next < script.size() ? script[next].at : Time::never();
    const Time event = technique.next_event();
    if (std::min(action, event) > give_up) break;
    if (action <= event) {
      act(technique, script[next++]);
    } else {
      technique.advance(std::min(event, action), recorder);
    }
  }
  return recorder;
}

}  // namespace hybrid
