// `!hyb$` in Fortran: the result of the rewriting, and the errors of wrong directives.
#include "clang_plugin/fortran/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/hints/pattern.h"

namespace hybrid::fortran {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A program of one file.
Source source_of(const std::string& text, Form form) {
  return read_source("app.f90", text, form, {}, [](const std::string&) { return std::nullopt; });
}

/// Returns the errors of a text, each as "line:column: message".
std::vector<std::string> wrong_in(const std::string& text, Form form = Form::free) {
  std::vector<std::string> errors;
  for (const Wrong& one : rewrite(source_of(text, form)).wrong)
    errors.push_back(std::to_string(one.at.line + 1) + ":" + std::to_string(one.at.column) + ": " + one.text);
  return errors;
}

std::string rewritten(const std::string& text, Form form = Form::free) {
  const Rewritten result = rewrite(source_of(text, form));
  for (const Wrong& one : result.wrong) ADD_FAILURE() << one.text;
  return result.text;
}

TEST(FortranDirectives, KeepLineNumbers) {
  EXPECT_EQ(rewritten("a\n!hyb$ flush\nb\n"),
            "# 1 \"app.f90\"\na\n"
            "# 2 \"app.f90\"\nblock\n# 2 \"app.f90\"\ninterface\n"
            "# 2 \"app.f90\"\nsubroutine hybrid_0_flush() bind(c, name=\"__hybrid_flush\")\n"
            "# 2 \"app.f90\"\nend subroutine\n# 2 \"app.f90\"\nend interface\n"
            "# 2 \"app.f90\"\ncall hybrid_0_flush()\n# 2 \"app.f90\"\nend block\n"
            "# 3 \"app.f90\"\nb\n");
  EXPECT_TRUE(source_of("call f ! hyb$\n!hybris\n", Form::free).directives.empty()) << "no directive in it";
}

TEST(FortranDirectives, MayBeInConditionalText) {
  const std::string text = rewritten("#define A \\\n 1\n#if A\n!hyb$ flush\n#else\nx\n#endif\ny\n");
  EXPECT_THAT(text, testing::StartsWith("# 1 \"app.f90\"\n#define A \\\n 1\n#if A\n# 4 \"app.f90\"\n"));
  EXPECT_THAT(text, testing::EndsWith("#else\n# 6 \"app.f90\"\nx\n#endif\n# 8 \"app.f90\"\ny\n"));
}

TEST(FortranDirectives, MayHaveCapitalsCommentsAndContinuationLines) {
  const std::string text = rewritten(
      "  !HYB$ Phase('it''s') Pattern(mesh2d, n, & ! rows\n  !hyb$ & m) Slots(2) & \n!hyb$ PRELOAD\nx\n");
  EXPECT_THAT(text, HasSubstr("character(5), save :: hybrid_0_text_0 = 'it''s'//char(0)\n"));
  EXPECT_THAT(text, HasSubstr("call hybrid_0_begin(hybrid_0_text_0, 1_4, int(2, 8))\n"));
  EXPECT_THAT(text,
              HasSubstr("call hybrid_0_pattern(hybrid_0_text_1, 2_4, int(n, 8), int(m, 8), 0_8, 0_8)\n"));
  EXPECT_THAT(text, HasSubstr("# 4 \"app.f90\"\nx\n"));
}

TEST(FortranDirectives, InFixedFormStayInTheirColumns) {
  const std::string text = rewritten(
      "C     rank\nchyb$ phase(a_phase_whose_name_is_longer_than_what_a_line_of_this_form_can_hold_at_once)\n"
      "!hyb$& pattern(torus2d, rows * columns + rows, columns * rows + columns * rows)\n*HYB$ end\n"
      "      !hyb$ flush\n",
      Form::fixed);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_LE(line.size(), 72u) << line;
    EXPECT_TRUE(line.starts_with("#") || line.starts_with("      ") || line.starts_with("     &") ||
                line.starts_with("C     rank"))
        << line;
  }
  std::string joined = text;
  for (std::size_t at; (at = joined.find("\n     &")) != joined.npos;) joined.erase(at, 7);
  EXPECT_THAT(joined, HasSubstr("int(columns * rows + columns * rows, 8)"));
  EXPECT_THAT(joined,
              HasSubstr("'a_phase_whose_name_is_longer_than_what_a'//'_line_of_this_form_can_hold_at_once'"));
  EXPECT_EQ(form_of("a/b.F"), Form::fixed);
  EXPECT_EQ(form_of("a.for"), Form::fixed);
  EXPECT_EQ(form_of("a.f/b.F90"), Form::free);
}

