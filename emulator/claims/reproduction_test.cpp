#include "emulator/claims/reproduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace hybrid {
namespace {

/// A claim that ran on the dissertation's model, ours and a reading; `second` holds as given.
Reproduced reproduced(bool by_the_text, const std::string& impossible, bool under_reading) {
  const auto run = [&](const ClaimModel& model, bool second) {
    Reproduced::Run r{model, {}};
    r.result.checks = {{"first", true, "at 1: 0.5"},
                       {"second", second, "at 1 of 2 points, 2: 0.25", second ? "" : impossible}};
    r.result.explanation = {"A reason.", model.name + "'s reason.", "Another one."};
    r.result.choices = {"an assumption"};
    r.result.figures = {{"example", "", "x", "y", Figure::Scale::linear, {1}, {{"curve", {1}}}}};
    return r;
  };
  return {"C5",
          "grids",
          "D 4.6.1",
          {run(dissertation_model(), by_the_text), run(our_model(), false),
           run(reading("--demand-guard off", "Nothing is said.", {}), under_reading)}};
}

TEST(Verdict, IsThatOfTheDissertationsModelOrOfAReading) {
  EXPECT_EQ(verdict_of(reproduced(true, "", false)).text, "holds");
  const ClaimVerdict under = verdict_of(reproduced(false, "", true));
  EXPECT_EQ(under.verdict, ClaimOutcome::under_reading);
  EXPECT_EQ(under.run, 2u);
  EXPECT_EQ(under.text, "holds under --demand-guard off");
  EXPECT_EQ(verdict_of(reproduced(false, "A bound.", false)).text, "cannot hold (1 of 2 statements)");
  Reproduced but = reproduced(false, "A bound.", false);  // the reading satisfies all that it can
  but.runs[2].result.checks.push_back({"third", true, ""});
  but.runs[0].result.checks.push_back({"third", false, ""});
  EXPECT_EQ(verdict_of(but).text,
            "holds under --demand-guard off but for what cannot hold (1 of 3 statements)");
  but.runs[0].result.checks[1].impossible.clear();
  EXPECT_EQ(verdict_of(but).text, "does not hold (2 of 3 statements)")
      << "what only the reading makes impossible";
  EXPECT_EQ(verdict_of(reproduced(false, "", false)).text, "does not hold (1 of 2 statements)");
}

TEST(ReproductionPage, ShowsEveryModelAndTheFiguresOfTheStatementsThatFail) {
  const std::string page = reproduction_page({reproduced(false, "A bound.", true)}, "pictures", "hybrid x");
  EXPECT_THAT(page, testing::HasSubstr("\n| [C5](#c5) | grids | holds under --demand-guard off | no |\n"));
  EXPECT_THAT(page,
              testing::HasSubstr(
                  "\n| D 4.6.1 | dissertation | ours | --demand-guard off |\n"
                  "|---|---|---|---|\n"
                  "| first | yes | yes | yes |\n| second | **impossible (1)** at 1 of 2 points, 2: 0.25 | "
                  "**impossible (1)** | yes |\n\nImpossible:\n\n1. A bound.\n"));
  EXPECT_THAT(page, testing::HasSubstr("\nReading `--demand-guard off`: Nothing is said.\n"));
  EXPECT_THAT(page, testing::HasSubstr("\nReasons:\n\n- A reason. Another one.\n"
                                       "- dissertation: dissertation's reason.\n- ours: ours's reason.\n"));
  EXPECT_THAT(page, testing::HasSubstr("\nAssumptions:\n\n- an assumption\n"));
  for (const char* picture : {"example", "example-dissertation", "example-demand-guard-off"})
    EXPECT_THAT(page, testing::HasSubstr(std::string("(pictures/") + picture + ".svg)"));
}

TEST(ReproductionPage, HasTheValuesOfTheDissertationsModel) {
  const std::string page = reproduction_page({reproduced(false, "", false)}, "pictures", "hybrid x");
  EXPECT_THAT(page,
              testing::HasSubstr("\n| second | **no** at 1 of 2 points, 2: 0.25 | **no** | **no** |\n"));
  Reproduced lead = reproduced(false, "", true);
  lead.runs[0].result.checks[1].figures = "lead 1";
  lead.runs[2].model.contradicts = true;
  const std::string other = reproduction_page({lead}, "pictures", "hybrid x");
  EXPECT_THAT(other, testing::HasSubstr("\n| second | **no**: lead 1 | **no** | yes |\n"));
  EXPECT_THAT(other,
              testing::HasSubstr("\nReading `--demand-guard off`, against the text: Nothing is said.\n"));
}

TEST(ReproductionPage, ListsWhatHoldsEverywhere) {
  Reproduced r{"C11", "", "D 6.6", {{{}, {}}}};
  r.runs[0].result.checks = {{"first", true, "1"}, {"second", true, "2"}};
  EXPECT_THAT(reproduction_page({r}, "pictures", "hybrid x"),
              testing::HasSubstr("\nD 6.6, holds:\n\n- first\n- second\n"));
  r.runs.push_back(r.runs[0]);
  EXPECT_THAT(reproduction_page({r}, "pictures", "hybrid x"),
              testing::HasSubstr("\nD 6.6, holds on both models:\n\n- first\n- second\n"));
}

TEST(ReproductionPage, HasTheAssumptionsOfSeveralClaimsOnce) {
  const auto claim = [](const std::string& name, std::vector<std::string> choices) {
    Reproduced r{name, "", "", {{{}, {}}}};
    r.runs[0].result.choices = std::move(choices);
    return r;
  };
  const std::string page =
      reproduction_page({claim("C1", {"of all"}), claim("C2", {"of all", "of C2"}), claim("C3", {"of C3"})},
                        "pictures", "hybrid x");
  EXPECT_THAT(page, testing::HasSubstr("\n## Shared assumptions\n\n[C1](#c1), [C2](#c2):\n\n- of all\n"));
  EXPECT_THAT(page, testing::HasSubstr("\nAssumptions: the [shared ones](#shared-assumptions).\n"));
  EXPECT_THAT(page, testing::HasSubstr(
                        "\nAssumptions, besides the [shared ones](#shared-assumptions):\n\n- of C2\n"));
  EXPECT_THAT(page, testing::HasSubstr("\nAssumptions:\n\n- of C3\n"));
  EXPECT_EQ(page.find("- of all"), page.rfind("- of all"));
}

}  // namespace
}  // namespace hybrid
