// #pragma hybrid in clang: the effect of directives, and the diagnostics of wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/error.h"
#include "core/hints/pattern.h"
#include "core/registry.h"

namespace hybrid {
namespace {

using pass_test::folder;
using pass_test::run;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string write_source(const std::string& name, const std::string& text) {
  std::ofstream(folder() + "/" + name) << text;
  return name;
}

/// Compiles a file of the test's folder to "out". Returns clang's exit code and output.
std::pair<int, std::string> clang(const std::string& options, const std::string& file) {
  const bool cpp = file.ends_with(".cpp");
  return run("cd " + folder() + " && " HYBRID_TEST_CLANG + (cpp ? " --driver-mode=g++" : "") +
             " -fplugin=" HYBRID_TEST_PLUGIN " -fplugin-arg-hybrid-no-pass -I" HYBRID_TEST_MPI " -o out " +
             options + " " + file);
}

std::string diagnostics(const std::string& directive, const std::string& options = "") {
  const auto [code, words] =
      clang(options + " -fsyntax-only", write_source("test.c", "int g(void);\nvoid f(int i, int n) {\n" +
                                                                   directive + "\n  (void)i, (void)n;\n}\n"));
  EXPECT_EQ(code != 0, words.find("error:") != std::string::npos) << words;
  return words;
}

/// The library's functions, defined in the program itself. They print the markers' calls.
const std::string kLibrary = R"x(
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
void hybrid_library_phase_begin(const char* name) { printf("begin %s\n", name); }
void hybrid_library_phase_end(void) { printf("end\n"); }
void hybrid_library_flush(void) { printf("flush\n"); }
void hybrid_library_preload(const int* ranks, int count) {
  for (int i = 0; i < count; ++i) printf("to %d\n", ranks[i]);
}
void hybrid_library_pattern(const char* pattern, int count, const long long* by) {
  printf("%s", pattern);
  for (int i = 0; i < count; ++i) printf(" %lld", by[i]);
  printf("\n");
}
/* rank 2 of 8, without MPI */
int PMPI_Initialized(int* flag) { return *flag = 1, 0; }
int PMPI_Finalized(int* flag) { return *flag = 0, 0; }
int PMPI_Comm_rank(int c, int* rank) { return *rank = c == 0x44000000 ? 2 : -1, 0; }
int PMPI_Comm_size(int c, int* size) { return *size = c == 0x44000000 ? 8 : -1, 0; }
#ifdef __cplusplus
}
#endif
)x";

/// Returns the output of a program with this body of main.
std::string output(const std::string& body, const std::string& options = "", const std::string& suffix = "c",
                   const std::string& before = "") {
  const auto [code, words] =
      clang(options + " -rdynamic -Wall -Wextra -Werror",
            write_source("program." + suffix, kLibrary + before + "int main(void) {\n" + body + "\n}\n"));
  EXPECT_EQ(code, 0) << words;
  const auto [status, printed] = run(folder() + "/out");
  EXPECT_EQ(status, 0);
  return printed;
}

TEST(Directives, APhaseLastsToTheEndOfItsBlockOnAllExits) {
  const std::string loop = R"x(
  for (int i = 0; i < 4; ++i) {
#pragma hybrid phase(turn)
    if (i == 1) continue;
    if (i == 2) break;
    printf("work\n");
  }
  {
#pragma hybrid phase("the last one")
    goto out;
  }
out:
  return 0;)x";
  const std::string expected =
      "begin turn\nwork\nend\nbegin turn\nend\nbegin turn\nend\nbegin the last one\nend\n";
  for (const char* const options : {"-O0 -std=c11", "-O2 -std=c17", "-O3 -g -std=c23"})
    EXPECT_EQ(output(loop, options), expected);
}

TEST(Directives, ANameMayHaveAnyCharacters) {
  EXPECT_EQ(output(R"x(
#pragma hybrid phase("one\n\"two\" \\ é")
  return 0;)x"),
            "begin one\n\"two\" \\ é\nend\n");
}

