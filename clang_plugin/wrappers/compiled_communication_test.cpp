// The whole path of a hint, from a directive to the recording, and profiles of recorded runs in the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "clang_plugin/pass/testing/compiled.h"
#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

using pass_test::folder;
using testing::AllOf;
using testing::HasSubstr;
using wrappers_test::here;
using wrappers_test::kBin;
using wrappers_test::kNext;
using wrappers_test::kProgram;
using wrappers_test::kSilence;
using wrappers_test::record;
using wrappers_test::write;

TEST(CompiledCommunication, GoesFromTheDirectiveToTheRecording) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -O2 program.c next.c -o whole"), kSilence);
  // An input that does not end: mpiexec forwards the end of its input to a rank, and dies if that has ended
  // already.
  const std::string mpiexec = "[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n 4 ";
  const auto alone = here(mpiexec + "./whole");
  EXPECT_EQ(alone, std::pair(0, std::string("3 6\n")));
  const auto recorded = here(
      mpiexec + "-genv LD_PRELOAD " HYBRID_TEST_LIBRARY
                " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT out_of_4 ./whole");
  EXPECT_EQ(recorded, alone) << "the output is the same";
  EXPECT_THAT(here(kBin + "hybrid hints whole").second, HasSubstr("shift {size - 3}"));
  const std::string checked = here(kBin + "hybrid hints whole --check out_of_4/trace.otf2").second;
  EXPECT_THAT(checked, testing::ContainsRegex("ring +4 +4 +100.0 % +100.0 % +12 +100.0 %"));
}

TEST(CompiledCommunication, OfTheExampleIsComplete) {
  ASSERT_EQ(here(kBin + "hybridcc -O2 -o stencil " HYBRID_TEST_EXAMPLES "/stencil.c"), kSilence);
  EXPECT_THAT(here(kBin + "hybrid hints stencil --nodes 16").second,
              testing::ContainsRegex("exchange .*mesh2d, preload +4 +mesh2d 4x4, 48 connections\n"
                                     "collect .*gather .0. +15 +gather 0, 15 connections"));
  record("stencil", 6, "stencil_of_6");
  const std::string check = here(kBin + "hybrid hints stencil --check stencil_of_6").second;
  EXPECT_THAT(check, testing::ContainsRegex("collect +5 +5 +100.0 % +100.0 % +25 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("exchange +14 +14 +100.0 % +100.0 % +700 +100.0 %"));
}

TEST(CompiledCommunication, ADirectiveMayBeInAUnitWithoutMpiCalls) {
  write("ring_main.c",
        "void begin(void); void end(void); void ring(void);\nint main(void) {\n  begin();\n"
        "#pragma hybrid phase(around) pattern(ring) preload\n  ring();\n  end();\n  return 0;\n}\n");
  write("ring_mpi.c",
        "#include <mpi.h>\nvoid begin(void) { MPI_Init(0, 0); }\nvoid end(void) { MPI_Finalize(); }\n"
        "void ring(void) { int r, s; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &s);\n"
        "  MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % s, 0, &s, 1, MPI_INT, (r + s - 1) % s, 0, MPI_COMM_WORLD, "
        "MPI_STATUS_IGNORE); }\n");
  ASSERT_EQ(here(kBin + "hybridcc ring_main.c ring_mpi.c -o two_units"), kSilence);
  EXPECT_THAT(here(kBin + "hybrid hints two_units --nodes 4").second,
              testing::ContainsRegex(
                  "around +ring_main.c:4 +directive +[0-9]+ +ring, preload +2 +ring, 8 connections"));
}

// Values that are known only when the program runs: locals of the main program, variables that change between
// calls of a procedure, neighbours in a graph, and values of directives.
const char kRunTime[] = R"x(
#include <mpi.h>
#include <stdlib.h>
static int rank, size, got, to;
static struct { int n, out[8]; MPI_Comm comm; } graph;
#define SENDRECV(peer, comm) \
  MPI_Sendrecv(&rank, 1, MPI_INT, peer, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE)
int same(int) __attribute__((const)); /* in another file */
__attribute__((noinline)) void exchange(void) { SENDRECV(same(to), MPI_COMM_WORLD); }
__attribute__((noinline)) void neighbours(void) {
  for (int i = 0; i < graph.n; ++i) SENDRECV(graph.out[i], graph.comm);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  srand(3);
  int shift = rank == 0 ? 1 + rand() % (size - 1) : 0;
  MPI_Bcast(&shift, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) SENDRECV((rank + shift) % size, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  to = (rank + 1) % size;
  exchange();
  MPI_Barrier(MPI_COMM_WORLD);
  to = (rank + shift) % size;
  exchange();
  int in[8], n, weighted;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){1}, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph.comm);
  MPI_Dist_graph_neighbors_count(graph.comm, &n, &graph.n, &weighted);
  MPI_Dist_graph_neighbors(graph.comm, n, in, MPI_UNWEIGHTED, graph.n, graph.out, MPI_UNWEIGHTED);
  neighbours();
  volatile int hidden = (rank + shift) % size;
#pragma hybrid phase(declared) connections(rank -> (rank + shift) % size) preload
  SENDRECV(hidden, MPI_COMM_WORLD);
#pragma hybrid end
  MPI_Finalize();
  return 0;
}
)x";

