// The whole way of a hint, from a directive to what the library records of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

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
  // An input that does not end: mpiexec would pass its end on to a rank, and die where that has ended
  // already.
  const std::string mpiexec = "[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n 4 ";
  const auto alone = here(mpiexec + "./whole");
  EXPECT_EQ(alone, std::pair(0, std::string("3 6\n")));
  const auto recorded = here(
      mpiexec + "-genv LD_PRELOAD " HYBRID_TEST_LIBRARY
                " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT out_of_4 ./whole");
  EXPECT_EQ(recorded, alone) << "the program does the same";
  EXPECT_THAT(here(kBin + "hybrid hints whole").second, HasSubstr("shift {size - 3}"));
  const std::string checked = here(kBin + "hybrid hints whole --check out_of_4/trace.otf2").second;
  EXPECT_THAT(checked, testing::ContainsRegex("ring +4 +4 +100.0 % +100.0 % +12 +100.0 %"));
}

TEST(CompiledCommunication, OfTheExampleIsAllThatItDoes) {
  ASSERT_EQ(here(kBin + "hybridcc -O2 -o stencil " HYBRID_TEST_EXAMPLES "/stencil.c"), kSilence);
  EXPECT_THAT(here(kBin + "hybrid hints stencil --nodes 16").second,
              testing::ContainsRegex("exchange .*mesh2d, preload +4 +mesh2d 4x4, 48 connections\n"
                                     "  collect .*gather .0. +15 +gather 0, 15 connections"));
  record("stencil", 6, "stencil_of_6");
  const std::string check = here(kBin + "hybrid hints stencil --check stencil_of_6").second;
  EXPECT_THAT(check, testing::ContainsRegex("collect +5 +5 +100.0 % +100.0 % +25 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("exchange +14 +14 +100.0 % +100.0 % +700 +100.0 %"));
}

TEST(CompiledCommunication, ADirectiveMayStandInAUnitThatCallsNoMpi) {
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

}  // namespace
}  // namespace hybrid
