// The same results from every compiler and optimisation level: the deliveries of each technique, their order
// and their instants, for the seeds 0 to 199, as one number.
//
// Every build that runs this test checks the numbers: g++ at -O3, clang 19 at -O1 with sanitizers. A
// deliberate change of a technique's timing changes its number. Then change the reference in ticked_switch.h,
// too, and enter the new number here after two compilers gave it.
#include <gtest/gtest.h>

#include "core/random.h"
#include "emulator/switching/testing/random_switch.h"

namespace hybrid {
namespace {

/// FNV-1a over 64-bit values.
class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) value_ = (value_ ^ (value >> 8 * byte & 0xff)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

void add_run(Digest& digest, const SwitchParameters& p, const std::vector<Action>& script) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  const Recorder recorder = run_script(*technique, script, milliseconds(10));
  for (const std::uint64_t id : recorder.order) digest.add(id);
  for (const Outcome& o : recorder.outcomes) {
    digest.add(static_cast<std::uint64_t>(o.injected.ps));
    digest.add(static_cast<std::uint64_t>(o.delivered.ps));
    digest.add(o.hit ? 1 : 0);
  }
}

/// 70 ports of preset ch5, bounded queues, overloaded: more ports than bits of a word, many events at once.
void add_large_run(Digest& digest, const std::string& technique) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = 70;
  p.buffer = 256;
  p.predictor_timeout = microseconds(2);
  Random random(9);
  std::vector<Action> script;
  for (std::uint64_t id = 0; id < 3000; ++id) {
    const auto source = static_cast<Port>(random.below(p.nodes));
    const auto hop = 1 + random.below(random.below(4) == 0 ? p.nodes - 1 : 3);
    script.push_back({Action::What::send,
                      nanoseconds(static_cast<std::int64_t>(id)) * 2,
                      {id, {source, static_cast<Port>((source + hop) % p.nodes)}, random.below(400)},
                      0,
                      {},
                      kNoPort});
  }
  add_run(digest, p, script);
}

constexpr const char* kAllocations[] = {"none", "ses", "sla", "preempt", "adaptive"};

struct Golden {
  const char* technique;
  std::uint64_t digest;
};

class GoldenResults : public testing::TestWithParam<Golden> {};

TEST_P(GoldenResults, AreTheSameFromEveryCompiler) {
  Digest digest;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam().technique);
    p.allocation = kAllocations[seed % 5];
    p.sla_shares_time = false;
    add_run(digest, p, random_script(random, p));
  }
  add_large_run(digest, GetParam().technique);
  EXPECT_EQ(digest.value(), GetParam().digest)
      << std::hex << "technique " << GetParam().technique << ": 0x" << digest.value();
}

INSTANTIATE_TEST_SUITE_P(
    Techniques, GoldenResults,
    testing::Values(Golden{"packet", 0xecff33d80bdda681}, Golden{"wormhole", 0xee872dd13bee7fd2},
                    Golden{"circuit", 0x9a326f1d2d709cd3}, Golden{"tdm", 0x727230186ebfae9f},
                    Golden{"hybrid", 0x2df61224aa665391}, Golden{"wave", 0xb83812ee6f836c50},
                    Golden{"coll", 0x2a79ac2867fb250c}, Golden{"chen-liu", 0xff424478dd95127}),
    [](const auto& info) {
      std::string name = info.param.technique;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace hybrid
