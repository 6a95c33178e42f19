#include "libhybrid/report/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/registry.h"
#include "libhybrid/report/report_json.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TechniqueResult result(const char* technique, std::uint32_t slots, Time time, Time communication) {
  TechniqueResult r;
  r.measures.technique = technique;
  r.measures.nodes = 16;
  r.measures.slots = slots;
  r.measures.time = time;
  r.measures.communication_time = communication;
  r.measures.compute_time = time - communication;
  r.measures.messages = 12345;
  r.measures.bytes = 5 << 20;
  r.measures.local_messages = 40;
  r.measures.local_bytes = 320;
  r.measures.utilisation = 0.125;
  r.measures.hit_rate = slots == 0 ? 0 : 0.973;
  r.measures.latency.add(nanoseconds(500));
  r.measures.seed = 1;
  return r;
}

JobReport example() {
  JobReport report;
  report.trace = "hybrid-halo2d-1/trace.otf2";
  report.job = {16,
                16,
                {{"application", "halo2d"},
                 {"arguments", "./halo2d 240 100"},
                 {"clock", "cpu"},
                 {"hosts", "1"},
                 {"inspections", "2400"},
                 {"inspections_ended_early", "3"},
                 {"inspections_dropped", "1"},
                 {"inspections_speculative", "500"},
                 {"inspections_used", "490"},
                 {"live_grants", "64"},
                 {"live_hits", "900"},
                 {"live_misses", "100"},
                 {"live_requests", "70"},
                 {"lost_events", "0"},
                 {"online_predictor", "markov1"},
                 {"placement", "rank"},
                 {"predicted_hits", "990"},
                 {"predicted_releases", "6"},
                 {"predicted_requests", "70"},
                 {"predicted_sends", "1000"},
                 {"yield", "yes"}}};
  Phase phase;
  phase.name = "phase 1";
  phase.occurrences = 3;
  phase.messages = 12345;
  phase.bytes = 5 << 20;
  phase.working_set = {{0, 1}, {1, 0}};
  phase.slots_needed = phase.slots_without_rare = 1;
  report.phases.push_back(phase);
  PredictorScore score;
  score.predictor = "timeout";
  score.capacity = 4;
  score.sends = 12345;
  score.hits = 12000;
  score.requests = 64;
  score.releases = 3;
  score.held = microseconds(100);
  score.held_unused = microseconds(5);
  report.predictors.push_back(score);
  report.techniques = {result("wormhole", 0, microseconds(1500), microseconds(1000)),
                       result("hybrid", 4, microseconds(1000), microseconds(500))};
  const SourceCall wait{"MPI_Waitall", {"exchange(int)", "/home/me/halo2d.c", 42}},
      send{"MPI_Isend", {"main", "", 0}}, small{"MPI_Send", {"main", "", 0}};
  report.calls = {{wait, {}}, {send, {12345, 5 << 20}}, {small, {1, 8}}};
  report.techniques[0].call_waits = {{wait, microseconds(990)}, {small, microseconds(1)}};
  report.techniques[1].call_waits = {{wait, microseconds(490)}};
  report.bounds.no_network = {microseconds(800), microseconds(300), {{wait, microseconds(290)}}};
  report.bounds.uncontended = {microseconds(900), microseconds(400)};
  report.bounds.ideal = {microseconds(1100), microseconds(600)};
  compare(report.techniques, report.bounds);
  report.techniques[0].wait_parts = {.path = microseconds(100),
                                     .contention = microseconds(200),
                                     .scheduling = microseconds(300),
                                     .other = microseconds(100)};
  report.techniques[1].wait_parts = {.path = microseconds(100),
                                     .contention = microseconds(200),
                                     .scheduling = picoseconds(1),
                                     .reconfiguration = microseconds(50),
                                     .slots = picoseconds(-150'000'001)};
  report.verdict = {"hybrid", 4, "Hybrid with K = 4 suits this job."};
  report.limits.largest_saving = 0.4;
  report.limits.long_worms = {4096, microseconds(1200), 0.75, {"hybrid", 4, ""}, false};
  report.warnings = {"Rank 3 ended without MPI_Finalize."};
  report.options.slot_counts = {4};
  return report;
}

