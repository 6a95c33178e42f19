#include "cli/mpiexec_output.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

namespace hybrid {
namespace {

/// How `./app` ended, if mpiexec printed `lines` and exited with `code`.
std::string ending(const std::vector<std::string>& lines, int code) {
  MpiexecOutput output;
  for (const std::string& line : lines) output.read(line);
  return output.how_it_ended("./app", {code, 0});
}

TEST(MpiexecOutput, NamesTheSignalAndTheRankThatItEnded) {
  EXPECT_EQ(ending({"[mpiexec@vm] Exit codes: [vm] 9,11,0"}, 11),
            "'./app' ended by SIGSEGV (signal 11) on rank 1");
  EXPECT_EQ(ending({"[mpiexec@vm] Exit codes: [vm] 0,9"}, 9),
            "'./app' ended by SIGKILL (signal 9) on rank 1");
}

// mpiexec itself sends SIGKILL to the others.
TEST(MpiexecOutput, DoesNotGuessWhichRankWasKilledFirst) {
  EXPECT_EQ(ending({"[mpiexec@vm] Exit codes: [vm] 0,9,9,9"}, 9),
            "'./app' ended by SIGKILL (signal 9) on one of the ranks 1-3 (mpiexec killed the others)");
  EXPECT_EQ(
      ending({"[mpiexec@vm] Exit codes: [vm] 9,15,9"}, 15),
      "'./app' ended by SIGKILL (signal 9) or SIGTERM (signal 15) on one of the ranks 0-2 (mpiexec killed "
      "the others)");
}

TEST(MpiexecOutput, TheFirstDeathNamesTheRankThatWasKilled) {
  MpiexecOutput output;
  output.read("[mpiexec@vm] Exit codes: [vm] 0,9,9,9");
  const ChildEnd end{9, 0};
  EXPECT_EQ(output.how_it_ended("./app", end, {0, 2, 1, 3}),
            "'./app' ended by SIGKILL (signal 9) on rank 2 (mpiexec killed the others)");
  EXPECT_EQ(output.how_it_ended("./app", end, {2, 1}),
            "'./app' ended by SIGKILL (signal 9) on one of the ranks 1-3 (mpiexec killed the others)")
      << "rank 3 may have been the first";
  MpiexecOutput both;
  both.read("[mpiexec@vm] Exit codes: [vm] 9,15,15,9");
  EXPECT_EQ(both.how_it_ended("./app", end, {3, 1, 0, 2}),
            "'./app' ended by SIGKILL (signal 9) on rank 3 (mpiexec killed the others)");
}

TEST(MpiexecOutput, NamesExitCodesByRank) {
  EXPECT_EQ(ending({"[mpiexec@vm] Exit codes: [a] 768,0 [b] 1024,768"}, 7),
            "'./app' failed with exit code 3 on ranks 0,3, failed with exit code 4 on rank 2");
  EXPECT_EQ(ending({}, 7), "'./app' failed with exit code 7");
}

TEST(MpiexecOutput, NamesTheRankThatAborted) {
  EXPECT_EQ(ending({"Abort(5) on node 12 (rank 1 in comm 0): application called MPI_Abort"}, 5),
            "'./app' aborted on rank 12, with exit code 5");
}

TEST(MpiexecOutput, NamesTheFaultOfMpiexec) {
  EXPECT_EQ(
      ending({"[mpiexec@vm] match_arg (utils/args/args.c:163): unrecognized argument frob",
              "[mpiexec@vm] HYDU_parse_array (utils/args/args.c:178): argument matching returned error"},
             255),
      "mpiexec rejected its options: unknown option -frob");
  EXPECT_EQ(
      ending({"[mpiexec@vm] HYDU_parse_hostfile (utils/args/args.c:319): unable to open host file: hosts",
              "[mpiexec@vm] mfile_fn (ui/mpich/utils.c:333): error parsing hostfile"},
             255),
      "mpiexec failed: unable to open host file: hosts");
  EXPECT_EQ(MpiexecOutput().how_it_ended("./app", {0, SIGTERM}), "mpiexec ended by SIGTERM (signal 15)");
  EXPECT_EQ(MpiexecOutput().how_it_ended("./app", {0, SIGTERM, SIGTERM}),
            "'./app' was stopped by SIGTERM (signal 15)");
}

TEST(MpiexecOutput, OnlyTheLineOfItsOwnOptionIsHidden) {
  MpiexecOutput output;
  EXPECT_FALSE(output.read("[mpiexec@vm] Exit codes: [vm] 0,0"));
  EXPECT_TRUE(output.read("[mpiexec@vm] main (ui/mpich/mpiexec.c:127): error parsing parameters"));
}

class FilteredOutput : public testing::Test {
 protected:
  /// What is copied of the output that comes in these parts, without lines that begin with "[x@" and end
  /// in 1.
  static std::string copied(const std::vector<std::string>& parts) {
    const LineFilter filter{{"[x@", "Abort("}, [](std::string_view line) { return !line.ends_with('1'); }};
    FilteredLines lines(filter);
    std::string text;
    for (const std::string& part : parts) text += lines.pass(part);
    return text + lines.rest();
  }
};

TEST_F(FilteredOutput, LinesAreFoundInAnyPartition) {
  const std::string text = "a[b\n[x@h] 1\n[x@h] 2\nAbort(3)\n";
  for (std::size_t first = 0; first <= text.size(); ++first)
    for (std::size_t second = first; second <= text.size(); ++second)
      EXPECT_EQ(copied({text.substr(0, first), text.substr(first, second - first), text.substr(second)}),
                "a[b\n[x@h] 2\nAbort(3)\n");
}

TEST_F(FilteredOutput, OutputWithoutANewlineIsCopiedAtOnce) {
  const LineFilter filter{{"[x@"}, [](std::string_view) { return false; }};
  FilteredLines lines(filter);
  EXPECT_EQ(lines.pass("password: "), "password: ");
  EXPECT_EQ(lines.pass("done[x@h] 1\n"), "done");
}

TEST_F(FilteredOutput, AnUnfinishedLineIsNotLost) { EXPECT_EQ(copied({"[x@h] 1"}), "[x@h] 1"); }

}  // namespace
}  // namespace hybrid
