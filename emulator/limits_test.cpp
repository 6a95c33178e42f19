#include "emulator/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hybrid {
namespace {

using Texts = std::vector<std::string>;

SwitchParameters at_100g(const std::string& technique) {
  SwitchParameters p;
  p.technique = technique;
  OptionTable table;
  add_switch_options(table, p);
  table.set("link-rate", "100Gb/s", "test");
  return p;
}

Texts limits(const SwitchParameters& p) { return limit_texts(limiting_parts(p)); }

TEST(Limits, NoPartLimitsASwitchThatFollowsItsLinkRate) {
  for (const char* technique : {"packet", "wormhole", "circuit", "tdm", "hybrid", "wave"})
    EXPECT_EQ(limits(at_100g(technique)), Texts{}) << technique;
}

TEST(Limits, EachSlowPartIsNamedWithItsRate) {
  SwitchParameters p = at_100g("wormhole");
  p.digital_fabric.cycle = nanoseconds(10);
  EXPECT_EQ(limits(p), Texts{"digital fabric: 6.4 Gb/s"});
  p.scheduler = {nanoseconds(30), 2};  // 128 bytes per 60 ns
  p.word_generation = nanoseconds(1);
  p.buffer = 128;  // the wire takes 23.84 ns
  EXPECT_EQ(limits(p),
            (Texts{"PEs: 64 Gb/s", "digital fabric: 6.4 Gb/s", "scheduler: 17.1 Gb/s", "queues: 21.5 Gb/s"}));
}

TEST(Limits, PartsThatATechniqueDoesNotUseDoNotLimitIt) {
  SwitchParameters p = at_100g("circuit");
  p.digital_fabric.cycle = p.scheduler.cycle = nanoseconds(500);
  p.buffer = 64;
  EXPECT_EQ(limits(p), Texts{});
  p.technique = "hybrid";  // its worms pass through the analog fabric
  EXPECT_EQ(limits(p), (Texts{"scheduler: 2.05 Gb/s", "queues: 10.7 Gb/s"}));
}

TEST(Limits, WormsOnAPartOfTheLinkNeedASlowerFabricOnly) {
  SwitchParameters p = at_100g("wave");  // half of the link is for worms
  p.digital_fabric.cycle = picoseconds(1280);
  EXPECT_EQ(limits(p), Texts{});
  p.digital_fabric.cycle = picoseconds(1281);
  EXPECT_EQ(limits(p).size(), 1u);
}

TEST(Limits, SentencesNameTheTechniquesAndTheOption) {
  std::vector<SwitchParameters> runs;
  for (const char* technique : {"packet", "wormhole", "circuit"}) {
    runs.push_back(at_100g(technique));
    runs.back().digital_fabric.cycle = nanoseconds(10);
  }
  EXPECT_EQ(limit_sentences(runs), Texts{"The digital fabric limits packet and wormhole to 6.4 Gb/s on links "
                                         "of 100 Gb/s (--digital-fabric-cycle)"});
  EXPECT_EQ(limit_sentences(std::span(runs).last(1)), Texts{});
}

}  // namespace
}  // namespace hybrid
