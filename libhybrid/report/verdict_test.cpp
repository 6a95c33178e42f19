#include "libhybrid/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace hybrid {
namespace {

using testing::HasSubstr;
using testing::Not;

Contender contender(const char* technique, std::uint32_t slots, std::int64_t time_us, std::int64_t compute_us,
                    double hit_rate = 0, double utilisation = 0.1) {
  return {technique,
          slots,
          microseconds(time_us),
          microseconds(time_us - compute_us),
          microseconds(compute_us),
          1000,
          0,
          hit_rate,
          utilisation,
          {}};
}

TEST(Verdict, WithoutMessagesThereIsNoTechnique) {
  Contender silent = contender("wormhole", 0, 100, 100);
  silent.messages = 0;
  EXPECT_EQ(judge({{silent}}, 0).sentence,
            "The job sends no messages, so no switch makes a difference to it.");
  silent.local_messages = 12;
  const Verdict verdict = judge({{silent}}, 0);
  EXPECT_EQ(verdict.technique, "");
  EXPECT_THAT(verdict.sentence, HasSubstr("All 12 messages stay inside their ports"));
  silent.local_messages = 1;
  EXPECT_THAT(judge({{silent}}, 0).sentence, HasSubstr("The only message stays inside its port, so"));
}

TEST(Verdict, IsEmptyWithoutContenders) { EXPECT_EQ(judge({}, 3).sentence, ""); }

TEST(Verdict, ATieOfAllNamesTheBottleneckAndTheSimplest) {
  const Verdict verdict =
      judge({{contender("hybrid", 4, 1000, 970), contender("wormhole", 0, 1005, 970)}}, 4);
  EXPECT_EQ(verdict.technique, "wormhole");
  EXPECT_EQ(verdict.sentence,
            "No technique differs by more than 1 %: the job computes 97 % of its time. The simplest, "
            "wormhole, is enough.");
}

TEST(Verdict, ATieWithoutMuchComputingNamesLinksOrWaiting) {
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1000, 10, 0, 0.9), contender("hybrid", 4, 1000, 10, 0, 0.9)}}, 4)
          .sentence,
      HasSubstr("the links are busy 90 % of the time"));
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1000, 10, 0, 0.02), contender("hybrid", 4, 1000, 10, 0, 0.02)}}, 4)
          .sentence,
      HasSubstr("the ranks wait for each other"));
}

TEST(Verdict, ATieNamesTheShareOfTheNetworkIfItIsKnown) {
  Contender wormhole = contender("wormhole", 0, 1000, 200);
  wormhole.network_wait = microseconds(40);
  EXPECT_THAT(judge({{wormhole, contender("hybrid", 4, 1000, 200)}}, 4).sentence,
              HasSubstr("the links are busy only 10 % of the time, and of the communication time 5.0 % is "
                        "waiting for the network, the rest for other ranks. The simplest"));
  wormhole.utilisation = 0.0004;
  wormhole.network_wait = picoseconds(1);
  EXPECT_THAT(judge({{wormhole, contender("hybrid", 4, 1000, 200)}}, 4).sentence,
              HasSubstr("the links are busy less than 0.1 % of the time, and of the communication time less "
                        "than 0.1 % is waiting"));
}

TEST(Verdict, ComparesACircuitTechniqueWithWormholeAndNamesItsHits) {
  const Verdict verdict = judge({{contender("wormhole", 0, 1500, 100), contender("circuit", 0, 3000, 100),
                                  contender("hybrid", 4, 1000, 100, 0.97)}},
                                4);
  EXPECT_EQ(verdict.technique, "hybrid");
  EXPECT_EQ(verdict.slots, 4u);
  EXPECT_EQ(
      verdict.sentence,
      "Hybrid with K = 4 suits this job: wormhole takes 50 % longer (1.50 ms against 1.00 ms), since here 97 "
      "% of its "
      "messages find their circuit established; its largest phase needs 4 slots, which K = 4 holds.");
}

TEST(Verdict, NamesTheLargestLossOfTheSlowerTechnique) {
  std::vector<Contender> all{contender("wormhole", 0, 1500, 100), contender("circuit", 0, 3000, 100),
                             contender("hybrid", 4, 1000, 100, 0.97)};
  all[0].loss = "382 us to scheduling";
  all[1].loss = "1.50 ms to request and grant";
  EXPECT_THAT(judge(all, 4).sentence,
              HasSubstr("find their circuit established; wormhole loses 382 us to scheduling; its largest"));
  std::swap(all[0].time, all[2].time);
  all[2].loss = "1.20 ms to waiting for a slot";
  all.erase(all.begin() + 1);
  EXPECT_THAT(judge(all, 4).sentence, HasSubstr("; hybrid loses 1.20 ms to waiting for a slot."));
}