TEST(ReportText, HasThisForm) {
  EXPECT_EQ(to_text(example()),
            R"(Job
  program      ./halo2d 240 100
  ranks        16 ranks on 1 host, 16 ports of the switch (one per rank)
  compute time from each thread's CPU clock
  yield        on: empty polls gave up the core, since there were more ranks than cores
  messages     12,345 through the switch, 5 MiB
               40 inside ports, 320 B
  warning      Rank 3 ended without MPI_Finalize.

Phases (found from the sends)
  phase    occurrences  messages  bytes    working set  slots needed
  phase 1            3    12,345  5 MiB  2 connections             1

Predictors (at the recorded times of each port's sends, every request granted at once)
  predictor  K  hit rate  messages  requests  releases  held unused
  timeout    4    97.2 %    12,345        64         3        5.0 %

While the job ran
  predictor markov1: held the circuit for 990 of 1,000 messages (99.0 %), 70 requests, 6 releases
  inspectors of the program: 2,400 inspections; 98.0 % of the speculative destinations were used; 1
  inspector dropped (mostly wrong, or they ended early); 3 inspections ended early
  live scheduler: had granted the circuit for 900 of 1,000 messages (90.0 %), 70 requests, 64 grants

Techniques (speedup: against wormhole; gap closed: from wormhole to ideal)
  technique  K  job time  speedup  gap closed  utilisation     p50     p99  hit rate
  wormhole   -   1.50 ms   1.000x       0.0 %       12.5 %  500 ns  500 ns     0.0 %
  hybrid     4   1.00 ms   1.500x     125.0 %       12.5 %  500 ns  500 ns    97.3 %

Where the time goes (mean wait of a rank for the network)
  technique  K  network wait    path  contention  scheduling  reconfiguration  slot wait   other
  wormhole   -        700 us  100 us      200 us      300 us              0 s          -  100 us
  hybrid     4        200 us  100 us      200 us        1 ps          50.0 us    -150 us       -
  slot wait: the rest with slots; other: the rest without slots (worm limits, request and grant)

Calls in the source (mean wait of a rank by technique, and its part for other ranks)
  call         in                     messages  bytes  wormhole  hybrid K=4  other ranks
  MPI_Waitall  halo2d.c:42, exchange         -      -    990 us      490 us       290 us
  MPI_Isend    main                     12,345  5 MiB       0 s         0 s          0 s
  1 call more, with less wait and traffic: in the page and the JSON result

Bounds
  bound        job time  description
  no-network     800 us  messages take no time
  uncontended    900 us  no contention, no scheduling: no switch is faster
  ideal         1.10 ms  wormhole without scheduling delay, one worm per message
  a rank waits 300 us for other ranks (mean), however fast the network is

Verdict
  Hybrid with K = 4 suits this job.
  This is one run; the spread between runs is unknown. `hybrid run --repeats 5`, or `hybrid replay`
  with several traces, shows it.

Input and parameters
  trace hybrid-halo2d-1/trace.otf2
  link 6.4 Gb/s, one way 80ns, slot 100ns, guard 0s, reconfiguration 0s, scheduler greedy (80ns per
  pass), predictor tournament, allocation held, seed 1
  repeat: hybrid replay hybrid-halo2d-1/trace.otf2 --slots 4
)");
}

TEST(ReportText, ListsFailedTechniquesWithTheirReasons) {
  JobReport report = example();
  report.failures = {{"circuit", 0, "reason one.", false},
                     {"tdm", 4, "reason two.", false},
                     {"tdm", 8, "reason two.", false}};
  EXPECT_THAT(to_text(report), HasSubstr(R"(
  hybrid     4   1.00 ms   1.500x     125.0 %       12.5 %  500 ns  500 ns    97.3 %
  circuit    -    failed        -           -            -       -       -         -
  tdm        4    failed        -           -            -       -       -         -
  tdm        8    failed        -           -            -       -       -         -
  failed: circuit: reason one.
  failed: tdm with K = 4, tdm with K = 8: reason two.

Where the time goes)"));
}

TEST(ReportText, OmitsUnknownBounds) {
  JobReport report = example();
  report.bounds = {};
  report.techniques = {result("hybrid", 4, microseconds(1000), microseconds(500))};
  EXPECT_THAT(to_text(report),
              AllOf(testing::Not(HasSubstr("Bounds")), testing::Not(HasSubstr("Where the time goes")),
                    HasSubstr("  hybrid     4   1.00 ms        -           -       12.5 %")));
}

TEST(ReportText, HasAtMostAHundredColumns) {
  JobReport report = example();
  report.phases.front().name = std::string(150, 'p');
  report.job.recorded[1].second = std::string(60, 'a') + " " + std::string(60, 'b');
  std::istringstream lines(to_text(report));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  repeat: ")) continue;  // not wrapped, so that users can copy it
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ReportText, ShowsTheLargestOfManyPhasesAndCountsTheOthers) {
  JobReport report = example();
  const Phase one = report.phases.front();
  report.phases.clear();
  for (int i = 0; i < 40; ++i) {
    report.phases.push_back(one);
    report.phases.back().name = "phase " + std::to_string(i + 1);
    report.phases.back().messages = i == 30 ? 999'999 : static_cast<std::uint64_t>(40 - i);
  }
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("phase 31 "), HasSubstr("and 24 phases with fewer messages")));
}

