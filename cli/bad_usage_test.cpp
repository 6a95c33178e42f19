// Bad usage and bad input, with the built command as a process. Each case exits with 2, names
// the fault, and does not change the working directory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cli/child.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BadUsage : public testing::Test {
 protected:
  // Every file below the working directory with its content; directories with "".
  static std::map<std::string, std::string> files() {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(".")) {
      std::ifstream file(entry.path(), std::ios::binary);
      all[entry.path()] =
          entry.is_regular_file() ? std::string{std::istreambuf_iterator<char>(file), {}} : "";
    }
    return all;
  }

  // What the command says, having ended with 2 and touched nothing.
  static std::string refused(std::vector<std::string> words) {
    words.insert(words.begin(), HYBRID_COMMAND);
    const auto earlier = files();
    ChildEnd end;
    std::string said = output_of(words, end);
    EXPECT_EQ(end.exit_code, 2) << said;
    EXPECT_EQ(end.signal, 0) << said;
    EXPECT_EQ(files(), earlier) << said;
    EXPECT_THAT(said, testing::StartsWith("hybrid: "));
    return said;
  }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  const TemporaryWorkingDirectory root_;
};

TEST_F(BadUsage, NoSubCommand) { EXPECT_THAT(refused({}), HasSubstr("hybrid --help")); }

TEST_F(BadUsage, UnknownSubCommand) {
  EXPECT_THAT(refused({"simulat"}), AllOf(HasSubstr("'simulat'"), HasSubstr("Did you mean 'simulate'?")));
  EXPECT_THAT(refused({"frobnicate"}), HasSubstr("expected one of: "));
}

TEST_F(BadUsage, UnknownOption) {
  EXPECT_THAT(refused({"simulate", "--nods", "8"}),
              AllOf(HasSubstr("'--nods'"), HasSubstr("Did you mean '--nodes'?")));
  EXPECT_THAT(refused({"replay", "x", "--slot-lenght=1us"}),
              AllOf(HasSubstr("'--slot-lenght'"), HasSubstr("Did you mean '--slot-length'?")));
  EXPECT_THAT(refused({"replay", "x", "--slot-lenght", "5ns"}),
              AllOf(HasSubstr("unknown option '--slot-lenght'"), HasSubstr("Did you mean '--slot-length'?")));
  EXPECT_THAT(refused({"replay", "x", "-q", "5ns", "--json", "-"}), HasSubstr("unknown option '-q'"));
  EXPECT_THAT(refused({"--verbose"}), HasSubstr("'--verbose'"));
  EXPECT_THAT(refused({"list", "---"}), HasSubstr("'---'"));
}

TEST_F(BadUsage, AnOptionWithoutItsValueSaysWhatToGive) {
  EXPECT_THAT(refused({"replay", "x", "--slots"}), HasSubstr("--slots needs a value: --slots K,...|auto"));
  EXPECT_THAT(refused({"run", "-n"}), HasSubstr("-n needs a value: -n N"));
  EXPECT_THAT(refused({"run", "-np"}), HasSubstr("needs a value"));
}

TEST_F(BadUsage, HelpOfAnUnknownTermNamesThoseThatContainIt) {
  EXPECT_THAT(refused({"help", "working"}), HasSubstr("Did you mean `hybrid help working set`?"));
  EXPECT_THAT(refused({"help", "gap", "close"}), HasSubstr("Did you mean `hybrid help gap closed`?"));
}

TEST_F(BadUsage, AnUnknownOptionOfRunIsNotTheProgram) {
  EXPECT_THAT(refused({"run", "--rank", "4", "--", "/bin/true"}), HasSubstr("Did you mean '--ranks'?"));
}

