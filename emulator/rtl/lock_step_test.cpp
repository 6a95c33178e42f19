// Every scheduler `rtl:NAME` against the C++ model NAME: the same toggles in each pass, in any valid order;
// in fat trees the same paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/rtl/rtl_level_wise.h"
#include "emulator/scheduler/testing/random_passes.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/traffic/simulate.h"

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

/// Gives the toggles of a scheduler sorted, the releases first.
class Sorted final : public Scheduler {
 public:
  explicit Sorted(std::unique_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
  std::span<const Connection> pass(const SchedulingPass& in) override {
    const auto toggles = scheduler_->pass(in);
    toggles_.assign(toggles.begin(), toggles.end());
    std::ranges::sort(toggles_, {}, [&](Connection c) { return std::pair(!in.slot.holds(c), c); });
    return toggles_;
  }

 private:
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Connection> toggles_;
};

/// Makes `passes` passes on both sides. Returns the number of the first pass that differs, with a
/// description, or `passes`.
std::uint64_t first_difference(const std::string& name, const SchedulerShape& shape, std::uint64_t passes,
                               std::string& description) {
  Sorted model(make_one_slot_scheduler(model_of(name), shape)), rtl(make_one_slot_scheduler(name, shape));
  RandomPasses both(shape.ports, 1 + shape.ports % 4, model, rtl, shape.ports);
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

/// The request sets of the test below. Half h: nodes whose uppermost bit is h.
enum class Set : std::uint8_t {
  permutation,
  permutation_within_halves,
  permutation_across_halves,
  permutation_by_half,  // the sources of both halves: first those with destinations in half 0
  shared_nodes,
  few_rows,  // the same rows again and again
  few_rows_of_both_halves,
  one_half,     // all requests of half 0 to half 0
  to_one_half,  // both halves to half 0, more than the queues hold
  by_turns,     // half 0 to half 0, half 1, half 0, ...
  last
};

std::vector<Connection> request_set(Set set, Port nodes, Port width, Random& random) {
  const Port half = nodes / 2;
  const auto below = [&](Port bound) { return static_cast<Port>(random.below(bound)); };
  const auto shuffle = [&](std::span<Port> ports) {
    for (std::size_t i = ports.size(); i > 1; --i) std::swap(ports[i - 1], ports[random.below(i)]);
  };
  std::vector<Port> destinations(nodes);
  std::iota(destinations.begin(), destinations.end(), Port{0});
  const auto halves = std::span(destinations);
  std::vector<Connection> requests;
  switch (set) {
    case Set::permutation_across_halves:
    case Set::permutation_within_halves:
      if (set == Set::permutation_across_halves)
        std::rotate(halves.begin(), halves.begin() + half, halves.end());
      shuffle(halves.first(half));
      shuffle(halves.last(half));
      for (Port u = 0; u < nodes; ++u) requests.push_back({u, destinations[u]});
      break;
    case Set::permutation:
    case Set::permutation_by_half:
      shuffle(halves);
      for (Port u = 0; u < nodes; ++u) requests.push_back({u, destinations[u]});
      if (set == Set::permutation_by_half)
        std::partition(requests.begin(), requests.end(), [&](Connection c) { return c.destination < half; });
      break;
    case Set::shared_nodes:
      for (Port u = 0; u < nodes; ++u)
        if (below(3) != 0) requests.push_back({below(nodes), below(nodes)});
      break;
    case Set::few_rows:
      for (Port u = 0; u < nodes; ++u) requests.push_back({below(2 * width), below(2 * width)});
      break;
    case Set::few_rows_of_both_halves:
      for (Port u = 0; u < nodes; ++u)
        requests.push_back({below(2 * width) + below(2) * half, below(2 * width) + below(2) * half});
      break;
    case Set::one_half:
      for (Port u = 0; u < nodes; ++u) requests.push_back({below(half), below(half)});
      break;
    case Set::to_one_half:
      for (Port u = 0; u < 4 * nodes; ++u) requests.push_back({below(nodes), below(half)});
      break;
    case Set::by_turns:
      for (Port u = 0; u < nodes; ++u) requests.push_back({below(half), below(half) + u % 2 * half});
      break;
    case Set::last:
      break;
  }
  return requests;
}

/// Each link of a granted request is its own, of nodes and of switches, upward and downward.
void expect_links_of_their_own(std::span<const Connection> requests, std::span<const TreePath> paths,
                               Port width) {
  std::set<std::tuple<int, bool, Port, Port>> used;  // level, whether upward, node or switch, port
  const auto take = [&](int level, bool up, Port row, Port port) {
    EXPECT_TRUE(used.insert({level, up, row, port}).second)
        << "level " << level << (up ? ", up" : ", down") << ", row " << row << ", port " << port;
  };
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!paths[i].granted) continue;
    const auto [source, destination] = requests[i];
    const Port turn = source / width == destination / width                   ? 0
                      : source / width / width == destination / width / width ? 1
                                                                              : 2;
    ASSERT_EQ(paths[i].turn, turn) << "request " << i;
    take(-1, true, source, 0);
    take(-1, false, destination, 0);
    if (turn > 0) {
      take(0, true, source / width, paths[i].up[0]);
      take(0, false, destination / width, paths[i].up[0]);
    }
    if (turn > 1) {
      take(1, true, source / width / width * width + paths[i].up[0], paths[i].up[1]);
      take(1, false, destination / width / width * width + paths[i].up[0], paths[i].up[1]);
    }
  }
}