TEST(FortranDirectives, RankAndSizeAreTheJobsUnlessTheProgramHasVariables) {
  const std::string directive =
      "!hyb$ phase(p) connections(rank -> mod(rank + size, job%size), hybrid_rank -> 0)\n";
  EXPECT_THAT(rewritten(directive),
              AllOf(HasSubstr("hybrid_0_connection(int(hybrid_0_rank(), 8), int(mod(hybrid_0_rank() + "
                              "hybrid_0_size(), job%size), 8))"),
                    HasSubstr("name=\"__hybrid_size\""), HasSubstr("name=\"__hybrid_rank\"")));
  // size() is a Fortran intrinsic; names in comments and strings do not count.
  EXPECT_THAT(rewritten("call MPI_Comm_rank(world, Rank, e)\n! size\nprint *, 'size', size(a)\n" + directive),
              HasSubstr("(int(rank, 8), int(mod(rank + hybrid_0_size(), job%size), 8))"));
}

TEST(FortranDirectives, MayBeConditional) {
  EXPECT_THAT(rewritten("!hyb$ phase(p) pattern(ring) condition(n > 1) flush\n"),
              AllOf(HasSubstr("call hybrid_0_end()\n# 1 \"app.f90\"\ncall hybrid_0_flush()\n"),
                    HasSubstr("if (hybrid_0_condition(merge(1_8, 0_8, n > 1)) /= 0_8) then\n# 1 \"app.f90\"\n"
                              "call hybrid_0_pattern("),
                    HasSubstr("end if\n# 1 \"app.f90\"\ncall hybrid_0_ready(hybrid_0_scope)\n")));
  EXPECT_THAT(
      rewritten("!hyb$ condition(n > 1) pattern(ring)\n"),
      AllOf(HasSubstr("then\n# 1 \"app.f90\"\ncall hybrid_0_begin("), HasSubstr("= 'if n > 1'//char(0)"),
            HasSubstr("call hybrid_0_end()\n# 1 \"app.f90\"\nend if\n")));
}

