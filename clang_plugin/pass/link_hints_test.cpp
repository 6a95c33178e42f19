#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

TEST(LinkHints, SeesThroughUnits) {
  for (const std::string level : {"-O0", "-O2"}) {
    const std::string first = compile({"main.c", kMain}, level),
                      second = compile({"exchange.c", kExchange}, level);
    EXPECT_EQ(read_hint_units(second)[0].sites[0].site_class, HYBRID_DYNAMIC);
    const auto [code, output] = link_hints(first + " " + second);
    ASSERT_EQ(code, 0) << output;
    const auto units = read_hint_units(folder() + "/notes.o");
    ASSERT_EQ(units.size(), 1u);
    EXPECT_TRUE(units[0].flags & HYBRID_UNIT_WHOLE);
    EXPECT_THAT(describe(units), ElementsAre("MPI_Send static rank + 2", "MPI_Send static rank - 1"));
    // The phase is the one that the unit's marks tell of.
    const auto unit = read_hint_units(second)[0];
    EXPECT_EQ(units[0].phases[0].origin_phase, 0u);
    EXPECT_EQ(units[0].phases[0].origin_low, static_cast<std::uint32_t>(unit.id));
    EXPECT_EQ(units[0].phases[0].origin_high, static_cast<std::uint32_t>(unit.id >> 32));
  }
}

// A unit without the pass may do what it likes with what it can reach.
TEST(LinkHints, WhatOthersUseIsNotKnown) {
  const std::string first = compile({"main.c", kMain}, "-O1"),
                    second = compile({"exchange.c", kExchange}, "-O1");
  const std::string plain = folder() + "/plain.o";
  ASSERT_EQ(run("echo 'extern int me; void exchange(int); void f(void) { me = 5; exchange(7); }' "
                "| " HYBRID_TEST_CLANG " -x c -c - -o " +
                plain)
                .first,
            0);
  ASSERT_EQ(link_hints(first + " " + second + " " + plain).first, 0);
  // main's own call is known, and what me holds when exchange() begins; what the other unit calls exchange()
  // with is not.
  std::vector<std::string> known;
  size_t dynamic = 0;
  for (const HintUnit& unit : read_hint_units(folder() + "/notes.o"))
    for (const hybrid_site& site : unit.sites)
      if (site.site_class == HYBRID_DYNAMIC)
        ++dynamic;
      else
        known.push_back(describe(unit, site));
  EXPECT_THAT(known, testing::UnorderedElementsAre("MPI_Send static rank + 2", "MPI_Send static rank - 1",
                                                   "MPI_Send analysable me - 1"));
  EXPECT_EQ(dynamic, 1u);
}

TEST(LinkHints, NothingToSay) {
  const auto [code, output] = link_hints(compile({"plain.c", "int twice(int a) { return 2 * a; }\n"}, "-O2"));
  EXPECT_EQ(code, 0) << output;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/notes.o"));
}

TEST(LinkHints, RefusesOtherFiles) {
  const auto [code, output] = link_hints(folder() + "/none.o");
  EXPECT_EQ(code >> 8, 2);
  EXPECT_THAT(output, testing::HasSubstr("none.o: No such file"));
}

}  // namespace
}  // namespace hybrid::pass_test
