#include "libhybrid/report/job_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/network/technique.h"
#include "emulator/replay/testing/memory_trace.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using RankOperations = std::vector<std::vector<Operation>>;  // by rank, in order
using Properties = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<MemoryTrace> recorded_job(const RankOperations& job, const Properties& facts = {}) {
  auto trace = std::make_unique<MemoryTrace>(static_cast<std::uint32_t>(job.size()));
  for (std::uint32_t rank = 0; rank < job.size(); ++rank)
    for (const Operation& operation : job[rank]) trace->add(rank, operation);
  trace->facts = facts;
  return trace;
}

Operation operation(Operation::Kind kind, Time at) {
  Operation op;
  op.kind = kind;
  op.at = at;
  op.compute = microseconds(1);
  return op;
}

Operation transfer(Operation::Kind kind, Time at, std::uint32_t peer, Bytes bytes) {
  Operation op = operation(kind, at);
  op.peer = peer;
  op.bytes = bytes;
  return op;
}

// Every rank sends `rounds` messages: the first half to the next rank, the others `later` ranks ahead (odd).
// Even ranks send first.
RankOperations ring(std::uint32_t ranks, int rounds, Bytes bytes, std::uint32_t later = 1) {
  RankOperations job(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (int round = 0; round < rounds; ++round) {
      const Time at = microseconds(2 * round);
      const std::uint32_t step = round < rounds / 2 ? 1 : later;
      const auto send = transfer(Operation::Kind::send, at, (rank + step) % ranks, bytes);
      const auto receive = transfer(Operation::Kind::recv, at, (rank + ranks - step) % ranks, bytes);
      job[rank].push_back(rank % 2 == 0 ? send : receive);
      job[rank].push_back(rank % 2 == 0 ? receive : send);
    }
    job[rank].push_back(operation(Operation::Kind::finish, microseconds(2 * rounds)));
  }
  return job;
}

JobReport report_of(const RankOperations& job, const JobOptions& options, const Properties& facts = {}) {
  return make_report("job", [&] { return recorded_job(job, facts); }, options, {});
}

TEST(JobReport, HasFactsPhasesPredictorsAndTechniques) {
  JobOptions options;
  options.predictors = {"timeout"};
  const JobReport report = report_of(ring(8, 50, 256), options, {{"application", "ring"}});
  EXPECT_EQ(report.job.ranks, 8u);
  EXPECT_EQ(report.job.ports, 8u);
  EXPECT_EQ(report.job.find("application"), "ring");

  EXPECT_FALSE(report.phases_hinted);
  ASSERT_EQ(report.phases.size(), 1u);
  EXPECT_EQ(report.phases[0].messages, 400u);
  EXPECT_EQ(report.phases[0].bytes, 400u * 256u);
  EXPECT_EQ(report.phases[0].working_set.size(), 8u);
  EXPECT_EQ(report.phases[0].slots_needed, 1u);

  // K: of the options, and the need of the largest phase.
  ASSERT_EQ(report.predictors.size(), 2u);
  EXPECT_EQ(report.predictors[0].capacity, 1u);
  EXPECT_EQ(report.predictors[1].capacity, 4u);
  EXPECT_EQ(report.predictors[0].sends, 400u);
  EXPECT_EQ(report.predictors[0].hits, 392u);  // the first send of each port misses

  std::vector<std::string> names;
  for (const TechniqueResult& r : report.techniques)
    names.push_back(r.measures.technique + " " + std::to_string(r.measures.slots));
  EXPECT_THAT(names, ElementsAre("wormhole 0", "circuit 0", "tdm 1", "tdm 4", "hybrid 1", "hybrid 4"));
  for (const TechniqueResult& r : report.techniques) {
    EXPECT_EQ(r.measures.messages, 400u) << r.measures.technique;
    EXPECT_EQ(r.measures.bytes, 400u * 256u) << r.measures.technique;
    const double expected =
        static_cast<double>(report.techniques[0].measures.time.ps) / static_cast<double>(r.measures.time.ps);
    EXPECT_DOUBLE_EQ(r.speedup, expected);
  }
  EXPECT_FALSE(report.verdict.sentence.empty());
}

