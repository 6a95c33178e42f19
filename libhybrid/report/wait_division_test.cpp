#include "libhybrid/report/wait_division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/switching/bounds.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

SwitchParameters slow_switch(const char* technique) {
  SwitchParameters p;
  p.technique = technique;
  p.guard = nanoseconds(5);
  p.reconfiguration_switching = nanoseconds(20);
  return p;
}

JobBounds known_bounds() {
  JobBounds bounds;
  bounds.no_network = {{}, microseconds(100)};
  bounds.uncontended = {{}, microseconds(130)};
  bounds.ideal = {{}, microseconds(150)};
  return bounds;
}

/// A job that takes 200 us, 7 us more with a reconfiguration, 3 us more with a guard, 40 us more with delays
/// of the scheduler, and 60 us more with a packet plane that is slower than the links.
class Emulator {
 public:
  std::vector<EmulatedRun> operator()(const std::vector<SwitchParameters>& runs,
                                      const std::vector<std::size_t>& of) {
    EXPECT_EQ(runs.size(), of.size());
    std::vector<EmulatedRun> results;
    for (const SwitchParameters& p : runs) {
      seen.push_back(p);
      results.emplace_back().measures.emplace().communication_time = communication(p);
    }
    return results;
  }
  static Time communication(const SwitchParameters& p) {
    Time time = microseconds(200);
    if (p.fabric_reconfiguration() != Time{}) time += microseconds(7);
    if (p.guard != Time{}) time += microseconds(3);
    if (p.scheduler.delay() != Time{}) time += microseconds(40);
    if (p.has_packet_plane() && p.packet_plane < 1) time += microseconds(60);
    return time;
  }
  std::vector<SwitchParameters> seen;
};

std::optional<WaitParts> parts_of(const SwitchParameters& p, Emulator& emulator,
                                  const JobBounds& bounds = known_bounds()) {
  return divide_waits({{p, Emulator::communication(p)}}, bounds, std::ref(emulator))[0];
}

TEST(WaitDivision, RemovesOneCauseAfterTheOther) {
  Emulator emulator;
  const SwitchParameters p = slow_switch("hybrid");
  const auto parts = parts_of(p, emulator);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->path, microseconds(30));
  EXPECT_EQ(parts->contention, microseconds(20));
  EXPECT_EQ(parts->reconfiguration, microseconds(10));
  EXPECT_EQ(parts->scheduling, microseconds(40));
  EXPECT_EQ(parts->slots, microseconds(50));
  EXPECT_EQ(parts->other, Time{});
  EXPECT_EQ(parts->sum(), Emulator::communication(p) - microseconds(100));
  ASSERT_EQ(emulator.seen.size(), 2u);
  EXPECT_EQ(emulator.seen[0].scheduler.delay(), p.scheduler.delay());
  EXPECT_EQ(emulator.seen[1].slot_length, p.slot_length);
}

TEST(WaitDivision, EmulatesOnlyWithoutTheCausesThatATechniqueHas) {
  for (const char* technique : {"wormhole", "circuit"}) {
    Emulator emulator;
    const auto parts = parts_of(slow_switch(technique), emulator);
    ASSERT_TRUE(parts);
    const bool circuit = std::string_view(technique) == "circuit";
    EXPECT_EQ(emulator.seen.size(), circuit ? 2u : 1u);
    EXPECT_EQ(parts->reconfiguration, microseconds(circuit ? 7 : 0)) << "neither has a guard";
    EXPECT_EQ(parts->slots, Time{});
    EXPECT_NE(parts->other, Time{});
  }
  Emulator emulator;
  SwitchParameters p;
  p.technique = "tdm";
  p.scheduler = {p.word_time(), 0};
  const auto parts = parts_of(p, emulator);
  ASSERT_TRUE(parts);
  EXPECT_THAT(emulator.seen, IsEmpty());
  EXPECT_EQ(parts->scheduling, Time{});
  EXPECT_EQ(parts->slots, microseconds(50));
}

