// Tables of sends and expected decisions, and scores of short streams, for tests of predictors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "predictor/evaluation.h"
#include "predictor/forecaster.h"
#include "predictor/predictor.h"

namespace hybrid::test_steps {

inline constexpr Port kTimer = kNoPort;  // no send: on_time() at that time

struct Step {
  std::int64_t at_ns;
  Port send;
  std::vector<Port> release;
  std::vector<Port> request;
};

inline std::vector<Port> list(std::span<const Port> ports) { return {ports.begin(), ports.end()}; }

/// Runs `steps` in order and compares the decisions of each.
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

/// The destinations of a forecast of at most `n`.
inline std::vector<Port> expected_of(Forecaster& forecaster, std::size_t n) {
  std::vector<Expected> out(n);
  out.resize(forecaster.expect(out));
  std::vector<Port> destinations;
  for (const Expected& e : out) destinations.push_back(e.destination);
  return destinations;
}

/// `cycle`, repeated `rounds` times.
inline std::vector<Port> repeated(const std::vector<Port>& cycle, int rounds) {
  std::vector<Port> sends;
  for (int round = 0; round < rounds; ++round) sends.insert(sends.end(), cycle.begin(), cycle.end());
  return sends;
}
/// 0, 1, ... n - 1.
inline std::vector<Port> round_of(std::uint32_t n) {
  std::vector<Port> round(n);
  for (Port d = 0; d < n; ++d) round[d] = d;
  return round;
}

/// The score of the predictor `name` over `sends`, which are 100 ns apart, without the first `skip` sends:
/// the predictor learns from these. `sites`: one for each send, or none.
inline PredictorScore score_of(const char* name, const std::vector<Port>& sends, std::uint32_t capacity,
                               std::size_t skip = 0, const std::vector<std::uint64_t>& sites = {},
                               PredictorShape shape = {}) {
  shape.destinations = 64;
  shape.capacity = capacity;
  shape.future = sends;
  PredictorEvaluation all(name, shape), before(name, shape);
  Time at{};
  for (std::size_t i = 0; i < sends.size(); ++i) {
    at += nanoseconds(100);
    const std::uint64_t site = sites.empty() ? 0 : sites[i];
    all.send(at, sends[i], 8, site);
    if (i < skip) before.send(at, sends[i], 8, site);
  }
  PredictorScore score = all.finish(at);
  const PredictorScore skipped = before.finish(at);
  score.sends -= skipped.sends;
  score.hits -= skipped.hits;
  score.requests -= skipped.requests;
  return score;
}

}  // namespace hybrid::test_steps