TEST(Directives, APhaseEndsThePreviousOneOfItsBlock) {
  EXPECT_EQ(output(R"x(
#pragma hybrid phase(a)
#pragma hybrid phase(b) flush
  {
#pragma hybrid phase(inner)
  }
#pragma hybrid end
  printf("after\n");
  return 0;)x"),
            "begin a\nend\nflush\nbegin b\nbegin inner\nend\nend\nafter\n");
}

TEST(Directives, EndInABranchEndsThePhaseOnceOnBothPaths) {
  const std::string body = R"x(
  for (volatile int i = 0; i < 2; ++i) {
#pragma hybrid phase(p)
    if (i == 0) {
#pragma hybrid end
      printf("early\n");
    }
    printf("rest\n");
  }
  return 0;)x";
  EXPECT_EQ(output(body), "begin p\nend\nearly\nrest\nbegin p\nrest\nend\n");
}

TEST(Directives, ExpressionsUseTheProgramsVariablesAndTheJobsRankAndSize) {
  EXPECT_EQ(output(R"x(
  int me = 2, n = 8;
#pragma hybrid phase(p) connections(me -> (me + 1) % n, rank -> (rank + size - 1) % size, 0 -> 1, hybrid_rank -> 7) preload slots(2)
  { int rank = 5; (void)rank;
#pragma hybrid phase(q) connections(rank - 3 -> rank)
  }
  return 0;)x"),
            "begin p\nto 3\nto 1\nto 7\nbegin q\nto 5\nend\nend\n");
}

TEST(Directives, AConditionalWorkingSetHoldsOnlyIfItsConditionDoes) {
  EXPECT_EQ(output(R"x(
  for (volatile int i = 0; i < 2; ++i) {
#pragma hybrid phase(p) condition(i == 1) pattern(mesh2d, 2, 4)
#pragma hybrid condition(i == 0) pattern(ring) connections(rank -> 6)
  }
#pragma hybrid flush
  return 0;)x"),
            "begin p\nbegin if i == 0\nring\nto 6\nend\nend\nbegin p\nmesh2d 2 4\nend\nflush\n");
}

TEST(Directives, WorkWithExceptionsLambdasAndTemplates) {
  const std::string before = R"x(
template <class T> T work(T value) {
#pragma hybrid phase(template)
  if (value > 1) throw value;
  return value;
}
struct Member { int n; int run() const {
_Pragma("hybrid phase(member)")
  return n;
}
};
)x";
  const std::string body = R"x(
  try { work(1); work(2.0); } catch (double) { printf("caught\n"); }
  const auto lambda = [] {
#pragma hybrid phase(lambda)
    return Member{3}.run();
  };
  return lambda() - 3;)x";
  const std::string expected =
      "begin template\nend\nbegin template\nend\ncaught\nbegin lambda\nbegin member\nend\nend\n";
  for (const char* const options : {"-O0 -std=c++11", "-O2 -std=c++20", "-std=c++23"})
    EXPECT_EQ(output(body, options, "cpp", before), expected);
}

TEST(Directives, HaveNoEffectWithoutTheLibrary) {
  const std::string text =
      "#include <stdio.h>\nint main(void) {\n#pragma hybrid phase(p) pattern(ring) connections(rank -> 1)\n  "
      "printf(\"fine\\n\");\n#pragma hybrid flush\n  return 0;\n}\n";
  for (const char* const options : {"", "-static", "-no-pie", "-Wl,--gc-sections -ffunction-sections"}) {
    const auto [code, words] = clang(options, write_source("alone.c", text));
    ASSERT_EQ(code, 0) << words;
    EXPECT_EQ(run(folder() + "/out"), std::pair(0, std::string("fine\n"))) << options;
  }
}

