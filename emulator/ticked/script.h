// Scripts: a fixed list of sends, preloads and flushes that drives a technique or its reference model, and
// the record of the result.
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

  static Action send(Time at, std::uint64_t id, Connection c, Bytes bytes) {
    return {What::send, at, {id, c, bytes}, 0, {}, kNoPort};
  }
};

/// Result of one message.
struct Outcome {
  Time injected{-1}, delivered{-1};
  bool hit = false;
  bool operator==(const Outcome&) const = default;
};

/// Records the outcomes by message id (0, 1, ...). Throws std::logic_error if an event comes twice or if time
/// goes back.
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

/// Runs the script until the last delivery, at most until `give_up`.
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
