#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/notes.h"

namespace hybrid::pass_test {
namespace {

using testing::ElementsAre;

constexpr char kMain[] = R"(
#include <mpi.h>
int me;
void exchange(int to);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  exchange(me + 2);
  MPI_Finalize();
  return 0;
}
)";
constexpr char kExchange[] = R"(
#include <mpi.h>
extern int me;
static int b;
void exchange(int to) {
  MPI_Send(&b, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  MPI_Send(&b, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD);
}
)";

std::pair<int, std::string> link_hints(const std::string& inputs) {
  std::filesystem::remove(folder() + "/notes.o");
  return run(std::string(HYBRID_TEST_LINK_HINTS) + " -o " + folder() + "/notes.o " + inputs);
}

TEST(LinkHints, AnalysesAcrossUnits) {
  for (const std::string level : {"-O0", "-O2"}) {
    const std::string first = compile({"main.c", kMain}, level),
                      second = compile({"exchange.c", kExchange}, level);
    EXPECT_EQ(read_hint_units(second)[0].sites[0].site_class, HYBRID_INSPECTED) << "an argument";
    const auto [code, output] = link_hints(first + " " + second);
    ASSERT_EQ(code, 0) << output;
    const auto units = read_hint_units(folder() + "/notes.o");
    ASSERT_EQ(units.size(), 1u);
    EXPECT_TRUE(units[0].flags & HYBRID_UNIT_WHOLE);
    EXPECT_THAT(describe(units), ElementsAre("MPI_Send static rank + 2", "MPI_Send static rank - 1"));
    // The phase is that of the unit's marks.
    const auto unit = read_hint_units(second)[0];
    EXPECT_EQ(units[0].phases[0].origin_phase, 0u);
    EXPECT_EQ(units[0].phases[0].origin_low, static_cast<std::uint32_t>(unit.id));
    EXPECT_EQ(units[0].phases[0].origin_high, static_cast<std::uint32_t>(unit.id >> 32));
  }
}

// A unit without the pass may use and change all symbols that it can access.
TEST(LinkHints, SymbolsThatOtherCodeUsesAreUnknown) {
  const std::string first = compile({"main.c", kMain}, "-O1"),
                    second = compile({"exchange.c", kExchange}, "-O1");
  const std::string plain = folder() + "/plain.o";
  ASSERT_EQ(run("echo 'extern int me; void exchange(int); void f(void) { me = 5; exchange(7); }' "
                "| " HYBRID_TEST_CLANG " -x c -c - -o " +
                plain)
                .first,
            0);
  ASSERT_EQ(link_hints(first + " " + second + " " + plain).first, 0);
  // main's own call is known, and the value of me when other code calls exchange(), but not the argument of
  // that call.
  std::vector<std::string> known;
  size_t unknown = 0;
  for (const HintUnit& unit : read_hint_units(folder() + "/notes.o"))
    for (const hybrid_site& site : unit.sites)
      if (site.site_class > HYBRID_ANALYSABLE)
        ++unknown;
      else
        known.push_back(describe(unit, site));
  EXPECT_THAT(known, testing::UnorderedElementsAre("MPI_Send static rank + 2", "MPI_Send static rank - 1",
                                                   "MPI_Send analysable me - 1 if main.call != 1"));
  EXPECT_EQ(unknown, 1u);
}