TEST(WaitDivision, ASlowPacketPlaneIsACause) {
  for (const bool uses_circuits : {true, false}) {
    Emulator emulator;
    SwitchParameters p = slow_switch("hybrid");
    p.packet_plane = 0.1;
    const auto parts =
        divide_waits({{p, Emulator::communication(p), uses_circuits}}, known_bounds(), std::ref(emulator))[0];
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->packet_plane, microseconds(60));
    EXPECT_EQ(parts->reconfiguration, microseconds(10));
    EXPECT_EQ(parts->slots, microseconds(uses_circuits ? 50 : 0));
    EXPECT_EQ(parts->other, microseconds(uses_circuits ? 0 : 50)) << "no message waits for a slot";
    EXPECT_EQ(parts->sum(), Emulator::communication(p) - microseconds(100));
    ASSERT_EQ(emulator.seen.size(), 3u);
    EXPECT_EQ(emulator.seen[1].packet_plane, 0.1);
    EXPECT_EQ(emulator.seen[2].packet_plane, 1.0);
  }
  Emulator emulator;
  SwitchParameters p = slow_switch("tdm");
  p.packet_plane = 0.1;
  ASSERT_TRUE(parts_of(p, emulator));
  EXPECT_EQ(emulator.seen.size(), 2u) << "tdm has no packet plane";
}

TEST(WaitDivision, APartIsNegativeIfTheCauseSavesTime) {
  Emulator emulator;
  JobBounds bounds = known_bounds();
  bounds.ideal->communication = microseconds(230);
  const auto parts = parts_of(slow_switch("tdm"), emulator, bounds);
  EXPECT_EQ(parts->slots, microseconds(-30));
  EXPECT_EQ(parts->sum(), microseconds(150));
}

TEST(WaitDivision, IsUnknownForBoundsAndUnfinishedEmulations) {
  Emulator emulator;
  EXPECT_FALSE(parts_of(slow_switch("ideal"), emulator));
  JobBounds bounds = known_bounds();
  bounds.ideal.reset();
  EXPECT_FALSE(parts_of(slow_switch("tdm"), emulator, bounds));
  EXPECT_THAT(emulator.seen, IsEmpty());
  const auto unfinished = [](const auto& runs, const auto&) { return std::vector<EmulatedRun>(runs.size()); };
  EXPECT_FALSE(divide_waits({{slow_switch("tdm"), microseconds(250)}}, known_bounds(), unfinished)[0]);
}

/// Every technique accepts the parameters of its variants.
TEST(WaitDivision, VariantsAreValid) {
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    SwitchParameters p;
    p.technique = technique;
    for (const SwitchParameters& variant :
         {without_reconfiguration(p), without_scheduling(p), without_scheduling(without_reconfiguration(p))})
      EXPECT_NO_THROW(check(variant)) << technique;
  }
}

TEST(WaitDivision, NamesTheLargestLoss) {
  WaitParts parts;
  parts.path = parts.contention = microseconds(900);
  EXPECT_EQ(largest_loss("hybrid", parts), "") << "all techniques have these";
  parts.slots = microseconds(2);
  parts.scheduling = microseconds(3);
  EXPECT_EQ(largest_loss("hybrid", parts), "3.00 us to scheduling");
  parts.slots = microseconds(5);
  EXPECT_EQ(largest_loss("hybrid", parts), "5.00 us to waiting for a slot");
  parts.reconfiguration = microseconds(-1);
  EXPECT_EQ(largest_loss("hybrid", parts), "4.00 us to waiting for a slot");
  parts.reconfiguration = microseconds(-4);
  EXPECT_EQ(largest_loss("hybrid", parts), "3.00 us to scheduling");
  parts.reconfiguration = microseconds(-8);
  EXPECT_EQ(largest_loss("hybrid", parts), "");
  parts.reconfiguration = microseconds(6);
  EXPECT_EQ(largest_loss("hybrid", parts), "6.00 us to reconfiguration");
  parts.packet_plane = microseconds(7);
  EXPECT_EQ(largest_loss("hybrid", parts), "7.00 us to the low rate of the packet plane");
  parts.packet_plane = parts.reconfiguration = {};
  parts.other = microseconds(6);
  EXPECT_EQ(largest_loss("wormhole", parts), "6.00 us to worm limits");
  EXPECT_EQ(largest_loss("circuit", parts), "6.00 us to request and grant");
  EXPECT_EQ(largest_loss("wave", parts), "6.00 us to divided links");
}

