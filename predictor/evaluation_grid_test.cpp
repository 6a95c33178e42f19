#include "predictor/evaluation_grid.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

struct Sent {
  Connection connection;
  Time at;
};

// Three sources among a million ports, each with a few different destinations.
std::vector<Sent> job(std::uint64_t seed, std::size_t sends) {
  Random random(seed);
  std::vector<Sent> job;
  Time at{};
  for (std::size_t i = 0; i < sends; ++i) {
    const auto source = static_cast<Port>(random.below(3)) * 400'000;
    const auto destination = source + 1 + static_cast<Port>(random.below(3 + source / 100'000)) * 7'000;
    job.push_back({{source, destination}, at += nanoseconds(static_cast<std::int64_t>(random.below(50)))});
  }
  return job;
}

DestinationNumbers numbers_of(const std::vector<Sent>& job) {
  DestinationNumbers numbers;
  for (const Sent& sent : job) numbers.add(sent.connection);
  return numbers;
}

const PredictorShape kShape{.timeout = nanoseconds(200), .threshold = 9};

TEST(DestinationNumbers, NumberEachSourcesDestinationsInTheOrderOfFirstUse) {
  DestinationNumbers numbers;
  for (const Connection c : {Connection{5, 900'000}, {5, 3}, {7, 3}, {5, 900'000}}) numbers.add(c);
  EXPECT_EQ(numbers.count(5), 2u);
  EXPECT_EQ(numbers.count(7), 1u);
  EXPECT_EQ(numbers.count(3), 0u);
  EXPECT_EQ(numbers.of({5, 900'000}), 0u);
  EXPECT_EQ(numbers.of({5, 3}), 1u);
  EXPECT_EQ(numbers.of({7, 3}), 0u);
  numbers.order_by_port();
  EXPECT_EQ(numbers.of({5, 3}), 0u);
  EXPECT_EQ(numbers.of({5, 900'000}), 1u);
  EXPECT_EQ(numbers.of({7, 3}), 0u);
  EXPECT_EQ(numbers.count(5), 2u);
}

TEST(EvaluationGrid, ScoresAsOneEvaluationForEachSource) {
  const std::vector<Sent> job = hybrid::job(1, 3'000);
  const DestinationNumbers numbers = numbers_of(job);
  const std::vector<std::string> names{"timeout", "belady", "lru", "oracle", "markov1", "none"};
  const std::vector<std::uint32_t> capacities{1, 4, 0};
  EvaluationGrid grid(names, capacities, kShape, numbers);
  const Time end = job.back().at + nanoseconds(5);
  for (std::size_t i = 0; i < job.size(); ++i) {
    grid.send(job[i].connection, job[i].at, 8, 0);
    if (i % 700 == 699) grid.flush(400'000, job[i].at + nanoseconds(1));
  }
  grid.flush(400'000, end);
  EXPECT_EQ(grid.stream_bytes(), 12 * job.size() + 16 * 5);
  const std::vector<PredictorScore> rows = grid.finish(end);
  ASSERT_EQ(rows.size(), names.size() * capacities.size());

  std::size_t row = 0;
  for (const std::string& name : names)
    for (std::uint32_t capacity : capacities) {
      PredictorScore expected;
      for (Port source : {0u, 400'000u, 800'000u}) {
        PredictorShape shape = kShape;
        shape.destinations = numbers.count(source);
        shape.capacity = capacity;
        std::vector<Port> stream;
        for (const Sent& sent : job)
          if (sent.connection.source == source) stream.push_back(numbers.of(sent.connection));
        shape.future = stream;
        BeladyBound bound;
        PredictorEvaluation e(name == "belady" ? "none" : name, shape);
        for (std::size_t i = 0; i < job.size(); ++i) {
          if (job[i].connection.source == source) {
            const Port d = numbers.of(job[i].connection);
            bound.send(job[i].at, d);
            e.send(job[i].at, d, 8, 0);
          }
          if (source == 400'000 && i % 700 == 699) {
            bound.flush({});
            e.flush(job[i].at + nanoseconds(1));
          }
        }
        if (source == 400'000) e.flush(end);
        expected.add(name == "belady" ? bound.score(capacity) : e.finish(end));
      }
      const PredictorScore& s = rows[row++];
      EXPECT_EQ(s.predictor, name);
      EXPECT_EQ(s.capacity, capacity);
      EXPECT_EQ(s.sends, job.size());
      EXPECT_EQ(s.hits, expected.hits) << name << capacity;
      EXPECT_EQ(s.requests, expected.requests) << name << capacity;
      EXPECT_EQ(s.releases, expected.releases) << name << capacity;
      EXPECT_EQ(s.held, expected.held) << name << capacity;
      EXPECT_EQ(s.held_unused, expected.held_unused) << name << capacity;
      EXPECT_EQ(s.lead, expected.lead) << name << capacity;
    }
}

void expect_equal(const std::vector<PredictorScore>& a, const std::vector<PredictorScore>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string where = b[i].predictor + ", K = " + std::to_string(b[i].capacity);
    EXPECT_EQ(a[i].predictor, b[i].predictor);
    EXPECT_EQ(a[i].capacity, b[i].capacity) << where;
    EXPECT_EQ(a[i].sends, b[i].sends) << where;
    EXPECT_EQ(a[i].hits, b[i].hits) << where;
    EXPECT_EQ(a[i].requests, b[i].requests) << where;
    EXPECT_EQ(a[i].releases, b[i].releases) << where;
    EXPECT_EQ(a[i].held, b[i].held) << where;
    EXPECT_EQ(a[i].held_unused, b[i].held_unused) << where;
    EXPECT_EQ(a[i].ahead_used, b[i].ahead_used) << where;
    EXPECT_EQ(a[i].lead, b[i].lead) << where;
    EXPECT_EQ(a[i].state_bytes, b[i].state_bytes) << where;
  }
}

TEST(ParallelGrid, ScoresTheSameWithAnyNumberOfThreads) {
  const std::vector<Sent> job = hybrid::job(3, 3'000);
  const DestinationNumbers numbers = numbers_of(job);
  const std::vector<std::string> names{"timeout", "belady", "tournament", "oracle", "none"};
  EvaluationGrid grid(names, {2, 4}, kShape, numbers);
  for (const Sent& sent : job) grid.send(sent.connection, sent.at, 8, 7);
  const std::vector<PredictorScore> expected = grid.finish(job.back().at);
  for (const PredictorScore& s : expected) EXPECT_EQ(s.spent_ns, 0);
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ParallelGrid parallel(names, {2, 4}, kShape, numbers, threads, nullptr, 500);
    for (const Sent& sent : job) parallel.send(sent.connection, sent.at, 8, 7);
    expect_equal(parallel.finish(job.back().at), expected);
  }
}

TEST(ParallelGrid, MeasuresWithTheGivenClock) {
  const std::vector<Sent> job = hybrid::job(4, 1'000);
  const DestinationNumbers numbers = numbers_of(job);
  ParallelGrid grid(
      {"lru", "belady"}, {2}, kShape, numbers, 1,
      [] {
        static std::int64_t now = 0;
        return now += 500;
      },
      1'000);
  for (const Sent& sent : job) grid.send(sent.connection, sent.at, 8, 7);
  const std::vector<PredictorScore> scores = grid.finish(job.back().at);
  EXPECT_EQ(scores[0].spent_ns, 3 * 500);  // one batch of three sources
  EXPECT_EQ(scores[0].ns_per_event(), 1.5);
  EXPECT_EQ(scores[1].spent_ns, 0);
}

TEST(ParallelGrid, RethrowsTheExceptionOfAThread) {
  DestinationNumbers numbers;
  for (Port d = 0; d < 70'000; ++d) numbers.add({5, d});
  ParallelGrid grid({"lru"}, {2}, kShape, numbers, 2, nullptr, 10);
  EXPECT_THROW(
      {
        for (int i = 0; i < 10; ++i) grid.send({5, 1}, {}, 8, 0);
      },
      UserError);
}

TEST(EvaluationGrid, StoresAStreamOnlyIfARowNeedsIt) {
  const std::vector<Sent> job = hybrid::job(2, 100);
  const DestinationNumbers numbers = numbers_of(job);
  EvaluationGrid grid({"lru"}, {4}, kShape, numbers);
  for (const Sent& sent : job) grid.send(sent.connection, sent.at, 8, 0);
  EXPECT_EQ(grid.stream_bytes(), 0u);
  EXPECT_EQ(grid.finish(job.back().at).front().sends, 100u);
}

TEST(EvaluationGrid, AJobWithoutSendsScoresNothing) {
  const DestinationNumbers numbers;
  EvaluationGrid grid({"belady", "oracle", "lru"}, {1, 4}, kShape, numbers);
  grid.flush(3, nanoseconds(5));
  const std::vector<PredictorScore> rows = grid.finish(Time{});
  ASSERT_EQ(rows.size(), 6u);
  for (const PredictorScore& s : rows) EXPECT_EQ(s.sends + s.hits + s.requests, 0u);
  EXPECT_EQ(rows[3].predictor, "oracle");
  EXPECT_EQ(rows[3].capacity, 4u);
}

TEST(EvaluationGrid, RejectsAnUnknownNameBeforeTheFirstSend) {
  const DestinationNumbers numbers;
  EXPECT_THROW(EvaluationGrid({"lru", "delphi"}, {4}, kShape, numbers), UserError);
}

}  // namespace
}  // namespace hybrid
