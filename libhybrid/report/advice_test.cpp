#include "libhybrid/report/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/replay/testing/jobs.h"
#include "libhybrid/report/advice_text.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/slots_search.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// Each of eight ranks sends in turn to three others; `bytes` of 0: no messages.
std::unique_ptr<JobTrace> exchange(Bytes bytes) {
  constexpr std::uint32_t kRanks = 8;
  auto trace = std::make_unique<MemoryTrace>(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t turn = 0; turn < 12 && bytes != 0; ++turn) {
      const std::uint32_t shift = 1 + turn % 3;
      trace->add(rank, make(Kind::send_start, (rank + shift) % kRanks, bytes, microseconds(1), 1));
      trace->add(rank, make(Kind::recv, (rank + kRanks - shift) % kRanks, bytes));
      trace->add(rank, make(Kind::send_complete, 0, 0, {}, 1));
    }
    trace->add(rank, make(Kind::finish, 0, 0));
  }
  return trace;
}

Advice advice_for(const JobOptions& options, const AdviceRequest& request, Bytes bytes = 4096) {
  return advise("exchange", [bytes] { return exchange(bytes); }, options, request, {});
}

AdviceRequest with_shares() {
  AdviceRequest request;
  request.reconfigurations = {Time{}, microseconds(1), microseconds(100)};
  return request;
}

std::string json_of(const Advice& advice) { return to_json(advice, {}).dump(); }

TEST(Advice, DoesNotDependOnThreads) {
  JobOptions options;
  options.network.reconfiguration = nanoseconds(200);
  options.threads = 1;
  const std::string one = json_of(advice_for(options, with_shares()));
  options.threads = 3;
  EXPECT_EQ(json_of(advice_for(options, with_shares())), one);
}

TEST(Advice, TheBestConfigurationIsTheFastestOfAllThatAReplayFinds) {
  JobOptions options;
  options.techniques = {"tdm"};
  options.network.predictor = "none";
  AdviceRequest request;
  request.named = {"predictor", "slot-length"};
  const Advice advice = advice_for(options, request);
  const AdvisedTechnique& tdm = *advice.find("tdm");

  // Independently, by reports: K is one of 1, 2, 3 (three destinations).
  JobOptions all = options;
  all.slot_counts = {1, 2, 3};
  Time least = Time::never();
  for (const TechniqueResult& r :
       make_report("exchange", [] { return exchange(4096); }, all, {}).techniques) {
    least = std::min(least, r.measures.time);
    if (r.measures.slots == tdm.parameters.slots) {
      EXPECT_EQ(r.measures.time, tdm.result.measures.time);
    }
  }
  EXPECT_LE(static_cast<double>(tdm.result.measures.time.ps),
            static_cast<double>(least.ps) * (1 + kLeastGap));
  ASSERT_EQ(tdm.sensitivities.size(), 1u);
  EXPECT_EQ(tdm.sensitivities[0].option, "slots");
  EXPECT_EQ(tdm.sensitivities[0].values.size(), 3u);
}

TEST(Advice, HasTheTimeOfEveryValueAroundTheBestConfigurations) {
  for (const Bytes bytes : {Bytes{64}, Bytes{4096}}) {  // of the short messages many configurations are equal
    JobOptions options;
    options.network.reconfiguration = nanoseconds(200);
    const Advice advice = advice_for(options, {}, bytes);
    for (const AdvisedTechnique& t : advice.techniques)
      for (const Sensitivity& s : t.sensitivities) {
        std::size_t chosen = 0;
        for (const Sensitivity::Value& value : s.values) {
          EXPECT_TRUE(value.time) << t.parameters.technique << " " << s.option << " " << value.text;
          if (value.is_chosen) {
            ++chosen;
            EXPECT_EQ(value.time, t.result.measures.time);
          }
        }
        EXPECT_EQ(chosen, 1u);
      }
  }
}