TEST(WaitTable, HasAColumnForEachPart) {
  WaitTable table({{"technique", TextTable::Align::left}});
  EXPECT_EQ(table.text(100), "");
  table.add({"tdm"}, "tdm",
            {.path = microseconds(1),
             .contention = microseconds(2),
             .scheduling = microseconds(3),
             .reconfiguration = microseconds(4),
             .slots = microseconds(-5)});
  table.add({"wormhole"}, "wormhole", {.scheduling = microseconds(6), .other = microseconds(7)});
  EXPECT_EQ(table.text(100), R"(
Where the time goes (mean wait of a rank for the network)
  technique  network wait     path  contention  scheduling  reconfiguration  slot wait    other
  tdm             5.00 us  1.00 us     2.00 us     3.00 us          4.00 us   -5.00 us        -
  wormhole        13.0 us      0 s         0 s     6.00 us              0 s          -  7.00 us
  slot wait: the rest with slots; other: the rest without slots (worm limits, request and grant)
)");
}

TEST(WaitTable, HasAColumnForAPacketPlane) {
  WaitTable table({{"technique", TextTable::Align::left}});
  table.add({"hybrid"}, "hybrid", {.path = microseconds(1), .packet_plane = microseconds(2)});
  table.add({"worms"}, "hybrid", {.packet_plane = microseconds(3), .other = microseconds(4)});
  EXPECT_EQ(table.text(110), R"(
Where the time goes (mean wait of a rank for the network)
  technique  network wait     path  contention  scheduling  reconfiguration  packet plane  slot wait    other
  hybrid          3.00 us  1.00 us         0 s         0 s              0 s       2.00 us        0 s        -
  worms           7.00 us      0 s         0 s         0 s              0 s       3.00 us          -  4.00 us
  packet plane: its rate, which is lower than that of the links
  slot wait: the rest with slots; other: the rest without slots (worm limits, request and grant)
)");
}

// Real emulations.

/// Six techniques, on random jobs of `seed`.
JobReport random_report(std::uint64_t seed, const JobOptions& options) {
  return make_report("random",
                     [seed] {
                       auto trace = std::make_unique<MemoryTrace>(6);
                       random_job(*trace, seed);
                       return trace;
                     },
                     options, {});
}

JobOptions several_techniques() {
  JobOptions options;
  options.techniques = {"wormhole", "packet", "circuit", "wave", "tdm", "hybrid", "ideal"};
  options.slot_counts = {2};
  options.predictors = {"timeout"};
  return options;
}

TEST(WaitDivision, ThePartsOfAJobAddUpToItsWait) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    JobOptions options = several_techniques();
    options.network.reconfiguration = nanoseconds(seed % 2 == 0 ? 0 : 30);
    options.network.slot_length = nanoseconds(400);
    options.network.packet_plane = seed < 2 ? 0 : 0.1;
    for (const TechniqueResult& r : random_report(seed, options).techniques) {
      if (is_bound(r.measures.technique)) {
        EXPECT_FALSE(r.wait_parts);
        continue;
      }
      ASSERT_TRUE(r.wait_parts) << r.measures.technique;
      EXPECT_EQ(r.wait_parts->sum(), *r.network_wait) << r.measures.technique << ", seed " << seed;
      if (seed % 2 == 0) {
        EXPECT_EQ(r.wait_parts->reconfiguration, Time{}) << r.measures.technique;
      }
    }
  }
}

