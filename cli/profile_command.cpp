// `hybrid profile TRACE`: the connections of each phase of a recorded run, for people and for
// `hybridcc -fhybrid-profile-use`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/recorded_connections.h"
#include "core/hints/pattern.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

struct Profile {
  std::vector<Connection> connections;
  std::uint64_t messages = 0;
};

Profile profile_of(const ConnectionMessages& used) {
  Profile profile;
  for (const auto& [connection, messages] : used) {
    profile.connections.push_back(connection);
    profile.messages += messages;
  }
  std::sort(profile.connections.begin(), profile.connections.end());
  return profile;
}

class ProfileCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints the point-to-point connections of each phase of a recorded run, their pattern and the number "
        "of "
        "messages. hybridcc -fhybrid-profile-use=TRACE uses them for calls that it cannot analyse.");
    line.add_argument("TRACE", trace_, "recorded run: OTF2 anchor file or the directory of one",
                      CommandLine::Need::required);
    json_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid profile hybrid-my_app-1\n  hybrid profile hybrid-my_app-1 --json -");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    const auto trace = open_trace(trace_);
    const RecordedConnections used = read_connections(*trace);
    using enum TextTable::Align;
    TextTable table({{"phase", left}, {"connections"}, {"messages"}, {"pattern", left}});
    nlohmann::ordered_json json{{"trace", trace_},
                                {"application", trace->property("application")},
                                {"nodes", trace->ranks()},
                                {"phases", nlohmann::ordered_json::array()}};
    const auto add = [&](const std::string& name, const ConnectionMessages& part) {
      const Profile profile = profile_of(part);
      const std::string pattern = recognize_pattern(profile.connections, trace->ranks());
      table.add({name, grouped(profile.connections.size()), grouped(profile.messages), pattern});
      nlohmann::ordered_json one{{"messages", profile.messages},
                                 {"pattern", pattern},
                                 {"connections", nlohmann::ordered_json::array()}};
      for (const Connection& c : profile.connections) one["connections"].push_back({c.source, c.destination});
      return one;
    };
    for (const auto& [name, phase] : used.phases) {
      nlohmann::ordered_json one{{"phase", name}};
      one.update(add(name, phase));
      json["phases"].push_back(std::move(one));
    }
    json["whole_run"] = add("(the whole run)", used.all);
    if (!json_.owns_stdout())
      fmt::print("Connections used, point-to-point, {} ranks\n{}", trace->ranks(),
                 table.text(2, terminal_width(stdout)));
    json_.write(json);
    return kDone;
  }

 private:
  std::string trace_;
  JsonOutput json_;
};

const CommandRegistration kProfile{
    "profile", "the connections of each phase of a recorded run",
    []() -> std::unique_ptr<Command> { return std::make_unique<ProfileCommand>(); }};

}  // namespace
}  // namespace hybrid