TEST(Advice, StaysWithinTheBudget) {
  JobOptions options;
  options.network.reconfiguration = nanoseconds(200);
  for (const std::size_t budget : {kLeastBudget, std::size_t{40}, std::size_t{90}}) {
    AdviceRequest request = with_shares();
    request.budget = budget;
    const Advice advice = advice_for(options, request);
    EXPECT_LE(advice.emulations, budget);
    EXPECT_NE(advice.find("hybrid"), nullptr) << "at least the start of each search";
  }
  AdviceRequest small = with_shares();
  small.budget = kLeastBudget;
  EXPECT_THAT(to_text(advice_for(options, small), {}), HasSubstr("larger --budget"));
}

TEST(Advice, EndsWhenTheTimeIsOver) {
  AdviceRequest request = with_shares();
  int calls = 0;
  request.expired = [&calls] { return ++calls > 3; };  // wormhole, and the starts of the others
  const Advice advice = advice_for({}, request);
  ASSERT_NE(advice.find("tdm"), nullptr);
  EXPECT_FALSE(advice.find("tdm")->is_complete);
  for (const PacketShare& share : advice.shares) EXPECT_FALSE(share.is_known);
}

// In FT(2, 2, 2) each rank exchanges messages with the one two ranks away, which is below another switch.
TEST(Advice, TriesPlacements) {
  const auto strides = [] {
    auto trace = std::make_unique<MemoryTrace>(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      for (int turn = 0; turn < 20; ++turn) {
        trace->add(rank, make(Kind::send_start, (rank + 2) % 4, 64, {}, 1));
        trace->add(rank, make(Kind::recv, (rank + 2) % 4, 64));
        trace->add(rank, make(Kind::send_complete, 0, 0, {}, 1));
      }
      trace->add(rank, make(Kind::finish, 0, 0));
    }
    return trace;
  };
  JobOptions options;
  options.techniques = {"wormhole"};
  options.network.tree = {2, 2, 2};
  AdviceRequest request;
  request.budget = 40;
  const Advice advice = advise("strides", strides, options, request, {});
  ASSERT_EQ(advice.placements.size(), 1U) << "consecutive ranks are recorded, and round robin is the same";
  const AdvisedPlacement& best = advice.placements[0];
  EXPECT_EQ(best.name, "by traffic");
  ASSERT_TRUE(best.time);
  EXPECT_LT(*best.time, advice.techniques[advice.recommended].result.measures.time);
  EXPECT_THAT(best.repeat, HasSubstr("--ports 0,2,1,3"));
  EXPECT_THAT(to_text(advice, {}), HasSubstr(best.repeat));
  EXPECT_FALSE(advice.has_equal_placements);
  options.replay.placement = {0, 1, 2, 3};
  EXPECT_THAT(to_text(advise("strides", strides, options, request, {}), {}),
              HasSubstr("No other one was tried"));
  options.network.tree = {};
  EXPECT_THAT(to_text(advise("strides", strides, options, request, {}), {}),
              HasSubstr("no placement is faster"));
}

TEST(Advice, NamedOptionsAreNotChanged) {
  JobOptions options;
  options.techniques = {"hybrid", "tdm"};
  options.slot_counts = {2};
  options.network.slots = 2;
  options.network.slot_length = nanoseconds(300);
  options.network.predictor = "lru";
  options.network.reconfiguration = nanoseconds(100);
  options.network.packet_plane = 0.3;
  AdviceRequest request = with_shares();
  request.named = {"slots", "slot-length", "predictor", "packet-plane", "technique"};
  const Advice advice = advice_for(options, request);
  ASSERT_EQ(advice.techniques.size(), 3u) << "and wormhole, as the reference";
  EXPECT_NE(advice.verdict.technique, "wormhole") << "it is not among the named ones";
  for (const AdvisedTechnique& t : advice.techniques) {
    EXPECT_EQ(t.parameters.slots, 2u);
    EXPECT_EQ(t.parameters.slot_length, nanoseconds(300));
    EXPECT_EQ(t.parameters.predictor, "lru");
    EXPECT_EQ(t.parameters.packet_plane, 0.3);
    EXPECT_TRUE(t.sensitivities.empty());
  }
  for (const PacketShare& share : advice.shares) {
    EXPECT_EQ(share.tried, 0.3);
    EXPECT_EQ(share.predictor, "lru");
  }
}

