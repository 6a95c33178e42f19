#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/print_expression.h"

namespace hybrid::pass_test {
namespace {

using testing::ElementsAre;

std::string name_of(const HintUnit& unit, std::uint32_t phase) {
  return phase == HYBRID_NONE ? "-" : std::string(unit.text(unit.phases[phase].name));
}

// "f:12 in f: rank + 1, rank - 1": each phase that is not merged, its parent, the peers of its sends.
std::vector<std::string> phases_of(const HintUnit& unit) {
  std::vector<std::string> phases;
  for (std::uint32_t p = 0; p < unit.phases.size(); ++p) {
    if ((unit.phases[p].flags & HYBRID_PHASE_MERGED) != 0) continue;
    std::string text = name_of(unit, p) + " in " + name_of(unit, unit.phases[p].parent) + ":";
    for (const hybrid_site& site : unit.sites)
      if (site.phase == p && site.kind == HYBRID_SEND)
        text +=
            " " + (site.site_class == HYBRID_DYNAMIC ? "dynamic" : print_expression(unit, site.peer)) + ";";
    phases.push_back(text);
  }
  return phases;
}

class LoopPhases : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> phases(const std::string& text) {
    const auto units = hints_of({"loops.c", text}, GetParam());
    return units.size() == 1 ? phases_of(units[0]) : std::vector<std::string>{"units"};
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, LoopPhases, testing::Values("-O0 -g", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

constexpr char kHead[] = R"(#include <mpi.h>
static int b; int steps; void work(void);
static void to(int peer) { MPI_Send(&b, 1, MPI_INT, peer, 0, MPI_COMM_WORLD); }
void f(int n) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);
)";

TEST_P(LoopPhases, LoopsWithDifferentDestinationsAreTwo) {
  EXPECT_THAT(phases(std::string(kHead) + R"(
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 2, 0, MPI_COMM_WORLD);
})"),
              ElementsAre("f:6 in f: rank ^ 1;", "f:7 in f: rank ^ 2;", "f in -:"));
}

TEST_P(LoopPhases, LoopsWithTheSameDestinationsAreOne) {
  EXPECT_THAT(phases(std::string(kHead) + R"(
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) MPI_Send(&b, 2, MPI_INT, rank ^ 1, 1, MPI_COMM_WORLD);
})"),
              ElementsAre("f in -: rank ^ 1; rank ^ 1;"));
}

TEST_P(LoopPhases, ALoopWithAllSendsOfItsProcedureIsNone) {
  EXPECT_THAT(phases(std::string(kHead) + R"(
  for (int i = 0; i < n; ++i) {
    MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
    MPI_Send(&b, 1, MPI_INT, rank ^ 2, 0, MPI_COMM_WORLD);
  }
  MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
})"),
              ElementsAre("f in -: rank ^ 1; rank ^ 2; rank ^ 1;"));
}

TEST_P(LoopPhases, LoopsInALoopArePhases) {
  EXPECT_THAT(phases(std::string(kHead) + R"(
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 2, 0, MPI_COMM_WORLD);
  }
})"),
              ElementsAre("f:7 in f: rank ^ 1;", "f:8 in f: rank ^ 2;", "f in -:"));
}

TEST_P(LoopPhases, ALoopAroundACallThatSendsIsOne) {
  const auto found = phases(R"(#include <mpi.h>
static int b; void work(void);
__attribute__((noinline)) void left(int rank) { MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD); }
__attribute__((noinline)) void right(int rank) { MPI_Send(&b, 1, MPI_INT, rank ^ 2, 0, MPI_COMM_WORLD); }
void f(int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; ++i) left(rank);
  for (int i = 0; i < n; ++i) right(rank);
  for (int i = 0; i < n; ++i) work();
})");
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0], "f:8 in -:");
  EXPECT_EQ(found[1], "f:9 in -:");
}

