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
  EXPECT_TRUE(traffic["occurrences"].empty());

  // Both ranks on one port: the report has no phases, but the matrix has both.
  ReplayOptions one_port;
  one_port.placement = {0, 0};
  const Json inside = traffic_of(open, one_port);
  EXPECT_EQ(inside["phases"], Json::parse(R"(["solve","exchange"])"));
  EXPECT_EQ(inside["cells"], Json::parse("[[0,0,0,1,1,10],[1,0,0,1,1,11]]"));
}

}  // namespace
}  // namespace hybrid