TEST(Advice, ComparesTheOnlyNamedTechniqueWithWormhole) {
  JobOptions options;
  options.techniques = {"hybrid"};
  AdviceRequest request;
  request.named = {"technique"};
  const Advice advice = advice_for(options, request);
  ASSERT_EQ(advice.techniques.size(), 2u);
  EXPECT_EQ(advice.verdict.technique, "hybrid");
  EXPECT_THAT(advice.verdict.sentence,
              AllOf(HasSubstr(" is the only technique to choose from: wormhole, the reference, "),
                    Not(HasSubstr("Only "))));
}

TEST(Advice, SeveralNamedSlotsAreTheOnlyOnesThatAreTried) {
  JobOptions options;
  options.slot_counts = {2, 5};
  const Advice advice = advice_for(options, {});
  for (const AdvisedTechnique& t : advice.techniques)
    for (const Sensitivity& s : t.sensitivities)
      if (s.option == "slots") {
        ASSERT_EQ(s.values.size(), 2u);
        EXPECT_EQ(s.values[0].text, "2");
        EXPECT_EQ(s.values[1].text, "5");
      }
}

TEST(Advice, TheShareOfThePlaneIsSearchedWhereReconfigurationsTakeTime) {
  const auto tries_shares = [](Time reconfiguration) {
    JobOptions options;
    options.techniques = {"hybrid", "tdm"};
    options.network.reconfiguration = reconfiguration;
    const Advice advice = advice_for(options, {});
    for (const Sensitivity& s : advice.find("tdm")->sensitivities)
      EXPECT_NE(s.option, "packet-plane") << "tdm has none";
    for (const Sensitivity& s : advice.find("hybrid")->sensitivities)
      if (s.option == "packet-plane") return true;
    return false;
  };
  EXPECT_FALSE(tries_shares(Time{}));
  EXPECT_TRUE(tries_shares(microseconds(1)));
}

TEST(Advice, ASmallerShareThanTheOneFoundIsNotEnough) {
  JobOptions options;
  const Advice advice = advice_for(options, with_shares());
  const Time wormhole = advice.find("wormhole")->result.measures.time;
  const AdvisedTechnique& hybrid = *advice.find("hybrid");
  JobEmulator job("exchange", [] { return exchange(4096); }, options);
  job.find_phases({});
  ASSERT_EQ(advice.shares.size(), 3u);
  for (const PacketShare& found : advice.shares) {
    SCOPED_TRACE(to_string(found.reconfiguration));
    ASSERT_TRUE(found.is_known);
    const auto over_wormhole = [&](double share) {  // with the fastest of all predictors and K
      std::vector<SwitchParameters> runs;
      for (const std::string& predictor :
           {hybrid.parameters.predictor, options.network.predictor, std::string("none")}) {
        runs.push_back(hybrid.parameters);
        runs.back().predictor = predictor;
      }
      runs.push_back(runs[hybrid.parameters.predictor == "none" ? 1 : 0]);
      runs.back().slots = std::max(runs.back().slots, job.slots_needed());
      double least = 1e9;
      for (SwitchParameters& p : runs) {
        p.reconfiguration = found.reconfiguration;
        p.packet_plane = share;
        least = std::min(least, static_cast<double>(job.emulate({p}, "", {})[0].measures->time.ps));
      }
      return least / static_cast<double>(wormhole.ps);
    };
    EXPECT_DOUBLE_EQ(found.over_wormhole, over_wormhole(found.tried));
    if (!found.share) {
      EXPECT_EQ(found.tried, kShareSteps.back());
      EXPECT_GT(found.over_wormhole, 1.05);
      continue;
    }
    EXPECT_LE(found.over_wormhole, 1.05);
    for (const double smaller : kShareSteps) {
      if (smaller == *found.share) break;
      EXPECT_GT(over_wormhole(smaller), 1.05) << smaller;
    }
  }
}

TEST(Advice, NoSwitchHelpsAJobWithoutMessages) {
  const Advice advice = advice_for({}, with_shares(), 0);
  EXPECT_EQ(advice.verdict.technique, "");
  EXPECT_THAT(to_text(advice, {}), HasSubstr("no messages"));
  EXPECT_TRUE(to_json(advice, {})["recommendation"].is_null());
}

