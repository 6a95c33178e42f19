// Working sets of command files, stored, preloaded, and swapped in and out while PEs communicate.
#include "emulator/traffic/command_working_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/traffic/command_run.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint32_t kPes = 4;

/// Returns the same text for every PE, with +r replaced by the number of the PE r positions further on.
std::vector<CommandFile> alike(const std::string& text) {
  std::vector<CommandFile> files;
  for (Port pe = 0; pe < kPes; ++pe) {
    std::string own;
    for (std::size_t i = 0; i < text.size(); ++i)
      own += text[i] != '+' ? std::string(1, text[i])
                            : std::to_string((pe + static_cast<Port>(text[++i] - '0')) % kPes);
    const std::string name = "pe" + std::to_string(pe) + ".txt";
    files.push_back({name, parse_commands(own, name, pe, kPes)});
  }
  return files;
}

std::vector<CommandFile> of(const std::vector<std::string>& texts) {
  std::vector<CommandFile> files;
  for (Port pe = 0; pe < texts.size(); ++pe) {
    const std::string name = "pe" + std::to_string(pe) + ".txt";
    files.push_back({name, parse_commands(texts[pe], name, pe, static_cast<std::uint32_t>(texts.size()))});
  }
  return files;
}

Measures run(const std::vector<CommandFile>& files, std::uint32_t slots, std::uint32_t preload) {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = static_cast<std::uint32_t>(files.size());
  p.slots = slots;
  p.preload = preload;
  return run_commands(p, files).measures;
}

