// All algorithms that fit working sets into slots: the slot fitters, and the one-slot schedulers slot by
// slot.
#include "emulator/scheduler/slot_fitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/schedule_check.h"
#include "emulator/scheduler/slot_by_slot.h"

namespace hybrid {
namespace {

struct NamedFitter {
  std::string name;
  std::unique_ptr<SlotFitter> fitter;
};

std::vector<NamedFitter> all_fitters() {
  std::vector<NamedFitter> all;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
    const auto algorithm = SchedulerRegistration::make(name);
    if (auto fitter = algorithm->slot_fitter()) all.push_back({std::string(name), std::move(fitter)});
    if (!is_hardware(name) && algorithm->schedules_one_slot())
      all.push_back(
          {std::string(name) + ", slot by slot", std::make_unique<SlotBySlot>([name](std::uint32_t n) {
             return make_one_slot_scheduler(name, {n});
           })});
  }
  return all;
}

std::unique_ptr<SlotFitter> fitter(std::string_view name) {
  return SchedulerRegistration::make(name)->slot_fitter();
}

RequestSet random_set(std::uint32_t most_ports, Random& random) {
  RequestSet set{static_cast<std::uint32_t>(2 + random.below(most_ports - 1)), {}};
  const std::uint64_t all = std::uint64_t{set.ports} * (set.ports - 1);
  const std::uint64_t count = random.below(3) == 0
                                  ? random.below(all + 1)
                                  : random.below(std::min(all, 3 * std::uint64_t{set.ports}) + 1);
  for (const std::uint64_t i : draw_distinct(count, all, random))
    set.requests.push_back({connection_at(i, set.ports), random.below(100)});
  return set;
}

/// Returns preloaded slots: some of the requests, and connections that are not requested.
std::vector<Configuration> random_fixed(const RequestSet& set, Random& random) {
  std::vector<Configuration> fixed(random.below(4), Configuration(set.ports));
  for (Configuration& slot : fixed)
    for (std::uint32_t k = 0; k < set.ports; ++k) {
      if (!set.requests.empty() && random.below(2) == 0)
        slot.add(set.requests[random.below(set.requests.size())].connection);
      else
        slot.add(connection_at(random.below(std::uint64_t{set.ports} * (set.ports - 1)), set.ports));
    }
  return fixed;
}

Bytes served(const RequestSet& set, const SlotFit& fit) {
  Bytes bytes = 0;
  for (std::size_t i = 0; i < set.requests.size(); ++i)
    if (fit.slot_of[i] != kNoSlot) bytes += std::max<Bytes>(set.requests[i].bytes, 1);
  return bytes;
}

TEST(SlotFitter, SomeAreRegistered) { EXPECT_FALSE(all_fitters().empty()); }

TEST(SlotFitter, EveryFitIsValid) {
  for (const NamedFitter& f : all_fitters())
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
      Random random(seed);
      const RequestSet set = random_set(seed % 10 == 0 ? 150 : 24, random);
      const std::vector<Configuration> fixed = random_fixed(set, random);
      const auto slots = static_cast<std::uint32_t>(
          random.below(2) == 0 ? 0 : std::max<std::uint64_t>(1, fixed.size() + random.below(6)));
      const SlotProblem problem{set, slots, fixed};
      const SlotFit fit = f.fitter->fit(problem);
      ASSERT_EQ(fault_of(problem, fit), "") << f.name << " seed " << seed;
      ASSERT_EQ(f.fitter->fit(problem).slot_of, fit.slot_of) << f.name << " seed " << seed;
    }
}

TEST(SlotFitter, EveryFamilyOfRequestSets) {
  for (const std::string_view family : registered_names(RequestFamily::kKind))
    for (const NamedFitter& f : all_fitters())
      for (const std::uint32_t slots : {0U, 1U, 3U}) {
        Random random(1);
        const RequestSet set = RequestFamilyRegistration::make(family, RequestSetShape{20, 4})->draw(random);
        const SlotProblem problem{set, slots, {}};
        ASSERT_EQ(fault_of(problem, f.fitter->fit(problem)), "") << f.name << " on " << family;
      }
}

