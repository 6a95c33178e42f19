#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid::pass_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CallPlaces : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> sites(const std::string& body, const std::string& globals) {
    return describe(hints_of(c_program("me = rank;" + body, "static int me, by; " + globals), GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, CallPlaces, testing::Values("-O0 -g", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

const char kExchange[] =
    "__attribute__((noinline)) static void exchange(int more) { SEND((me + by + more) % 8); }";

TEST_P(CallPlaces, ValuesThatChangeBetweenCallsOfMainAreHintedForEachCall) {
  EXPECT_THAT(
      sites("by = atoi(argv[1]); exchange(0);\nby = atoi(argv[2]); exchange(1);", kExchange),
      ElementsAre(AllOf(HasSubstr("analysable"), HasSubstr("if main.line == ")),
                  AllOf(HasSubstr("analysable"), HasSubstr("by + 1"), HasSubstr("if main.line == "))));
  // In each iteration both places read the same value.
  EXPECT_THAT(
      sites("for (int i = 0; i < 3; ++i) { by = atoi(argv[i]); exchange(0); exchange(1); }", kExchange),
      ElementsAre(AllOf(HasSubstr("analysable"), Not(HasSubstr("main."))),
                  AllOf(HasSubstr("analysable"), Not(HasSubstr("main.")))));
  // The hint is the same for all places.
  EXPECT_THAT(sites("by = atoi(argv[1]); exchange(0);\nby = atoi(argv[2]); exchange(0);", kExchange),
              Each(AllOf(HasSubstr("analysable"), Not(HasSubstr("main.")))));
}

TEST_P(CallPlaces, TheConditionOfACallMayBeUnknown) {
  EXPECT_THAT(sites("if (rand() & 1) exchange(1); else exchange(2);",
                    "static void exchange(int more) { SEND(me + more); }"),
              ElementsAre("MPI_Send analysable rank + 1 if main.call == 2",
                          "MPI_Send analysable rank + 2 if main.call == 3"));
}

TEST_P(CallPlaces, WorkInFunctionsBetweenMainAndTheProcedure) {
  const std::string steps =
      "__attribute__((noinline)) static void steps(int turn) { by = atoi(getenv(\"BY\"));\nexchange(turn);\n"
      "by = atoi(getenv(\"MORE\"));\nexchange(turn + 1); }";
  const auto hinted = sites("steps(0);\nsteps(3);", kExchange + steps);
  EXPECT_EQ(hinted.size(), 4u);
  EXPECT_THAT(hinted,
              Each(AllOf(HasSubstr("analysable"), HasSubstr("main.line == "), HasSubstr("steps.line == "))));
}

TEST_P(CallPlaces, AreNotUsedInRecursiveFunctions) {
  const std::string steps =
      "static void steps(int turn) { by = atoi(getenv(\"BY\"));\nexchange(0);\nif (turn) steps(turn - 1);\n"
      "by = atoi(getenv(\"MORE\"));\nexchange(1); }";
  const auto hinted = sites("steps(atoi(argv[1]));", kExchange + steps);
  EXPECT_THAT(hinted, Contains(HasSubstr("dynamic")));
  EXPECT_THAT(hinted, Each(Not(HasSubstr("steps."))));
}

// Its sends are hinted only for main's call of it, and the others only for the other calls.
TEST_P(CallPlaces, WorkAroundARecursiveFunction) {
  const std::string deep =
      "static void deep(int turns) { exchange(2); if (turns) deep(turns - 1); by = turns; exchange(3); }";
  const auto hinted = sites(
      "by = atoi(argv[1]); exchange(0);\nby = 1; deep(atoi(argv[2]));\nby = atoi(argv[3]); exchange(1);",
      kExchange + deep);
  EXPECT_THAT(hinted,
              testing::IsSupersetOf({AllOf(HasSubstr("analysable (rank + by) % 8 if main.line =="))}));
  EXPECT_THAT(hinted, Contains(AllOf(HasSubstr("analysable (rank + by + 1) % 8 if main.line =="))));
}

TEST_P(CallPlaces, WorkForATailCall) {
  const std::string last =
      "__attribute__((noinline)) static int last(int more) { SEND(by + more); return more; }"
      "static int steps(int more) { by = atoi(getenv(\"BY\"));\nlast(more);\nby = atoi(getenv(\"MORE\"));\n"
      "__attribute__((musttail)) return last(more + 1); }";
  const auto hinted = sites("steps(1);", last);
  ASSERT_EQ(hinted.size(), 2u);
  EXPECT_THAT(hinted[0], AllOf(HasSubstr("analysable by + 1"), HasSubstr("steps.line == ")));
}

// main's own send comes after its calls, and is made in none of them.
TEST_P(CallPlaces, DistinguishOnlyActiveCalls) {
  const auto hinted =
      sites("if (rand() & 1) exchange(0); by = atoi(argv[1]); exchange(1); SEND(by);", kExchange);
  ASSERT_EQ(hinted.size(), 3u);
  EXPECT_EQ(hinted[2], "MPI_Send dynamic by");
}

}  // namespace
}  // namespace hybrid::pass_test