TEST(CompiledCommunication, UsesValuesThatAreKnownWhenTheProgramRuns) {
  write("values.c", kRunTime);
  write("same.c", "int same(int i) { return i; }\n");
  for (const std::string level : {"-O0", "-O2"}) {
    ASSERT_EQ(here(kBin + "hybridcc -g " + level + " values.c same.c -o values" + level), kSilence);
    record("values" + level, 5, "values_of_5" + level);
    const auto json = nlohmann::json::parse(
        here(kBin + "hybrid hints values" + level + " --check values_of_5" + level + " --json -").second);
    std::set<std::string> phases;
    for (const auto& phase : json["check"]["phases"]) {
      const std::string name = phase["phase"];
      phases.insert(name.substr(0, name.find(':')));
      EXPECT_EQ(phase["share_over_hinted"], 1) << name;
      EXPECT_EQ(phase["precision"], 1) << name;
    }
    EXPECT_THAT(phases, testing::ElementsAre("declared", "exchange", "main", "neighbours"));
    EXPECT_EQ(json["check"]["messages"], 5 * 7);
  }
}

// A random permutation of destinations, the same in every run, that the ranks receive within the phase.
const char kLot[] = R"x(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, got, mine, *to = malloc(64 * sizeof *to);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  srand(7);
  for (int i = 0; i < size; ++i) to[i] = i;
  for (int i = size - 1; i > 0; --i) {
    int other = rand() % i, kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
#pragma hybrid phase(lot) preload
  MPI_Scatter(to, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, mine, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma hybrid phase(ring)
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
)x";

TEST(Profile, AddsConnectionsThatTheAnalysisCannotFind) {
  write("lot.c", kLot);
  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o lot"), kSilence);
  record("lot", 5, "lot_of_5");
  const std::string before = here(kBin + "hybrid hints lot --check lot_of_5").second;
  EXPECT_THAT(before, testing::ContainsRegex("lot +0 +5 +- +0.0 % +5 +0.0 %"));
  EXPECT_THAT(before, HasSubstr("no hints for lot: "));
  EXPECT_THAT(here(kBin + "hybrid profile lot_of_5").second,
              testing::ContainsRegex("lot +5 +5 .*ring +5 +5 +shift 1"));

  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o profiled -fhybrid-profile-use=lot_of_5"), kSilence);
  const std::string check = here(kBin + "hybrid hints profiled --check lot_of_5").second;
  EXPECT_THAT(check, testing::ContainsRegex("lot +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("ring +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("MPI_Sendrecv +dynamic +lot"))
      << "a profile does not change a call's class";
  EXPECT_THAT(check, testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload"));
  // At another number of ranks the run gives no information.
  EXPECT_THAT(here(kBin + "hybrid hints profiled --nodes 4").second,
              testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload +0 +unknown: "));
  // Other runs add to it, also when compiling in steps.
  record("profiled", 4, "lot_of_4");
  ASSERT_EQ(here(kBin + "hybridcc -c lot.c -fhybrid-profile-use=lot_of_4 -fhybrid-profile-use=lot_of_5 && " +
                 kBin + "hybridcc lot.o -o both"),
            kSilence);
  EXPECT_THAT(here(kBin + "hybridcc lot.o -o both -fhybrid-profile-use=lot_of_4").second,
              HasSubstr("has an effect only when sources are compiled"));
  for (const char* const run : {"lot_of_4", "lot_of_5"})
    EXPECT_THAT(here(kBin + "hybrid hints both --check " + run).second,
                testing::ContainsRegex("the whole run\\) +[0-9]+ +[0-9]+ +100.0 % +100.0 % "))
        << run;
}

TEST(Profile, OfAnotherProgramIsReported) {
  write("lot.c", kLot);
  write("other.c",
        "#include <mpi.h>\n#include <stdlib.h>\nint main(void) {\n  int r = 0;\n  MPI_Init(0, 0);\n"
        "  MPI_Send(&r, 1, MPI_INT, rand() % 2, 0, MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n");
  ASSERT_EQ(here(kBin + "hybridcc lot.c -o unfit"), kSilence);
  record("unfit", 3, "unfit_of_3");
  const std::string with = " -fhybrid-profile-use=unfit_of_3";
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other" + with).second,
              HasSubstr("warning: the profile unfit_of_3 has none of this file's phases ('main')"));
  EXPECT_EQ(here(kBin + "hybridcc other.c -o other -Wno-hybrid" + with), kSilence);
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other -Werror=hybrid" + with + " 2>&1; echo $?").second,
              AllOf(HasSubstr("error: the profile"), HasSubstr("\n1\n")));
  EXPECT_THAT(here(kBin + "hybridcc -shared -fPIC other.c -o libother.so" + with).second,
              HasSubstr("warning"));
  EXPECT_THAT(here(kBin + "hybridcc other.c -o unmade -fhybrid-profile-use=nowhere 2>&1; echo $?").second,
              AllOf(HasSubstr("nowhere: no such file"), HasSubstr("\n2\n")));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/unmade"));
}

// Operations that began elsewhere, and datatypes with addresses, write variables that no argument names.
TEST(CompiledCommunication, WhatMayBeWrittenUnseenIsSpeculative) {
  write("unseen.c", R"x(
#include <mpi.h>
static int rank, size, payload, a = 1, b = 1, c = 1, d = 1, e = 1, quiet = 1;
static MPI_Request request;
static MPI_Datatype at_a, at_b;
extern MPI_Win window;
#define PROCEDURE __attribute__((noinline)) void
#define SEND(by) MPI_Send(&payload, 1, MPI_INT, (rank + by) % size, 2, MPI_COMM_WORLD)
void create(void) {
  MPI_Aint place;
  int one = 1;
  MPI_Datatype integer = MPI_INT;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_address(&a, &place);
  MPI_Type_create_struct(1, &one, &place, &integer, &at_a);
  MPI_Get_address(&b, &place);
  MPI_Type_create_struct(1, &one, &place, &integer, &at_b);
}
void set(int to) { a = b = c = d = e = quiet = to; }
void begin(void) {
  MPI_Irecv(MPI_BOTTOM, 1, at_a, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
  MPI_Get(&c, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Irecv(&d, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
  MPI_Ibcast(&e, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
}
PROCEDURE irecv_at_bottom(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); SEND(a); }
PROCEDURE scatter_to_bottom(int* x) {
  MPI_Scatter(x, 1, MPI_INT, MPI_BOTTOM, 1, at_b, 0, MPI_COMM_WORLD);
  SEND(b);
}
PROCEDURE alltoallw(int* x, int* n, int* at, MPI_Datatype* from, MPI_Datatype* to) {
  MPI_Alltoallw(x, n, at, from, MPI_BOTTOM, n, at, to, MPI_COMM_WORLD);
  SEND(b);
}
PROCEDURE got(void) { MPI_Win_fence(0, window); SEND(c); }
PROCEDURE tested(void) { int flag; MPI_Test(&request, &flag, MPI_STATUS_IGNORE); SEND(d); }
PROCEDURE any(int n, MPI_Request* all) { int i; MPI_Waitany(n, all, &i, MPI_STATUS_IGNORE); SEND(e); }
PROCEDURE not_received(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); SEND(quiet); }
PROCEDURE own_request(void) {
  int got;
  MPI_Request own;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  SEND(d);
}
PROCEDURE no_data(int* x) { MPI_Gather(x, 1, MPI_INT, (void*)0, 0, MPI_INT, 0, MPI_COMM_WORLD); SEND(a); }
)x");
  ASSERT_EQ(here(kBin + "hybridcc -O2 -c unseen.c"), kSilence);
  const auto json = nlohmann::json::parse(here(kBin + "hybrid hints unseen.o --json -").second);
  std::map<std::string, std::string> classes;
  for (const auto& site : json["units"][0]["sites"])
    if (site["kind"] == "send") classes[site["function"]] = site["class"];
  for (const char* procedure : {"irecv_at_bottom", "scatter_to_bottom", "alltoallw", "got", "tested", "any"})
    EXPECT_EQ(classes[procedure], "speculative") << procedure;
  for (const char* procedure : {"not_received", "own_request", "no_data"})
    EXPECT_EQ(classes[procedure], "inspected") << procedure;
}

// Variables of a file that nothing writes are constants: a table of functions does not hide the peer.
TEST(CompiledCommunication, FollowsTablesOfFunctions) {
  write("table.c", R"x(
#include <mpi.h>
struct table { int (*to)(int, int, int); };
static int forward(int rank, int size, int by) { return (rank + by) % size; }
static struct table table = {forward};
static struct table* use = &table;
__attribute__((noinline)) void exchange(int rank, int size, int by) {
  int got;
  MPI_Sendrecv(&rank, 1, MPI_INT, use->to(rank, size, by), 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) exchange(rank, size, i + argc);
  MPI_Finalize();
  return 0;
}
)x");
  for (const std::string level : {"-O0", "-O2"}) {
    ASSERT_EQ(here(kBin + "hybridcc " + level + " table.c -o table" + level), kSilence);
    record("table" + level, 5, "table_of_5" + level);
    EXPECT_THAT(here(kBin + "hybrid hints table" + level + " --check table_of_5" + level).second,
                AllOf(testing::ContainsRegex("table.c:9 +exchange +MPI_Sendrecv +inspected "),
                      testing::ContainsRegex("exchange +15 +15 +100.0 % +100.0 % +15 +100.0 %")));
  }
}

// The main program begins before MPI: its variables are read after MPI_Init.
TEST(CompiledCommunication, InspectsTheMainProgramAfterMpiInit) {
  write("after_init.c", R"x(
#include <mpi.h>
static int rank, size, by, got;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(&by, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
)x");
  for (const std::string level : {"-O0", "-O2"}) {
    ASSERT_EQ(here(kBin + "hybridcc -g " + level + " after_init.c -o after_init" + level), kSilence);
    record("after_init" + level, 5, "after_init_of_5" + level);
    EXPECT_THAT(here(kBin + "hybrid hints after_init" + level + " --check after_init_of_5" + level).second,
                AllOf(testing::ContainsRegex("after_init.c:9 +main +MPI_Sendrecv +inspected "),
                      testing::ContainsRegex("main +5 +5 +100.0 % +100.0 % +5 +100.0 %")));
  }
}

// The phases of a shared library have the hints that the run recorded.
TEST(CompiledCommunication, ChecksHintsOfSharedLibraries) {
  write("exchange.c", R"x(
#include <mpi.h>
void exchange(int by) {
  int rank, size, got;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + by) % size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
)x");
  write("user.c", R"x(
#include <mpi.h>
void exchange(int by);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  exchange(argc + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
)x");
  ASSERT_EQ(here(kBin + "hybridcc -O2 -shared -fPIC exchange.c -o libexchange.so && " + kBin +
                 "hybridcc -O2 user.c ./libexchange.so -o user"),
            kSilence);
  record("user", 5, "user_of_5");
  const std::string output = here(kBin + "hybrid hints user --check user_of_5").second;
  EXPECT_THAT(output, testing::ContainsRegex("exchange +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(output, HasSubstr("not in this binary: exchange (a shared library, or"));
}

}  // namespace
}  // namespace hybrid
