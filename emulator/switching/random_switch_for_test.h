// For tests: random switches, and whether two models of one agree.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "emulator/ticked/random_switch.h"

namespace hybrid {

/// Whether every message came out at the same instants; names the first that did not.
inline testing::AssertionResult equal(const std::vector<Outcome>& found,
                                      const std::vector<Outcome>& expected) {
  if (found.size() != expected.size())
    return testing::AssertionFailure() << found.size() << " messages, not " << expected.size();
  for (std::size_t id = 0; id < expected.size(); ++id) {
    const Outcome &f = found[id], &e = expected[id];
    if (f != e)
      return testing::AssertionFailure()
             << "message " << id << ": injected " << f.injected.ps << ", delivered " << f.delivered.ps
             << (f.hit ? ", hit" : "") << "; expected " << e.injected.ps << ", " << e.delivered.ps
             << (e.hit ? ", hit" : "");
  }
  return testing::AssertionSuccess();
}

}  // namespace hybrid