TEST(Verdict, PicksTheFewestSlotsAmongTheTiedBest) {
  const Verdict verdict =
      judge({{contender("wormhole", 0, 1500, 100), contender("hybrid", 8, 1000, 100, 0.97),
              contender("hybrid", 4, 1005, 100, 0.96)}},
            8);
  EXPECT_EQ(verdict.slots, 4u);
  EXPECT_THAT(verdict.sentence, HasSubstr("needs 8 slots, but K = 8 is at most 1 % faster"));
}

TEST(Verdict, NamesAFasterTechniqueThatIsNotPicked) {
  const Verdict verdict = judge({{contender("wormhole", 0, 1500, 100), contender("circuit", 0, 1005, 100),
                                  contender("hybrid", 4, 1000, 100, 0.97)}},
                                4);
  EXPECT_EQ(verdict.technique, "circuit");
  EXPECT_THAT(verdict.sentence, HasSubstr("; hybrid with K = 4 is at most 1 % faster."));
}

// Circuit is within 1 % of hybrid, but so is wormhole of circuit.
TEST(Verdict, ThePickGainsMoreThanOnePercentAgainstWormhole) {
  const Verdict verdict = judge({{contender("wormhole", 0, 10130, 100), contender("circuit", 0, 10090, 100),
                                  contender("hybrid", 4, 10000, 100, 0.97)}},
                                4);
  EXPECT_EQ(verdict.technique, "hybrid");
  EXPECT_THAT(verdict.sentence, HasSubstr("wormhole takes 1.3 % longer"));
}

TEST(Verdict, ADifferenceOfLessThanOnePercentIsNotPrinted) {
  const Verdict verdict =
      judge({{contender("wormhole", 0, 15000, 100), contender("hybrid", 4, 10000, 100, 0.97),
              contender("hybrid", 7, 10001, 100, 0.97)}},
            7);
  EXPECT_THAT(verdict.sentence, HasSubstr("needs 7 slots, but K = 7 is at most 1 % slower"));
  Contender picked = contender("circuit", 0, 10000, 9000, 0.1),
            wormhole = contender("wormhole", 0, 15000, 9000);
  picked.communication = microseconds(1000);
  wormhole.communication = microseconds(1001);
  EXPECT_THAT(judge({{wormhole, picked}}, 0).sentence,
              HasSubstr("since here messages arrive when their receivers need them"));
}

TEST(Verdict, RecommendsTheSlotsThatTheLargestPhaseNeeds) {
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1500, 100), contender("hybrid", 4, 1000, 100, 0.6)}}, 9).sentence,
      HasSubstr("its largest phase needs 9 slots, so try --slots 9"));
}

TEST(Verdict, NamesTheCostOfMoreSlots) {
  EXPECT_THAT(judge({{contender("wormhole", 0, 1500, 100), contender("tdm", 4, 1000, 100, 0.6),
                      contender("tdm", 9, 1200, 100, 0.9)}},
                    9)
                  .sentence,
              HasSubstr("needs 9 slots, but K = 9 takes 20 % longer"));
}

TEST(Verdict, PicksWormholeIfHitsAreFewOrSlotsAreSlow) {
  EXPECT_EQ(
      judge({{contender("wormhole", 0, 1000, 100), contender("hybrid", 4, 1300, 100, 0.1)}}, 4).sentence,
      "Wormhole suits this job: the best of the others, hybrid with K = 4, takes 30 % longer; only 10 % of "
      "its "
      "messages find their circuit established.");
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1000, 100), contender("tdm", 4, 5000, 100, 0.99)}}, 4).sentence,
      AllOf(HasSubstr("5.0 times as long"),
            HasSubstr("99 % of its messages find their circuit established, but")));
}

TEST(Verdict, HitsThatTravelAsWormsAreNoReason) {
  Contender wormhole = contender("wormhole", 0, 1000, 100), hybrid = contender("hybrid", 4, 1300, 100, 0.75);
  hybrid.over_circuits = 0;
  EXPECT_THAT(judge({{wormhole, hybrid}}, 4).sentence,
              HasSubstr("takes 30 % longer; none of its messages travels over a circuit."));
  hybrid.over_circuits = 0.2;
  EXPECT_THAT(judge({{wormhole, hybrid}}, 4).sentence,
              HasSubstr("takes 30 % longer; only 20 % of its messages travel over circuits."));
  std::swap(wormhole.time, hybrid.time);
  EXPECT_THAT(judge({{wormhole, hybrid}}, 4).sentence, Not(HasSubstr("circuit")));
}

