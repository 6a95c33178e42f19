#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid::pass_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class KeptLocals : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> sites(const std::string& body, const std::string& globals = "") {
    return describe(hints_of(c_program(body, globals), GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, KeptLocals, testing::Values("-O0 -g", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

const char kLoop[] = "for (int i = 0; i < 3; ++i) SEND((rank + n) % size);";

TEST_P(KeptLocals, ANumberOfTheCommandLine) {
  EXPECT_THAT(sites("int n = argc > 1 ? atoi(argv[1]) : 2;" + std::string(kLoop)),
              ElementsAre("MPI_Send analysable (rank + n) % size"));
  EXPECT_THAT(sites("int n = 2; if (argc > 1) n = atoi(argv[1]);" + std::string(kLoop)),
              ElementsAre("MPI_Send analysable (rank + n) % size"));
  EXPECT_THAT(sites("long n = strtol(argv[1], 0, 10);"
                    "for (int i = 0; i < 3; ++i) SEND((int)((rank + n) % size));"),
              ElementsAre(HasSubstr("MPI_Send analysable (int32_t)((rank + n) % size)")));
}

TEST_P(KeptLocals, ANumberThatIsComputedFromAnother) {
  EXPECT_THAT(sites("int m = atoi(argv[1]), n = 1; if (m > 3) n = m / 2;" + std::string(kLoop)),
              ElementsAre("MPI_Send analysable (rank + n) % size"));
  EXPECT_THAT(sites("int m = atoi(argv[1]), n = m; for (int i = 0; i < size; ++i) if (n > i) n = m;" +
                    std::string(kLoop)),
              ElementsAre("MPI_Send analysable (rank + n) % size"));
}

TEST_P(KeptLocals, ValuesThatAreReadOrReceivedIntoThem) {
  EXPECT_THAT(sites("int n; if (rank == 0) scanf(\"%d\", &n); MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);" +
                        std::string(kLoop),
                    "#include <stdio.h>\n"),
              Contains("MPI_Send analysable (rank + n) % size"));
  EXPECT_THAT(sites("int n; scanf(\"%d\", &n);" + std::string(kLoop), "#include <stdio.h>\n"),
              ElementsAre("MPI_Send analysable (rank + n) % size"));
  EXPECT_THAT(sites("int to[4]; MPI_Bcast(to, 4, MPI_INT, 0, MPI_COMM_WORLD);"
                    "for (int i = 0; i < 4; ++i) SEND(to[i]);"),
              Contains("MPI_Send analysable to[i * 4 bytes]"));
}

TEST_P(KeptLocals, OfABlock) {
  EXPECT_THAT(sites("if (size > 1) { int n; MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);" +
                    std::string(kLoop) + "}"),
              Contains(HasSubstr("MPI_Send analysable (rank + n) % size")));
}

TEST_P(KeptLocals, MembersOfAStructThatAFunctionSets) {
  EXPECT_THAT(sites("struct options o; parse(&o, argc, argv);"
                    "for (int i = 0; i < o.turns; ++i) SEND((rank + o.by) % size);",
                    "struct options { int by, turns; };\n"
                    "static void parse(struct options* o, int argc, char** argv) {\n"
                    "  o->by = 1; o->turns = 3;\n"
                    "  if (argc > 1) o->by = atoi(argv[1]); if (argc > 2) o->turns = atoi(argv[2]);"
                    "}\n"),
              ElementsAre("MPI_Send analysable (rank + o) % size"));
}

TEST_P(KeptLocals, ArgumentsOfFunctionsThatTheMainProgramCalls) {
  EXPECT_THAT(sites("int n = atoi(argv[1]); for (int i = 0; i < n; ++i) shift((rank + n) % size);",
                    "static void shift(int to) { SEND(to); }"),
              Contains("MPI_Send analysable (rank + n) % size"));
}

/* A local must have the same value at the begin of the phase and at the call. */
TEST_P(KeptLocals, ThatChangeInThePhaseAreNotHinted) {
  EXPECT_THAT(sites("int n = atoi(argv[1]); for (int i = 0; i < 3; ++i) {"
                    "  SEND((rank + n) % size); n = atoi(argv[2]); }"),
              ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(sites("int n = 0; MPI_Request r; MPI_Irecv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);"
                    "for (int i = 0; i < 3; ++i) { SEND((rank + n) % size);"
                    "  if (i == 1) MPI_Wait(&r, MPI_STATUS_IGNORE); }"),
              Contains(HasSubstr("MPI_Send dynamic")));
}

/* Before the write, the local would hint the sends of another place. */
TEST_P(KeptLocals, ThatAreWrittenBetweenCallsOfAProcedureAreHintedForTheirCall) {
  const std::string shift = "static void shift(int to) { SEND(to); }";
  EXPECT_THAT(sites("int n = atoi(argv[1]); shift((rank + n) % size);"
                    "int m = atoi(argv[2]); shift((rank + m) % size);",
                    shift),
              ElementsAre("MPI_Send analysable (rank + n) % size",
                          "MPI_Send analysable (rank + m) % size if main.call == 2"));
  EXPECT_THAT(sites("shift(0); if (!atoi(argv[1])) shift(1);", shift),
              ElementsAre("MPI_Send static 0", "MPI_Send analysable 1 if main.call == 2"));
}

/* When a procedure has begun, the number of iterations of the loop around its call has no effect. */
TEST_P(KeptLocals, ThatOnlyCountIterationsLeaveAProcedureStatic) {
  const std::string turns = "int turns = atoi(argv[1]); for (int i = 0; i < turns; ++i) ";
  const std::string shift = "static void shift(int by) { SEND((me + by) % of); }";
  const std::string globals = "static int me, of;" + shift;
  EXPECT_THAT(sites("me = rank; of = size;" + turns + "shift(1);", globals),
              ElementsAre("MPI_Send static (rank + 1) % size"));
  EXPECT_THAT(sites(turns + "SEND((rank + 1) % size);"),
              ElementsAre("MPI_Send analysable (rank + 1) % size"));
  EXPECT_THAT(sites("me = rank; of = size; shift(2);" + turns + "shift(1);", globals),
              ElementsAre("MPI_Send static (rank + 2) % size",
                          "MPI_Send analysable (rank + 1) % size if main.call == 2"));
  EXPECT_THAT(sites("me = rank; of = size; int turns = atoi(argv[1]); shift(2);"
                    "for (int i = 0; i < turns; ++i) shift(1);",
                    globals),
              ElementsAre("MPI_Send static (rank + 2) % size", "MPI_Send analysable (rank + 1) % size"));
}

/* Whether the loop is entered is known when its phase begins. */
TEST_P(KeptLocals, ThatALoopWritesAndTests) {
  EXPECT_THAT(sites("int done = 0; while (!done) { SEND((rank + 1) % size);"
                    "  MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD); }"),
              Contains("MPI_Send analysable (rank + 1) % size"));
  EXPECT_THAT(sites("for (int i = 0; i < atoi(argv[1]); ++i) SEND((rank + 1) % size);"),
              ElementsAre("MPI_Send static (rank + 1) % size"));
  EXPECT_THAT(sites("for (int i = 0; i < atoi(argv[1]); ++i) SEND((rank + i) % size);"),
              ElementsAre(HasSubstr("MPI_Send dynamic")));
}

/* It may be active twice. */
TEST_P(KeptLocals, AreNotThoseOfAMainProgramThatIsCalled) {
  EXPECT_THAT(sites("int n = atoi(argv[1]);" + std::string(kLoop) + "if (n > 9) main(argc - 1, argv + 1);",
                    "int main(int, char**);"),
              Contains(HasSubstr(" dynamic")));
}

/* A number that only the main program writes stays in a register. */
TEST(KeptLocalsInTheProgram, ComputeAsBefore) {
  const std::string object = compile(c_program("int n = atoi(argv[1]); int sum = 0;"
                                               "for (int i = 0; i < size; ++i) SEND((rank + n) % size);"
                                               "for (int i = 0; i < 1 << 20; ++i) sum += n * i ^ sum;"
                                               "if (sum == 7) return 1;"),
                                     "-O2");
  const std::string code = run("objdump -dr " + object).second;
  size_t references = 0;
  for (size_t at = code.find("main.local"); at != std::string::npos; at = code.find("main.local", at + 1))
    ++references;
  const size_t by_section = code.find(".bss") == std::string::npos ? 0 : 1;
  EXPECT_LE(references + by_section, 4u) << code;
}

}  // namespace
}  // namespace hybrid::pass_test