TEST(SlotFitter, NoRequestsUseNoSlots) {
  const RequestSet none{4, {}};
  for (const NamedFitter& f : all_fitters()) {
    EXPECT_EQ(f.fitter->fit({none, 0, {}}).slots, 0u) << f.name;
    EXPECT_EQ(f.fitter->fit({none, 3, {}}).slots, 0u) << f.name;
  }
}

TEST(SlotFitter, MoreFixedSlotsThanSlotsAreRefused) {
  const RequestSet set{4, {{{0, 1}, 1}}};
  const std::vector<Configuration> fixed(3, Configuration(4));
  for (const NamedFitter& f : all_fitters())
    EXPECT_THROW(f.fitter->fit({set, 2, fixed}), UserError) << f.name;
}

TEST(FirstFit, TakesTheFirstSlotWithBothPortsFree) {
  // 0 -> 1 and 2 -> 3 share slot 0; 0 -> 3 conflicts with both and goes to slot 1; 2 -> 1 also fits into slot
  // 1; 4 -> 1 needs slot 2.
  const RequestSet set{5, {{{0, 1}, 0}, {{2, 3}, 0}, {{0, 3}, 0}, {{2, 1}, 0}, {{4, 1}, 0}}};
  EXPECT_EQ(fitter("first-fit")->fit({set, 0, {}}).slot_of, (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(fitter("first-fit")->fit({set, 2, {}}).slot_of,
            (std::vector<std::uint32_t>{0, 0, 1, 1, kNoSlot}));
}

TEST(FirstFit, MayNeedMoreSlotsThanTheMaximumDegree) {
  // The maximum degree is 2: {4 -> 0, 3 -> 4} and {3 -> 0, 2 -> 4}. In this order 4 -> 0 and 2 -> 4 share
  // slot 0, 3 -> 0 goes to slot 1, and for 3 -> 4 output 4 is busy in slot 0 and input 3 in slot 1.
  const RequestSet set{5, {{{4, 0}, 0}, {{3, 0}, 0}, {{2, 4}, 0}, {{3, 4}, 0}}};
  EXPECT_EQ(fitter("first-fit")->fit({set, 0, {}}).slot_of, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(fitter("edge-colouring")->fit({set, 0, {}}).slots, 2u);
}

TEST(FirstFit, NeverMoreThanTwiceTheDegreeMinusOne) {
  std::uint32_t more = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const RequestSet set = random_set(40, random);
    if (set.requests.empty()) continue;
    std::vector<Connection> connections;
    for (const Request& r : set.requests) connections.push_back(r.connection);
    const std::uint32_t degree = maximum_degree(connections, set.ports);
    const std::uint32_t slots = fitter("first-fit")->fit({set, 0, {}}).slots;
    ASSERT_GE(slots, degree);
    ASSERT_LE(slots, 2 * degree - 1);
    if (slots > degree) ++more;
  }
  EXPECT_GT(more, 0u) << "first fit is not exact, or the sets are too easy";
}

TEST(EdgeColouringFitter, UsesAsManySlotsAsTheMaximumDegree) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const RequestSet set = random_set(60, random);
    std::vector<Connection> connections;
    for (const Request& r : set.requests) connections.push_back(r.connection);
    const SlotFit fit = fitter("edge-colouring")->fit({set, 0, {}});
    std::set<std::uint32_t> used(fit.slot_of.begin(), fit.slot_of.end());
    std::vector<std::size_t> degree(2 * set.ports);
    for (const Connection& c : connections) {
      ++degree[c.source];
      ++degree[set.ports + c.destination];
    }
    ASSERT_EQ(used.size(), *std::max_element(degree.begin(), degree.end()));
    ASSERT_EQ(fit.slots, used.size());
    ASSERT_FALSE(used.contains(kNoSlot));
  }
}