TEST(WrongFortranDirectives, AreReportedWithPlaceAndFix) {
  const std::pair<const char*, const char*> cases[] = {
      {"!hyb$", "1:6: expected phase, condition, end, flush, off or on after '!hyb$'"},
      {"  !hyb$ phse(x)", "1:9: unknown directive 'phse' of '!hyb$'; did you mean 'phase'?"},
      {"!hyb$ phase", "1:12: expected '(' after 'phase', not the end of the directive"},
      {"!hyb$ phase()", "1:13: expected the phase's name, a word or a string, not ')'"},
      {"!hyb$ phase('')", "1:13: a phase needs a name"},
      {"!hyb$ phase('x", "1:13: expected ' at the end of the string"},
      {"!hyb$ phase(x) patern(ring)", "1:16: unknown clause 'patern' of '!hyb$'; did you mean 'pattern'?"},
      {"!hyb$ phase(x) &\n!hyb$   pattern(rng)",
       "2:17: unknown pattern 'rng' of '!hyb$'; did you mean 'ring'?"},
      {"!hyb$ phase(x) pattern(quilt)", "1:24: unknown pattern 'quilt' of '!hyb$'; known: line, ring"},
      {"!hyb$ phase(x) pattern(ring", "1:28: expected ',' or ')' after the pattern's name"},
      {"!hyb$ phase(x) pattern(mesh2d, 1)", "1:32: the pattern 'mesh2d' takes 2 numbers, not 1"},
      {"!hyb$ phase(x) pattern(mesh2d, n, -2)", "1:35: the pattern 'mesh2d' takes no number below zero: -2"},
      {"!hyb$ phase(x) slots(0)", "1:22: slots: a phase has one configuration or more, not 0"},
      {"!hyb$ phase(x) slots(1, 2)", "1:21: 'slots' takes one number"},
      {"!hyb$ phase(x) slots(n", "1:23: expected ')' at the end of 'slots'"},
      {"!hyb$ phase(x) connections(1, 2)", "1:28: a connection is 'source -> destination'"},
      {"!hyb$ phase(x) preload preload", "1:24: 'preload' is given twice"},
      {"!hyb$ condition(n) slots(2)", "1:20: 'slots' is a clause of 'phase'"},
      {"!hyb$ condition(n)", "1:19: '!hyb$ condition' needs a working set: pattern(...) or connections(...)"},
      {"!hyb$ flush now", "1:13: unexpected 'now' after '!hyb$ flush'"},
      {"!hyb$ end", "1:7: '!hyb$ end' without a phase before it"},
      {"!hyb$ phase(x) &\ncall f", "1:16: expected a '!hyb$' line after the '&'"},
  };
  for (const auto& [text, words] : cases) EXPECT_THAT(wrong_in(text), ElementsAre(HasSubstr(words))) << text;
  EXPECT_THAT(wrong_in("!hyb$& preload\n", Form::fixed),
              ElementsAre("1:6: this '!hyb$' line continues no directive"));
  EXPECT_EQ(wrong_in("!hyb$ phase\n!hyb$ fluhs\n").size(), 2u) << "all of a file";
}

TEST(WrongFortranDirectives, OfAnyKindAreReportedWithinTheirFile) {
  const std::string good =
      "call f(rank, 'a', size(b))\n!hyb$ phase(\"x\") pattern(mesh2d, n, m(1, 2)) & ! c\n!hyb$ & "
      "connections(rank -> 1, "
      "size - 1 -> j%k) slots(2)\n!hyb$ condition(n > 1) pattern(ring) \n!hyb$ end\n";
  std::mt19937 random(1);  // any seed
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::string signs = "()'\"&!,->%$ \n\thyb0";
  int wrong_ones = 0;
  constexpr int kTrials = 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string text = good;
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      if (below(3) == 0)
        text.erase(at, 1 + below(5));
      else
        text[at] = signs[below(signs.size())];
    }
    const Form form = below(2) == 0 ? Form::free : Form::fixed;
    const Source source = source_of(text, form);
    const std::vector<Wrong> wrong = rewrite(source).wrong;
    for (const Wrong& one : wrong) {
      ASSERT_LT(one.at.line, source.lines.size()) << text;
      ASSERT_GE(one.at.column, 1u) << text;
      ASSERT_LE(one.at.column, source.lines[one.at.line].text.size() + 1) << text;
    }
    wrong_ones += wrong.empty() ? 0 : 1;
  }
  EXPECT_GT(wrong_ones, kTrials / 4);
  EXPECT_LT(wrong_ones, kTrials);
}

TEST(WrongFortranDirectives, OfPatternsAgreeWithTheRegistry) {
  for (const std::string_view name : registered_names(HintPattern::kKind))
    for (std::size_t count = 0; count <= 4; ++count) {
      std::string directive = "!hyb$ phase(p) pattern(" + std::string(name);
      for (std::size_t i = 0; i < count; ++i) directive += ", 0";
      bool takes = true;
      try {
        HintPatternRegistration::make(name)->complete(HintPattern::Dimensions(count, 0), 4);
      } catch (const UserError&) {
        takes = false;
      }
      EXPECT_EQ(wrong_in(directive + ")").empty(), takes) << directive;
    }
}

}  // namespace
}  // namespace hybrid::fortran