TEST(Advice, WormholeWillDoWhereIdealIsHardlyFaster) {
  const auto advice_of = [](Bytes bytes) {
    JobOptions options;
    options.network.worm_limit = 1 << 20;
    options.network.worm_lookahead = true;
    return advice_for(options, {}, bytes);
  };
  const Advice advice = advice_of(64);
  ASSERT_TRUE(advice.bounds.ideal);
  const Time wormhole = advice.find("wormhole")->result.measures.time;
  const double gap = 1 - static_cast<double>(advice.bounds.ideal->time.ps) / static_cast<double>(wormhole.ps);
  EXPECT_EQ(advice.verdict.sentence.starts_with("Wormhole is enough"), gap < 0.01) << gap;
}

TEST(Advice, ImpossibleNamedTechniquesAreRefused) {
  JobOptions options;
  options.techniques = {"hybrid"};
  options.slot_counts = {2};
  options.network.preload = 3;
  EXPECT_THAT([&] { advice_for(options, {}); }, testing::ThrowsMessage<UserError>(HasSubstr("preload")));
}

TEST(DesignSpace, TriesAllTechniquesButBoundsAndDividedLinks) {
  JobOptions options;
  // The tests register another technique.
  EXPECT_THAT(techniques_to_search(options),
              testing::IsSupersetOf({"circuit", "hybrid", "packet", "tdm", "wormhole"}));
  for (const char* name : {"wave", "coll", "chen-liu", "ideal", "uncontended", "no-network"})
    EXPECT_THAT(techniques_to_search(options), Not(testing::Contains(name)));
  options.network.tree = {2, 4, 4};
  EXPECT_THAT(techniques_to_search(options), testing::UnorderedElementsAre("hybrid", "tdm", "wormhole"));
  options.techniques = {"wave", "tdm", "wave"};
  EXPECT_THAT(techniques_to_search(options), testing::ElementsAre("wave", "tdm"));
}

TEST(DesignSpace, HasNoPredictorThatKnowsTheFuture) {
  JobEmulator job("exchange", [] { return exchange(4096); }, {});
  job.find_phases({});
  const auto names = predictors_to_search(job, 4, {});
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 5u);
  EXPECT_EQ(names[0], "none");
  EXPECT_THAT(names, Each(Not(testing::StrEq("oracle"))));
}

TEST(PortPrices, AHybridPortHasACircuitPortAndAShareOfAPacketPort) {
  EXPECT_DOUBLE_EQ(relative_to_packet(500, 500, 0.1), 1.1);
  EXPECT_DOUBLE_EQ(relative_to_packet(0.24, 12, 0.1), 0.12);
  EXPECT_DOUBLE_EQ(relative_to_packet(0, 3, 1), 1.0);
}

TEST(FindSlots, TakesTheSmallestKThatIsAboutTheFastest) {
  JobOptions options;
  options.finds_slots = true;
  options.techniques = {"wormhole", "tdm", "hybrid"};
  const JobReport report = make_report("exchange", [] { return exchange(4096); }, options, {});
  ASSERT_EQ(report.slots_found.size(), 2u);
  ASSERT_EQ(report.techniques.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    const SlotsFound& found = report.slots_found[i];
    EXPECT_EQ(found.technique, options.techniques[i + 1]);
    EXPECT_EQ(report.techniques[i + 1].measures.slots, found.slots);
    ASSERT_EQ(found.tried.size(), 3u) << "1, 2, and the three that the job needs";
    Time least = Time::never(), chosen{};
    for (const auto& [k, time] : found.tried) {
      least = std::min(least, *time);
      if (k == found.slots) chosen = *time;
    }
    EXPECT_EQ(report.techniques[i + 1].measures.time, chosen);
    const auto is_enough = [&](Time t) {
      return static_cast<double>(t.ps) <= static_cast<double>(least.ps) * (1 + kLeastGap);
    };
    EXPECT_TRUE(is_enough(chosen));
    for (const auto& [k, time] : found.tried)
      if (k < found.slots) {
        EXPECT_FALSE(is_enough(*time)) << k;
      }
    EXPECT_THAT(to_text(found), HasSubstr(found.technique + " is " + std::to_string(found.slots)));
  }
}

}  // namespace
}  // namespace hybrid