TEST(Directives, WhileMpiDoesNotRunTheJobIsOneRankAndMpiIsNotCalled) {
  const std::string use =
      "int main(void) {\n#pragma hybrid phase(p) connections(rank -> (rank + 1) % size)\n"
      "#pragma hybrid condition(rank == 0) connections(rank -> 5 / size)\n  return 0;\n}\n";
  EXPECT_EQ(clang("", write_source("no_mpi.c", use)), std::pair(0, std::string()));
  EXPECT_EQ(run(folder() + "/out"), std::pair(0, std::string()));
  for (const char* const state : {"0, 0", "1, 1"}) {
    const std::string job = "#include <stdlib.h>\nstatic int state[] = {" + std::string(state) +
                            "};\nint PMPI_Initialized(int* flag) { return *flag = state[0], 0; }\n"
                            "int PMPI_Finalized(int* flag) { return *flag = state[1], 0; }\n"
                            "int PMPI_Comm_rank(int c, int* r) { (void)c, (void)r; abort(); }\n"
                            "int PMPI_Comm_size(int c, int* s) { (void)c, (void)s; abort(); }\n";
    EXPECT_EQ(clang("-rdynamic", write_source("outside_mpi.c", job + use)), std::pair(0, std::string()));
    EXPECT_EQ(run(folder() + "/out"), std::pair(0, std::string())) << state;
  }
}

TEST(Directives, AnOpenMpPragmaMayFollow) {
  EXPECT_EQ(output("#pragma hybrid phase(p)\n#pragma omp parallel for\n  for (int i = 0; i < 1; ++i) "
                   "printf(\"work\\n\");\n"
                   "  return 0;",
                   "-fopenmp=libgomp -Wno-unused-command-line-argument"),
            "begin p\nwork\nend\n");
}

TEST(Directives, WorkInPreprocessedAndPrecompiledText) {
  const std::string file =
      write_source("kept.c", kLibrary + "int main(void) {\n#pragma hybrid phase(p)\n  return 0;\n}\n");
  EXPECT_EQ(clang("-save-temps -rdynamic", file), std::pair(0, std::string()));
  EXPECT_EQ(run(folder() + "/out").second, "begin p\nend\n");

  write_source("kept.h", "static inline void in_header(void) {\n#pragma hybrid phase(header)\n}\n");
  const std::string user = write_source(
      "user.c", kLibrary + "int main(void) { in_header();\n#pragma hybrid phase(p)\n return 0; }\n");
  ASSERT_EQ(run("cd " + folder() +
                " && " HYBRID_TEST_CLANG " -fplugin=" HYBRID_TEST_PLUGIN
                " -fplugin-arg-hybrid-no-pass -x c-header kept.h -o kept.h.pch"),
            std::pair(0, std::string()));
  EXPECT_EQ(clang("-include-pch kept.h.pch -rdynamic", user), std::pair(0, std::string()));
  EXPECT_EQ(run(folder() + "/out").second, "begin header\nend\nbegin p\nend\n");
}

TEST(Directives, KnowThePatternsOfTheRegistry) {
  for (const std::string_view pattern : registered_names(HintPattern::kKind))
    EXPECT_EQ(diagnostics("#pragma hybrid phase(p) pattern(" + std::string(pattern) + ")"), "") << pattern;
  // They take the same number of numbers as in the registry.
  for (const std::string_view name : registered_names(HintPattern::kKind))
    for (std::size_t count = 1; count <= 4; ++count) {
      std::string directive = "#pragma hybrid phase(p) pattern(" + std::string(name);
      for (std::size_t i = 0; i < count; ++i) directive += ", 0";
      bool takes = true;
      try {
        HintPatternRegistration::make(name)->complete(HintPattern::Dimensions(count, 0), 4);
      } catch (const UserError&) {
        takes = false;
      }
      EXPECT_EQ(diagnostics(directive + ")").empty(), takes) << directive;
    }
}