// Addresses differ between runs of the link step; the note does not.
TEST(LinkHints, AreTheSameInEveryRun) {
  std::string calls;
  for (int i = 1; i <= 8; ++i) {
    const std::string number = std::to_string(i);
    calls +=
        "  exchange((rank + " + number + ") % size);\n  if (size > " + number + ") exchange(number());\n";
  }
  const std::string object = compile({"many.c", R"(#include <mpi.h>
static int b, rank;
int number(void);
static void exchange(int to) { MPI_Send(&b, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }
int main(void) {
  int size;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
)" + calls + "  MPI_Finalize();\n}\n"},
                                     "-O1 -g");
  std::set<std::string> notes;
  for (int run = 0; run < 8; ++run) {
    ASSERT_EQ(link_hints(object).first, 0);
    std::ifstream file(folder() + "/notes.o", std::ios::binary);
    notes.insert(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_GT(notes.begin()->size(), 0u);
}

// Calls of a main program are also distinguished if only other units use MPI.
TEST(LinkHints, CallsOfAMainProgramWithoutMpi) {
  const std::string first = compile({"main.c", R"(
extern int by;
int atoi(const char*);
void start(void), exchange(int more);
int main(int argc, char** argv) {
  start();
  by = atoi(argv[1]);
  exchange(0);
  by = atoi(argv[2]);
  exchange(1);
})"},
                                    "-O1 -g"),
                    second = compile({"exchange.c", R"(
#include <mpi.h>
int by;
static int me;
static double buffer[1];
void start(void) { MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &me); }
void exchange(int more) { MPI_Send(buffer, 1, MPI_DOUBLE, (me + by + more) % 8, 0, MPI_COMM_WORLD); })"},
                                     "-O1 -g");
  ASSERT_EQ(link_hints(first + " " + second).first, 0);
  EXPECT_THAT(describe(read_hint_units(folder() + "/notes.o")),
              ElementsAre("MPI_Send analysable (rank + by) % 8 if main.line == 8",
                          "MPI_Send analysable (rank + by + 1) % 8 if main.line == 10"));
}

// The sources of a receive from any source are known if all sends that can match it are.
TEST(LinkHints, AnySourceIsKnownFromTheMatchingSends) {
  const auto receives = [](const std::string& body, const std::string& others = "") {
    const std::string object =
        compile(c_program(body,
                          "static MPI_Comm other; int who; void* by_hand; static void pass(void) "
                          "{ MPI_Send(buffer, 1, MPI_DOUBLE, who, 3, MPI_COMM_WORLD); }"),
                "-O1");
    const auto [code, output] = link_hints(object + others);
    EXPECT_EQ(code, 0) << output;
    std::vector<std::string> lines;
    for (const std::string& line : describe(read_hint_units(folder() + "/notes.o")))
      if (line.starts_with("MPI_Recv")) lines.push_back(line);
    return lines;
  };
  const auto receive = [](const std::string& tag, const std::string& communicator = "MPI_COMM_WORLD") {
    return "MPI_Recv(buffer, 1, MPI_DOUBLE, MPI_ANY_SOURCE, " + tag + ", " + communicator +
           ", MPI_STATUS_IGNORE);";
  };
  const std::string send = "MPI_Send(buffer, 1, MPI_DOUBLE, ",
                    ring = send + "(rank + 1) % size, 3, MPI_COMM_WORLD);";
  const std::string known = "MPI_Recv static MPI_ANY_SOURCE", unknown = "MPI_Recv dynamic MPI_ANY_SOURCE";
  EXPECT_THAT(receives(ring + receive("3")), ElementsAre(known));
  EXPECT_THAT(receives(ring + receive("MPI_ANY_TAG")), ElementsAre(known));
  EXPECT_THAT(receives(ring + receive("4")), ElementsAre(unknown)) << "there is no such send";
  const std::string astray = send + "rand() % size, 5, MPI_COMM_WORLD);";
  EXPECT_THAT(
      receives(ring + astray + receive("3") + receive("5") + receive("MPI_ANY_TAG") + receive("argc")),
      ElementsAre(known, unknown, unknown, unknown));
  EXPECT_THAT(receives(ring + send + "0, rand(), MPI_COMM_WORLD);" + receive("3")), ElementsAre(known));
  EXPECT_THAT(receives(ring + send + "rand() % size, rand(), MPI_COMM_WORLD);" + receive("3")),
              ElementsAre(unknown));
  EXPECT_THAT(receives("who = argc; pass();" + receive("3")),
              ElementsAre("MPI_Recv analysable MPI_ANY_SOURCE"));
  // Messages of another communicator do not match.
  const std::string split = "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &other);";
  EXPECT_THAT(receives(split + send + "rand() % 2, 3, other);" + ring + receive("3")), ElementsAre(known));
  EXPECT_THAT(receives(split + ring + receive("3", "other")),
              ElementsAre(testing::StartsWith("MPI_Recv dynamic MPI_ANY_SOURCE")));
  EXPECT_THAT(receives(split + "MPI_Comm c = argc > 1 ? MPI_COMM_WORLD : other;" + send +
                       "rand() % 2, 3, c);" + ring + receive("3")),
              ElementsAre(unknown));
  // Sends without a site.
  EXPECT_THAT(receives("P" + send + "rand() % size, 3, MPI_COMM_WORLD);" + ring + receive("3")),
              ElementsAre(unknown));
  EXPECT_THAT(receives("by_hand = MPI_Send;" + ring + receive("3")), ElementsAre(unknown));
  // A unit without hints may send.
  const std::string plain = folder() + "/plain_sender.o";
  ASSERT_EQ(run("echo 'int MPI_Send(); int f(void) { return MPI_Send(); }' | " HYBRID_TEST_CLANG
                " -w -std=c89 -x c -c - -o " +
                plain)
                .first,
            0);
  EXPECT_THAT(receives(ring + receive("3"), " " + plain), ElementsAre(unknown));
}

TEST(LinkHints, WithoutCommunicationThereIsNoNote) {
  const auto [code, output] = link_hints(compile({"plain.c", "int twice(int a) { return 2 * a; }\n"}, "-O2"));
  EXPECT_EQ(code, 0) << output;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/notes.o"));
}

TEST(LinkHints, RejectsOtherFiles) {
  const auto [code, output] = link_hints(folder() + "/none.o");
  EXPECT_EQ(code >> 8, 2);
  EXPECT_THAT(output, testing::HasSubstr("none.o: No such file"));
}

}  // namespace
}  // namespace hybrid::pass_test
