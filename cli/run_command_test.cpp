// `hybrid run` with an mpiexec that only prints: what is refused before the job runs, and how the end of a
// job is reported.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"
#include "cli/testing/built_command.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Run : public testing::Test {
 protected:
  /// Makes ./mpiexec, which runs `script` for a job.
  static void mpiexec(const std::string& script) {
    std::ofstream("mpiexec")
        << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo HYDRA; exit; fi\ntouch started\n"
        << script << "\n";
    fs::permissions("mpiexec", fs::perms::owner_all);
  }
  static std::string run(std::vector<std::string> words, int code) {
    words.insert(words.begin(), {HYBRID_COMMAND, "run", "--mpiexec", "./mpiexec"});
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, code) << text;
    return text;
  }

 private:
  const TemporaryWorkingDirectory root_;
};

TEST_F(Run, ABinaryWithoutHintsIsRefusedBeforeTheStart) {
  mpiexec("");
  EXPECT_THAT(run({"-n", "2", "--hints", "/bin/true", "--", "/bin/true"}, 2),
              AllOf(HasSubstr("hints: '/bin/true': it contains no hints"), HasSubstr("hybridcc")));
  EXPECT_THAT(run({"-n", "2", "--hints", "./gone", "--", "/bin/true"}, 2), HasSubstr("./gone"));
  EXPECT_FALSE(fs::exists("started"));
}

TEST_F(Run, MoreHostsThanRanksAreRefusedBeforeTheStart) {
  mpiexec("");
  EXPECT_THAT(run({"-n", "2", "--hosts", "3", "--", "/bin/true"}, 2),
              HasSubstr("hosts: 3 hosts for 2 ranks"));
  EXPECT_FALSE(fs::exists("started"));
}

TEST_F(Run, NpIsN) {
  mpiexec("echo \"$@\"; exit 3");
  EXPECT_THAT(run({"-np", "5", "--", "/bin/true", "-np", "6"}, 1), HasSubstr("-n 5"));
  EXPECT_THAT(run({"-np", "5", "/bin/true", "-np", "6"}, 1), HasSubstr("/bin/true -np 6"));
}

TEST_F(Run, TheEndOfAJobIsNamed) {
  mpiexec("printf 'last words'; echo '[mpiexec@vm] Exit codes: [vm] 9,11'; exit 11");
  EXPECT_THAT(run({"-n", "2", "--", "/bin/true"}, 1),
              AllOf(HasSubstr("last words"), Not(HasSubstr("Exit codes")),
                    HasSubstr("'/bin/true' ended by SIGSEGV (signal 11) on rank 1; nothing was recorded")));
  mpiexec("kill -9 $$");
  EXPECT_THAT(run({"-n", "2", "--", "/bin/true"}, 1), HasSubstr("mpiexec ended by SIGKILL (signal 9)"));
  mpiexec("echo '[mpiexec@vm] match_arg (args.c:163): unrecognized argument frob' >&2; exit 255");
  EXPECT_THAT(run({"-n", "2", "--", "/bin/true"}, 2),
              HasSubstr("mpiexec rejected its options: unknown option -frob"));
}

TEST_F(Run, RepeatsNeedAReport) {
  mpiexec("");
  EXPECT_THAT(run({"-n", "2", "--repeats", "0", "--", "/bin/true"}, 2), HasSubstr("--repeats: 0 runs"));
  EXPECT_THAT(run({"-n", "2", "--repeats", "2", "--at-finalize", "trace", "--", "/bin/true"}, 2),
              HasSubstr("--at-finalize trace makes none"));
  EXPECT_FALSE(fs::exists("started"));
}

TEST_F(Run, JsonNeedsAReport) {
  mpiexec("");
  EXPECT_THAT(run({"-n", "2", "--json", "r.json", "--at-finalize", "trace", "--", "/bin/true"}, 2),
              HasSubstr("--json writes the report, but --at-finalize trace makes none"));
  EXPECT_FALSE(fs::exists("started"));
}

TEST(Repeats, OfAProgramAreReportedTogether) {
#ifdef HYBRID_SANITIZED
  GTEST_SKIP() << "the program would need the sanitizer's runtime before the library";
#endif
  const TemporaryWorkingDirectory root;
  ChildEnd end;
  const std::string text = output_of({HYBRID_COMMAND, "run", "-n", "2", "--repeats", "2", "--technique",
                                      "wormhole,circuit", "-o", "job", "--", HYBRID_EXAMPLES "/two_phase"},
                                     end);
  EXPECT_EQ(end.exit_code, 0) << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("run 2 of 2"), HasSubstr("Techniques over 2 runs"), HasSubstr("files: job")));
  for (const char* file :
       {"report.txt", "report.json", "report.html", "run-1/trace.otf2", "run-2/report.json"})
    EXPECT_TRUE(fs::exists(fs::path("job") / file)) << file;
  const auto json = nlohmann::json::parse(std::ifstream("job/report.json"));
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["repeats"]["results"].size(), 2u);
}