TEST(WrongDirectives, AreReportedWithPlaceAndFix) {
  const std::pair<const char*, const char*> cases[] = {
      {"#pragma hybrid", "test.c:3:15: error: expected phase, condition, end, flush, off or on"},
      {"#pragma hybrid phse(x)",
       "test.c:3:16: error: unknown directive 'phse' of '#pragma hybrid'; did you mean 'phase'?"},
      {"#pragma hybrid phase",
       "test.c:3:21: error: expected '(' after 'phase', not the end of the directive"},
      {"#pragma hybrid phase()",
       "test.c:3:22: error: expected the phase's name, a word or a string, not ')'"},
      {"#pragma hybrid phase(\"\")", "error: a phase needs a name"},
      {"#pragma hybrid phase(2x)",
       "test.c:3:22: error: expected the phase's name, a word or a string, not '2x'"},
      {"#pragma hybrid phase(u8\"x\")", "error: expected the phase's name, a word or a string"},
      {"#pragma hybrid phase(x) slots((0))", "slots: a phase has one configuration or more, not 0"},
      {"#pragma hybrid phase(x) patern(ring)",
       "3:25: error: unknown clause 'patern' of '#pragma hybrid'; did you mean 'pattern'?"},
      {"#pragma hybrid phase(x) pattern(rng)",
       "3:33: error: unknown pattern 'rng' of '#pragma hybrid'; did you mean 'ring'?"},
      {"#pragma hybrid phase(x) pattern(quilt)",
       "unknown pattern 'quilt' of '#pragma hybrid'; known: line, ring, mesh2d"},
      {"#pragma hybrid phase(x) pattern(ring",
       "error: expected ',' or ')' after the pattern's name, not the end of the directive"},
      {"#pragma hybrid phase(x) pattern(mesh2d, 1, )", "error: expected an expression in 'pattern'"},
      {"#pragma hybrid phase(x) pattern(mesh2d, 1, 2, 3, 4, 5)",
       "3:47: error: the pattern 'mesh2d' takes 2 numbers, not 5"},
      {"#pragma hybrid phase(x) pattern(mesh3d, 1, 2)",
       "3:44: error: the pattern 'mesh3d' takes 3 numbers, not 2"},
      {"#pragma hybrid phase(x) pattern(hypercube, n)",
       "3:44: error: the pattern 'hypercube' takes no numbers, not 1"},
      {"#pragma hybrid phase(x) pattern(mesh2d, n, -2)",
       "3:44: error: the pattern 'mesh2d' takes no number below zero: -2"},
      {"#pragma hybrid phase(x) pattern(scatter, 3 - 4)",
       "3:42: error: the pattern 'scatter' takes no number below zero: -1"},
      {"#pragma hybrid phase(x) slots(0)",
       "3:31: error: slots: a phase has one configuration or more, not 0"},
      {"#pragma hybrid phase(x) slots(2 * -3)",
       "3:31: error: slots: a phase has one configuration or more, not -6"},
      {"#pragma hybrid phase(x) connections(1, 2)", "3:37: error: a connection is 'source -> destination'"},
      {"#pragma hybrid phase(x) connections(i -> )", "error: a connection is 'source -> destination'"},
      {"#pragma hybrid phase(x) connections(1 -> 2", "error: expected ')' at the end of 'connections'"},
      {"#pragma hybrid phase(x) connections({1} -> 2)",
       "error: expected an expression in 'connections', not '{'"},
      {"#pragma hybrid phase(x) slots(1, 2)", "error: 'slots' takes one number"},
      {"#pragma hybrid phase(x) preload preload", "error: 'preload' is given twice"},
      {"#pragma hybrid condition(i) slots(2)", "error: 'slots' is a clause of 'phase'"},
      {"#pragma hybrid condition(i)",
       "error: '#pragma hybrid condition' needs a working set: pattern(...) or connections(...)"},
      {"#pragma hybrid flush now", "error: unexpected 'now' after '#pragma hybrid flush'"},
      {"#pragma hybrid end", "test.c:3:1: error: '#pragma hybrid end' without a phase that is open here"},
      {"#pragma hybrid phase(x) connections(i -> j)", "error: use of undeclared identifier 'j'"},
      {"#pragma hybrid phase(x) connections(i -> i++)",
       "3:42: error: an expression of '#pragma hybrid' must not change anything"},
      {"#pragma hybrid phase(x) pattern(ring, n = 3)",
       "error: an expression of '#pragma hybrid' must not change anything"},
      {"#pragma hybrid phase(x) condition(n = 0)",
       "3:35: error: an expression of '#pragma hybrid' must not change anything"},
      {"#pragma hybrid condition(i--) pattern(ring)",
       "3:26: error: an expression of '#pragma hybrid' must not change anything"},
      {"#pragma hybrid condition(g()) pattern(ring)",
       "3:26: warning: an expression of '#pragma hybrid' calls"},
      {"if (i)\n#pragma hybrid condition(n) pattern(ring)\n  n = 1;",
       "4:1: error: '#pragma hybrid' would become the body of this statement"},
      {"if (i)\n#pragma hybrid flush\n  ;",
       "4:1: error: '#pragma hybrid' would become the body of this statement"},
      {"while (i)\n#pragma hybrid phase(x)\n  ;",
       "'#pragma hybrid' would become the body of this statement; put the body in braces"},
  };
  for (const auto& [directive, words] : cases)
    EXPECT_THAT(diagnostics(directive), HasSubstr(words)) << directive;
}

