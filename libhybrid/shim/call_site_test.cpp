// The place of the call as what a predictor goes by (D 2.1.2), in a program without hints.
#include <gtest/gtest.h>

#include <string>

#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

double hit_rate(const char* predictor) {
  const RecordedRun run(
      7, {program("shim_call_sites")},
      {{"HYBRID_ONLINE_PREDICTOR", predictor}, {"HYBRID_SLOTS", "2"}, {"HYBRID_LIVE", "off"}});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto properties = run.definitions(0).properties;
  EXPECT_EQ(properties.at("predicted_sends"), "1800");
  return std::stod(properties.at("predicted_hits")) / 1800;
}

TEST(CallSite, TellsWhatComesNext) {
  // The first of six messages, by which a place is told, may come as a surprise.
  EXPECT_GT(hit_rate("tagging"), 0.75);
  EXPECT_LT(hit_rate("markov1"), 0.6);
}

}  // namespace
}  // namespace hybrid::shim::testing