// Ctrl-C as soon as the trace exists; the emulations that follow would take many seconds.
TEST_F(Run, CtrlCDuringTheEmulationKeepsTheTraceAndSaysHowToContinue) {
#ifdef HYBRID_SANITIZED
  GTEST_SKIP() << "the program would need the sanitizer's runtime before the library";
#endif
  mpiexec(
      "mpiexec.mpich \"$@\"\ncode=$?\n"
      "(until [ -e job/trace.otf2 ] || ! kill -0 $PPID; do sleep 0.01; done; kill -INT $PPID) >/dev/null "
      "2>&1 "
      "&\nexit $code");
  std::string slots = "1";
  for (int k = 2; k <= 40; ++k) slots += "," + std::to_string(k);
  const std::string text =
      run({"-n", "4", "-o", "job", "--slots", slots, "--", HYBRID_EXAMPLES "/stencil", "24", "4000"},
          128 + SIGINT);
  EXPECT_THAT(
      text, HasSubstr("Interrupted: no report was made. The trace has all that was recorded. Continue with:\n"
                      "  hybrid replay job/trace.otf2 --slots 1,2"));
  EXPECT_FALSE(fs::exists("job/report.json"));
  EXPECT_EQ(nlohmann::json::parse(output({"profile", "job/trace.otf2", "--json", "-"})).at("ranks"), 4);
}

// SIGTERM while the program runs, which mpiexec ends with exit code 0.
TEST_F(Run, AJobThatIsStoppedIsNotEmulated) {
#ifdef HYBRID_SANITIZED
  GTEST_SKIP() << "the program would need the sanitizer's runtime before the library";
#endif
  mpiexec(
      "(until [ -s job/recording/rank-3-thread-0.journal ] || ! kill -0 $PPID; do sleep 0.01; done; kill "
      "-TERM "
      "$PPID) "
      ">/dev/null 2>&1 &\nexec mpiexec.mpich \"$@\"");
  const std::string text =
      run({"-n", "4", "-o", "job", "--", HYBRID_EXAMPLES "/stencil", "24", "100000000"}, 1);
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("/stencil' was stopped by SIGTERM (signal 15)"),
          HasSubstr("The trace has all that was recorded. Continue with:\n  hybrid replay job/trace.otf2")));
  EXPECT_TRUE(fs::exists("job/trace.otf2"));
  EXPECT_FALSE(fs::exists("job/report.json"));
}

TEST_F(Run, OutputOfProcessesThatAreLeftBehindIsNotAwaited) {
  mpiexec("sleep 600 & echo $! > pid; echo words; exit 3");
  EXPECT_THAT(run({"-n", "2", "--", "/bin/true"}, 1), HasSubstr("words"));
  int pid = 0;
  std::ifstream("pid") >> pid;
  ASSERT_GT(pid, 1);
  EXPECT_EQ(::kill(pid, SIGKILL), 0);
}

#ifdef HYBRID_FPGA_TWIN
/// The operations of the job in ./NAME and their messages.
nlohmann::json recorded(const std::string& name) {
  const auto profile = nlohmann::json::parse(output({"profile", name + "/trace.otf2", "--json", "-"}));
  return {profile.at("whole_run"), profile.at("operations")};
}

// The line ends after its first 300 or 3000 bytes: the job of four ranks goes on, and nothing recorded is
// lost.
TEST_F(Run, TheJobGoesOnIfTheLineToTheSchedulerEnds) {
  const std::vector<std::string> job{"--", HYBRID_EXAMPLES "/two_phase"};
  const auto run_job = [&](const std::string& name, const std::string& scheduler, int code) {
    return output({"run", "-n", "4", "-o", name, "--scheduler", scheduler, job[0], job[1]}, code);
  };
  run_job("without", "greedy", 0);
  for (const char* const bytes : {"300", "3000"}) {
    const std::string command = fmt::format("exec timeout 100 {} --ends-after {}", HYBRID_FPGA_TWIN, bytes);
    std::FILE* const twin = popen(command.c_str(), "r");
    std::array<char, 100> option{}, device{};
    ASSERT_EQ(std::fscanf(twin, "%99s %99s", option.data(), device.data()), 2);
    const std::string text = run_job(bytes, device.data(), 1);
    EXPECT_EQ(pclose(twin), 0) << "the twin ends with its line";
    EXPECT_THAT(text, HasSubstr("every word arrived"));
    EXPECT_THAT(text, HasSubstr(std::string(device.data()).substr(7) + ": the serial line"));
    EXPECT_THAT(text, HasSubstr("hybrid replay " + std::string(bytes) + "/trace.otf2"));
    EXPECT_EQ(recorded(bytes), recorded("without"));
  }
}
#endif

}  // namespace
}  // namespace hybrid