/// The hardware's paths are those of the model for the requests in the order in which the hardware scheduled
/// them.
void expect_paths_of_model(RtlTreeScheduler& rtl, TreeScheduler& model,
                           std::span<const Connection> requests) {
  const std::size_t count = requests.size();
  std::vector<TreePath> actual(count), expected(count);
  const std::size_t granted = rtl.schedule(requests, actual);
  ASSERT_EQ(rtl.order().size(), count);
  std::vector<int> answers(count);
  std::vector<Connection> ordered;
  for (const std::size_t i : rtl.order()) {
    ++answers.at(i);
    ordered.push_back(requests[i]);
  }
  ASSERT_EQ(answers, std::vector<int>(count, 1));
  ASSERT_EQ(granted, model.schedule(ordered, expected));
  for (std::size_t k = 0; k < count; ++k) {
    const TreePath& path = actual[rtl.order()[k]];
    ASSERT_EQ(path.granted, expected[k].granted) << "answer " << k;
    if (!path.granted) continue;
    ASSERT_EQ(path.turn, expected[k].turn) << "answer " << k;
    for (std::uint32_t h = 0; h < path.turn; ++h)
      ASSERT_EQ(path.up[h], expected[k].up[h]) << "answer " << k << ", level " << h;
  }
}

using TreeDesign = std::pair<std::string, std::uint32_t>;  // name, width

/// All schedulers `rtl:NAME` of fat trees, with each width that they have.
std::vector<TreeDesign> tree_designs() {
  std::vector<TreeDesign> designs;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
    if (!name.starts_with(kPrefix)) continue;
    const auto algorithm = SchedulerRegistration::make(name);
    if (!algorithm->schedules_fat_trees()) continue;
    designs.emplace_back(name, 4);
    for (const std::uint32_t width : {8u, 16u}) try {
        algorithm->fat_tree({3, width, width}, 1);
        designs.emplace_back(name, width);
      } catch (const UserError&) {  // wider than the block
      }
  }
  return designs;
}

class TreeLockStep : public testing::TestWithParam<TreeDesign> {};

TEST_P(TreeLockStep, GivesThePathsOfTheModel) {
  const auto& [name, width] = GetParam();
  const FatTreeShape shape{3, width, width};
  const auto model = SchedulerRegistration::make(model_of(name))->fat_tree(shape, 1);
  const auto scheduler = SchedulerRegistration::make(name)->fat_tree(shape, 1);
  auto& rtl = dynamic_cast<RtlTreeScheduler&>(*scheduler);
  const std::uint32_t nodes = width * width * width;
  Random random(width);
  for (int round = 0; round < 10; ++round)
    for (auto set = Set{}; set != Set::last; set = static_cast<Set>(static_cast<int>(set) + 1)) {
      SCOPED_TRACE("set " + std::to_string(static_cast<int>(set)) + ", round " + std::to_string(round));
      const std::vector<Connection> requests = request_set(set, nodes, width, random);
      expect_paths_of_model(rtl, *model, requests);
      if (HasFatalFailure()) return;
      if (name == "rtl:level-wise/array") {
        // 64 requests: 4 clocks in, 16 steps, 4 clocks out, whatever the requests.
        if (set == Set::permutation) {
          EXPECT_EQ(rtl.clocks(), 28);
        }
        continue;
      }
      if (name == "rtl:level-wise") {
        EXPECT_TRUE(std::ranges::is_sorted(rtl.order()));
        EXPECT_EQ(rtl.clocks(), requests.size() + 9);
        EXPECT_EQ(rtl.refused(), 0);
        continue;
      }
      if (name != "rtl:level-wise/two") continue;
      // Two requests a clock; at least one, whatever the requests.
      const bool two = set == Set::permutation || set == Set::permutation_within_halves ||
                       set == Set::permutation_across_halves;
      EXPECT_LE(rtl.clocks(), static_cast<double>(requests.size()) / (two ? 2 : 1) * 1.1 + 24);
      if (set == Set::to_one_half) {
        EXPECT_GT(rtl.refused(), 0);
      }
    }
}