TEST_F(BadUsage, RanksWithoutPortsAreRefusedBeforeTheStart) {
  EXPECT_THAT(refused({"run", "-n", "4", "--ports", "0,1", "--", "/bin/true"}),
              HasSubstr("ports: 2 ports given, but the job has 4 ranks"));
  EXPECT_THAT(refused({"run", "-n", "4", "--network", "fattree:1,2", "--", "/bin/true"}),
              HasSubstr("2 nodes, but the job uses the ports 0 to 3"));
  EXPECT_THAT(refused({"run", "-n", "4", "--nodes", "3", "--", "/bin/true"}),
              HasSubstr("crossbar:3 has 3 nodes, but the job uses the ports 0 to 3"));
  EXPECT_THAT(refused({"run", "-n", "4", "--network", "crossbar:1", "--", "/bin/true"}),
              HasSubstr("nodes: 1: at least 2 ports"));
  EXPECT_THAT(refused({"run", "-n", "2", "--ports", "0,5", "--network", "fattree:1,2", "--", "/bin/true"}),
              HasSubstr("2 nodes, but the job uses the ports 0 to 5"));
}

TEST_F(BadUsage, ADirectoryIsNoTopology) {
  EXPECT_THAT(refused({"topology", "--topology", "."}), HasSubstr("topology .: a directory, not a file"));
  EXPECT_THAT(refused({"run", "-n", "2", "--topology", ".", "--", "/bin/true"}),
              HasSubstr("topology .: a directory, not a file"));
}

TEST_F(BadUsage, UnexpectedArgument) {
  EXPECT_THAT(refused({"simulate", "uniform"}), HasSubstr("'uniform'"));
  EXPECT_THAT(refused({"simulate", "--", "x"}), HasSubstr("'--'"));
}

TEST_F(BadUsage, OptionWithoutItsValue) {
  EXPECT_THAT(refused({"simulate", "--nodes"}), HasSubstr("--nodes"));
}

TEST_F(BadUsage, ImpossibleParameters) {
  EXPECT_THAT(refused({"simulate", "--slots", "0"}), HasSubstr("--slots: 0"));
  EXPECT_THAT(refused({"simulate", "--nodes", "0"}), HasSubstr("nodes: 0"));
  EXPECT_THAT(refused({"simulate", "--predictor-threshold", "70000"}),
              AllOf(HasSubstr("predictor-threshold: 70000"), HasSubstr("at most 65535")));
  EXPECT_THAT(refused({"simulate", "--slot-length", "50ns", "--guard", "60ns"}),
              AllOf(HasSubstr("slot-length: 50ns"), HasSubstr("--guard")));
  EXPECT_THAT(refused({"run", "-n", "4", "--slots", "0", "--", "/bin/true"}), HasSubstr("--slots"));
  EXPECT_THAT(refused({"run", "-n", "4", "--slot-length", "50ns", "--guard", "60ns", "--", "/bin/true"}),
              HasSubstr("slot-length: 50ns"));
}

TEST_F(BadUsage, EmptyValues) {
  const std::vector<std::vector<std::string>> commands{
      {"simulate", "--timeline"}, {"simulate", "--commands"},    {"simulate", "--nodes"},
      {"schedule", "--requests"}, {"schedule", "--pattern"},     {"schedule", "--preload"},
      {"schedule", "--output"},   {"topology", "--topology"},    {"topology", "--ranks"},
      {"reproduce", "--output"},  {"replay", "x", "--timeline"}, {"recover", "x", "--output"},
      {"simulate", "--json"}};
  for (std::vector<std::string> words : commands) {
    const std::string flag = words.back();
    words.emplace_back("");
    EXPECT_THAT(refused(words), HasSubstr(flag + ": empty"));
    words.pop_back();
    words.back() += "=";
    words.insert(words.end(), {"--json", "-"});  // not its value
    EXPECT_THAT(refused(words), HasSubstr(flag + ": empty"));
  }
  EXPECT_THAT(refused({"topology", "-n", ""}), HasSubstr("empty"));
  EXPECT_THAT(refused({"replay", ""}), HasSubstr("TRACE: empty"));
  for (const char* flag : {"--ranks", "--output", "--mpiexec", "--json"})
    EXPECT_THAT(refused({"run", flag, "", "--", "/bin/true"}), HasSubstr(std::string(flag) + ": empty"));
}