TEST(ReportText, StatesThatPredictorsPaused) {
  JobReport report = example();
  EXPECT_THAT(to_text(report), Not(HasSubstr("paused")));
  auto& facts = report.job.recorded;
  facts.insert(
      facts.end(),
      {{"unpredicted_ranks", "2"}, {"unpredicted_since_ns", "500000000"}, {"unpredicted_sends", "12345"}});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("paused at times from 250 ms on (mean of 2 ranks)"),
                                     HasSubstr("12,345 messages are not predicted")));
}

TEST(ReportText, StatesSinceWhenAndWhyTheLiveSchedulerSteppedBack) {
  JobReport report = example();
  EXPECT_EQ(to_json(report)["job"]["live_step_back"], nlohmann::ordered_json::array());
  auto& facts = report.job.recorded;
  facts.insert(facts.end(), {{"live_sampling_services", "1"}, {"live_sampling_since_ns", "250000000"}});
  EXPECT_THAT(
      to_text(report),
      HasSubstr("\n  live scheduler: from 250 ms on it read the requests less often than every 10 ms, "
                "because its CPU\n"));
  facts.insert(facts.end(), {{"live_stopped_services", "2"}, {"live_stopped_at_ns", "4000000000"}});
  EXPECT_THAT(to_text(report), HasSubstr("\n  live scheduler: stopped at 2.00 s (mean of 2 hosts), because"));
  const auto reasons = to_json(report)["job"]["live_step_back"];
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_THAT(reasons[0].get<std::string>(), HasSubstr("1 % of the job's time"));
  EXPECT_THAT(reasons[1].get<std::string>(), HasSubstr("1 % of the job's time"));
  facts.insert(facts.end(), {"live_failed_services", "1"});
  EXPECT_THAT(to_text(report), HasSubstr("stopped because its scheduler failed"));
}

TEST(ReportText, MarksRareConnections) {
  JobReport report = example();
  EXPECT_THAT(to_text(report), Not(HasSubstr("rare")));
  Phase& phase = report.phases.front();
  phase.working_set = {{0, 1}, {0, 2}, {1, 0}};
  phase.rare = {{0, 2}};
  count_slots(phase);
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("3 connections, 1 rare  2 (1 without rare)\n"),
                                     HasSubstr("\n  rare: less than an eighth of the messages of")));
  const auto json = to_json(report)["phases"][0];
  EXPECT_EQ(json["working_set"], 3);
  EXPECT_EQ(json["rare"], 1);
  EXPECT_EQ(json["slots_needed"], 2);
  EXPECT_EQ(json["slots_without_rare"], 1);
}

TEST(ReportText, MentionsMulticastInHardware) {
  JobReport report = example();
  EXPECT_THAT(to_text(report), testing::Not(HasSubstr("multicast")));
  report.options.replay.hardware_multicast = true;
  EXPECT_THAT(
      to_text(report),
      HasSubstr("seed 1\n  --multicast hardware: the fabric executes broadcasts and barriers, without "
                "messages of the NICs\n  repeat: "));
}

