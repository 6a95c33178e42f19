// Time windows in which worms may pass a fabric that they share with circuits.
//
// Contract
// - An opening is an interval in which worms pass between all ports that no circuit uses. Openings are added
//   in order and do not overlap. Outside of openings no worm passes.
// - A port must be set up (worms pass from `ready` on) if a circuit used it just before, or if the opening
//   does not begin at the end of the previous opening. A port that stays open across the boundary of two
//   openings is not interrupted (partial reconfiguration).
// - A worm passes while both its ports are open.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configuration.h"
#include "core/port_set.h"
#include "core/time.h"
#include "emulator/network/repetition.h"
#include "emulator/network/ring.h"

namespace hybrid {

class FabricWindows {
 public:
  struct Window {
    Time from = Time::never(), until = Time::never();  // words start at or after, end at or before
  };

  explicit FabricWindows(std::uint32_t ports)
      : next_{{}, {}, {}, PortSet(ports), PortSet(ports), PortSet(ports), PortSet(ports)},
        ready_inputs_(ports, Time::never()),
        ready_outputs_(ports, Time::never()) {}

  /// Opens all ports for all time, for a fabric without circuits.
  void open_permanently() {
    add_opening(Time{}, Time{}, Time::never(), nullptr);
    always_open_ = true;
  }

  /// Adds the opening [begin, until). Ports that must be set up are ready from `ready` (>= begin) on. The
  /// ports of `circuits` are closed; nullptr: none.
  void add_opening(Time begin, Time ready, Time until, const Configuration* circuits) {
    next_.begin = begin;
    next_.ready = ready;
    next_.until = until;
    const bool follows = !openings_.empty() && openings_.back().until == begin;
    const auto fill = [&](PortSet& closed, PortSet& fresh, const PortSet* in_use, const PortSet* before) {
      for (std::size_t w = 0; w < closed.words().size(); ++w) {
        closed.words()[w] = in_use == nullptr ? 0 : in_use->words()[w];
        fresh.words()[w] = before == nullptr ? ~Word{0} : before->words()[w];
      }
    };
    fill(next_.closed_inputs, next_.fresh_inputs, circuits == nullptr ? nullptr : &circuits->inputs(),
         follows ? &openings_.back().closed_inputs : nullptr);
    fill(next_.closed_outputs, next_.fresh_outputs, circuits == nullptr ? nullptr : &circuits->outputs(),
         follows ? &openings_.back().closed_outputs : nullptr);
    openings_.push(next_);
  }

  /// The first known window in which a word of connection `c` with duration `word` can start at or after `t`.
  /// from == Time::never(): there is none.
  Window find_window(Connection c, Time t, Time word) const {
    return always_open_ ? Window{Time{}, Time::never()} : find_in_openings(c, t, word);
  }
  bool always_open() const { return always_open_; }

  /// Removes openings that end at or before `t`, except the last one. find_window() must not be called for
  /// earlier instants.
  void remove_openings_until(Time t) {
    while (openings_.size() > 1 && openings_.front().until <= t) {
      const Opening& o = openings_.front();
      keep_ready_times(o, o.fresh_inputs, o.closed_inputs, ready_inputs_);
      keep_ready_times(o, o.fresh_outputs, o.closed_outputs, ready_outputs_);
      openings_.pop();
    }
  }

  void visit(StateVisitor& v) {
    v.same(openings_.size());
    if (v.failed()) return;
    for (std::size_t i = 0; i < openings_.size(); ++i) {
      Opening& o = openings_[i];
      for (Time* at : {&o.begin, &o.ready, &o.until}) v.instant(*at);
      for (const PortSet* set : {&o.closed_inputs, &o.closed_outputs, &o.fresh_inputs, &o.fresh_outputs})
        v.same(*set);
    }
    for (std::vector<Time>* times : {&ready_inputs_, &ready_outputs_})
      for (Time& at : *times) v.instant(at);
  }

 private:
  struct Opening {
    Time begin{}, ready{}, until{};
    PortSet closed_inputs, closed_outputs;  // in use by circuits
    PortSet fresh_inputs, fresh_outputs;    // to be set up: not open just before
  };

  Window find_in_openings(Connection c, Time t, Time word) const {
    // Ports that stay open across the begin of the first opening.
    Window window{std::max(ready_inputs_[c.source], ready_outputs_[c.destination]), Time{}};
    const auto fits = [&] {
      return window.from != Time::never() && std::max(t, window.from) + word <= window.until;
    };
    for (std::size_t i = 0; i < openings_.size(); ++i) {
      const Opening& o = openings_[i];
      const bool open = !o.closed_inputs.test(c.source) && !o.closed_outputs.test(c.destination);
      const bool fresh = o.fresh_inputs.test(c.source) || o.fresh_outputs.test(c.destination);
      if (open && !fresh && window.from != Time::never()) {
        window.until = o.until;
        continue;
      }
      if (fits()) return window;
      window = open ? Window{fresh ? o.ready : o.begin, o.until} : Window{};
    }
    return fits() ? window : Window{};
  }

  /// A port that is fresh in a later opening gets another time then, so those of closed ports do not matter.
  static void keep_ready_times(const Opening& o, const PortSet& fresh, const PortSet& closed,
                               std::vector<Time>& ready) {
    for (std::size_t w = 0; w < fresh.words().size(); ++w)
      for (Word rest = fresh.words()[w] & ~closed.words()[w]; rest != 0; rest &= rest - 1) {
        const std::size_t port = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
        if (port < ready.size()) ready[port] = o.ready;
      }
  }

  bool always_open_ = false;
  Ring<Opening> openings_;
  Opening next_;  // reused for its memory
  // By port: since when it has been set up, if it is open in the last removed opening.
  std::vector<Time> ready_inputs_, ready_outputs_;
};

}  // namespace hybrid