TEST_F(BadUsage, NumbersOfAReproduction) {
  for (const char* flag : {"--seed", "--repeats", "--threads"})
    for (const char* number : {"99999999999999999999999", "18446744073709551616", "0x10", "-1", "1.5"})
      EXPECT_THAT(refused({"reproduce", "C1", flag, number}),
                  AllOf(HasSubstr(std::string(flag) + ": '" + number + "' is not a whole number"),
                        HasSubstr("Give a whole number")));
  EXPECT_THAT(refused({"reproduce", "C1", "--repeats", "0"}), HasSubstr("--repeats: 0 is too small"));
  EXPECT_THAT(refused({"reproduce", "nas", "--traces", "missing"}), HasSubstr("C18: no directory missing"));
  fs::create_directory("old");  // so that nothing is made: 010 is ten
  EXPECT_THAT(refused({"reproduce", "C1", "--threads", "010", "-o", "old"}), HasSubstr("exists already"));
  EXPECT_THAT(refused({"reproduce", "C1", "--threads", "0400", "-o", "old"}), HasSubstr("up to 256"));
}

TEST_F(BadUsage, UnknownNames) {
  EXPECT_THAT(refused({"simulate", "--technique", "wormhol"}), HasSubstr("Did you mean 'wormhole'?"));
  EXPECT_THAT(refused({"simulate", "--pattern", "unform"}), HasSubstr("Did you mean 'uniform'?"));
  EXPECT_THAT(refused({"list", "tecnique"}), HasSubstr("Did you mean 'technique'?"));
}

TEST_F(BadUsage, ValuesThatDoNotParse) {
  EXPECT_THAT(refused({"simulate", "--slot-length", "soon"}), HasSubstr("'soon' is not a time"));
  EXPECT_THAT(refused({"simulate", "--nodes", "-3"}), HasSubstr("--nodes"));
  EXPECT_THAT(refused({"simulate", "--load", "1.5"}), HasSubstr("load"));
}

TEST_F(BadUsage, NumbersOfReproduceOutOfRange) {
  EXPECT_THAT(refused({"reproduce", "C1", "--repeats", "0"}), HasSubstr("number from 1 to 1000"));
  EXPECT_THAT(refused({"reproduce", "C1", "--threads", "300"}), HasSubstr("number from 0 to 256"));
}

TEST_F(BadUsage, FaultyCommandFiles) {
  write("pe0.txt", "send 1 8\nsend 2 8\n");
  EXPECT_THAT(refused({"simulate", "--commands", "none/pe"}), HasSubstr("none"));
  EXPECT_THAT(refused({"simulate", "--commands", "pe"}), HasSubstr("nodes: 1 port is too few for a switch"));
  write("pe1.txt", "blocking-receive 0\nblocking-receive 0\nblocking-receive 0\n");
  EXPECT_THAT(refused({"simulate", "--commands", "pe"}), HasSubstr("pe0.txt:2:6: there is no PE 2"));
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--nodes", "3"}),
              AllOf(HasSubstr("PE 1 at pe1.txt:2:1: blocking-receive 0"), HasSubstr("PE 0 (pe0.txt)")));
  write("pe2.txt", "");
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--nodes", "2"}),
              HasSubstr("3 PEs have a command file"));
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--load", "0.5"}), HasSubstr("load: with --commands"));
  EXPECT_THAT(refused({"simulate", "--commands-output", "x"}), HasSubstr("Give --commands"));
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--commands-output", "."}),
              HasSubstr("exists already"));
  EXPECT_THAT(refused({"simulate", "--input-queues", "lifo"}), HasSubstr("Give per-destination or fifo"));
}

TEST_F(BadUsage, MulticastWithoutBroadcasts) {
  EXPECT_THAT(refused({"simulate", "--pattern", "scatter", "--multicast", "hardware"}),
              AllOf(HasSubstr("multicast: patterns have no broadcasts"), HasSubstr("give --commands")));
  write("pe0.txt", "send 1 8\n");
  write("pe1.txt", "blocking-receive 0\n");
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--multicast", "hardware"}),
              HasSubstr("multicast: no file of 'pe' has a broadcast or a barrier"));
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--multicast", "software"}),
              HasSubstr("multicast: 'software' is neither hardware nor none"));
  write("pe0.txt", "barrier\n");
  write("pe1.txt", "barrier\n");
  EXPECT_THAT(refused({"simulate", "--commands", "pe", "--multicast", "hardware", "--technique", "wormhole",
                       "--network", "fattree:2,2"}),
              HasSubstr("that of a fat tree cannot"));
}

