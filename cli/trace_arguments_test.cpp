// Commands that read a trace: paths, JSON, notes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/testing/trace_commands.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class TraceCommand : public TraceCommands {
 protected:
  TraceCommand() { unpack("is-16-hints"); }
  /// `hybrid profile --json`, which has more text than hybrid() returns.
  json profile_json() const {
    hybrid({"profile", trace_, "--json", "profile.json"});
    return json::parse(std::ifstream("profile.json"));
  }
  const std::string trace_ = "is-16-hints";
};

TEST_F(TraceCommand, ALinkToTheAnchorFileOpensTheArchiveBesideItsTarget) {
  fs::create_directory("links");
  fs::create_symlink(fs::absolute(trace_ + "/trace.otf2"), "links/job.otf2");
  const std::string profile = hybrid({"profile", trace_ + "/trace.otf2"});
  EXPECT_EQ(hybrid({"profile", "links/job.otf2"}), profile);
  fs::create_directory("copy");  // a link for each file
  for (const auto& entry : fs::directory_iterator(trace_))
    fs::create_symlink(fs::absolute(entry.path()), "copy" / entry.path().filename());
  EXPECT_EQ(hybrid({"profile", "copy/trace.otf2"}), profile);
}

TEST_F(TraceCommand, AProfileHasTheTrafficOfEachConnection) {
  const json profile = profile_json();
  std::uint64_t messages = 0, bytes = 0;
  for (const json& connection : profile["connections"]) {
    std::uint64_t of_operations = 0;
    for (const json& operation : connection["operations"])
      of_operations += operation["messages"].get<std::uint64_t>();
    EXPECT_EQ(connection["messages"], of_operations);
    messages += of_operations;
    bytes += connection["bytes"].get<std::uint64_t>();
  }
  const json emulated =
      json::parse(hybrid({"replay", trace_, "--technique", "wormhole", "--json", "-"}))["results"][0];
  EXPECT_EQ(messages, emulated["messages"]);
  EXPECT_EQ(bytes, emulated["bytes"]);
  EXPECT_THAT(hybrid({"profile", trace_}), HasSubstr("alltoallv"));
  EXPECT_THAT(hybrid({"profile", trace_, "--csv", "-"}),
              testing::StartsWith("source,destination,operation,messages,bytes\n0,1,"));
}

TEST_F(TraceCommand, SeveralTracesAreComparedAsRunsOfOneJob) {
  fs::copy(trace_, "copy", fs::copy_options::recursive);
  const json both = json::parse(
      hybrid({"replay", trace_, "copy", "--technique", "wormhole,tdm", "--slots", "4", "--json", "-"}));
  EXPECT_EQ(both["runs"].size(), 2u);
  const json& tdm = both["repeats"]["results"][1];
  EXPECT_EQ(tdm["technique"], "tdm");
  EXPECT_EQ(tdm["time_ns"]["min"], tdm["time_ns"]["max"]) << "the same trace has the same result";
}

TEST_F(TraceCommand, ATraceThatIsGivenTwiceIsRefused) {
  fs::create_symlink(trace_, "link");
  for (const char* command : {"replay", "predict", "worth", "advise"})
    for (const std::string& same : {trace_, trace_ + "/", trace_ + "/trace.otf2", std::string("link")})
      EXPECT_THAT(run({HYBRID_COMMAND, command, trace_, same}, 2),
                  HasSubstr(same + ": the same trace as " + trace_))
          << command;
}

TEST_F(TraceCommand, AMissingPermissionIsNamed) {
  std::vector<std::string> user;
  if (::geteuid() == 0) {
    if (!fs::exists("/usr/bin/setpriv")) GTEST_SKIP() << "root may read every file, and there is no setpriv";
    user = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }
  fs::permissions(".", fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const auto refused = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = user;
    all.emplace_back(HYBRID_COMMAND);
    all.insert(all.end(), words.begin(), words.end());
    return run(all, 2);
  };
  for (const auto& entry : fs::recursive_directory_iterator(trace_))
    fs::permissions(entry.path(),
                    entry.is_directory() ? fs::perms::all : fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(trace_, fs::perms::all);
  fs::permissions(trace_ + "/trace.otf2", fs::perms::none);
  EXPECT_THAT(refused({"profile", trace_}), HasSubstr("ermission denied"));
  fs::permissions(trace_, fs::perms::none);
  for (const std::string& path : {trace_, trace_ + "/trace.otf2"})
    for (const char* command : {"profile", "recover"})
      EXPECT_THAT(refused({command, path}), HasSubstr("ermission denied")) << command << path;
  EXPECT_THAT(refused({"simulate", "--config", trace_ + "/run.toml"}), HasSubstr("permission denied"));
  fs::permissions(trace_, fs::perms::owner_all);
}

TEST_F(TraceCommand, TheProfileAsJsonHasWhatTheTextHas) {
  const std::string text = hybrid({"profile", trace_});
  const json profile = profile_json();
  const auto expect_row = [&](const std::string& name, const json& part) {
    const std::string row =
        name + " +" + grouped(part["connections"].size()) + " +" +
        grouped(part["messages"].get<std::uint64_t>()) +
        (part["pattern"].get<std::string>().empty() ? "" : " +" + part["pattern"].get<std::string>()) + "\n";
    EXPECT_THAT(text, testing::ContainsRegex(row));
  };
  ASSERT_FALSE(profile["phases"].empty());
  for (const json& phase : profile["phases"]) expect_row(phase["phase"], phase);
  expect_row(".the whole run.", profile["whole_run"]);
}

TEST_F(TraceCommand, TechniquesThatTheNetworkDoesNotSupportAreNamed) {
  const std::vector<std::string> tree{"replay", trace_, "--network", "fattree:2,4", "--explain", "off"};
  EXPECT_THAT(hybrid(tree), HasSubstr("left out: circuit does not run on a fat tree"));
  std::vector<std::string> words = tree;
  words.insert(words.end(), {"--json", "-"});
  EXPECT_EQ(json::parse(hybrid(words))["left_out"], json{"circuit"});
  words.insert(words.end(), {"--technique", "wormhole"});
  EXPECT_EQ(json::parse(hybrid(words))["left_out"], json::array());
}

TEST_F(TraceCommand, TheCommandToRepeatIsQuotedForAShell) {
  const std::string odd = "it's $HOME \"and\"\nmore";
  fs::rename(trace_, odd);
  const std::vector<std::string> flags{"--technique", "wormhole", "--explain", "off", "--json", "-"};
  std::vector<std::string> words{"replay", odd};
  words.insert(words.end(), flags.begin(), flags.end());
  json report = json::parse(hybrid(words));
  std::string command = report["repeat"];
  ASSERT_TRUE(command.starts_with("hybrid "));
  command.replace(0, 6, HYBRID_COMMAND);
  EXPECT_EQ(json::parse(run({"/bin/sh", "-c", command + " --explain off --json -"})), report);
}

TEST_F(TraceCommand, ThePresetAloneRepeatsARunWithAPreset) {
  const json report =
      json::parse(hybrid({"replay", trace_, "--preset", "ocs-mems-400g", "--explain", "off", "--json", "-"}));
  EXPECT_EQ(report["repeat"], "hybrid replay " + trace_ + " --preset ocs-mems-400g");
}

}  // namespace
}  // namespace hybrid