TEST(ReportText, TheRepeatCommandHasAllOptionsThatDiffer) {
  JobReport report = example();
  report.trace = "my trace/t.otf2";
  report.options.network.slot_length = nanoseconds(200);
  report.options.techniques = {"wormhole", "hybrid"};
  report.options.explain = false;  // concerns the report, not the switch
  EXPECT_EQ(command_to_repeat(report),
            "hybrid replay 'my trace/t.otf2' --technique wormhole,hybrid --slots 4 --slot-length 200ns");
}

/// The options of a command, applied.
SwitchParameters network_of(const std::string& command) {
  JobOptions options;
  OptionTable table;
  add_emulation_options(table, options);
  std::istringstream words(command.substr(command.find(" --")));
  for (std::string name, value; words >> name >> value;) table.set(name.substr(2), value, name);
  return options.network;
}

TEST(ReportText, TheRepeatCommandGivesWhatWouldFollowTheLinkRateOnlyIfItDiffers) {
  JobReport report = example();
  OptionTable table;
  add_emulation_options(table, report.options);
  table.set("link-rate", "100Gb/s", "test");
  EXPECT_THAT(command_to_repeat(report), EndsWith("e.otf2 --slots 4 --link-rate '100 Gb/s'"));
  table.set("word", "4", "test");
  table.set("word-generation", "640ps", "test");  // as if it followed, with words of 8 bytes
  EXPECT_THAT(command_to_repeat(report),
              EndsWith("e.otf2 --slots 4 --word 4 --word-generation 640ps --link-rate '100 Gb/s'"));
}

TEST(ReportText, TheRepeatCommandNamesThePreset) {
  for (const std::string_view preset : registered_names("preset")) {
    if (preset == "ch5") continue;  // the default values
    JobReport report = example();
    OptionTable table;
    add_emulation_options(table, report.options);
    table.set("preset", preset, "test");
    table.set("guard", "77ns", "test");
    const std::string command = command_to_repeat(report);
    EXPECT_THAT(command, AllOf(HasSubstr("--preset " + std::string(preset)), HasSubstr("--guard 77ns")));
    const SwitchParameters again = network_of(command);
    EXPECT_EQ(again.link_rate, report.options.network.link_rate) << command;
    EXPECT_EQ(again.slot_length, report.options.network.slot_length) << command;
    EXPECT_EQ(again.nic.latency, report.options.network.nic.latency) << command;
    EXPECT_EQ(again.fabric_reconfiguration(), report.options.network.fabric_reconfiguration()) << command;
  }
}

TEST(PhaseTable, HasARowPerTechniqueAndPhase) {
  Measures wormhole, tdm;
  wormhole.technique = "wormhole";
  tdm.technique = "tdm";
  tdm.slots = 4;
  PhaseMeasures phase;
  phase.name = "all-to-all";
  phase.time = microseconds(20);
  phase.messages = 4000;
  phase.hits = 1000;
  phase.bytes = 8192;
  phase.utilisation = 0.5;
  phase.latency.add(nanoseconds(500));
  wormhole.phases = {phase};
  phase.name = "mesh";
  tdm.phases = {wormhole.phases.front(), phase};
  EXPECT_EQ(phase_measures_table({&wormhole, &tdm}, 2, 100),
            "  technique  K  phase          time  utilisation  messages  bytes     p50     p99  hit rate\n"
            "  wormhole   -  all-to-all  20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n"
            "  tdm        4  all-to-all  20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n"
            "  tdm        4  mesh        20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n");
}

TEST(PhaseTable, IsASentenceWithoutPhases) {
  const Measures plain;
  EXPECT_EQ(phase_measures_table({&plain}, 0, 100), "No phases are distinguished in this traffic.\n");
}