TEST_F(BadUsage, FaultyConfigFile) {
  write("run.toml", "slots = 4\nslot-lenght = '1us'\n");
  EXPECT_THAT(refused({"simulate", "--config", "run.toml"}),
              AllOf(HasSubstr("run.toml:2:1"), HasSubstr("Did you mean 'slot-length'?")));
  write("bad.toml", "nodes = true\n");
  EXPECT_THAT(refused({"simulate", "--config", "bad.toml"}), HasSubstr("'true' is not a whole number"));
  // What another command has is no mistake; what none has is one for every command.
  write("clock.toml", "clock = 'cpu'\nrepeats = 3\n");
  EXPECT_THAT(refused({"recover", "nowhere", "--config", "clock.toml"}),
              HasSubstr("nowhere: no such file or directory"));
  write("clok.toml", "repeats = 3\nclok = 'cpu'\n");
  EXPECT_THAT(refused({"recover", "nowhere", "--config", "clok.toml"}),
              AllOf(HasSubstr("clok.toml:2:1"), HasSubstr("Did you mean 'clock'?")));
  EXPECT_THAT(refused({"simulate", "--config", "missing.toml"}), HasSubstr("missing.toml: no such file"));
}

TEST_F(BadUsage, MissingTrace) {
  for (const char* command : {"replay", "predict"}) {
    EXPECT_THAT(refused({command, "nowhere.otf2"}), HasSubstr("nowhere.otf2")) << command;
    EXPECT_THAT(refused({command}), HasSubstr("TRACE")) << command;
  }
}

TEST_F(BadUsage, TraceOfAnotherKind) {
  write("notes.txt", "not a trace\n");
  EXPECT_THAT(refused({"replay", "notes.txt"}), HasSubstr("notes.txt"));
  write("cut.otf2", "OTF2");
  EXPECT_THAT(refused({"replay", "cut.otf2"}), HasSubstr("cut.otf2"));
}

TEST_F(BadUsage, DirectoryWithoutATrace) {
  fs::create_directory("empty");
  EXPECT_THAT(refused({"replay", "empty"}), HasSubstr("empty"));
  EXPECT_THAT(refused({"recover", "empty"}), HasSubstr("no journals in 'empty'"));
  EXPECT_THAT(refused({"recover", "nowhere"}), HasSubstr("nowhere: no such file"));
}

TEST_F(BadUsage, NoProgram) {
  EXPECT_THAT(refused({"run", "-n", "4"}), HasSubstr("no program"));
  EXPECT_THAT(refused({"run", "-n", "4", "--", "./missing"}), HasSubstr("./missing: no such file"));
  EXPECT_THAT(refused({"run", "-n", "4", "--", "no-such-program-anywhere"}), HasSubstr("on PATH"));
  fs::create_directory("folder");
  EXPECT_THAT(refused({"run", "-n", "4", "--", "./folder"}), HasSubstr("is a directory"));
  write("data", "text");
  EXPECT_THAT(refused({"run", "-n", "4", "--", "./data"}), HasSubstr("not executable"));
}

TEST_F(BadUsage, ZeroRanks) {
  EXPECT_THAT(refused({"run", "-n", "0", "--", "/bin/true"}), HasSubstr("-n: 0"));
  EXPECT_THAT(refused({"run", "-n", "many", "--", "/bin/true"}), HasSubstr("'many'"));
}

TEST_F(BadUsage, LauncherOfAnotherMpi) {
  write("mpiexec", "#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n");
  fs::permissions("mpiexec", fs::perms::owner_all);
  EXPECT_THAT(refused({"run", "-n", "2", "--mpiexec", "./mpiexec -v", "--", "/bin/true"}),
              AllOf(HasSubstr("Open MPI"), HasSubstr("apt install mpich")));
  EXPECT_THAT(refused({"run", "-n", "2", "--mpiexec", "./gone", "--", "/bin/true"}), HasSubstr("'./gone'"));
  EXPECT_THAT(refused({"run", "-n", "2", "--mpiexec", "nothere", "--", "/bin/true"}),
              AllOf(HasSubstr("--mpiexec: no program 'nothere'"), Not(HasSubstr("./my_app"))));
}