TEST_P(TreeLockStep, NoLinkIsUsedTwice) {
  const auto& [name, width] = GetParam();
  const auto rtl = SchedulerRegistration::make(name)->fat_tree({3, width, width}, 1);
  Random random(width + 1);
  for (auto set = Set{}; set != Set::last; set = static_cast<Set>(static_cast<int>(set) + 1)) {
    SCOPED_TRACE("set " + std::to_string(static_cast<int>(set)));
    const std::vector<Connection> requests = request_set(set, width * width * width, width, random);
    std::vector<TreePath> paths(requests.size());
    EXPECT_GT(rtl->schedule(requests, paths), 0);
    expect_links_of_their_own(requests, paths, width);
  }
}

INSTANTIATE_TEST_SUITE_P(Rtl, TreeLockStep, testing::ValuesIn(tree_designs()), [](const auto& test) {
  std::string name = test.param.first.substr(kPrefix.size());
  std::erase_if(name, [](char c) { return c == '-' || c == '/'; });
  return name + std::to_string(test.param.second);
});

class LevelWiseSlotsLockStep : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LevelWiseSlotsLockStep, GivesThePathsOfTheModelWhileOthersAreHeld) {
  const std::uint32_t width = GetParam(), nodes = width * width * width, slots = 3;
  const FatTreeShape shape{3, width, width};
  const auto model = make_tree_route("level-wise", shape, slots, 1);
  const auto rtl = make_tree_route("rtl:level-wise", shape, slots, 1);
  std::vector<TreeCircuits> expected(slots, TreeCircuits(shape)), actual(slots, TreeCircuits(shape));
  Random random(width);
  const auto below = [&](std::uint32_t n) { return static_cast<Port>(random.below(n)); };
  std::uint32_t granted = 0, refused = 0, held = 0;
  for (int step = 0; step < 40'000; ++step) {
    const std::uint32_t slot = below(slots);
    // Three quarters of the commands in one subtree of each side: full rows.
    const Port part = below(4) == 0 ? nodes : nodes / width;
    const Connection c{below(part), static_cast<Port>((nodes - part) + below(part))};
    rtl->use_slot(slot);
    if (below(8) == 0) {
      // A circuit on a path that another scheduler found.
      TreeCircuits other = expected[slot];
      const TreePath path = other.request(c);
      if (!path.granted || expected[slot].holds(c)) continue;
      rtl->toggle(c, path);
      expected[slot].hold(c, path);
      actual[slot].hold(c, path);
      ++held;
    } else if (below(3) == 0) {
      const Port source = below(nodes), destination = expected[slot].destination_of(source);
      if (destination == kNoPort) continue;
      rtl->toggle({source, destination}, actual[slot].path_of(source));
      expected[slot].release({source, destination});
      actual[slot].release({source, destination});
    } else {
      const TreePath path = expected[slot].request(c, *model);
      const TreePath found = actual[slot].request(c, *rtl);
      ASSERT_EQ(found.granted, path.granted) << "step " << step;
      (path.granted ? granted : refused) += 1;
      if (path.granted) {
        ASSERT_EQ(found, path) << "step " << step;
      }
    }
  }
  EXPECT_GT(std::min({granted, refused, held}), 500u);
}

INSTANTIATE_TEST_SUITE_P(Trees, LevelWiseSlotsLockStep, testing::Values(4u, 8u, 16u),
                         testing::PrintToStringParamName());

TEST(LevelWiseSlotsLockStep, ASwitchWithTheHardwareGivesTheMeasuresOfTheModel) {
  for (const char* const technique : {"tdm", "hybrid"}) {
    SwitchParameters p;
    p.tree = {3, 4, 4};
    p.nodes = 64;
    p.technique = technique;
    p.preload = 1;
    TrafficOptions traffic;
    traffic.pattern = "random-mesh";
    traffic.messages = 20;
    p.scheduler_name = "level-wise";
    const Measures model = simulate(p, traffic);
    p.scheduler_name = "rtl:level-wise";
    const Measures rtl = simulate(p, traffic);
    EXPECT_GT(model.messages, 0);
    EXPECT_EQ(rtl.messages, model.messages);
    EXPECT_EQ(rtl.time, model.time) << technique;
    EXPECT_EQ(rtl.ports, model.ports) << technique;
    p.slots = 17;
    EXPECT_THROW(simulate(p, traffic), UserError);
  }
}

TEST(LockStep, ALargerSwitchIsRefused) {
  for (const char* const name : {"rtl:greedy", "rtl:matching", "rtl:matching/logic", "rtl:matching/vector"})
    EXPECT_THROW(make_one_slot_scheduler(name, {129}), UserError) << name;
  for (const char* const name : {"rtl:level-wise", "rtl:level-wise/two", "rtl:level-wise/array"})
    EXPECT_THROW(SchedulerRegistration::make(name)->fat_tree({2, 4, 4}, 1), UserError) << name;
}

}  // namespace
}  // namespace hybrid
