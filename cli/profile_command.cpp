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
#include "core/error.h"
#include "core/hints/pattern.h"
#include "core/units.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/connection_traffic.h"
#include "libhybrid/report/recorded_phases.h"
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
        "of messages (hybridcc -fhybrid-profile-use=TRACE uses them for calls that it cannot analyse), "
        "and the messages and bytes of each operation. JSON and CSV have them for each connection, that is, "
        "pair of ranks. Messages of a rank to itself are left out.");
    line.add_argument("TRACE", trace_, "recorded run: OTF2 anchor file or the directory of one",
                      CommandLine::Need::required);
    line.add_flag("--connections", "also list the messages and bytes of each connection", connections_);
    json_.declare(line);
    csv_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid profile hybrid-my_app-1\n  hybrid profile hybrid-my_app-1 --connections\n"
        "  hybrid profile hybrid-my_app-1 --csv traffic.csv");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    csv_.check();
    if (csv_.owns_stdout() && json_.owns_stdout())
      throw UserError("--json and --csv: both to standard output", "Give one of them a file.");
    if (!csv_.owns_stdout()) json_.check_another("csv", csv_.path());
    ProgressLine line(stderr);
    const ProgressNote note = [&](std::string_view what, Progress done) { return line.show(what, done); };
    CountedTrace trace(open_trace(trace_), "reading connections", note);
    const RecordedConnections used = read_connections(trace);
    CountedTrace again(open_trace(trace_), "reading the traffic", note);
    const ConnectionTraffic traffic = read_traffic(again, {});
    line.clear();
    using enum TextTable::Align;
    TextTable table({{"phase", left}, {"connections"}, {"messages"}, {"pattern", left}});
    nlohmann::ordered_json json{{"trace", trace_},
                                {"application", trace.property("application")},
                                {"ranks", trace.ranks()},
                                {"phases", nlohmann::ordered_json::array()}};
    const auto add = [&](const std::string& name, const ConnectionMessages& part) {
      const Profile profile = profile_of(part);
      const std::string pattern = recognize_pattern(profile.connections, trace.ranks());
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
    json["operations"] = to_json(total(traffic));
    json["connections"] = nlohmann::ordered_json::array();
    for (const auto& [connection, operations] : traffic) {
      const Volume all = total(operations);
      json["connections"].push_back({{"source", connection.source},
                                     {"destination", connection.destination},
                                     {"messages", all.messages},
                                     {"bytes", all.bytes},
                                     {"operations", to_json(operations)}});
    }
    if (!json_.owns_stdout() && !csv_.owns_stdout()) {
      fmt::print("Connections used, point-to-point, {} ranks\n{}", trace.ranks(),
                 table.text(2, terminal_width(stdout)));
      fmt::print("\nMessages by operation (collectives: as MPICH's algorithms send them)\n{}",
                 operations_table(traffic).text(2, terminal_width(stdout)));
      if (connections_)
        fmt::print("\nConnections\n{}", connections_table(traffic).text(2, terminal_width(stdout)));
    }
    json_.write(json);
    csv_.write(to_csv(traffic));
    return kDone;
  }

 private:
  static nlohmann::ordered_json to_json(const TrafficByOperation& operations) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [name, volume] : operations)
      json.push_back({{"operation", name}, {"messages", volume.messages}, {"bytes", volume.bytes}});
    return json;
  }

  static TextTable operations_table(const ConnectionTraffic& traffic) {
    TextTable table({{"operation", TextTable::Align::left}, {"connections"}, {"messages"}, {"bytes"}});
    for (const auto& [name, volume] : total(traffic)) {
      const auto uses = [&name](const auto& one) { return one.second.contains(name); };
      table.add({name,
                 grouped(static_cast<std::uint64_t>(std::count_if(traffic.begin(), traffic.end(), uses))),
                 grouped(volume.messages), format_bytes(volume.bytes)});
    }
    return table;
  }

  static TextTable connections_table(const ConnectionTraffic& traffic) {
    TextTable table(
        {{"source"}, {"destination"}, {"operation", TextTable::Align::left}, {"messages"}, {"bytes"}}, 3);
    for (const auto& [connection, operations] : traffic)
      for (const auto& [name, volume] : operations)
        table.add({std::to_string(connection.source), std::to_string(connection.destination), name,
                   grouped(volume.messages), format_bytes(volume.bytes)});
    return table;
  }

  std::string trace_;
  bool connections_ = false;
  CsvOutput csv_;
  JsonOutput json_;
};

const CommandRegistration kProfile{
    "profile", "the connections of each phase of a recorded run",
    []() -> std::unique_ptr<Command> { return std::make_unique<ProfileCommand>(); }};

}  // namespace
}  // namespace hybrid