TEST(JobReport, CallsHaveTheirTrafficAndTheWaitsOfEachTechnique) {
  auto job = ring(4, 20, 256);
  for (auto& rank : job)
    for (Operation& op : rank) {
      op.call = op.kind == Operation::Kind::send ? 0 : 1;
      op.call_site = op.kind == Operation::Kind::finish ? 0 : op.call + 1;
    }
  JobOptions options;
  options.techniques = {"wormhole", "tdm"};
  const auto open = [&] {
    auto trace = recorded_job(job);
    trace->regions = {"MPI_Send", "MPI_Recv"};
    trace->sites = {{"ring", "ring.c", 3}, {"ring", "ring.c", 4}};
    return trace;
  };
  const JobReport report = make_report("job", open, options, {});
  ASSERT_EQ(report.calls.size(), 2u);
  const SourceCall send{"MPI_Send", {"ring", "ring.c", 3}}, receive{"MPI_Recv", {"ring", "ring.c", 4}};
  EXPECT_EQ(report.calls[0].call, receive) << "the longest wait first";
  EXPECT_EQ(report.calls[0].sent.messages, 0u);
  EXPECT_EQ(report.calls[1].call, send);
  EXPECT_EQ(report.calls[1].sent.messages, 80u);
  EXPECT_EQ(report.calls[1].sent.bytes, 80u * 256u);
  // All time outside of computing is in one of the calls.
  for (const TechniqueResult& r : report.techniques)
    EXPECT_LE(std::abs((wait_in(r.call_waits, send) + wait_in(r.call_waits, receive) -
                        r.measures.communication_time)
                           .ps),
              2);
  ASSERT_TRUE(report.bounds.no_network);
  EXPECT_LT(wait_in(report.bounds.no_network->call_waits, receive),
            wait_in(report.techniques[0].call_waits, receive));
}

TEST(JobReport, OnAFatTreeEmulatesTheTechniquesThatSupportTrees) {
  JobOptions options;
  options.predictors = {"timeout"};
  options.network.tree = {2, 2, 2};
  options.network.allocation = "ses";
  const JobReport report = report_of(ring(4, 50, 256), options);
  std::vector<std::string> names;
  for (const TechniqueResult& r : report.techniques) {
    names.push_back(r.measures.technique + " " + std::to_string(r.measures.slots));
    EXPECT_EQ(r.measures.messages, 200u) << r.measures.technique;
  }
  EXPECT_THAT(names, ElementsAre("wormhole 0", "tdm 1", "tdm 4", "hybrid 1", "hybrid 4"));
}

// The measures of each technique have the phases that are found from the sends.
TEST(JobReport, EveryTechniqueHasMeasuresPerPhase) {
  const JobReport report = report_of(ring(8, 300, 256, 3), {});
  EXPECT_FALSE(report.phases_hinted);
  ASSERT_EQ(report.phases.size(), 2u);
  for (const TechniqueResult& r : report.techniques) {
    ASSERT_EQ(r.measures.phases.size(), 2u) << r.measures.technique;
    Time time;
    for (std::size_t i = 0; i < 2; ++i) {
      const PhaseMeasures& phase = r.measures.phases[i];
      EXPECT_EQ(phase.name, report.phases[i].name);
      EXPECT_EQ(phase.messages, report.phases[i].messages);
      EXPECT_EQ(phase.bytes, report.phases[i].bytes);
      EXPECT_EQ(phase.latency.count(), phase.messages);
      time += phase.time;
    }
    EXPECT_EQ(time, r.measures.time) << r.measures.technique;
    const auto json = to_json(r.measures);
    EXPECT_EQ(json["phases"][1]["name"], "phase 2");
    EXPECT_EQ(json["phases"][1]["messages"], report.phases[1].messages);
    EXPECT_TRUE(json["phases"][1]["latency_ns"].contains("p99"));
  }
}

TEST(JobReport, IsTheSameForTheSameTraceAndSeed) {
  const auto job = ring(6, 20, 100);
  EXPECT_EQ(to_json(report_of(job, {})).dump(), to_json(report_of(job, {})).dump());
}

TEST(JobReport, TheSwitchMayHaveMorePortsThanTheJobUses) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const JobReport as_used = report_of(ring(6, 10, 256), options);
  options.replay.crossbar = 20;
  const JobReport larger = report_of(ring(6, 10, 256), options);
  EXPECT_EQ(as_used.techniques[0].measures.nodes, 6u);
  EXPECT_EQ(larger.techniques[0].measures.nodes, 20u);
  EXPECT_EQ(larger.techniques[0].measures.time, as_used.techniques[0].measures.time);
  EXPECT_THAT(command_to_repeat(larger), HasSubstr(" --nodes 20"));
  options.replay.crossbar = 5;
  EXPECT_THROW(report_of(ring(6, 10, 256), options), UserError);
}