/// A reconfiguration takes longer than the job, so that its messages pass the packet plane.
TEST(WaitDivision, WithoutCircuitsTheLossIsThePacketPlane) {
  JobOptions options = several_techniques();
  options.techniques = {"wormhole", "hybrid"};
  options.network.reconfiguration = milliseconds(27);
  options.network.slot_length = milliseconds(270);
  options.network.packet_plane = 0.1;
  options.network.predictor = "tournament";
  const JobReport report = random_report(1, options);
  const TechniqueResult& hybrid = report.techniques[1];
  EXPECT_EQ(hybrid.measures.statistics.circuit_messages, 0u);
  EXPECT_GT(hybrid.measures.hit_rate, 0);
  ASSERT_TRUE(hybrid.wait_parts);
  EXPECT_EQ(hybrid.wait_parts->sum(), *hybrid.network_wait);
  EXPECT_EQ(hybrid.wait_parts->slots, Time{});
  EXPECT_GT(hybrid.wait_parts->packet_plane, hybrid.wait_parts->reconfiguration);
  EXPECT_THAT(report.verdict.sentence,
              AllOf(HasSubstr("; none of its messages travels over a circuit; hybrid loses"),
                    HasSubstr("to the low rate of the packet plane"), Not(HasSubstr("find their circuit"))));
}

/// One message at a time: no technique gains from a delay.
TEST(WaitDivision, ThePartOfACauseGrowsWithIt) {
  const auto report = [](Time pass, Time reconfiguration) {
    JobOptions options = several_techniques();
    options.network.allocation = "ses";
    options.network.misses_use_worms = true;
    options.network.predictor = "timeout";  // no circuit lasts until the next turn
    options.network.slot_length = nanoseconds(400);
    options.network.scheduler.cycle = pass;
    options.network.reconfiguration = reconfiguration;
    return make_report("ping-pong",
                       [] {
                         auto trace = std::make_unique<MemoryTrace>(2);
                         for (std::uint32_t turn = 0; turn < 60; ++turn)
                           for (std::uint32_t rank = 0; rank < 2; ++rank)
                             trace->add(rank,
                                        make(turn % 2 == rank ? Operation::Kind::send : Operation::Kind::recv,
                                             1 - rank, 512, microseconds(150)));
                         for (std::uint32_t rank = 0; rank < 2; ++rank) trace->add(rank, finish());
                         return trace;
                       },
                       options, {});
  };
  const JobReport fast = report(nanoseconds(80), {}), slow = report(nanoseconds(640), {}),
                  changes = report(nanoseconds(80), nanoseconds(100));
  for (std::size_t i = 0; i + 1 < fast.techniques.size(); ++i) {
    const std::string& technique = fast.techniques[i].measures.technique;
    const WaitParts &a = *fast.techniques[i].wait_parts, &b = *slow.techniques[i].wait_parts,
                    &c = *changes.techniques[i].wait_parts;
    EXPECT_GE(a.scheduling, Time{}) << technique;  // 0 if the circuit is in time for the same slot
    EXPECT_GT(b.scheduling, a.scheduling) << technique;
    EXPECT_EQ(b.reconfiguration, Time{}) << technique;
    const bool reconfigures = uses_option(Technique::kKind, technique, "reconfiguration");
    EXPECT_EQ(c.reconfiguration > Time{}, reconfigures) << technique;
  }
}

TEST(WaitDivision, IsAnOption) {
  JobOptions options = several_techniques();
  options.explain = false;
  for (const TechniqueResult& r : random_report(1, options).techniques) EXPECT_FALSE(r.wait_parts);
}

}  // namespace
}  // namespace hybrid
