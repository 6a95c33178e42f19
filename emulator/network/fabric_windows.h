// When worms may pass a fabric that they share with circuits: the time line of its openings.
//
// Contract
// - An opening is a stretch in which worms pass between all ports but those in use by circuits. Openings come
//   in order and do not overlap; between them no worm passes.
// - A port that was in use by a circuit, or whose opening does not begin where the one before ended, must be
//   set up first: worms pass from `ready` on. A port that stays open across the boundary of two openings
//   notices nothing of it (partial reconfiguration).
// - A worm passes where both its ports are open.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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
      : next_{{}, {}, {}, PortSet(ports), PortSet(ports), PortSet(ports), PortSet(ports)} {}

  /// Always open (a fabric of its own).
  void open_permanently() {
    add_opening(Time{}, Time{}, Time::never(), nullptr);
    always_open_ = true;
  }

  /// The next opening, [begin, until); ports set up anew are ready from `ready` (>= begin) on. `circuits`:
  /// whose ports are closed; nullptr: none.
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

  /// The first window, of those known, in which a word of connection `c` that takes `word` can start at or
  /// after `t`; never, where there is none.
  Window find_window(Connection c, Time t, Time word) const {
    if (always_open_) return {Time{}, Time::never()};
    Window window;
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

  /// What ended at or before `t` is not asked for again.
  void remove_openings_until(Time t) {
    while (openings_.size() > 1 && openings_.front().until <= t) openings_.pop();
  }

  void visit(StateVisitor& v) {
    v.same(openings_.size());
    if (v.done()) return;
    for (std::size_t i = 0; i < openings_.size(); ++i) {
      Opening& o = openings_[i];
      for (Time* at : {&o.begin, &o.ready, &o.until}) v.instant(*at);
      for (const PortSet* set : {&o.closed_inputs, &o.closed_outputs, &o.fresh_inputs, &o.fresh_outputs})
        v.same(*set);
    }
  }

 private:
  struct Opening {
    Time begin{}, ready{}, until{};
    PortSet closed_inputs, closed_outputs;  // in use by circuits
    PortSet fresh_inputs, fresh_outputs;    // not open until just before
  };
  bool always_open_ = false;
  Ring<Opening> openings_;
  Opening next_;  // keeps its memory
};

}  // namespace hybrid
