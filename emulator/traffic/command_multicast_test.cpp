// Hardware multicasts use separate links; they do not count as load of the switch's links.
#include "emulator/traffic/command_multicast.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.h"
#include "emulator/traffic/command_run.h"

namespace hybrid {
namespace {

std::vector<CommandFile> files_of_all(const std::vector<std::string>& texts) {
  std::vector<CommandFile> all(texts.size());
  for (std::size_t pe = 0; pe < texts.size(); ++pe) {
    const std::string name = "pe" + std::to_string(pe) + ".txt";
    all[pe] = {name, parse_commands(texts[pe], name, static_cast<Port>(pe),
                                    static_cast<std::uint32_t>(texts.size()))};
  }
  return all;
}

Measures measures(const SwitchParameters& p, const std::vector<CommandFile>& all, bool hardware = true) {
  return run_commands(p, all, {}, {.hardware_multicast = hardware}).measures;
}

TEST(CommandMulticast, CopiesAreNotOnTheLinksOfTheSwitch) {
  SwitchParameters p;
  p.technique = "circuit";
  p.nodes = 8;
  std::vector<std::string> texts{"broadcast 1M\nsend 1 1M\n"};
  for (int pe = 1; pe < 8; ++pe) texts.push_back("send " + std::to_string((pe + 1) % 8) + " 1M\n");
  const Measures m = measures(p, files_of_all(texts));
  EXPECT_EQ(m.messages, 8u);
  EXPECT_EQ(m.bytes, 8u << 20);
  EXPECT_EQ(m.multicast, (MulticastCopies{7, 7u << 20}));
  EXPECT_EQ(m.latency.count(), 15u) << "copies count in the latencies";
  EXPECT_GT(m.utilisation, 0.4);
  EXPECT_LE(m.utilisation, 1);
  EXPECT_LE(m.out_utilisation().largest, 1);
  EXPECT_LE(m.in_utilisation().largest, 1);
  EXPECT_EQ(measures(p, files_of_all(texts), false).multicast, std::nullopt);
}

TEST(CommandMulticast, NoProgramUsesTheLinksBeyondTheirRate) {
  for (const char* technique : {"wormhole", "packet", "circuit", "tdm", "hybrid", "wave", "coll", "chen-liu"})
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Random random(seed);
      SwitchParameters p;
      p.technique = technique;
      p.nodes = 2 + static_cast<std::uint32_t>(random.below(9));
      if (random.below(2) == 0)
        p.word_generation = picoseconds(1 + static_cast<std::int64_t>(random.below(12'000)));
      Bytes sent = 0, copied = 0;
      std::vector<std::string> texts(p.nodes);
      for (int command = 0; command < 12; ++command) {
        const Port pe = static_cast<Port>(random.below(p.nodes));
        const Bytes bytes = random.below(random.below(2) == 0 ? 20 : 20'000);
        const bool broadcast = command == 0 || random.below(3) == 0;
        if (broadcast) {
          copied += bytes * (p.nodes - 1);
          texts[pe] += "broadcast " + std::to_string(bytes) + "\n";
        } else {
          sent += bytes;
          texts[pe] += "send " + std::to_string((pe + 1 + random.below(p.nodes - 1)) % p.nodes) + " " +
                       std::to_string(bytes) + "\n";
        }
      }
      const Measures m = measures(p, files_of_all(texts));
      EXPECT_EQ(m.bytes, sent) << technique << ", seed " << seed;
      EXPECT_EQ(m.multicast->bytes, copied);
      EXPECT_LE(m.utilisation, 1);
      EXPECT_LE(m.out_utilisation().largest, 1);
      EXPECT_LE(m.in_utilisation().largest, 1);
      EXPECT_LE(m.hit_rate, 1);
    }
}

}  // namespace
}  // namespace hybrid