TEST_F(BadUsage, ExistingOutputIsKept) {
  fs::create_directory("old");
  write("old/report.txt", "precious");
  EXPECT_THAT(refused({"run", "-n", "2", "-o", "old", "--", "/bin/true"}), HasSubstr("'old' exists already"));
  fs::create_directories("job/recording");
  write("job/recording/rank-0.definitions", "x");
  write("job/trace.otf2", "precious");
  EXPECT_THAT(refused({"recover", "job"}), HasSubstr("job/trace.otf2' exists already"));
}

TEST_F(BadUsage, JsonIntoAnImpossibleFile) {
  EXPECT_THAT(refused({"list", "--json", "no/such/folder.json"}), HasSubstr("no directory 'no/such'"));
  fs::create_directory("folder");
  EXPECT_THAT(refused({"simulate", "--json", "folder"}), HasSubstr("is a directory"));
  write("trace.otf2", "precious");
  fs::create_symlink("nowhere", "link");
  for (const char* file : {"trace.otf2", "link"})
    EXPECT_THAT(refused({"list", "--json", file}),
                AllOf(HasSubstr(std::string("'") + file + "' exists already"), HasSubstr("another name")));
}

TEST_F(BadUsage, UnwritableJsonIsRefusedBeforeTheWork) {
  EXPECT_THAT(refused({"simulate", "--messages", "1", "--json", "/proc/new.json"}),
              HasSubstr("--json: cannot write '/proc/new.json'"));
  EXPECT_THAT(refused({"simulate", "--messages", "1", "--json", std::string(300, 'a')}),
              HasSubstr("--json: "));
  const std::vector<std::string> one{"simulate", "--messages", "1", "--technique", "wormhole"};
  for (const std::string option : {"timeline", "commands-output"}) {
    std::vector<std::string> words = one;
    words.insert(words.end(), {"--json", "x", "--" + option, "./x"});
    if (option == "commands-output") words.insert(words.end(), {"--commands", "."});
    EXPECT_THAT(refused(words), HasSubstr("'x' is the name for --" + option + ", too"));
  }
  EXPECT_THAT(refused({"schedule", "--nodes", "8", "--json", "x", "--output", "x"}),
              HasSubstr("--output, too"));
  EXPECT_THAT(refused({"run", "-o", "x", "--json", "./x", "--", "/bin/true"}), HasSubstr("--output, too"));
  EXPECT_THAT(refused({"simulate", "--technique", "wormhole", "--timeline", "-"}),
              HasSubstr("cannot be written to standard output"));
}

TEST_F(BadUsage, SuggestedFixesAreValid) {
  EXPECT_THAT(refused({"simulate", "--message", "x"}),
              AllOf(HasSubstr("'x' is not a size"), Not(HasSubstr("unlimited"))));
}

TEST_F(BadUsage, SizesThatAreNotWholeBytes) {
  for (const std::string size : {"0.4", "1.5"})
    for (const std::string option : {"message", "word", "buffer"})
      EXPECT_THAT(refused({"simulate", "--" + option, size}),
                  HasSubstr("--" + option + ": '" + size + "' is not a whole number of bytes"));
  write("run.toml", "message = 1.5\n");
  EXPECT_THAT(refused({"simulate", "--config", "run.toml"}),
              HasSubstr("run.toml:1:11: message: '1.5' is not a whole number of bytes"));
}

TEST_F(BadUsage, SharesOutOfRange) {
  for (const std::string option : {"load", "ratio", "hotspot", "circuit-share", "predictor-confidence"})
    for (const std::string share : {"nan", "inf", "1.5", "-1e-3", "1e1"})
      EXPECT_THAT(refused({"simulate", "--" + option, share}), HasSubstr("'" + share + "' is "));
}

TEST_F(BadUsage, AnImpossibleDirectoryIsReportedBeforeTheRun) {
  write("pe0.txt", "send 1 8\n");
  write("pe1.txt", "");
  EXPECT_THAT(refused({"simulate", "--technique", "wormhole", "--commands", "pe", "--timeline", "a.json",
                       "--commands-output", "/proc/xx"}),
              HasSubstr("commands-output: cannot make the directory '/proc/xx'"));
}

