#include "libhybrid/page/job_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Operation::Kind;

// Rank r sends 100 * r + 1 bytes to the next rank, at r microseconds.
std::unique_ptr<JobTrace> ring(std::uint32_t ranks, std::vector<std::uint32_t> ports = {}) {
  auto trace = std::make_unique<MemoryTrace>(ranks);
  trace->ports = std::move(ports);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    Operation send = make(Kind::send_start, (r + 1) % ranks, 100 * r + 1, {}, 1);
    send.at = Time{1'000'000 * static_cast<std::int64_t>(r)};
    trace->add(r, send);
    trace->add(r, finish());
  }
  return trace;
}

Json traffic_of(const TraceOpener& open, const ReplayOptions& options, const TrafficDetail& detail = {}) {
  const auto trace = open();
  const FoundPhases found = find_phases(*trace, options, count_ports(ports_of_ranks(*trace, options)));
  return traffic_json(*open(), found, options, detail);
}

TEST(JobTraffic, HasTheMessagesOfEachConnectionAndInterval) {
  const Json traffic =
      traffic_of([] { return ring(4, {0, 0, 1, 1}); }, {}, {.time_bins = 4});  // also those inside ports
  EXPECT_EQ(traffic["ranks"], 4);
  EXPECT_EQ(traffic["group"], 1);
  EXPECT_EQ(traffic["operations"], Json::parse(R"(["point-to-point"])"));
  EXPECT_EQ(traffic["cells"], Json::parse("[[0,0,0,1,1,1],[0,0,1,2,1,101],[0,0,2,3,1,201],[0,0,3,0,1,301]]"));
  EXPECT_EQ(traffic["end_ns"], 3000.0);
  EXPECT_EQ(traffic["bins"]["operations"], Json::parse("[[1,101,201,301]]"));
  EXPECT_EQ(traffic["bins"]["ranks"], Json::parse("[[1,0,0,0],[0,101,0,0],[0,0,201,0],[0,0,0,301]]"));
}

TEST(JobTraffic, OfManyRanksIsGrouped) {
  const auto open = [] { return ring(10); };
  const Json traffic = traffic_of(open, {}, {.time_bins = 1, .rank_groups = 4});
  EXPECT_EQ(traffic["group"], 3);
  // Ranks 0 to 2, 3 to 5, 6 to 8, 9: two messages inside a group, one to the next.
  EXPECT_EQ(traffic["cells"], Json::parse("[[0,0,0,0,2,102],[0,0,0,1,1,201],[0,0,1,1,2,702],[0,0,1,2,1,501],"
                                          "[0,0,2,2,2,1302],[0,0,2,3,1,801],[0,0,3,0,1,901]]"));
  EXPECT_EQ(traffic["bins"]["ranks"], Json::parse("[[303],[1203],[2103],[901]]"));
  // Too many cells: larger groups, down to one of all ranks.
  EXPECT_EQ(traffic_of(open, {}, {.cells = 4})["group"], 8);
  EXPECT_EQ(traffic_of(open, {}, {.cells = 1})["cells"].size(), 1u);
}

TEST(JobTraffic, IsDividedByHintedPhase) {
  const auto open = [] {
    auto trace = std::make_unique<MemoryTrace>(2);
    trace->regions = {"solve", "exchange"};
    for (const std::uint32_t region : {0u, 1u}) {
      trace->add(0, make_phase(Kind::phase_begin, region));
      trace->add(0, make(Kind::send_start, 1, 10 + region, {}, region + 1));
      trace->add(0, make_phase(Kind::phase_end, region));
    }
    for (std::uint32_t r = 0; r < 2; ++r) trace->add(r, finish());
    return trace;
  };
  const Json traffic = traffic_of(open, {});
  ASSERT_THAT(traffic["phases"], testing::SizeIs(2));
  for (const auto& cell : traffic["cells"])
    EXPECT_EQ(cell[5], traffic["phases"][cell[0].get<std::size_t>()] == "solve" ? 10 : 11);
  EXPECT_EQ(traffic["cells"].size(), 2u);
  EXPECT_EQ(traffic["gap_ns"], 0.0);
  EXPECT_EQ(traffic["spans"].size(), 2u);

  // Both ranks on one port: the report has no phases, but the matrix has both.
  ReplayOptions one_port;
  one_port.placement = {0, 0};
  const Json inside = traffic_of(open, one_port);
  EXPECT_EQ(inside["phases"], Json::parse(R"(["solve","exchange"])"));
  EXPECT_EQ(inside["cells"], Json::parse("[[0,0,0,1,1,10],[1,0,0,1,1,11]]"));
}

// Rank 0 sends in `phases` (region, time in us), rank 1 as well, one microsecond later.
std::unique_ptr<JobTrace> phased(const std::vector<std::pair<std::uint32_t, std::int64_t>>& phases) {
  auto trace = std::make_unique<MemoryTrace>(2);
  trace->regions = {"solve", "exchange"};
  for (std::uint32_t r = 0; r < 2; ++r) {
    std::uint64_t id = 0;
    for (const auto& [region, us] : phases) {
      Operation begin = make_phase(Kind::phase_begin, region),
                send = make(Kind::send_start, 1 - r, 10, {}, ++id);
      begin.at = send.at = Time{1'000'000 * (us + r)};
      if (region == kNoPhase) {
        trace->add(r, send);
        continue;
      }
      Operation end = make_phase(Kind::phase_end, region);
      end.at = send.at;
      for (const Operation& op : {begin, send, end}) trace->add(r, op);
    }
    Operation last = finish();
    last.at = Time{1'000'000'000};
    trace->add(r, last);
  }
  return trace;
}

TEST(JobTraffic, HintedPhasesHaveASpanForEachOccurrence) {
  const Json traffic = traffic_of(
      [] { return phased({{0, 10}, {1, 20}, {0, 30}, {kNoPhase, 40}, {kNoPhase, 50}, {1, 60}}); }, {});
  const auto phases = traffic["phases"].get<std::vector<std::string>>();
  std::vector<std::vector<double>> spans;
  std::vector<std::string> names;
  for (const Json& span : traffic["spans"]) {
    names.push_back(phases[span[0].get<std::size_t>()]);
    spans.push_back({span[1], span[2], span[3]});
  }
  EXPECT_THAT(names, testing::ElementsAre("solve", "exchange", "solve", kOutsidePhases, "exchange"));
  EXPECT_THAT(spans,
              testing::ElementsAre(testing::ElementsAre(10e3, 11e3, 1), testing::ElementsAre(20e3, 21e3, 1),
                                   testing::ElementsAre(30e3, 31e3, 1), testing::ElementsAre(40e3, 51e3, 1),
                                   testing::ElementsAre(60e3, 61e3, 1)));
}

TEST(JobTraffic, ManyOccurrencesAreMergedIntoSpansWithTheirNumber) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> phases;
  for (std::int64_t i = 0; i < 300; ++i) phases.emplace_back(i % 2, 3 * i + (i >= 150 ? 100 : 0));
  const auto open = [&] { return phased(phases); };
  EXPECT_EQ(traffic_of(open, {})["spans"].size(), 300u);
  const Json traffic = traffic_of(open, {}, {.spans = 50});
  EXPECT_GT(traffic["gap_ns"], 6e3);
  // The gap of 100 us separates two spans of each phase.
  ASSERT_EQ(traffic["spans"].size(), 4u);
  for (const Json& span : traffic["spans"]) EXPECT_EQ(span[3], 75u);
}

}  // namespace
}  // namespace hybrid
