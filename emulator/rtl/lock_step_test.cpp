// Every scheduler `rtl:NAME` against the C++ model NAME, pass by pass: the same toggles, in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/testing/random_passes.h"

namespace hybrid {
namespace {

constexpr std::string_view kPrefix = "rtl:";

std::vector<std::string> rtl_names() {
  std::vector<std::string> names;
  for (const std::string& name : one_slot_names())
    if (name.starts_with(kPrefix)) names.push_back(name);
  return names;
}

/// "greedy" of "rtl:greedy" and of "rtl:greedy/rows".
std::string model_of(const std::string& rtl) {
  return rtl.substr(kPrefix.size(), rtl.find('/') - kPrefix.size());
}

/// Makes `passes` passes on both sides. Returns the number of the first pass that differs, with a
/// description, or `passes`.
std::uint64_t first_difference(const std::string& name, const SchedulerShape& shape, std::uint64_t passes,
                               std::string& description) {
  const auto model = make_one_slot_scheduler(model_of(name), shape);
  const auto rtl = make_one_slot_scheduler(name, shape);
  RandomPasses both(shape.ports, 1 + shape.ports % 4, *model, *rtl, shape.ports);
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    if (description = both.pass(); !description.empty()) return pass;
  return passes;
}

void run_lock_step(std::uint64_t passes) {
  ASSERT_FALSE(rtl_names().empty());
  for (const std::string& name : rtl_names()) {
    const bool has_steps = uses_option(SchedulingAlgorithm::kKind, name, "scheduler-steps");
    const auto steps =
        has_steps ? std::vector<std::uint32_t>{0, 1, 3, 6, 300} : std::vector<std::uint32_t>{0};
    for (const std::uint32_t ports : {1u, 2u, 3u, 4u, 8u, 13u, 16u, 17u, 32u, 63u, 64u, 100u, 128u})
      for (const std::uint32_t step : steps) {
        SchedulerShape shape{.ports = ports, .steps = step};
        try {
          make_one_slot_scheduler(name, shape);
        } catch (const UserError&) {
          EXPECT_GT(ports, 16) << name;
          continue;  // larger than the block
        }
        const std::uint64_t share =
            std::max<std::uint64_t>(passes / steps.size() / (ports <= 16 ? 1 : ports * ports / 64), 20);
        std::string description;
        const std::uint64_t difference = first_difference(name, shape, share, description);
        if (difference == share) continue;
        // The same passes again, with a waveform that ends at the difference.
        shape.waveform = testing::TempDir() + "lock_step_" + std::to_string(ports) + ".fst";
        first_difference(name, shape, difference + 1, description);
        ADD_FAILURE() << name << ", " << ports << " ports, steps " << step << ": " << description
                      << "\nWaveform: " << shape.waveform;
      }
  }
}

TEST(LockStep, RtlEqualsTheModel) { run_lock_step(20'000); }
TEST(LockStep, NightlyRtlEqualsTheModelInTenMillionPasses) { run_lock_step(2'000'000); }

/// The request sets of one tree: permutations, and sets whose requests share nodes.
void expect_paths_of_level_wise(std::uint32_t width, int sets) {
  const FatTreeShape shape{3, width, width};
  const auto model = SchedulerRegistration::make("level-wise")->fat_tree(shape, 1);
  const auto rtl = SchedulerRegistration::make("rtl:level-wise")->fat_tree(shape, 1);
  const std::uint32_t nodes = width * width * width;
  Random random(width);
  for (int set = 0; set < sets; ++set) {
    std::vector<Port> destinations(nodes);
    std::iota(destinations.begin(), destinations.end(), Port{0});
    for (std::size_t i = nodes; i > 1; --i) std::swap(destinations[i - 1], destinations[random.below(i)]);
    std::vector<Connection> requests;
    for (Port u = 0; u < nodes; ++u) {
      if (set % 3 == 0) requests.push_back({u, destinations[u]});
      if (set % 3 == 1 && random.below(3) != 0)
        requests.push_back({static_cast<Port>(random.below(nodes)), static_cast<Port>(random.below(nodes))});
      // Few switches: the same rows again and again.
      if (set % 3 == 2)
        requests.push_back(
            {static_cast<Port>(random.below(2 * width)), static_cast<Port>(random.below(2 * width))});
    }
    std::vector<TreePath> expected(requests.size()), actual(requests.size());
    ASSERT_EQ(rtl->schedule(requests, actual), model->schedule(requests, expected)) << "set " << set;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      ASSERT_EQ(actual[i].granted, expected[i].granted) << "set " << set << ", request " << i;
      if (!expected[i].granted) continue;
      ASSERT_EQ(actual[i].turn, expected[i].turn) << "set " << set << ", request " << i;
      for (std::uint32_t h = 0; h < expected[i].turn; ++h)
        ASSERT_EQ(actual[i].up[h], expected[i].up[h])
            << "set " << set << ", request " << i << ", level " << h;
    }
  }
}

TEST(LockStep, LevelWiseGivesThePathsOfTheModel) {
  for (const std::uint32_t width : {4u, 8u, 16u}) expect_paths_of_level_wise(width, 30);
}

TEST(LockStep, ALargerSwitchIsRefused) {
  for (const char* const name : {"rtl:greedy", "rtl:matching", "rtl:matching/logic", "rtl:matching/vector"})
    EXPECT_THROW(make_one_slot_scheduler(name, {129}), UserError) << name;
  EXPECT_THROW(SchedulerRegistration::make("rtl:level-wise")->fat_tree({2, 4, 4}, 1), UserError);
}

}  // namespace
}  // namespace hybrid