TEST_F(BadUsage, ImpossibleDelays) {
  EXPECT_THAT(refused({"simulate", "--reconfiguration", "0", "--fabric", "fast-optical"}),
              HasSubstr("reconfiguration: 0s, but the sum of its parts is 100ns"));
  EXPECT_THAT(refused({"simulate", "--technique", "hybrid", "--nic-cycle", "10s"}),
              HasSubstr("nic-cycle: a network interface card takes 10s, more than 100000 slots of 100ns"));
}

TEST_F(BadUsage, UnusedFlags) {
  EXPECT_THAT(refused({"simulate", "--hotspot", "0.5"}), HasSubstr("pattern uniform has no hot spot"));
  EXPECT_THAT(refused({"simulate", "--circuit-channels", "2"}), HasSubstr("--technique wave"));
}

TEST_F(BadUsage, InputsOfSchedules) {
  EXPECT_THAT(refused({"schedule", "--requests", "/dev/zero"}), HasSubstr("more than 256 MiB"));
  write("bad.json", "{\"slots\": nonsense}");
  EXPECT_THAT(
      refused({"schedule", "--nodes", "4", "--slots", "2", "--preload", "bad.json"}),
      AllOf(HasSubstr("bad.json: parse error at line 1, column 12"), Not(HasSubstr("json.exception"))));
  EXPECT_THAT(refused({"schedule", "--nodes", "9", "--network", "crossbar:8"}),
              HasSubstr("nodes: 9, but crossbar:8 has 8 nodes"));
  EXPECT_THAT(refused({"schedule", "--pattern", "uniform"}), HasSubstr("--pattern: unknown request set"));
}

TEST_F(BadUsage, ATreeOfOneNode) {
  EXPECT_THAT(refused({"replay", "x", "--network", "fattree:2,1"}),
              AllOf(HasSubstr("fattree:2,1 has 1 node"), Not(HasSubstr("--nodes"))));
}

TEST_F(BadUsage, FailedRecoveryLeavesNoDirectory) {
  fs::create_directories("broken/recording");
  write("broken/recording/rank-0.definitions", "nonsense\n");
  EXPECT_THAT(refused({"recover", "broken", "-o", "new"}), HasSubstr("not a definitions file"));
}

TEST_F(BadUsage, OptionsThatPredictDoesNotUse) {
  EXPECT_THAT(refused({"predict", "trace", "--predictor", "timeout"}),
              AllOf(HasSubstr("--predictor: "), HasSubstr("--predictors")));
  EXPECT_THAT(refused({"predict", "trace", "--technique", "tdm"}), HasSubstr("--technique: "));
}

TEST_F(BadUsage, OptionsThatWorthVariesItself) {
  EXPECT_THAT(refused({"worth", "trace", "--technique", "tdm"}), HasSubstr("--technique: "));
  EXPECT_THAT(refused({"worth", "trace", "--reconfiguration", "1us"}),
              AllOf(HasSubstr("--reconfiguration: "), HasSubstr("--reconfigurations")));
  EXPECT_THAT(refused({"worth", "trace", "--slots", "2,4"}), HasSubstr("--slots: "));
  EXPECT_THAT(refused({"worth", "trace", "--reconfigurations", "1parsec"}), HasSubstr("--reconfigurations"));
  EXPECT_THAT(refused({"worth", "trace"}), HasSubstr("trace"));
}

TEST_F(BadUsage, HintsWithAFixedTopology) {
  EXPECT_THAT(
      refused({"replay", "trace", "--hints", "recorded", "--preload-topology", "mesh2d", "--preload", "4"}),
      AllOf(HasSubstr("hints: "), HasSubstr("--preload-topology")));
}

TEST_F(BadUsage, RunWithAFaultyTopology) {
  write("bad.xml", "<topology>");
  EXPECT_THAT(refused({"run", "-n", "2", "--topology", "bad.xml", "--", "/bin/true"}), HasSubstr("bad.xml"));
}

TEST_F(BadUsage, FaultyTopology) {
  EXPECT_THAT(refused({"topology", "--topology", "missing.xml"}), HasSubstr("missing.xml"));
  EXPECT_THAT(refused({"topology", "-n", "0"}), HasSubstr("-n: 0"));
  EXPECT_THAT(refused({"topology", "--hosts", "2"}), HasSubstr("-n"));
}

}  // namespace
}  // namespace hybrid
