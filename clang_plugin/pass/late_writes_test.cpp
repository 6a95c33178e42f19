// Variables that are not written by the call that gets their address: by a receive that completes later, by
// another rank through a window, by a function that a library calls back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/notes.h"

namespace hybrid::pass_test {
namespace {

class LateWrites : public testing::TestWithParam<const char*> {
 protected:
  // Returns the classes of the sends in the loop of f(), which begins after `before`.
  static std::vector<std::uint16_t> classes(const std::string& globals, const std::string& before,
                                            const std::string& turn) {
    const std::string object = compile({"late.c", R"(#include <mpi.h>
#include <stdlib.h>
static int b, left; int number(void);
)" + globals + R"(
__attribute__((noinline)) void f(int rank, int size, int n) {
  MPI_Request q;
  )" + before + R"(
  for (int i = 0; i < n; ++i) {
    )" + turn + R"(
    MPI_Send(&b, 1, MPI_INT, left, 8, MPI_COMM_WORLD);
  }
}
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = number();
  f(rank, size, argc);
  MPI_Finalize();
  return 0;
})"},
                                       GetParam());
    const auto [code, output] =
        run(std::string(HYBRID_TEST_LINK_HINTS) + " -o " + folder() + "/late-notes.o " + object);
    std::vector<std::uint16_t> found;
    for (const HintUnit& unit : read_hint_units(folder() + "/late-notes.o"))
      for (const hybrid_site& site : unit.sites)
        if (site.kind == HYBRID_SEND) found.push_back(site.site_class);
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, LateWrites, testing::Values("-O0 -g", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

const std::vector<std::uint16_t> kAnalysable{HYBRID_ANALYSABLE}, kSpeculative{HYBRID_SPECULATIVE};

TEST_P(LateWrites, AReceiveThatIsCompletedInTheLoop) {
  const std::string receive = "MPI_Irecv(&left, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &q);",
                    wait = "MPI_Wait(&q, MPI_STATUS_IGNORE);";
  EXPECT_EQ(classes("", receive + wait, ""), kAnalysable) << "it is complete when the loop begins";
  EXPECT_EQ(classes("", receive, "if (i == 0) " + wait), kSpeculative);
  EXPECT_EQ(classes("", receive, "int done; MPI_Test(&q, &done, MPI_STATUS_IGNORE);"), kSpeculative);
  EXPECT_EQ(classes("static void finish(MPI_Request* r) { MPI_Waitall(1, r, MPI_STATUSES_IGNORE); }", receive,
                    "finish(&q);"),
            kSpeculative);
  EXPECT_EQ(classes("", "MPI_Ibcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD, &q);", wait), kSpeculative);
  EXPECT_EQ(
      classes("", "MPI_Recv_init(&left, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &q);", "MPI_Start(&q);" + wait),
      kSpeculative);
  EXPECT_EQ(classes("static MPI_Request all[4]; static int other;",
                    "MPI_Irecv(&other, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &all[rank & 3]);",
                    "MPI_Waitany(4, all, &b, MPI_STATUS_IGNORE);"),
            kAnalysable)
      << "another variable was received";
}

TEST_P(LateWrites, OtherRanksThroughAWindow) {
  EXPECT_EQ(
      classes("static MPI_Win w;",
              "MPI_Win_create(&left, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w);", ""),
      kSpeculative);
  EXPECT_EQ(
      classes("static MPI_Win w; static int other;",
              "MPI_Win_create(&other, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w);", ""),
      kAnalysable);
}

TEST_P(LateWrites, AFunctionThatALibraryCallsBack) {
  const std::string compare =
      "static int compare(const void* a, const void* b) { left = 2; return *(int*)a - *(int*)b; }";
  EXPECT_EQ(classes(compare, "", "int t[2] = {rank, size}; qsort(t, 2, 4, compare);"), kSpeculative);
  EXPECT_EQ(classes("", "", "b = abs(rank);"), kAnalysable);
}

}  // namespace
}  // namespace hybrid::pass_test
