// The predictor and the live scheduler while programs run under the preloaded library, on one host and on
// several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/temporary_directory.h"
#include "libhybrid/live/testing/shared_memory.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::IsEmpty;

// The predictor does not pause, however slow the machine is.
const std::pair<const std::string, std::string> kPredictsAll{"LIBHYBRID_PREDICTOR_SHARE", "1"};

// Objects in shared memory that did not exist `before` and that no process has mapped. Objects of other jobs
// on this machine are mapped by a process.
std::set<std::string> left_behind(const std::set<std::string>& before) {
  std::set<std::string> objects = hybrid::shared_memory_objects();
  std::erase_if(objects, [&](const std::string& name) { return before.contains(name); });
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (objects.empty()) break;
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);)
      std::erase_if(objects, [&](const std::string& name) { return line.find(name) != std::string::npos; });
  }
  return objects;
}

TEST(Live, HitsAndMissesAreCountedWhileTheJobRuns) {
  const RecordedRun run(4, {program("shim_p2p_ring")}, {{"HYBRID_LIVE", "on"}, kPredictsAll});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto properties = run.definitions(0).properties;
  const auto number = [&](const char* name) { return std::stoull(properties.at(name)); };
  EXPECT_EQ(number("live_hits") + number("live_misses"), 100u);
  EXPECT_EQ(number("predicted_sends"), 100u);
  EXPECT_EQ(number("live_requests"), number("predicted_requests"));
  EXPECT_EQ(number("live_releases"), number("predicted_releases"));
  const std::vector<Event> events = run.events(0);
  EXPECT_EQ(count(events, EventKind::predict_request), number("predicted_requests"));
  EXPECT_EQ(count(events, EventKind::predict_release), number("predicted_releases"));
}

TEST(Live, HostsCommunicateOverTheJobsMpi) {
  // Two simulated hosts: the second one's requests go over the job's MPI, and the grants come back.
  const RecordedRun run(4, {program("shim_p2p_ring"), "long"},
                        {{"HYBRID_LIVE", "on"}, {"HYBRID_HOSTS", "2"}, kPredictsAll});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.outcome().out, "sum 6\n");
  EXPECT_EQ(run.outcome().err, "") << "MPI ends with nothing unmatched";
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const auto properties = run.definitions(rank).properties;
    const auto number = [&](const char* name) { return std::stoull(properties.at(name)); };
    EXPECT_GE(number("live_requests"), 1u) << rank;
    EXPECT_GE(number("live_grants"), 1u) << rank;
    EXPECT_GE(number("live_hits"), 1u) << rank;
    EXPECT_EQ(number("live_hits") + number("live_misses"), number("predicted_sends")) << rank;
    EXPECT_EQ(properties.contains("live_service"), rank % 2 == 0) << "the first rank of each host";
    EXPECT_EQ(properties.at("hosts"), "2");
  }
}

TEST(Live, AnyThreadCarriesBetweenHosts) {
  const RecordedRun run(2, {program("shim_threads")}, {{"HYBRID_LIVE", "on"}, {"HYBRID_HOSTS", "2"}});
  EXPECT_EQ(run.outcome().status, 0);
  EXPECT_EQ(run.outcome().err, "");
  EXPECT_TRUE(run.complete(0) && run.complete(1));
}

// A job that ends in any way while the services of two hosts communicate over its MPI: it ends with the same
// status as without the library; each rank has recorded everything until then; nothing stays in shared
// memory.
class LiveEndings : public ::testing::TestWithParam<const char*> {};

TEST_P(LiveEndings, HostsMayEndInOtherWays) {
  const std::string how = GetParam();
  const TemporaryDirectory directory;
  const Outcome bare = run_ranks(2, {program("shim_endings"), how}, {{"LD_PRELOAD", ""}}, directory.path());
  const auto before = hybrid::shared_memory_objects();
  const RecordedRun run(2, {program("shim_endings"), how, "talking"},
                        {{"HYBRID_LIVE", "on"}, {"HYBRID_HOSTS", "2"}});
  ASSERT_NE(run.outcome().status, 128 + SIGALRM) << "a host waits for the other one";
  if (how == "no-finalize")  // depends on what mpiexec notices first, without the library too
    EXPECT_THAT(run.outcome().status, AnyOf(0, 1, SIGKILL)) << run.outcome().err;
  else
    EXPECT_EQ(run.outcome().status, bare.status) << run.outcome().err;
  EXPECT_EQ(run.outcome().err.find("libhybrid:"), std::string::npos) << run.outcome().err;
  EXPECT_THAT(left_behind(before), IsEmpty());

  const bool finalized = how == "return-3";
  const std::size_t exchanges = count(run.events(0), EventKind::send_start);
  EXPECT_GT(exchanges, 1u);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::vector<Event> events = run.events(rank);
    EXPECT_EQ(count(events, EventKind::send_start), exchanges) << rank;
    EXPECT_EQ(count(events, EventKind::send_complete), exchanges) << rank;
    EXPECT_EQ(count(events, EventKind::recv), exchanges) << rank;
    EXPECT_EQ(run.complete(rank), finalized) << rank;
    // Each rank has a service, which got the request for the circuit to the other host.
    const auto properties = run.definitions(rank).properties;
    EXPECT_TRUE(properties.contains("live_service")) << rank;
    EXPECT_GE(count(events, EventKind::predict_request), 1u) << rank;
    // The counters are recorded only at the end of MPI.
    EXPECT_EQ(properties.contains("live_grants"), finalized) << rank;
    if (finalized) {
      EXPECT_GE(std::stoull(properties.at("live_grants")), 1u) << rank;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Live, LiveEndings, ::testing::Values("abort", "killed", "no-finalize", "return-3"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == '-'; });
                           return name;
                         });

double hit_rate(const char* predictor) {
  const RecordedRun run(
      7, {program("shim_call_sites")},
      {{"HYBRID_ONLINE_PREDICTOR", predictor}, {"HYBRID_SLOTS", "2"}, {"HYBRID_LIVE", "off"}, kPredictsAll});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto properties = run.definitions(0).properties;
  EXPECT_EQ(properties.at("predicted_sends"), "1800");
  return std::stod(properties.at("predicted_hits")) / 1800;
}

TEST(Prediction, UsesTheCallSite) {
  // D 2.1.2, in a program without hints. The first of six messages from a call site cannot be predicted.
  EXPECT_GT(hit_rate("tagging"), 0.75);
  EXPECT_LT(hit_rate("markov1"), 0.6);
}

TEST(Prediction, PausesAndSaysSoIfItTakesMoreThanItsShare) {
  const RecordedRun run(4, {program("shim_p2p_ring")}, {{"LIBHYBRID_PREDICTOR_SHARE", "1e-12"}});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto properties = run.definitions(0).properties;
  ASSERT_TRUE(properties.contains("unpredicted_ranks"));
  EXPECT_TRUE(properties.contains("unpredicted_since_ns"));
  EXPECT_GT(std::stoull(properties.at("unpredicted_sends")), 0u);
  EXPECT_EQ(std::stoull(properties.at("predicted_sends")) + std::stoull(properties.at("unpredicted_sends")),
            100u);
  EXPECT_EQ(count(run.events(0), EventKind::send_start), 100u) << "everything is recorded";
}

}  // namespace
}  // namespace hybrid::shim::testing