TEST(WrongDirectives, NumbersKnownOnlyAtRunTimeAndNumbersWithAMeaningAreAccepted) {
  for (const char* const directive :
       {"#pragma hybrid phase(x) slots(n) pattern(mesh2d, i, n)",
        "#pragma hybrid phase(x) pattern(shift, -1)", "#pragma hybrid phase(x) pattern(mesh2d, 0, 4)",
        "#pragma hybrid phase(x) pattern(scatter, 0)"})
    EXPECT_EQ(diagnostics(directive), "") << directive;
}

TEST(WrongDirectives, InTemplatesAreReportedOnce) {
  const auto [code, words] = clang(
      "-fsyntax-only",
      write_source(
          "template.cpp",
          "template <class T> void f(T n) {\n#pragma hybrid phase(x) slots(n = 2)\n}\n"
          "template <class T> void g(T n) {\n  if (n)\n#pragma hybrid phase(x) slots(n)\n    n = 1;\n}\n"
          "void h() { f(1), f(2L), g(1), g(2L); }\n"));
  EXPECT_NE(code, 0);
  EXPECT_THAT(words,
              HasSubstr("template.cpp:2:31: error: an expression of '#pragma hybrid' must not change"));
  EXPECT_THAT(words, HasSubstr("template.cpp:6:1: error: '#pragma hybrid' would become the body"));
  EXPECT_THAT(words, HasSubstr("2 errors generated"));
}

TEST(WrongDirectives, InATypeOrAListOfValuesAreRejected) {
  for (const char* const text : {"struct s {\n#pragma hybrid phase(x)\n  int i;\n};\n",
                                 "int a[] = {\n#pragma hybrid flush\n  1};\n"}) {
    const auto [code, words] = clang("-c", write_source("no_body.c", text));
    EXPECT_NE(code, 0);
    EXPECT_THAT(words, HasSubstr("no_body.c:2:1: error: '#pragma hybrid' must be in the body of a function"));
    EXPECT_THAT(words, HasSubstr("1 error generated"));
  }
}

TEST(WrongDirectives, OutsideAFunctionAreRejected) {
  const auto [code, words] = clang("-c", write_source("outside.c", "#pragma hybrid phase(x)\nint i;\n"));
  EXPECT_NE(code, 0);
  EXPECT_THAT(words, HasSubstr("outside.c:1:1: error: '#pragma hybrid' must be in the body of a function"));
}

TEST(WrongDirectives, ACallWithPossibleSideEffectsIsAWarningThatCanBeSwitchedOffOrMadeAnError) {
  const std::string directive = "#pragma hybrid phase(x) connections(i -> g())";
  EXPECT_THAT(diagnostics(directive),
              ContainsRegex("3:42: warning: .*calls a function that may change something.*\\[-Whybrid\\]"));
  EXPECT_EQ(diagnostics(directive, "-fplugin-arg-hybrid-no-warnings"), "");
  EXPECT_THAT(diagnostics(directive, "-fplugin-arg-hybrid-error-warnings"),
              HasSubstr("error: an expression"));
  EXPECT_THAT(diagnostics(directive, "-fplugin-arg-hybrid-no-such"),
              HasSubstr("unknown plugin argument 'no-such'"));
}

TEST(WrongDirectives, OtherCompilersIgnoreDirectives) {
  const std::string file = write_source(
      "other.c",
      "int main(void) {\n#pragma hybrid phase(x) pattern(ring) connections(rank -> 1)\n  return 0;\n}\n");
  const auto [code, words] =
      run("cd " + folder() + " && " HYBRID_TEST_CLANG " -Wall -Wno-unknown-pragmas -Werror -o out " + file);
  EXPECT_EQ(code, 0) << words;
  EXPECT_EQ(run(folder() + "/out").first, 0);
}

}  // namespace
}  // namespace hybrid