TEST(ReportJson, HasTheKeysForOtherTools) {
  const auto json = to_json(example());
  const auto& hybrid = json["results"][1];
  EXPECT_EQ(hybrid["technique"], "hybrid");
  EXPECT_EQ(hybrid["nodes"], 16);
  EXPECT_EQ(hybrid["slots"], 4);
  EXPECT_EQ(hybrid["time_ns"], 1e6);
  EXPECT_EQ(hybrid["utilisation"], 0.125);
  EXPECT_EQ(hybrid["messages"], 12345);
  EXPECT_EQ(hybrid["bytes"], 5 << 20);
  EXPECT_EQ(hybrid["cycles"], 0);
  for (const char* key : {"mean", "p50", "p99", "max"}) EXPECT_EQ(hybrid["latency_ns"][key], 500.0) << key;
  EXPECT_EQ(hybrid["hit_rate"], 0.973);
  EXPECT_EQ(hybrid["seed"], 1);
  EXPECT_EQ(hybrid["speedup"], 1.5);
  EXPECT_EQ(hybrid["gap_closed"], 1.25);
  EXPECT_EQ(hybrid["rank_wait_ns"], 300'000.0);
  EXPECT_EQ(hybrid["network_wait_ns"], 200'000.0);
  EXPECT_EQ(hybrid["network_wait_parts_ns"], nlohmann::ordered_json::parse(R"({
    "path": 100000.0, "contention": 200000.0, "scheduling": 0.001, "reconfiguration": 50000.0,
    "packet_plane": 0.0, "slot_wait": -150000.001, "other": 0.0})"));
  EXPECT_EQ(json["calls"][0],
            nlohmann::ordered_json::parse(R"x({"call": "MPI_Waitall", "function": "exchange(int)",
    "file": "/home/me/halo2d.c", "line": 42, "messages": 0, "bytes": 0
})x"));
  EXPECT_EQ(json["calls"][1]["bytes"], 5 << 20);
  EXPECT_EQ(hybrid["call_waits_ns"], nlohmann::ordered_json::parse("[490000.0, 0.0, 0.0]"));
  EXPECT_EQ(json["bounds"]["no_network_call_waits_ns"],
            nlohmann::ordered_json::parse("[290000.0, 0.0, 0.0]"));
  EXPECT_EQ(json["bounds"]["no_network_ns"], 800'000.0);
  EXPECT_EQ(json["bounds"]["uncontended_ns"], 900'000.0);
  EXPECT_EQ(json["bounds"]["ideal_ns"], 1'100'000.0);
  EXPECT_EQ(json["bounds"]["largest_saving"], 0.4);
  EXPECT_EQ(json["verdict"]["slots"], 4);
  EXPECT_EQ(json["verdict"]["with_long_worms"]["wormhole_ns"], 1'200'000.0);
  EXPECT_EQ(json["verdict"]["with_long_worms"]["gap_closed"], 0.75);
  EXPECT_EQ(json["verdict"]["with_long_worms"]["changes_verdict"], false);
  EXPECT_EQ(json["job"]["recorded"]["clock"], "cpu");
  EXPECT_EQ(json["job"]["recorded"]["predicted_sends"], 1000);
  JobReport named = example();
  named.job.recorded = {{"application", "7"}};
  EXPECT_EQ(to_json(named)["job"]["recorded"]["application"], "7") << "a name, not a number";
  EXPECT_EQ(json["phases"][0]["working_set"], 2);
  EXPECT_EQ(json["parameters"]["slot-length"], "100ns");
}

TEST(ReportJson, UnknownValuesAreNull) {
  JobReport report = example();
  report.bounds = {};
  report.limits = {};
  report.techniques = {result("hybrid", 4, microseconds(1000), microseconds(500))};
  const auto json = to_json(report);
  for (const char* key : {"gap_closed", "rank_wait_ns", "network_wait_ns", "network_wait_parts_ns"})
    EXPECT_TRUE(json["results"][0].at(key).is_null()) << key;
  for (const char* key : {"no_network_ns", "uncontended_ns", "ideal_ns", "largest_saving"})
    EXPECT_TRUE(json["bounds"].at(key).is_null()) << key;
  EXPECT_TRUE(json["verdict"].at("with_long_worms").is_null());
}

TEST(ReportJson, IsTheSameTextForTheSameReport) {
  EXPECT_EQ(to_json(example()).dump(2), to_json(example()).dump(2));
}

}  // namespace
}  // namespace hybrid
