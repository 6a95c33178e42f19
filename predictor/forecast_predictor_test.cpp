#include "predictor/forecast_predictor.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::list;

// Expects the given destinations.
class FixedForecaster final : public Forecaster {
 public:
  explicit FixedForecaster(const std::vector<Expected>& expected) : expected_(expected) {}
  void learn(Port, std::uint8_t, std::uint64_t) override {}
  std::size_t expect(std::span<Expected> out) override {
    const std::size_t count = std::min(out.size(), expected_.size());
    std::copy_n(expected_.begin(), count, out.begin());
    return count;
  }
  void forget_position() override {}
  std::size_t state_bytes() const override { return 100; }

 private:
  const std::vector<Expected>& expected_;
};

TEST(ForecastPredictor, HoldsTheDestinationTheExpectedAndTheLastUsedOnes) {
  std::vector<Expected> expected{{5, 255, 1}, {5, 255, 2}, {6, 100, 3}};
  ForecastPredictor p("fixed", {.destinations = 8, .capacity = 3},
                      std::make_unique<FixedForecaster>(expected));
  EXPECT_EQ(list(p.on_send({}, 1, 8, 0).request), (std::vector<Port>{1, 5, 6}));
  expected = {{2, 255, 1}};
  // 6 was the farthest one in the last forecast.
  expect_decisions(p, {{0, 1, {6}, {2}}, {0, 3, {5}, {3}}});
  EXPECT_TRUE(p.holds(3) && p.holds(2) && p.holds(1));
}

TEST(ForecastPredictor, RespectsAheadAndTheLeastConfidence) {
  const std::vector<Expected> expected{{5, 90, 1}, {6, 200, 2}, {7, 255, 3}};
  ForecastPredictor two("fixed", {.destinations = 8, .ahead = 2},
                        std::make_unique<FixedForecaster>(expected));
  EXPECT_EQ(list(two.on_send({}, 1, 8, 0).request), (std::vector<Port>{1, 5, 6}));
  ForecastPredictor sure("fixed", {.destinations = 8, .least_confidence = 200},
                         std::make_unique<FixedForecaster>(expected));
  EXPECT_EQ(list(sure.on_send({}, 1, 8, 0).request), (std::vector<Port>{1, 6, 7}));
}

TEST(ForecastPredictor, ExpectsTimesAndSizes) {
  const std::vector<Expected> expected{{5, 90, 1}, {6, 200, 3}};
  ForecastPredictor p("fixed", {.destinations = 8}, std::make_unique<FixedForecaster>(expected));
  std::array<Predictor::Expectation, 4> out;
  EXPECT_EQ(p.expect(out), 0u) << "before the first send";
  p.on_send(nanoseconds(80), 5, 1'000, 0);
  ASSERT_EQ(p.expect(out), 2u);
  EXPECT_EQ(out[0].at, nanoseconds(80)) << "the time between sends is unknown";
  p.on_send(nanoseconds(160), 6, 0, 0);  // the mean changes by an eighth of the difference, from 0 to 10 ns
  ASSERT_EQ(p.expect(out), 2u);
  EXPECT_EQ(out[0].destination, 5u);
  EXPECT_EQ(out[0].confidence, 90);
  EXPECT_EQ(out[0].size_class, 10);
  EXPECT_EQ(out[0].at, nanoseconds(170));
  EXPECT_EQ(out[1].size_class, 0);
  EXPECT_EQ(out[1].sends, 3);
  EXPECT_EQ(out[1].at, nanoseconds(190));
  EXPECT_EQ(p.expect({out.data(), 1}), 1u);
  p.on_flush();
  EXPECT_EQ(p.expect(out), 0u);
}

TEST(ForecastPredictor, RejectsAnInvalidNumberAhead) {
  const std::vector<Expected> expected;
  for (std::uint32_t ahead : {0u, 9u}) try {
      ForecastPredictor("fixed", {.destinations = 8, .ahead = ahead},
                        std::make_unique<FixedForecaster>(expected));
      FAIL();
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("fixed"), std::string::npos);
    }
}

}  // namespace
}  // namespace hybrid
