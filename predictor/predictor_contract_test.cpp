// The contract of predictor/predictor.h, for every registered predictor, on random streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "core/random.h"
#include "core/registry.h"
#include "core/testing/allocation_count.h"
#include "core/testing/random_cases.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

// A partly regular stream: cycles that change occasionally, random sends, pauses and flushes.
class Stream {
 public:
  enum class Kind { send, timer, flush, phase };
  struct Event {
    Kind kind;
    Time at;
    Port destination;
    Bytes bytes = 0;
    std::uint64_t site = 0;
  };
  Stream(std::uint64_t seed, std::uint32_t destinations) : random_(seed), destinations_(destinations) {
    new_cycle();
  }
  Event next() {
    if (random_.below(500) == 0) new_cycle();
    const auto pause = random_.below(50) == 0 ? random_.below(200'000) : random_.below(300);
    now_ += picoseconds(static_cast<std::int64_t>(pause));
    if (random_.below(700) == 0) return {Kind::flush, now_, 0};
    if (random_.below(40) == 0) return {Kind::phase, now_, static_cast<Port>(random_.below(20))};
    if (random_.below(20) == 0) return {Kind::timer, now_, 0};
    if (random_.below(10) == 0) return {Kind::send, now_, any(), random_.below(1'000'000), random_.bits()};
    const std::size_t i = position_++ % cycle_.size();
    return {Kind::send, now_, cycle_[i], Bytes{64} << i, i / 3};
  }

 private:
  Port any() { return static_cast<Port>(random_.below(destinations_)); }
  void new_cycle() {
    cycle_.clear();
    for (std::uint64_t n = 1 + random_.below(12); n > 0; --n) cycle_.push_back(any());
  }

  Random random_;
  std::uint32_t destinations_;
  std::vector<Port> cycle_;
  std::size_t position_ = 0;
  Time now_{};
};

// The stream given to a predictor that needs it in advance. It differs from the actual stream, which must not
// break the contract.
std::span<const Port> wrong_future(std::uint32_t destinations) {
  static std::map<std::uint32_t, std::vector<Port>> known;
  std::vector<Port>& future = known[destinations];
  if (future.empty()) {
    Random random(99);
    for (int i = 0; i < 3'000; ++i) future.push_back(static_cast<Port>(random.below(destinations)));
  }
  return future;
}

Predictor::Decisions decided(Predictor& predictor, const Stream::Event& event) {
  if (event.kind == Stream::Kind::phase) return predictor.on_phase(event.at, event.destination);
  if (event.kind == Stream::Kind::timer) return predictor.on_time(event.at);
  return predictor.on_send(event.at, event.destination, event.bytes, event.site);
}

class EveryPredictor : public testing::TestWithParam<std::tuple<std::string, std::uint32_t, std::uint32_t>> {
 protected:
  std::string name() const { return std::get<0>(GetParam()); }
  PredictorShape shape() const {
    return {.destinations = std::get<1>(GetParam()),
            .capacity = std::get<2>(GetParam()),
            .timeout = nanoseconds(20),
            .threshold = 9,
            .future = wrong_future(std::get<1>(GetParam()))};
  }
};

TEST_P(EveryPredictor, RequestsOnlyDestinationsNotHeldAndReleasesOnlyHeldOnes) {
  const PredictorShape shape = this->shape();
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    const auto p = PredictorRegistration::make(name(), shape);
    Stream stream(seed, shape.destinations);
    std::set<Port> held;
    std::vector<Port> reported;
    for (int i = 0; i < 5'000; ++i) {
      const auto event = stream.next();
      if (event.kind == Stream::Kind::flush) {
        p->on_flush();
        held.clear();
        for (Port d = 0; d < shape.destinations; ++d) ASSERT_FALSE(p->holds(d)) << "after a flush";
        ASSERT_EQ(p->next_deadline(), Time::never()) << "nothing is held";
        continue;
      }
      const Time due = p->next_deadline();
      const auto decisions = decided(*p, event);
      for (Port d : decisions.release) ASSERT_EQ(held.erase(d), 1u) << "released, but not held: " << d;
      for (Port d : decisions.request) {
        ASSERT_LT(d, shape.destinations);
        ASSERT_TRUE(held.insert(d).second) << "requested, but held: " << d;
        if (shape.capacity != 0) {
          ASSERT_LE(held.size(), shape.capacity);
        }
      }
      if (event.kind == Stream::Kind::timer && due > event.at) {
        ASSERT_TRUE(decisions.release.empty() && decisions.request.empty()) << "decided before its deadline";
      }
      reported.clear();
      for (Port d = 0; d < shape.destinations; ++d)
        if (p->holds(d)) reported.push_back(d);
      ASSERT_TRUE(std::equal(reported.begin(), reported.end(), held.begin(), held.end()));
      if (event.kind == Stream::Kind::send && name() != "none") {
        ASSERT_TRUE(p->holds(event.destination)) << "the destination of the send";
      }
    }
  }
}

TEST_P(EveryPredictor, DecidesTheSameForTheSameStream) {
  const auto first = PredictorRegistration::make(name(), shape());
  const auto second = PredictorRegistration::make(name(), shape());
  Stream stream(42, shape().destinations);
  for (std::uint64_t i = 0; i < random_cases(20'000); ++i) {
    const auto event = stream.next();
    if (event.kind == Stream::Kind::flush) {
      first->on_flush();
      second->on_flush();
      continue;
    }
    const auto a = decided(*first, event), b = decided(*second, event);
    ASSERT_TRUE(std::ranges::equal(a.release, b.release) && std::ranges::equal(a.request, b.request));
    ASSERT_EQ(first->next_deadline(), second->next_deadline());
  }
}

TEST_P(EveryPredictor, DoesNotAllocateAfterConstruction) {
  const auto p = PredictorRegistration::make(name(), shape());
  Stream stream(7, shape().destinations);
  std::vector<Stream::Event> events;
  for (std::uint64_t i = 0; i < random_cases(20'000); ++i) events.push_back(stream.next());
  const std::size_t before = allocation_count().calls;
  for (const auto& event : events) {
    if (event.kind == Stream::Kind::flush)
      p->on_flush();
    else
      decided(*p, event);
  }
  EXPECT_EQ(allocation_count().calls, before);
}

TEST_P(EveryPredictor, ExpectsValidDestinationsAndFutureSends) {
  const auto p = PredictorRegistration::make(name(), shape());
  Stream stream(3, shape().destinations);
  std::array<Predictor::Expectation, 16> out;
  ASSERT_EQ(p->expect(out), 0u) << "before the first send";
  for (std::uint64_t i = 0; i < random_cases(5'000); ++i) {
    const auto event = stream.next();
    if (event.kind == Stream::Kind::timer) continue;
    if (event.kind == Stream::Kind::flush) {
      p->on_flush();
      ASSERT_EQ(p->expect(out), 0u) << "after a flush";
      continue;
    }
    decided(*p, event);
    if (event.kind == Stream::Kind::phase) continue;  // the expectation is relative to the last send
    const std::size_t count = p->expect(out);
    ASSERT_LE(count, out.size());
    for (const auto& e : std::span(out).first(count)) {
      ASSERT_LT(e.destination, shape().destinations);
      ASSERT_GE(e.sends, 1);
      ASSERT_GE(e.at, event.at);
    }
    ASSERT_LE(p->expect({out.data(), 1}), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Predictors, EveryPredictor,
                         testing::Combine(testing::ValuesIn([] {
                                            std::vector<std::string> names;
                                            for (auto name : registered_names(Predictor::kKind))
                                              names.emplace_back(name);
                                            return names;
                                          }()),
                                          testing::Values(1u, 2u, 7u, 200u),
                                          testing::Values(0u, 1u, 3u, 64u)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_destinations" + std::to_string(std::get<1>(info.param)) +
                                  "_capacity" + std::to_string(std::get<2>(info.param));
                         });

TEST(Predictors, AreRegistered) {
  const auto names = registered_names(Predictor::kKind);
  EXPECT_EQ(names, (std::vector<std::string_view>{"better-cycle", "counter", "dpd", "grammar", "linear",
                                                  "lru", "markov", "markov1", "markov2", "none", "oracle",
                                                  "single-cycle", "tage", "tagging", "tdnn", "timeout",
                                                  "tournament", "working-set"}));
}

TEST(Predictors, TakeAtMost64KiBAt4096DestinationsAndReportTheirMemory) {
  for (std::string_view name : registered_names(Predictor::kKind))
    for (std::uint32_t destinations : {1u, 64u, 4096u}) {
      const PredictorShape shape{.destinations = destinations, .future = wrong_future(destinations)};
      const std::size_t before = allocation_count().bytes;
      const auto p = PredictorRegistration::make(name, shape);
      const std::size_t taken = allocation_count().bytes - before;
      EXPECT_LE(p->state_bytes(), 65'536u) << name;
      // Arrays of several pages are mapped and not counted.
      if (destinations < 4096)
        EXPECT_EQ(p->state_bytes(), taken) << name << ", " << destinations << " destinations";
      else
        EXPECT_GE(p->state_bytes(), taken) << name;
    }
}

TEST(Predictors, NoneNeverRequests) {
  const auto p = PredictorRegistration::make("none", PredictorShape{.destinations = 4});
  for (Port d : {1, 1, 2, 3, 1}) {
    const auto decisions = p->on_send({}, d, 8, 0);
    EXPECT_TRUE(decisions.request.empty() && decisions.release.empty());
    EXPECT_FALSE(p->holds(d));
  }
}

// The time-out compared with its definition: a destination is held while its last use is less than the
// time-out ago.
TEST(Timeout, FollowsItsDefinitionToThePicosecond) {
  constexpr Time kTimeout = picoseconds(1'237);
  constexpr std::uint32_t kDestinations = 40;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto p = PredictorRegistration::make(
        "timeout", PredictorShape{.destinations = kDestinations, .timeout = kTimeout});
    std::map<Port, Time> last_use;
    Time now{};
    for (int i = 0; i < 3'000; ++i) {
      const Time next_send = now + picoseconds(static_cast<std::int64_t>(random.below(400)));
      for (;;) {
        Time earliest = Time::never();
        for (const auto& [d, used] : last_use) earliest = std::min(earliest, used + kTimeout);
        ASSERT_EQ(p->next_deadline(), earliest);
        if (earliest > next_send) break;
        ASSERT_TRUE(p->on_time(earliest - picoseconds(1)).release.empty());
        std::set<Port> due;
        for (const auto& [d, used] : last_use)
          if (used + kTimeout == earliest) due.insert(d);
        std::set<Port> released;
        while (p->next_deadline() <= earliest)
          for (Port d : p->on_time(earliest).release) released.insert(d);
        ASSERT_EQ(released, due);
        for (Port d : due) last_use.erase(d);
      }
      now = next_send;
      const auto d = static_cast<Port>(random.below(kDestinations));
      const auto decisions = p->on_send(now, d, 8, 0);
      ASSERT_TRUE(decisions.release.empty());
      ASSERT_EQ(!decisions.request.empty(), !last_use.contains(d));
      last_use[d] = now;
    }
  }
}

}  // namespace
}  // namespace hybrid