// D 8.5: a slot for every other node, whatever their number.
TEST(JobReport, PresetCh8HasASlotForEveryDestinationOfTheJob) {
  JobOptions options;
  OptionTable table;
  add_job_options(table, options);
  table.set("preset", "ch8", "test");
  table.set("technique", "tdm", "test");
  const JobReport report = report_of(ring(6, 10, 256), options);
  ASSERT_EQ(report.techniques.size(), 1u);
  EXPECT_EQ(report.techniques[0].measures.slots, 5u);
  EXPECT_THAT(command_to_repeat(report), HasSubstr(" --slots 5 --preload 5"));
  table.set("slots", "31", "test");
  EXPECT_EQ(report_of(ring(6, 10, 256), options).techniques[0].measures.slots, 31u);
}

TEST(JobReport, NamesThePartsThatAreSlowerThanTheLink) {
  JobOptions options;
  OptionTable table;
  add_job_options(table, options);
  table.set("technique", "wormhole,circuit", "test");
  table.set("link-rate", "100Gb/s", "test");
  EXPECT_THAT(report_of(ring(6, 10, 4096), options).verdict.sentence, Not(HasSubstr("limits")));
  table.set("digital-fabric-cycle", "10ns", "test");
  const JobReport report = report_of(ring(6, 10, 4096), options);
  EXPECT_THAT(report.verdict.sentence,
              HasSubstr(". The digital fabric limits wormhole to 6.4 Gb/s on links of 100 Gb/s "
                        "(--digital-fabric-cycle)."));
  const auto json = to_json(report);
  EXPECT_EQ(json["results"][0]["limited_by"], nlohmann::json::parse(R"(["digital fabric: 6.4 Gb/s"])"));
  EXPECT_EQ(json["results"][1]["limited_by"], nlohmann::json::array());
}

TEST(JobReport, ATechniqueNamedTwiceIsEmulatedOnce) {
  JobOptions options;
  options.techniques = {"tdm", "wormhole", "tdm"};
  options.slot_counts = {4, 4};
  EXPECT_EQ(report_of(ring(4, 10, 256), options).techniques.size(), 2u);
}

TEST(JobReport, WarnsOfUnresolvedReceivesAndUnknownPorts) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const JobReport report =
      report_of(ring(2, 3, 8), options, {{"unresolved_receives", "3"}, {"unplaced_ranks", "1"}});
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_THAT(report.warnings[0],
              AllOf(HasSubstr("3 receives"), HasSubstr("MPI did not report"), Not(HasSubstr("disk"))));
  EXPECT_THAT(report.warnings[1], HasSubstr("The port of rank 1 is not known"));
}

TEST(JobReport, MessagesInsideAPortNeverReachTheSwitch) {
  JobOptions options;
  options.techniques = {"wormhole"};
  options.replay.placement = {0, 0, 1, 1};
  const JobReport report = report_of(ring(4, 10, 256), options);
  EXPECT_EQ(report.job.ports, 2u);
  EXPECT_EQ(report.techniques[0].measures.messages, 20u);
  EXPECT_EQ(report.techniques[0].measures.local_messages, 20u);
}

TEST(JobReport, WarnsOfLostEventsAndIncompleteRanks) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const JobReport report = report_of(
      ring(2, 3, 8), options, {{"lost_events", "17"}, {"incomplete_ranks", "1"}, {"missing_ranks", ""}});
  ASSERT_GE(report.warnings.size(), 2u);
  EXPECT_THAT(report.warnings[0], HasSubstr("17 events are missing"));
  EXPECT_THAT(report.warnings[1], HasSubstr("Rank 1 ended without MPI_Finalize"));
}

TEST(JobReport, CallsAJobSilentOnlyIfItsRecordingIsComplete) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const auto silent = ring(2, 0, 8);
  EXPECT_THAT(report_of(silent, options, {{"lost_events", "0"}}).verdict.sentence,
              HasSubstr("The job sends no messages"));
  for (const char* gap : {"lost_events", "missing_ranks", "incomplete_ranks"})
    EXPECT_THAT(report_of(silent, options, {{gap, "1"}}).verdict.sentence,
                AllOf(HasSubstr("the recording is incomplete"), Not(HasSubstr("sends no messages"))))
        << gap;
}

