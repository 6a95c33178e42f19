// Predictors on unusual traces: they are scored, or refused by name, and each score is a number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"
#include "predictor/belady.h"
#include "predictor/evaluation_grid.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::HasSubstr;

std::vector<std::string> all_predictors() {
  std::vector<std::string> names{BeladyBound::kName};
  for (std::string_view name : registered_names(Predictor::kKind)) names.emplace_back(name);
  return names;
}

// As `hybrid predict`, from two copies of a trace.
std::vector<PredictorScore> scores_of(MemoryTrace& trace, MemoryTrace& again) {
  DestinationNumbers numbers;
  Time end{};
  for_each_sent(trace, {}, [&](const SentMessage& m) {
    numbers.add({m.source, m.destination});
    end = std::max(end, m.at);
  });
  ParallelGrid grid(all_predictors(), {1, 2, 4, 16}, {}, numbers, 2);
  for_each_sent(again, {},
                [&](const SentMessage& m) { grid.send({m.source, m.destination}, m.at, m.bytes, m.site); });
  const std::vector<PredictorScore> scores = grid.finish(end);
  for (const PredictorScore& s : scores) {
    EXPECT_LE(s.hits, s.sends) << s.predictor;
    EXPECT_LE(s.held_unused, s.held) << s.predictor;
    EXPECT_GE(s.held_unused, Time{}) << s.predictor;
    EXPECT_GE(s.lead, Time{}) << s.predictor;
    for (double number : {s.hit_rate(), s.requests_per_message(), s.accuracy(), s.waste(), s.ns_per_event(),
                          s.mean_lead().nanoseconds()}) {
      EXPECT_TRUE(std::isfinite(number)) << s.predictor;
      EXPECT_GE(number, 0) << s.predictor;
    }
  }
  return scores;
}

void expect_sends(const std::vector<PredictorScore>& scores, std::uint64_t sends) {
  ASSERT_FALSE(scores.empty());
  for (const PredictorScore& s : scores) EXPECT_EQ(s.sends, sends) << s.predictor;
}

TEST(PredictTrace, OneRankSendsNothingOverTheNetwork) {
  MemoryTrace trace(1), again(1);
  for (MemoryTrace* t : {&trace, &again}) t->add(0, make(Kind::send_start, 0, 8));
  expect_sends(scores_of(trace, again), 0);
}

TEST(PredictTrace, RanksThatSendNothing) {
  MemoryTrace trace(3), again(3);
  expect_sends(scores_of(trace, again), 0);
}

TEST(PredictTrace, WildcardReceivesAloneAreNoSends) {
  // As recorded: a wildcard that received a message has its peer; one that did not has no match.
  MemoryTrace trace(4), again(4);
  for (MemoryTrace* t : {&trace, &again})
    for (std::uint32_t r = 0; r < 4; ++r) {
      t->add(r, make(Kind::recv, (r + 1) % 4, 8));
      t->add(r, make(Kind::recv_post, 0, 8, {}, 1));
    }
  expect_sends(scores_of(trace, again), 0);
}

TEST(PredictTrace, TimeThatRunsBackwardsIsHeld) {
  MemoryTrace trace(4), again(4);
  for (MemoryTrace* t : {&trace, &again})
    for (int i = 0; i < 200; ++i) {
      Operation send = make(Kind::send, 1 + static_cast<std::uint32_t>(i) % 3, 8);
      send.at = microseconds(i % 7 == 3 ? 3 : 10 * i);
      t->add(0, send);
    }
  const std::vector<PredictorScore> scores = scores_of(trace, again);
  expect_sends(scores, 200);
  for (const PredictorScore& s : scores) {
    if (s.predictor != "lru" || s.capacity != 4) continue;
    EXPECT_EQ(s.hits, 197u);
  }
}

TEST(PredictTrace, AMillionDestinationsOfOnePortAreRefusedByNameThoseOfManyPortsAreNot) {
  DestinationNumbers numbers;
  for (Port d = 1; d <= 1'000'000; ++d) numbers.add({0, d});
  for (Port s = 1; s <= 5; ++s)
    for (Port d = 0; d < 3; ++d) numbers.add({s, 1'000'000 - d});
  ParallelGrid grid({"lru", "markov1", "tournament"}, {4}, {}, numbers, 1, nullptr, 1);
  for (Port s = 1; s <= 5; ++s)
    for (int i = 0; i < 10; ++i) grid.send({s, 1'000'000}, nanoseconds(i), 8, 0);
  try {
    grid.send({0, 7}, nanoseconds(20), 8, 0);
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("1000000 destinations"));
    EXPECT_THAT(error.what(), HasSubstr("Place several ranks on a port"));
  }
}

}  // namespace
}  // namespace hybrid
