// Hand-checked sequences for predictors, written as tables: what is sent when, and what must be decided.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "predictor/predictor.h"

namespace hybrid::test_steps {

inline constexpr Port kTimer = kNoPort;  // no send: on_time at that moment

struct Step {
  std::int64_t at_ns;
  Port send;
  std::vector<Port> release;
  std::vector<Port> request;
};

inline std::vector<Port> list(std::span<const Port> ports) { return {ports.begin(), ports.end()}; }

/// Runs `steps` and compares each one's decisions, in order.
inline void expect_decisions(Predictor& predictor, const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const Time now = nanoseconds(step.at_ns);
    const auto decisions =
        step.send == kTimer ? predictor.on_time(now) : predictor.on_send(now, step.send, 8, 0);
    EXPECT_EQ(list(decisions.release), step.release) << "released in step " << i;
    EXPECT_EQ(list(decisions.request), step.request) << "requested in step " << i;
  }
}

}  // namespace hybrid::test_steps