TEST(JobReport, WarnsOfMpiIo) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const JobReport report = report_of(ring(2, 0, 8), options, {{"mpi_io", "yes"}});
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("uses MPI I/O (MPI_File_*)"));
  EXPECT_THAT(report.verdict.sentence, AllOf(HasSubstr("the messages of MPI I/O are not recorded"),
                                             Not(HasSubstr("sends no messages"))));
  EXPECT_THAT(report_of(ring(2, 10, 256), options, {{"mpi_io", "yes"}}).verdict.sentence,
              HasSubstr("Only wormhole was emulated"));
}

TEST(JobReport, WarnsOfWallClockTimesOnSharedCores) {
  JobOptions options;
  options.techniques = {"wormhole"};
  const auto job = ring(2, 3, 8);
  EXPECT_THAT(report_of(job, options, {{"yield", "yes"}, {"clock", "wall"}}).warnings,
              ElementsAre(HasSubstr("--clock cpu")));
  EXPECT_THAT(report_of(job, options, {{"yield", "yes"}, {"clock", "cpu"}}).warnings, testing::IsEmpty());
  EXPECT_THAT(report_of(job, options, {{"yield", "no"}, {"clock", "wall"}}).warnings, testing::IsEmpty());
}

// Rank 0 ends with a receive without a matching send.
RankOperations ring_that_stalls() {
  auto job = ring(4, 10, 256);
  job[0].insert(job[0].end() - 1, transfer(Operation::Kind::recv, microseconds(20), 3, 8));
  return job;
}

TEST(JobReport, ATraceThatLacksASendStillHasPhasesAndPredictors) {
  JobOptions options;
  options.predictors = {"timeout"};
  const JobReport report = report_of(ring_that_stalls(), options);
  EXPECT_EQ(report.phases.size(), 1u);
  EXPECT_EQ(report.predictors[0].sends, 40u);
  EXPECT_TRUE(report.techniques.empty());
  ASSERT_EQ(report.failures.size(), 6u);
  EXPECT_EQ(report.failures[0].technique, "wormhole");
  EXPECT_EQ(report.failures[0].slots, 0u);
  EXPECT_EQ(report.failures[5].slots, 4u);
  for (const TechniqueFailure& failure : report.failures) {
    EXPECT_THAT(failure.reason, AllOf(HasSubstr("rank 0 waits forever to receive from rank 3"),
                                      HasSubstr(". The trace lacks"), Not(HasSubstr("\n"))));
    EXPECT_TRUE(failure.of_trace);
  }
  EXPECT_THAT(failures_of(report).text,
              testing::StartsWith("wormhole, circuit, tdm with K = 1, tdm with K = 4, hybrid with K = 1, "
                                  "hybrid with K = 4: rank 0 waits"));
  EXPECT_TRUE(failures_of(report).of_trace);
  EXPECT_THAT(report.verdict.sentence, HasSubstr("No technique reached the end of the job"));
  const auto json = to_json(report);
  EXPECT_TRUE(json["results"].empty());
  EXPECT_EQ(json["failed"][5]["technique"], "hybrid");
  EXPECT_EQ(json["failed"][5]["slots"], 4);
  EXPECT_THAT(json["failed"][5]["reason"].get<std::string>(), HasSubstr("rank 0 waits"));
}

// Injects all messages, but delivers only the first.
class Stuck final : public Technique {
 public:
  void send(Time at, const Message& message) override { waiting_.push_back({at, message}); }
  void flush(Time /*at*/, Port /*source*/) override {}
  Time next_event() const override { return waiting_.empty() ? Time::never() : waiting_.front().first; }
  Time advance(Time until, TransferListener& listener) override {
    const Time at = next_event();
    if (at > until) return until;
    listener.injected(at, waiting_.front().second);
    if (!std::exchange(delivered_, true)) listener.delivered(at, waiting_.front().second, false);
    waiting_.pop_front();
    return at;
  }
  TechniqueStatistics statistics() const override { return {}; }

 private:
  std::deque<std::pair<Time, Message>> waiting_;
  bool delivered_ = false;
};
const TechniqueRegistration kStuck{
    "stuck",
    "for tests: delivers one message",
    [](const SwitchParameters&) -> std::unique_ptr<Technique> { return std::make_unique<Stuck>(); },
    {.options = {"slots"}}};