TEST(Verdict, PicksWormholeInATieWithSomeOthers) {
  const Verdict verdict = judge({{contender("wormhole", 0, 1005, 900), contender("hybrid", 4, 1000, 900, 0.9),
                                  contender("circuit", 0, 2000, 900, 0.2)}},
                                4);
  EXPECT_EQ(verdict.technique, "wormhole");
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("hybrid with K = 4, is at most 1 % faster"),
                                      HasSubstr("since the job computes 90 % of its time")));
}

TEST(Verdict, ComparesWithTheSlowestIfThereIsNoWormhole) {
  EXPECT_THAT(
      judge({{contender("circuit", 0, 2000, 100, 0.3), contender("hybrid", 4, 1000, 100, 0.9)}}, 4).sentence,
      HasSubstr("circuit takes 2.0 times as long"));
}

TEST(Verdict, WithFewHitsTheCommunicationTimeIsTheReason) {
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1500, 500), contender("circuit", 0, 1000, 500, 0.1)}}, 4).sentence,
      HasSubstr(
          "Circuit suits this job: wormhole takes 50 % longer (1.50 ms against 1.00 ms), since here the "
          "ranks spend 50 % less time communicating"));
}

TEST(Verdict, OneContenderIsNotCompared) {
  const Verdict verdict = judge({{contender("hybrid", 4, 1000, 900, 0.9)}}, 6);
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("Only hybrid with K = 4 was emulated"),
                                      HasSubstr("try --slots 6"), Not(HasSubstr("suits"))));
}

TEST(Verdict, OneTechniqueIsNotComparedButItsNumbersOfSlotsAre) {
  const Contender few = contender("hybrid", 4, 1005, 600), many = contender("hybrid", 15, 1000, 600);
  EXPECT_EQ(
      judge({{few, many}}, 15).sentence,
      "Only hybrid was emulated, so there is no technique to compare it with: the job computes 60 % of its "
      "time; its "
      "numbers of slots differ by at most 1 %, so K = 4 is enough; its largest phase needs 15 slots, but "
      "K = 15 is at most 1 % faster.");
  EXPECT_THAT(judge({{contender("hybrid", 4, 1200, 600), many}}, 15).sentence,
              HasSubstr("; of its numbers of slots, K = 15 suits the job; its largest phase"));
}

TEST(Verdict, TheOnlyTechniqueToChooseFromIsComparedWithTheReference) {
  const auto sentence = [](std::int64_t reference_us) {
    const Contender wormhole = contender("wormhole", 0, reference_us, 600);
    return judge({{contender("hybrid", 4, 1000, 600)}}, 4, &wormhole).sentence;
  };
  EXPECT_THAT(
      sentence(1200),
      HasSubstr("Hybrid with K = 4 is the only technique to choose from: wormhole, the reference, takes "
                "20 % longer; the job computes 60 % of its time"));
  EXPECT_THAT(sentence(1005), HasSubstr("the reference, is at most 1 % slower;"));
  EXPECT_THAT(sentence(1000), HasSubstr("the reference, takes the same time;"));
  EXPECT_THAT(sentence(995), HasSubstr("the reference, is at most 1 % faster;"));
  EXPECT_THAT(sentence(800), HasSubstr("the reference, takes 20 % less time;"));
}

TEST(Verdict, TheBestOfTheOthersIsSlowerIfItIs) {
  const auto sentence = [](std::int64_t hybrid_us) {
    return judge({{contender("wormhole", 0, 1000, 900), contender("hybrid", 4, hybrid_us, 900, 0.9),
                   contender("circuit", 0, 2000, 900, 0.2)}},
                 4)
        .sentence;
  };
  EXPECT_THAT(sentence(1005), HasSubstr("hybrid with K = 4, is at most 1 % slower, since the job computes"));
  EXPECT_THAT(sentence(1000), HasSubstr("hybrid with K = 4, takes the same time, since"));
  EXPECT_THAT(sentence(995), HasSubstr("hybrid with K = 4, is at most 1 % faster, since"));
}

TEST(Verdict, MentionsThatAJobMostlyComputes) {
  EXPECT_THAT(
      judge({{contender("wormhole", 0, 1100, 800), contender("hybrid", 4, 1000, 800, 0.9)}}, 4).sentence,
      HasSubstr("though the job computes 80 % of its time"));
}

}  // namespace
}  // namespace hybrid
