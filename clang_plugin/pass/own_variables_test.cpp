// Internal variables of a file in the hints of the whole program, and which of them get a name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/notes.h"

namespace hybrid::pass_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kMain[] = R"(
#include <mpi.h>
#include <stdlib.h>
struct domain { int up, down; };
void setup(int by);
int left_of(void);
void exchange(int to, int from);
void along(int direction);
void vertical(const struct domain* d);
static int next, counted;
static struct domain own;
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int by = argc > 1 ? atoi(argv[1]) : 1;
  setup(by);
  next = own.up = (rank + by) % size;
  own.down = (rank + size - by) % size;
  for (int i = 0; i < 3; ++i) {
    exchange(next, left_of());
    along(0);
    along(1);
    vertical(&own);
    ++counted;
  }
  MPI_Finalize();
  return counted - 3;
}
)";
constexpr char kSetup[] = R"(
#include <mpi.h>
static int left;
static int table[2];
static const int own = 0;
static _Thread_local int next;
int left_of(void) { return left; }
void setup(int by) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = left = (rank + size - by) % size;
  table[0] = next + own;
  table[1] = (rank + by) % size;
}
int b, c;
void along(int direction) {
  MPI_Sendrecv(&b, 1, MPI_INT, table[direction], 0, &c, 1, MPI_INT, table[1 - direction], 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
)";
constexpr char kExchange[] = R"(
#include <mpi.h>
extern int b, c;
struct domain { int up, down; };
void exchange(int to, int from) {
  MPI_Sendrecv(&b, 1, MPI_INT, to, 0, &c, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void vertical(const struct domain* d) {
  MPI_Sendrecv(&b, 1, MPI_INT, d->up, 0, &c, 1, MPI_INT, d->down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
)";

/// Returns the internal variables that have a name for the linker, sorted.
std::vector<std::string> named(const std::string& object) {
  constexpr std::string_view kPrefix = "hybrid.variable.";
  std::istringstream symbols(run("nm -j " + object).second);
  std::vector<std::string> names;
  for (std::string line; std::getline(symbols, line);)
    if (line.starts_with(kPrefix))
      names.push_back(line.substr(kPrefix.size(), line.rfind('.') - kPrefix.size()));
  return names;
}

TEST(OwnVariables, AreReadByTheHintsOfTheWholeProgram) {
  for (const std::string level : {"-O0", "-O2 -g", "-O2 -fdata-sections -fno-pic"}) {
    const std::string objects = compile({"main.c", kMain}, level) + " " +
                                compile({"setup.c", kSetup}, level) + " " +
                                compile({"exchange.c", kExchange}, level);
    const std::string notes = folder() + "/own.o";
    ASSERT_EQ(run(HYBRID_TEST_LINK_HINTS " -o " + notes + " " + objects), std::pair(0, std::string()));
    EXPECT_THAT(
        describe(read_hint_units(notes)),
        testing::UnorderedElementsAre("MPI_Sendrecv analysable next", "MPI_Sendrecv analysable left",
                                      "MPI_Sendrecv analysable table", "MPI_Sendrecv analysable table",
                                      "MPI_Sendrecv analysable table", "MPI_Sendrecv analysable table",
                                      "MPI_Sendrecv analysable own", "MPI_Sendrecv analysable own"))
        << level;
  }
}

// The hints equal the recorded sends, also if the linker removes unused sections.
TEST(OwnVariables, HaveTheProgramsValues) {
  const std::string compiler = HYBRID_TEST_BIN "/hybridcc";
  for (const auto& [name, text] :
       {std::pair{"main.c", kMain}, {"setup.c", kSetup}, {"exchange.c", kExchange}})
    std::ofstream(folder() + "/" + name) << text;
  const auto here = [](const std::string& command) { return run("cd " + folder() + " && " + command); };
  for (const std::string options :
       {"-O0", "-O3", "-O2 -fdata-sections -ffunction-sections -Wl,--gc-sections"}) {
    ASSERT_EQ(here(compiler + " " + options +
                   " -c main.c setup.c exchange.c && rm -f libown.a && "
                   "ar rc libown.a setup.o exchange.o && " +
                   compiler + " " + options + " main.o libown.a -o own"),
              std::pair(0, std::string()));
    const auto [code, words] =
        here("rm -rf own_of_5; [ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC
             " <>input -n 5 -genv LD_PRELOAD " HYBRID_TEST_LIBRARY
             " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT own_of_5 ./own 2");
    ASSERT_EQ(code, 0) << words;
    EXPECT_THAT(here(HYBRID_TEST_BIN "/hybrid hints own --check own_of_5").second,
                testing::ContainsRegex("the whole run\\) +10 +10 +100.0 % +100.0 % +60 +100.0 %"))
        << options;
  }
}

TEST(OwnVariables, GetANameIfHintsMayReadThem) {
  for (const std::string level : {"-O0", "-O2"}) {
    /* Without the main program's locals. */
    std::vector<std::string> of_main = named(compile({"main.c", kMain}, level));
    std::erase_if(of_main, [](const std::string& name) { return name.starts_with("main."); });
    EXPECT_THAT(of_main, ElementsAre("next", "own")) << level;
    EXPECT_THAT(named(compile({"setup.c", kSetup}, level)), ElementsAre("left", "table")) << level;
    EXPECT_THAT(named(compile({"exchange.c", kExchange}, level)), IsEmpty()) << level;
    // Without MPI: only variables of accessors.
    EXPECT_THAT(named(compile({"plain.c",
                               "static int left, seed; struct s { int a, right; }; static struct s all;\n"
                               "void other(int);\n"
                               "int left_of(void) { return left; } int right_of(void) { return all.right; }\n"
                               "int next(void) { return seed = seed * 5 + 1; }\n"
                               "void set(int a) { left = a; all.right = a; other(seed); }\n"},
                              level)),
                ElementsAre("all", "left"))
        << level;
    // Such a unit has no unique symbol.
    EXPECT_THAT(
        named(compile({"nameless.c",
                       "static int left; inline __attribute__((weak)) int left_of(void) { return left; }\n"
                       "__attribute__((weak)) void set(int a) { left = a; }\n"},
                      level)),
        IsEmpty())
        << level;
  }
}

// A unit may be compiled with the pass and linked without the link step.
TEST(OwnVariables, AreNotExported) {
  const std::string library = folder() + "/libown.so";
  ASSERT_EQ(run(HYBRID_TEST_CLANG " -shared " + compile({"setup.c", kSetup}, "-O2 -fPIC") + " -o " + library),
            std::pair(0, std::string()));
  EXPECT_THAT(run("nm -D " + library).second, testing::Not(testing::HasSubstr("hybrid.variable")));
}

}  // namespace
}  // namespace hybrid::pass_test
