// `hybrid predict` on the traces under examples/traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/testing/trace_commands.h"

namespace hybrid {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::vector<std::string> kPrograms{"bt", "cg", "ft", "is", "lu", "mg", "sp"};

class PredictNas : public TraceCommands {
 protected:
  void SetUp() override {
    for (const std::string& program : kPrograms) {
      unpack(program + "-16");
      traces_.push_back(program + "-16");
    }
  }
  std::string predict(std::vector<std::string> flags) const {
    std::vector<std::string> words{"predict"};
    words.insert(words.end(), traces_.begin(), traces_.end());
    words.insert(words.end(), flags.begin(), flags.end());
    return hybrid(words);
  }

  std::vector<std::string> traces_;
};

TEST_F(PredictNas, TheBestSinglePredictorReachesBeladysBoundAndTheTournamentTheBest) {
  std::map<std::pair<std::string, std::string>, double> rate;
  for (const json& one :
       json::parse(predict({"--slots", "4", "--predictors", "linear,lru,markov1,tournament", "--json", "-"})))
    rate[{one["trace"], one["predictor"]}] = one["hit_rate"];
  ASSERT_EQ(rate.size(), 5 * kPrograms.size());
  for (const std::string& trace : traces_) {
    const double best = std::max(rate.at({trace, "linear"}), rate.at({trace, "markov1"}));
    const double floor = rate.at({trace, "lru"});
    EXPECT_GE(best, 0.98 * rate.at({trace, "belady"})) << trace;
    EXPECT_GE(best, floor) << trace;
    EXPECT_GE(rate.at({trace, "tournament"}), floor) << trace;
    EXPECT_GE(rate.at({trace, "tournament"}), best - 0.005) << trace;
    EXPECT_GE(rate.at({trace, "belady"}), floor) << trace;
  }
}

TEST_F(PredictNas, PrintsATableForEachTraceAndASummary) {
  const std::string text = predict({"--slots", "2,8", "--predictors", "lru,markov1"});
  for (const std::string& trace : traces_) EXPECT_THAT(text, HasSubstr(trace + ": "));
  EXPECT_THAT(text, HasSubstr("mg-16: 10,297 messages from 16 ports; hit rate, and its cost with 2 slots"));
  EXPECT_THAT(text, HasSubstr("Summary with 2 slots"));
}

TEST_F(PredictNas, CsvIsTheSameInEveryRun) {
  const std::string csv = predict({"--predictors", "tournament,tdnn", "--csv", "-"});
  EXPECT_THAT(csv, testing::StartsWith("trace,predictor,slots,messages,hits,hit_rate,"));
  EXPECT_THAT(csv, HasSubstr("\nbt-16,belady,4,2362,"));
  EXPECT_EQ(predict({"--predictors", "tournament,tdnn", "--csv", "-"}), csv);
  EXPECT_NE(predict({"--predictors", "tournament,tdnn", "--predictor-ahead", "1", "--csv", "-"}), csv);
}

TEST(PredictCommand, RefusesTwoResultsInOneFile) {
  ChildEnd end;
  EXPECT_THAT(output_of({HYBRID_COMMAND, "predict", "trace", "--csv", "-", "--json", "-"}, end),
              HasSubstr("both to standard output"));
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(output_of({HYBRID_COMMAND, "predict", "trace", "--predictor-order", "9"}, end),
              HasSubstr("--predictor-order"));
  EXPECT_EQ(end.exit_code, 2);
}

}  // namespace
}  // namespace hybrid