TEST_P(LoopPhases, AVariableThatIsSetBeforeALoopIsKnownWhenItBegins) {
  constexpr char kSetBefore[] = R"(#include <mpi.h>

static int b, left; int number(void); void set(void); void work(void);
void f(int n) {
  left = number();
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, left, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    MPI_Send(&b, 1, MPI_INT, left, 0, MPI_COMM_WORLD);
    left = left + 1;
  }
}
int shared;
void g(int n) {
  set();
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, shared, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    work();
    MPI_Send(&b, 1, MPI_INT, shared, 0, MPI_COMM_WORLD);
  }
})";
  const auto units = hints_of({"set.c", kSetBefore}, GetParam());
  ASSERT_EQ(units.size(), 1u);
  std::map<std::uint32_t, std::pair<std::uint16_t, std::string>> by_line;
  for (const hybrid_site& site : units[0].sites)
    by_line[site.line] = {site.site_class, name_of(units[0], site.phase)};
  EXPECT_EQ(by_line[6], (std::pair<std::uint16_t, std::string>(HYBRID_INSPECTED, "f:6")));
  EXPECT_EQ(by_line[8].first, HYBRID_INSPECTED);
  EXPECT_EQ(by_line[15], (std::pair<std::uint16_t, std::string>(HYBRID_INSPECTED, "g:15")));
  EXPECT_EQ(by_line[18].first, HYBRID_SPECULATIVE) << "work() may change it";
}

TEST_P(LoopPhases, FunctionsWithDirectivesHaveThePhasesOfTheProgrammer) {
  EXPECT_THAT(phases(R"(#include <mpi.h>
void __hybrid_phase_begin(const char*, int, long long); void __hybrid_phase_ready(int*);
void __hybrid_phase_end(void);
static int b;
void f(int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  __hybrid_phase_begin("own", 0, 0); __hybrid_phase_ready(0);
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
  __hybrid_phase_end();
  for (int i = 0; i < n; ++i) MPI_Send(&b, 1, MPI_INT, rank ^ 2, 0, MPI_COMM_WORLD);
})"),
              ElementsAre("own in -: rank ^ 1;", "f in -: rank ^ 2;"));
}

// On all exits of a loop its phase ends, and the program's output does not change.
TEST_P(LoopPhases, EndOnAllExits) {
  const std::string object = compile({"left.c", R"(#include <mpi.h>
#include <stdio.h>
static int b;
__attribute__((noinline)) int f(int how, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      MPI_Send(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      if (how == 1) goto out;
      if (how == 2) return 2;
      if (how == 3) break;
      if (how == 4) continue;
    }
    MPI_Send(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    switch (how) {
      case 5: goto out;
      case 6: goto out;
      default: break;
    }
  }
out:
  printf("out\n");
  return 0;
}
int main(void) {
  for (int how = 0; how < 7; ++how) printf("%d: %d\n", how, f(how, 1));
  return 0;
})"},
                                     std::string(GetParam()) + " -fno-builtin");
  std::ofstream(folder() + "/marks.c") << R"(
#include <mpi.h>
#include <stdio.h>
int MPI_Send(const void* p, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {
  (void)p; (void)n; (void)t; (void)tag; (void)c;
  printf("send %d\n", to);
  return 0;
}
static int open_phases[100], depth;
void hybrid_library_compiled_mark(const void* unit, unsigned phase, unsigned mark, long long value, const long long* values) {
  (void)unit; (void)value; (void)values;
  if (mark == 1) open_phases[depth++] = (int)phase;
  if (mark == 2 && (depth == 0 || open_phases[--depth] != (int)phase)) printf("wrong end %d\n", (int)phase);
}
__attribute__((destructor)) static void left_open(void) { if (depth) printf("left open %d\n", depth); }
)";
  const std::string program = folder() + "/left";
  const auto [code, messages] = run(std::string(HYBRID_TEST_CLANG) + " " + object + " -rdynamic -I" +
                                    HYBRID_TEST_MPI + " " + folder() + "/marks.c -o " + program);
  ASSERT_EQ(code, 0) << messages;
  EXPECT_EQ(run(program).second,
            "send 1\nsend 2\nout\n0: 0\n"
            "send 1\nout\n1: 0\n"
            "send 1\n2: 2\n"
            "send 1\nsend 2\nout\n3: 0\n"
            "send 1\nsend 2\nout\n4: 0\n"
            "send 1\nsend 2\nout\n5: 0\n"
            "send 1\nsend 2\nout\n6: 0\n");
}

}  // namespace
}  // namespace hybrid::pass_test
