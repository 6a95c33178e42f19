// Test helper: slots and requests for one-slot schedulers, and a check of the toggles of a pass that uses
// only the contract of scheduler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/random.h"
#include "core/registry.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

/// K slots and the requests.
struct SlotState {
  BitMatrix requests, established;
  std::vector<Configuration> slots;
  PortSet inputs;  // all inputs
  // Result of Table 5.1 for the last pass().
  mutable BitMatrix open;
  mutable PortSet to_release;

  explicit SlotState(std::size_t ports, std::size_t k = 1)
      : requests(ports, ports),
        established(ports, ports),
        slots(k, Configuration(ports)),
        inputs(ports),
        open(ports, ports),
        to_release(ports) {
    for (std::size_t p = 0; p < ports; ++p) inputs.set(p);
  }
  std::size_t ports() const { return requests.rows(); }
  bool hold(std::size_t s, Connection c) {
    if (established.test(c.source, c.destination) || !slots[s].add(c)) return false;
    established.set(c.source, c.destination);
    return true;
  }
  /// A pass over slot s; valid until the next call.
  SchedulingPass pass(std::size_t s, SchedulingPriority priority = {}) const {
    return pass(s, priority, inputs);
  }
  SchedulingPass pass(std::size_t s, SchedulingPriority priority, const PortSet& considered) const {
    to_release.clear();
    for (Port u = 0; u < ports(); ++u) {
      for (std::size_t w = 0; w < open.row(u).size(); ++w)
        open.row(u)[w] = requests.row(u)[w] & ~established.row(u)[w];
      if (const Port v = slots[s].destination_of(u); v != kNoPort && !requests.test(u, v)) to_release.set(u);
    }
    return {open, to_release, slots[s], considered, priority};
  }
  void toggle(std::size_t s, std::span<const Connection> toggles) {
    for (const Connection c : toggles)
      if (slots[s].remove(c)) {
        established.reset(c.source, c.destination);
      } else {
        slots[s].add(c);
        established.set(c.source, c.destination);
      }
  }
};

/// Returns [input][w]: whether word w of the input's row is not 0, the optional argument `open_words` of a
/// pass.
inline BitMatrix open_words_of(const BitMatrix& open) {
  BitMatrix words(open.rows(), words_for(open.columns()));
  for (std::size_t u = 0; u < open.rows(); ++u)
    for (std::size_t w = 0; w < words.columns(); ++w)
      if (open.row(u)[w] != 0) words.set(u, w);
  return words;
}

/// The names of the registered algorithms with a one-slot scheduler, which can run in the loop; without those
/// that need a device.
inline std::vector<std::string> one_slot_names() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (argument_in(SchedulingAlgorithm::kKind, name).empty() &&
        SchedulerRegistration::make(name)->schedules_one_slot())
      names.emplace_back(name);
  return names;
}

inline SchedulingPriority any_priority(std::size_t ports, Random& random) {
  return {static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
}

/// `percent` of the connections requested; slots partly full, most of their connections still requested.
inline SlotState random_slots(std::size_t ports, std::size_t k, unsigned percent, Random& random) {
  SlotState state(ports, k);
  for (std::size_t s = 0; s < k; ++s)
    for (std::uint64_t tries = random.below(2 * ports + 1); tries > 0; --tries)
      state.hold(s, {static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))});
  for (Port u = 0; u < ports; ++u)
    for (Port v = 0; v < ports; ++v)
      if (random.below(100) < (state.established.test(u, v) ? 70 : percent)) state.requests.set(u, v);
  return state;
}

/// Cases that random sets do not cover: no request, all, one row, one column, a permutation, graphs on which
/// a greedy choice fails, and full slots with and without requests.
inline std::vector<SlotState> hard_slots(std::size_t ports) {
  std::vector<SlotState> all(11, SlotState(ports));
  const auto n = static_cast<Port>(ports);
  for (Port u = 0; u < n; ++u) {
    all[2].requests.set(0, u);
    all[3].requests.set(u, n - 1);
    all[4].requests.set(u, n - 1 - u);
    for (Port v = 0; v < n; ++v) {
      all[1].requests.set(u, v);
      if (v <= u) all[5].requests.set(u, v);                // one perfect matching: the diagonal
      if (v == u || v + 1 == u) all[6].requests.set(u, v);  // one long alternating path
      if (v == 0 || (u == 0) || (u == v && u > 1)) all[7].requests.set(u, v);
      if (u < n / 3 || v < n / 3) all[8].requests.set(u, v);  // at most 2 (n / 3) fit
      if (u != v) all[10].requests.set(u, v);
    }
    all[9].hold(0, {u, (u + 1) % n});  // full and requested: all connections stay
    all[10].hold(0, {u, u});           // full, not requested: all connections are released
    all[9].requests.set(u, (u + 1) % n);
    all[9].requests.set(u, u);
  }
  return all;
}

/// Returns how `toggles`, returned for slot s, break the contract of a pass; "" if they do not.
inline std::string fault_of(const SlotState& state, std::size_t s, std::span<const Connection> toggles) {
  const std::size_t n = state.ports();
  std::vector<Port> output_of(n, kNoPort), input_of(n, kNoPort);
  std::vector<std::vector<bool>> in_a_slot(n, std::vector<bool>(n, false)), toggled = in_a_slot;
  for (const Configuration& slot : state.slots)
    for (const Connection c : slot.connections()) in_a_slot[c.source][c.destination] = true;
  for (const Connection c : state.slots[s].connections()) {
    output_of[c.source] = c.destination;
    input_of[c.destination] = c.source;
  }
  bool could = false;
  for (Port u = 0; u < n; ++u)
    for (Port v = 0; v < n; ++v) {
      const bool held = output_of[u] == v, requested = state.requests.test(u, v);
      if (held && !requested) could = true;
      if (requested && !in_a_slot[u][v] && output_of[u] == kNoPort && input_of[v] == kNoPort) could = true;
    }
  for (const Connection c : toggles) {
    const std::string name = std::to_string(c.source) + " -> " + std::to_string(c.destination);
    if (c.source >= n || c.destination >= n) return name + " has no such port";
    if (toggled[c.source][c.destination]) return name + " is toggled twice";
    toggled[c.source][c.destination] = true;
    const bool requested = state.requests.test(c.source, c.destination);
    if (output_of[c.source] == c.destination) {
      if (requested) return name + " is released, though requested";
      output_of[c.source] = input_of[c.destination] = kNoPort;
      continue;
    }
    if (!requested) return name + " is established, though not requested";
    if (in_a_slot[c.source][c.destination]) return name + " is established twice";
    if (output_of[c.source] != kNoPort || input_of[c.destination] != kNoPort)
      return name + " is established between busy ports";
    output_of[c.source] = c.destination;
    input_of[c.destination] = c.source;
  }
  return could && toggles.empty() ? "nothing is toggled, though something could be" : "";
}

}  // namespace hybrid
