// Destinations in a graph communicator: the results of MPI_Graph_neighbors and MPI_Dist_graph_neighbors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid::pass_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kNeighbors =
    "int from[2] = {(rank + size - 1) % size, (rank + size - 2) % size}, to[1] = {(rank + 1) % size};";
const std::string kArrays = "MPI_Comm g;" + kNeighbors;

std::string make(const std::string& in_degree = "2", const std::string& reorder = "0") {
  return "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, " + in_degree +
         ", from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, " + reorder + ", &g);";
}
const std::string kQuery = "MPI_Dist_graph_neighbors(g, 2, in, MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED);";
const std::string kExchange =
    "MPI_Send(buffer, 1, MPI_INT, out[0], 0, g); for (int i = 0; i < 2; ++i) MPI_Recv(buffer, 1, MPI_INT, "
    "in[i], 0, g, MPI_STATUS_IGNORE);";
const std::string kLocal = "int in[2], out[1];";

class Graphs : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> sites(const std::string& body, const std::string& globals = "") {
    return describe(hints_of(c_program(body, globals), GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, Graphs, testing::Values("-O0", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

TEST_P(Graphs, NeighboursAreTheArgumentsOfItsCreation) {
  const auto lines = sites(kArrays + kLocal + make() + kQuery + kExchange);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], HasSubstr("MPI_Send static (rank + 1) % size in MPI_Comm_dup"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr(" dynamic"))));
  // Later changes of the program's arrays have no effect on MPI.
  EXPECT_THAT(sites(kArrays + kLocal + make() + "to[0] = 0;" + kQuery + kExchange)[0],
              HasSubstr("MPI_Send static (rank + 1) % size in MPI_Comm_dup"));
  // The numbers of neighbours.
  EXPECT_THAT(sites(kArrays + make() +
                    "int n, m, w; MPI_Dist_graph_neighbors_count(g, &n, &m, &w); SEND(n); "
                    "SEND(m); SEND(w);"),
              ElementsAre("MPI_Send static 2", "MPI_Send static 1", HasSubstr("MPI_Send dynamic")));
}

TEST_P(Graphs, UnknownNeighbours) {
  const auto first = [](const std::string& body) { return sites(body)[0]; };
  const std::string unknown = "MPI_Send dynamic";
  EXPECT_THAT(first(kArrays + kLocal + make("2", "1") + kQuery + kExchange), HasSubstr(unknown));
  EXPECT_THAT(first(kArrays + kLocal + make("size") + kQuery + kExchange), HasSubstr(unknown));
  EXPECT_THAT(first(kArrays + kLocal + "to[0] = rand() % size;" + make() + kQuery + kExchange),
              HasSubstr(unknown));
  EXPECT_THAT(first(kArrays + kLocal + "if (argc > 1) {" + make() + "} else {" + make("1") + "}" + kQuery +
                    kExchange),
              HasSubstr(unknown));
  // An array with more elements than neighbours: the rest does not change.
  EXPECT_THAT(first(kArrays + "int in[2], out[3] = {0, 1, 2};" + make() +
                    "MPI_Dist_graph_neighbors(g, 2, in, MPI_UNWEIGHTED, 3, out, MPI_UNWEIGHTED);"
                    "MPI_Send(buffer, 1, MPI_INT, out[1], 0, g);"),
              HasSubstr(unknown));
  EXPECT_THAT(first(kArrays + kLocal + make() +
                    "int n = argc; MPI_Dist_graph_neighbors(g, n, in, MPI_UNWEIGHTED, n, "
                    "out, MPI_UNWEIGHTED);" +
                    kExchange),
              HasSubstr(unknown));
}

// Neighbours known only at run time are read from the variable or member that they are stored in.
TEST_P(Graphs, NeighboursAreReadFromTheirVariable) {
  const std::string setup =
      "static MPI_Comm g; static struct { int n, in[2], out[8]; } kept; static void exchange(void) "
      "{ for (int i = 0; i < kept.n; ++i) MPI_Send(buffer, 1, MPI_INT, kept.out[i], 0, g); }"
      "static void query(int rank, int size, int any) { int w, m; ";
  const std::string query =
      "MPI_Dist_graph_neighbors_count(g, &m, &kept.n, &w);"
      "MPI_Dist_graph_neighbors(g, 2, kept.in, MPI_UNWEIGHTED, 8, kept.out, MPI_UNWEIGHTED); }";
  const std::string arrays = "int from[2] = {0, 1}, to[1] = {any}; ";
  EXPECT_THAT(sites("query(rank, size, rand() % size); exchange();", setup + arrays + make() + query),
              ElementsAre(HasSubstr("MPI_Send analysable kept")));
  EXPECT_THAT(sites("query(rank, size, argc); exchange();",
                    "static MPI_Comm g; static int near[8], n; static void exchange(void)"
                    "{ for (int i = 0; i < n; ++i) MPI_Send(buffer, 1, MPI_INT, near[i], 0, g); }"
                    "static void query(int rank, int size, int most) { int index[64], edges[64];"
                    "for (int i = 0; i < size; ++i) { index[i] = i + 1; edges[i] = (i + 1) % size; }"
                    "MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &g);"
                    "MPI_Graph_neighbors_count(g, rank, &n); MPI_Graph_neighbors(g, rank, n, near); }"),
              ElementsAre(HasSubstr("MPI_Send analysable near")));
}

TEST(GraphsRun, HintsEqualTheRecordedSends) {
  std::ofstream(folder() + "/graph.c")
      << c_program(kNeighbors + make() + kQuery + "for (int turn = 0; turn < 3; ++turn) exchange();",
                   "static int in[2], out[1]; static MPI_Comm g; static void exchange(void) {"
                   "MPI_Request r; MPI_Irecv(buffer, 1, MPI_INT, in[0], 0, g, &r);"
                   "MPI_Send(buffer, 1, MPI_INT, out[0], 0, g); MPI_Wait(&r, MPI_STATUS_IGNORE); }")
             .text;
  const auto here = [](const std::string& command) { return run("cd " + folder() + " && " + command); };
  ASSERT_EQ(here(HYBRID_TEST_BIN "/hybridcc -O2 graph.c -o graph"), std::pair(0, std::string()));
  const auto [code, words] =
      here("[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC
           " <>input -n 5 -genv LD_PRELOAD " HYBRID_TEST_LIBRARY
           " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT graph_of_5 ./graph");
  ASSERT_EQ(code, 0) << words;
  EXPECT_THAT(here(HYBRID_TEST_BIN "/hybrid hints graph --check graph_of_5").second,
              testing::ContainsRegex("exchange +5 +5 +100.0 % +100.0 % +15 +100.0 %"));
}

}  // namespace
}  // namespace hybrid::pass_test