std::string refused_in_run(const std::vector<std::string>& texts, std::uint32_t preload) {
  try {
    run(of(texts), 4, preload);
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

// A loop sends to the next PE and, in a branch, to the PE two positions further on. One slot holds either
// set.
TEST(CommandWorkingSets, AfterASwapTheStoredConnectionsHitAtOnce) {
  const std::string loop = "wait 1us\nsend +1 64\nwait 1us\n";
  const Measures with = run(
      alike("store branch +2\n" + loop + "swap-in branch\nwait 1us\nsend +2 64\nwait 1us\nswap-out\n" + loop),
      1, 1);
  EXPECT_EQ(with.messages, 12u);
  EXPECT_EQ(with.hit_rate, 1);
  // The set of the loop at 0, of the branch, and of the loop again: the second PE that swaps has no effect.
  EXPECT_EQ(with.statistics.preloads, 3u);
  EXPECT_EQ(with.statistics.requests, 0u);

  const Measures without = run(alike(loop + "wait 1us\nsend +2 64\nwait 1us\n" + loop), 2, 1);
  EXPECT_EQ(without.messages, 12u);
  EXPECT_LT(without.hit_rate, 1);
  EXPECT_GT(without.statistics.requests, 0u);
}

TEST(CommandWorkingSets, ASetStaysUntilTheLastPeHasSwappedItOut) {
  const Measures m = run(
      of({"store b 2\nwait 1us\nswap-in b\nwait 1us\nsend 2 64\nswap-out\n",
          "store b 3\nwait 1us\nswap-in b\nwait 4us\nsend 3 64\nwait 1us\nswap-out\nwait 1us\nsend 2 64\n",
          "", ""}),
      1, 1);
  EXPECT_EQ(m.messages, 3u);
  EXPECT_EQ(m.hit_rate, 1);
  EXPECT_EQ(m.statistics.preloads, 3u);
}

// A branch within a branch.
TEST(CommandWorkingSets, SwapsNest) {
  const Measures m = run(of({"store a 2\nstore b 3\nwait 1us\nsend 1 8\nwait 1us\n"
                             "swap-in a\nwait 1us\nsend 2 8\nwait 1us\n"
                             "swap-in b\nwait 1us\nsend 3 8\nwait 1us\nswap-out\nwait 1us\n"
                             "send 2 8\nwait 1us\nswap-out\nwait 1us\nsend 1 8\n",
                             "", "", ""}),
                         1, 1);
  EXPECT_EQ(m.messages, 5u);
  EXPECT_EQ(m.hit_rate, 1);
  EXPECT_EQ(m.statistics.preloads, 5u);
}

// Two loops in sequence: the compiler flushes between them (D 5.2.3) and loads the set of the second loop.
TEST(CommandWorkingSets, PreloadAndFlushSeparatePhases) {
  const Measures m = run(alike("store first +1\nstore second +3\npreload first\nwait 1us\nsend +1 64\nwait "
                               "1us\nflush\npreload second\nwait 1us\nsend +3 64\n"),
                         1, 1);
  EXPECT_EQ(m.messages, 8u);
  EXPECT_EQ(m.hit_rate, 1);
  EXPECT_EQ(m.statistics.flushes, 4u);
  // At 0 only the set of `preload` is loaded. The flush of a PE removes its connections from the set loaded
  // before.
  EXPECT_EQ(m.statistics.preloads, 1u + 4u);
}

TEST(CommandWorkingSets, AFlushAloneReleasesPreloadedConnections) {
  const std::string text = "wait 1us\nsend +1 64\nwait 1us\n";
  EXPECT_EQ(run(alike(text + text), 2, 1).hit_rate, 1);
  const Measures m = run(alike(text + "flush\n" + text), 2, 1);
  EXPECT_EQ(m.statistics.flushes, 4u);
  EXPECT_EQ(m.hit_rate, 0.5);
}

TEST(CommandWorkingSets, WithoutPreloadedSlotsTheyHaveNoEffect) {
  const std::string commands = "wait 1us\nsend +1 64\nwait 1us\n";
  const Measures plain = run(alike(commands + commands), 2, 0);
  const Measures m =
      run(alike("store b +2 +3\n" + commands + "swap-in b\nswap-out\npreload b\n" + commands), 2, 0);
  EXPECT_EQ(m.time, plain.time);
  EXPECT_EQ(m.statistics.preloads, 0u);
  EXPECT_EQ(m.statistics.hits, plain.statistics.hits);
}

TEST(CommandWorkingSets, ErrorsNameFileLineAndColumn) {
  EXPECT_THAT(refused_in_run({"store loop 1\n", "wait 1us\n  swap-in  lop\n"}, 1),
              AllOf(StartsWith("pe1.txt:2:12: no file stores a working set 'lop'"),
                    HasSubstr("Did you mean 'loop'?")));
  EXPECT_THAT(refused_in_run({"preload x\n", ""}, 0),
              AllOf(StartsWith("pe0.txt:1:9: no file stores"), HasSubstr("Write: store x DEST...")));
  EXPECT_THAT(
      refused_in_run({"", "store x 0\nstore x 2 3\n", "", ""}, 2),
      AllOf(StartsWith("pe1.txt:2:11: no room for 1 to 3 in working set 'x': PE 1 already sends to as many"),
            HasSubstr("slots, 2"), HasSubstr("larger --preload")));
  EXPECT_THAT(refused_in_run({"store x 2\n", "store x 2\n", ""}, 1),
              StartsWith("pe1.txt:1:9: no room for 1 to 2 in working set 'x': PE 2 already receives from"));
  // Any set with at most as many connections per port as there are slots fits, in any order (Konig).
  EXPECT_EQ(run(of({"store x 1 2", "store x 2 0", "store x 0 1"}), 2, 2).messages, 0u);
}

// With random swaps all messages arrive once and in order, which every run checks, and runs are reproducible.
TEST(CommandWorkingSets, RandomSwapsLoseNoMessage) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    std::vector<std::string> texts(kPes);
    for (Port pe = 0; pe < kPes; ++pe) {
      std::string& text = texts[pe];
      for (std::uint32_t r = 1; r < kPes; ++r)
        text += "store s" + std::to_string(r) + " " + std::to_string((pe + r) % kPes) + "\n";
      int depth = 0;
      for (std::uint64_t n = random.below(30); n > 0; --n) {
        const std::uint64_t what = random.below(8);
        const std::string name = "s" + std::to_string(1 + random.below(kPes - 1)) + "\n";
        if (what == 0) ++depth, text += "swap-in " + name;
        if (what == 1 && depth > 0) --depth, text += "swap-out\n";
        if (what == 2 && depth == 0) text += "preload " + name;
        if (what == 3) text += "flush\n";
        if (what == 4) text += "wait " + std::to_string(random.below(900)) + "ns\n";
        if (what > 4)
          text += "send " + std::to_string((pe + 1 + random.below(kPes - 1)) % kPes) + " " +
                  std::to_string(random.below(300)) + "\n";
      }
    }
    SwitchParameters p;
    p.nodes = kPes;
    p.technique = seed % 2 == 0 ? "tdm" : "hybrid";
    p.slots = 2;
    p.preload = 1;
    const auto files = of(texts);
    const CommandResult result = run_commands(p, files), again = run_commands(p, files);
    for (Port pe = 0; pe < kPes; ++pe)
      EXPECT_EQ(record_text(files[pe], result.pes[pe]), record_text(files[pe], again.pes[pe]));
  }
}

}  // namespace
}  // namespace hybrid