TEST(JobReport, ReportsTheOtherTechniquesIfOneIsStuck) {
  JobOptions options;
  options.techniques = {"wormhole", "stuck", "circuit"};
  options.slot_counts = {4};
  // The replay drops receives of ranks that died, but not those of messages that a technique still holds.
  for (const char* complete : {"yes", "no"}) {
    const JobReport report = report_of(ring(4, 10, 256), options, {{"complete", complete}});
    ASSERT_EQ(report.techniques.size(), 2u);
    EXPECT_EQ(report.techniques[1].measures.technique, "circuit");
    EXPECT_GT(report.techniques[1].speedup, 0);
    ASSERT_EQ(report.failures.size(), 1u);
    EXPECT_EQ(report.failures[0].technique, "stuck");
    EXPECT_FALSE(report.failures[0].of_trace);
    EXPECT_THAT(report.failures[0].reason,
                AllOf(HasSubstr("2 of 3 messages not delivered"), HasSubstr("waits forever")));
    EXPECT_FALSE(failures_of(report).of_trace);
    EXPECT_THAT(report.verdict.sentence,
                HasSubstr("Not compared, since the emulation did not reach the end of "
                          "the job: stuck with K = 4."));
    EXPECT_EQ(to_json(report)["results"].size(), 2u);
  }
}

TEST(JobReport, HasBoundsWhateverIsEmulated) {
  JobOptions options;
  options.techniques = {"tdm"};
  options.slot_counts = {4};
  const JobReport report = report_of(ring(8, 50, 256), options);
  ASSERT_TRUE(report.bounds.no_network && report.bounds.uncontended && report.bounds.ideal);
  EXPECT_LE(report.bounds.no_network->time, report.bounds.uncontended->time);
  EXPECT_LE(report.bounds.uncontended->time, report.bounds.ideal->time);
  EXPECT_LE(report.bounds.uncontended->time, report.techniques[0].measures.time);
  EXPECT_FALSE(report.techniques[0].gap_closed) << "without wormhole";
  EXPECT_EQ(*report.techniques[0].network_wait + *report.techniques[0].rank_wait,
            report.techniques[0].measures.communication_time);
  EXPECT_EQ(*report.techniques[0].rank_wait, report.bounds.no_network->communication);
  EXPECT_THAT(report.verdict.sentence, HasSubstr("of the job's time with tdm."));
}

// Messages of 32 worms: wormhole with one worm of them has hardly a disadvantage.
TEST(JobReport, TheVerdictNamesItsSensitivityToTheWormLimit) {
  JobOptions options;
  options.techniques = {"wormhole", "circuit"};
  const JobReport report = report_of(ring(8, 50, 4096), options);
  EXPECT_EQ(report.verdict.technique, "circuit");
  ASSERT_TRUE(report.limits.long_worms);
  JobOptions longer = options;
  longer.network.worm_limit = 4096;
  EXPECT_EQ(report.limits.long_worms->wormhole,
            report_of(ring(8, 50, 4096), longer).techniques[0].measures.time);
  EXPECT_GT(*report.limits.long_worms->gap_closed, 0.9);
  EXPECT_THAT(report.verdict.sentence, HasSubstr("depends on --worm-limit: with 4 KiB instead of 128 B"));
}

TEST(JobReport, BoundsCanBeNamedAsTechniques) {
  JobOptions options;
  options.techniques = {"uncontended", "ideal"};
  const JobReport report = report_of(ring(4, 10, 256), options);
  EXPECT_EQ(report.techniques[0].measures.time, report.bounds.uncontended->time);
  EXPECT_EQ(report.verdict.technique, "");
  EXPECT_EQ(report.verdict.sentence, "Only bounds were emulated, so there is nothing to compare.");
}

TEST(JobReport, RejectsAnUnknownAlgorithm) {
  JobOptions options;
  options.replay.algorithms = {{"allreduce", "telepathy"}};
  EXPECT_THROW(report_of(ring(4, 1, 8), options), UserError);
}

TEST(JobReport, RejectsAPlacementWithoutAPortForEachRank) {
  JobOptions options;
  options.replay.placement = {0, 1, 2};
  EXPECT_THROW(report_of(ring(4, 1, 8), options), UserError);
}

TEST(JobReport, RejectsImpossibleParametersBeforeReading) {
  JobOptions options;
  options.network.slots = 0;
  EXPECT_THROW(report_of(ring(4, 1, 8), options), UserError);
}

}  // namespace
}  // namespace hybrid
