// While there are more ranks than cores an empty poll of MPI gives up the core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

constexpr int kPolls = 500;  // polling.c

// How often the shim yielded during the empty polls with each of the functions.
std::map<std::string, int> yields_of(int ranks, const std::string& setting) {
  const RecordedRun run(ranks, {program("shim_polling")},
                        {{"LD_PRELOAD", preload_library() + ":" + program("libshim_yield_counter.so")},
                         {"HYBRID_YIELD", setting}});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  std::map<std::string, int> yields;
  std::istringstream text(run.outcome().out);
  std::string function, word;
  for (int empty = 0, count = 0; text >> function >> empty >> word >> count >> word;) {
    EXPECT_EQ(empty, kPolls) << function;
    yields[function] = count;
  }
  return yields;
}

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Pair;

// A poll that the program finds empty may have moved something inside of MPI.
constexpr int kMost = kPolls - 20;

TEST(Yield, EveryEmptyPollGivesUpTheCoreWhileThereAreTooFewCores) {
  EXPECT_THAT(yields_of(2, "auto"), ElementsAre(Pair("MPI_Iprobe", Ge(kMost)), Pair("MPI_Test", Ge(kMost))));
}

TEST(Yield, NoPollGivesItUpWhereThereAreEnough) {
  EXPECT_THAT(yields_of(1, "auto"), ElementsAre(Pair("MPI_Test", 0)));
}

TEST(Yield, TheOptionDecidesEitherWay) {
  EXPECT_THAT(yields_of(2, "off"), ElementsAre(Pair("MPI_Iprobe", 0), Pair("MPI_Test", 0)));
  EXPECT_THAT(yields_of(1, "on"), ElementsAre(Pair("MPI_Test", Ge(kMost))));
}

TEST(Yield, IsSaidAndCanBeSwitchedOff) {
  const RecordedRun off(4, {program("shim_same_transfers")}, {{"HYBRID_YIELD", "off"}});
  EXPECT_EQ(off.definitions(0).properties.at("yield"), "no");
  const RecordedRun on(4, {program("shim_same_transfers")}, {{"HYBRID_YIELD", "on"}});
  EXPECT_EQ(on.definitions(0).properties.at("yield"), "yes");
  EXPECT_EQ(on.transfers(1), off.transfers(1));
}

}  // namespace
}  // namespace hybrid::shim::testing