/// Returns the most bytes that k slots serve, by trying every subset that has no port more than k times; such
/// a subset fits (Konig).
Bytes most_bytes(const RequestSet& set, std::uint32_t k) {
  Bytes best = 0;
  for (std::uint32_t subset = 0; subset < std::uint32_t{1} << set.requests.size(); ++subset) {
    std::vector<std::uint32_t> out(set.ports), in(set.ports);
    Bytes bytes = 0;
    bool fits = true;
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      if ((subset >> i & 1) != 0) {
        const Connection c = set.requests[i].connection;
        fits = fits && ++out[c.source] <= k && ++in[c.destination] <= k;
        bytes += std::max<Bytes>(set.requests[i].bytes, 1);
      }
    if (fits) best = std::max(best, bytes);
  }
  return best;
}

TEST(EdgeColouringFitter, ServesTheMostBytesInKSlots) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    RequestSet set = random_set(5, random);
    set.requests.resize(std::min<std::size_t>(set.requests.size(), 12));
    for (std::uint32_t k = 1; k <= 3; ++k)
      ASSERT_EQ(served(set, fitter("edge-colouring")->fit({set, k, {}})), most_bytes(set, k))
          << "seed " << seed << " K " << k;
  }
}

TEST(EdgeColouringFitter, WithFixedSlotsServesTheMostBytesToo) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    RequestSet set = random_set(5, random);
    set.requests.resize(std::min<std::size_t>(set.requests.size(), 12));
    const std::vector<Configuration> fixed = random_fixed(set, random);
    const auto k = static_cast<std::uint32_t>(1 + random.below(2));
    Bytes granted = 0;
    RequestSet rest{set.ports, {}};
    for (const Request& r : set.requests) {
      const bool held = std::any_of(fixed.begin(), fixed.end(),
                                    [&](const Configuration& f) { return f.holds(r.connection); });
      if (held)
        granted += std::max<Bytes>(r.bytes, 1);
      else
        rest.requests.push_back(r);
    }
    const SlotProblem problem{set, static_cast<std::uint32_t>(fixed.size()) + k, fixed};
    ASSERT_EQ(served(set, fitter("edge-colouring")->fit(problem)), granted + most_bytes(rest, k)) << seed;
  }
}

TEST(EdgeColouringFitter, NoOtherFitterServesMore) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const RequestSet set = random_set(50, random);
    for (const std::uint32_t k : {1U, 2U, 5U}) {
      const Bytes best = served(set, fitter("edge-colouring")->fit({set, k, {}}));
      for (const NamedFitter& f : all_fitters())
        ASSERT_LE(served(set, f.fitter->fit({set, k, {}})), best) << f.name << " seed " << seed;
    }
  }
}

TEST(EdgeColouringFitter, NightlyAThousandPorts) {
  for (const double density : {8.0, 100.0, 700.0, 1023.0}) {
    Random random(1);
    RequestSetShape shape{1024, density};
    shape.random_sizes = true;
    const RequestSet set = RequestFamilyRegistration::make("random", shape)->draw(random);
    std::vector<Connection> connections;
    for (const Request& r : set.requests) connections.push_back(r.connection);
    const std::uint32_t degree = maximum_degree(connections, set.ports);
    const SlotProblem all{set, 0, {}}, some{set, degree / 3, {}};
    const SlotFit fit = fitter("edge-colouring")->fit(all);
    EXPECT_EQ(fault_of(all, fit), "");
    EXPECT_EQ(fit.slots, degree);
    const SlotFit best = fitter("edge-colouring")->fit(some);
    EXPECT_EQ(fault_of(some, best), "");
    EXPECT_GE(served(set, best), served(set, fitter("first-fit")->fit(some)));
  }
}

TEST(SlotBySlot, FillsASlotBeforeTheNext) {
  // Every slot is maximal: no request of a later slot fits into it.
  SlotBySlot greedy([](std::uint32_t n) { return make_one_slot_scheduler("greedy", {n}); });
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const RequestSet set = random_set(30, random);
    const SlotFit fit = greedy.fit({set, 0, {}});
    std::vector<Configuration> slots(fit.slots, Configuration(set.ports));
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      ASSERT_TRUE(slots[fit.slot_of[i]].add(set.requests[i].connection));
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      for (std::uint32_t s = 0; s < fit.slot_of[i]; ++s)
        ASSERT_FALSE(slots[s].fits(set.requests[i].connection)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hybrid
