#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/print_expression.h"

namespace hybrid::pass_test {
namespace {

using testing::ElementsAre;

constexpr char kMarkers[] = R"(
#include <stdio.h>
void __hybrid_phase_begin(const char*, int, long long); void __hybrid_pattern(const char*, int, ...);
void __hybrid_connection(long long, long long); long long __hybrid_condition(long long);
void __hybrid_scope_end(int*);
void __hybrid_phase_ready(int*); void __hybrid_phase_end(void); void __hybrid_flush(void);
int __hybrid_rank(void); int __hybrid_size(void); void __hybrid_off(void); void __hybrid_on(void);
)";

// A library that prints the marks.
constexpr char kLibrary[] = R"(
#include <stdio.h>
void hybrid_library_compiled_mark(const void* unit, unsigned phase, unsigned mark, long long value, const long long* values) {
  (void)unit; (void)values; printf("mark %d %u %lld\n", (int)phase, mark, value);
}
)";

class Directives : public testing::TestWithParam<const char*> {
 protected:
  // Compiles a program with the pass, links and runs it, with or without the library. Returns its output.
  static std::string output(const std::string& text, const std::string& name, bool library) {
    const std::string object = compile({name + ".c", kMarkers + text}, std::string(GetParam()));
    std::ofstream(folder() + "/library.c") << kLibrary;
    const std::string program = folder() + "/" + name;
    const auto [code, messages] =
        run(std::string(HYBRID_TEST_CLANG) + " " + object +
            (library ? " -rdynamic " + folder() + "/library.c" : "") + " -o " + program);
    if (code != 0) return messages;
    return run(program).second;
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, Directives, testing::Values("-O0", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

TEST_P(Directives, BecomePhases) {
  const auto units = hints_of({"phase.c", std::string(kMarkers) + R"(
#include <mpi.h>
void f(int n, double* b) {
  __hybrid_phase_begin("sweep", 3, 5); __hybrid_pattern("mesh2d", 2, 4LL, (long long)__hybrid_size() / 4);
  __hybrid_connection(__hybrid_rank(), (__hybrid_rank() + 1) % __hybrid_size());
  __hybrid_connection(__hybrid_rank(), n);
  __hybrid_condition(__hybrid_size() > 2);
  __hybrid_phase_ready(0);
  MPI_Send(b, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  __hybrid_phase_end();
  __hybrid_off(); MPI_Send(b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); __hybrid_on();
  MPI_Send(b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
})"},
                              GetParam());
  ASSERT_EQ(units.size(), 1u);
  const HintUnit& unit = units[0];
  EXPECT_THAT(describe(units), ElementsAre("MPI_Send static 0", "MPI_Send static 2"));
  ASSERT_EQ(unit.phases.size(), 2u);
  const hybrid_phase& phase = unit.phases[0];
  EXPECT_EQ(unit.text(phase.name), "sweep");
  EXPECT_EQ(phase.kind, HYBRID_PHASE_DIRECTIVE);
  EXPECT_EQ(phase.flags, 3);
  EXPECT_EQ(phase.slots, 5u);
  EXPECT_EQ(unit.text(phase.pattern), "mesh2d");
  EXPECT_EQ(print_expression(unit, phase.dimensions), "{4, size / 4}");
  // n is known only at run time: the mark passes it.
  EXPECT_EQ(print_expression(unit, phase.connections),
            std::string("{rank, (rank + 1) % size, rank, ") +
                (std::string(GetParam()).ends_with("-g") ? "n}" : "unknown}"));
  EXPECT_EQ(phase.value_count, 6u);
  EXPECT_EQ(print_expression(unit, phase.condition), "2 < size");
  EXPECT_EQ(unit.sites[0].phase, 0u);
  EXPECT_EQ(unit.sites[1].phase, 1u);
  EXPECT_EQ(unit.phases[1].kind, HYBRID_PHASE_PROCEDURE);
}

TEST_P(Directives, ConditionalWorkingSetsAreHintedWithTheirCondition) {
  const auto units = hints_of({"then.c", std::string(kMarkers) + R"(
#include <mpi.h>
void f(double* b) {
  __hybrid_phase_begin("clause", 0, 0);
  if (__hybrid_condition(__hybrid_size() > 2) != 0) {
    __hybrid_pattern("shift", 1, __hybrid_size() / 2LL);
    __hybrid_connection(__hybrid_rank(), 0);
  }
  __hybrid_phase_ready(0);
  if (__hybrid_condition(__hybrid_size() > 4) != 0) {
    __hybrid_phase_begin("directive", 0, 0); __hybrid_pattern("scatter", 1, 3LL);
    __hybrid_phase_ready(0); __hybrid_phase_end();
  }
  MPI_Send(b, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
})"},
                              GetParam());
  ASSERT_EQ(units.size(), 1u);
  const HintUnit& unit = units[0];
  ASSERT_EQ(unit.phases.size(), 2u);
  EXPECT_EQ(print_expression(unit, unit.phases[0].condition), "2 < size");
  EXPECT_EQ(print_expression(unit, unit.phases[0].dimensions), "{size / 2}");
  EXPECT_EQ(print_expression(unit, unit.phases[0].connections), "{rank, 0}");
  EXPECT_EQ(print_expression(unit, unit.phases[1].condition), "4 < size");
  EXPECT_EQ(print_expression(unit, unit.phases[1].dimensions), "{3}");
  EXPECT_EQ(unit.sites[0].phase, 0u);
}

TEST_P(Directives, AConditionalWorkingSetBeginsOnlyIfItsConditionHolds) {
  const std::string text = R"(
static void f(int n) {
  if (__hybrid_condition(n > 1) != 0) {
    __hybrid_phase_begin("then", 0, 0); __hybrid_pattern("ring", 0);
    __hybrid_phase_ready(0); __hybrid_phase_end();
  }
  printf("%d\n", n);
}
int main(void) { f(1); f(7); return 0; }
)";
  EXPECT_EQ(output(text, "then", true), "1\nmark 0 1 1\nmark 0 2 1\n7\n");
  EXPECT_EQ(output(text, "then_alone", false), "1\n7\n");
}

TEST_P(Directives, MarksAreCalledAndEndedOnEveryExit) {
  const std::string text = R"(
static int f(int n) {
  for (int i = 0; i < 3; i++) {
    __hybrid_phase_begin("loop", 0, 0); __hybrid_condition(n > 1); __hybrid_phase_ready(0);
    if (i == n) return i;
    if (i == 2) break;
    printf("%d\n", i);
    __hybrid_phase_end();
  }
  __hybrid_flush();
  return -1;
}
int main(void) { printf("%d\n", f(1)); printf("%d\n", f(7)); return 0; }
)";
  EXPECT_EQ(
      output(text, "marks", true),
      "mark 0 1 0\n0\nmark 0 2 1\nmark 0 1 0\nmark 0 2 1\n1\n"
      "mark 0 1 1\n0\nmark 0 2 1\nmark 0 1 1\n1\nmark 0 2 1\nmark 0 1 1\nmark 0 2 1\nmark -1 3 1\n-1\n");
  EXPECT_EQ(output(text, "unmarked", false), "0\n1\n0\n1\n-1\n");
}

}  // namespace
}  // namespace hybrid::pass_test
