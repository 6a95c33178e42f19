// A recorded run as what tells the compiler what it could not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "clang_plugin/pass/testing/compiled.h"
#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

using pass_test::folder;
using testing::AllOf;
using testing::HasSubstr;
using wrappers_test::here;
using wrappers_test::kBin;
using wrappers_test::kSilence;
using wrappers_test::record;
using wrappers_test::write;

// Who sends to whom is drawn by lot, the same draw in every run.
const char kLot[] = R"x(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, got, *to = malloc(64 * sizeof *to);
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
  MPI_Sendrecv(&rank, 1, MPI_INT, to[rank], 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma hybrid phase(ring)
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
)x";

TEST(Profile, TellsWhatTheAnalysisCouldNot) {
  write("lot.c", kLot);
  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o lot"), kSilence);
  record("lot", 5, "lot_of_5");
  const std::string before = here(kBin + "hybrid hints lot --check lot_of_5").second;
  EXPECT_THAT(before, testing::ContainsRegex("lot +0 +5 +100.0 % +0.0 % +5 +0.0 %"));
  EXPECT_THAT(here(kBin + "hybrid profile lot_of_5").second,
              testing::ContainsRegex("lot +5 +5 .*ring +5 +5 +shift 1"));

  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o told -fhybrid-profile-use=lot_of_5"), kSilence);
  const std::string check = here(kBin + "hybrid hints told --check lot_of_5").second;
  EXPECT_THAT(check, testing::ContainsRegex("lot +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("ring +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("MPI_Sendrecv +dynamic +lot")) << "a profile settles no call";
  EXPECT_THAT(check, testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload"));
  // At another number of ranks the run told nothing.
  EXPECT_THAT(here(kBin + "hybrid hints told --nodes 4").second,
              testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload +0 +unknown: "));
  // Other runs add to it, and compiling in steps is the same.
  record("told", 4, "lot_of_4");
  ASSERT_EQ(here(kBin + "hybridcc -c lot.c -fhybrid-profile-use=lot_of_4 && " + kBin +
                 "hybridcc lot.o -o both -fhybrid-profile-use=lot_of_4 -fhybrid-profile-use=lot_of_5"),
            kSilence);
  for (const char* const run : {"lot_of_4", "lot_of_5"})
    EXPECT_THAT(here(kBin + "hybrid hints both --check " + run).second,
                testing::ContainsRegex("the whole run\\) +[0-9]+ +[0-9]+ +100.0 % +100.0 % "))
        << run;
}

TEST(Profile, ThatDoesNotFitIsTold) {
  write("lot.c", kLot);
  write("other.c",
        "#include <mpi.h>\n#include <stdlib.h>\nint main(void) {\n  int r = 0;\n  MPI_Init(0, 0);\n"
        "  MPI_Send(&r, 1, MPI_INT, rand() % 2, 0, MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n");
  ASSERT_EQ(here(kBin + "hybridcc lot.c -o unfit"), kSilence);
  record("unfit", 3, "unfit_of_3");
  const std::string with = " -fhybrid-profile-use=unfit_of_3";
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other" + with).second,
              HasSubstr("warning: the profile unfit_of_3 has none of this program's phases ('main')"));
  EXPECT_EQ(here(kBin + "hybridcc other.c -o other -Wno-hybrid" + with), kSilence);
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other -Werror=hybrid" + with + " 2>&1; echo $?").second,
              AllOf(HasSubstr("error: the profile"), HasSubstr("\n2\n")));
  EXPECT_THAT(here(kBin + "hybridcc -shared -fPIC other.c -o libother.so" + with).second,
              HasSubstr("warning"));
  EXPECT_THAT(here(kBin + "hybridcc other.c -o unmade -fhybrid-profile-use=nowhere 2>&1; echo $?").second,
              AllOf(HasSubstr("nowhere: no such file"), HasSubstr("\n2\n")));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/unmade"));
}

}  // namespace
}  // namespace hybrid
