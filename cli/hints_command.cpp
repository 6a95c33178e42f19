// `hybrid hints BINARY`: the hints on communication that the compiler left in a program.
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/hints_check.h"
#include "cli/hints_values.h"
#include "cli/hints_view.h"
#include "cli/json_output.h"
#include "cli/whole_number.h"
#include "core/error.h"
#include "core/hints/notes.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class HintsCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints the hints that the compiler left in a program: each MPI call with its class (static: it "
        "depends on rank, size and constants; inspected or speculative: code of the program computes it "
        "before; dynamic), its destinations, and the phases. --check "
        "compares this with a recorded run.");
    line.add_argument("BINARY", binary_,
                      "executable, shared library, object file or lib*.a compiled with hints",
                      CommandLine::Need::required);
    line.add_option("-n,--nodes,--ranks", "N", "evaluate for a job of N ranks: connections and patterns",
                    ranks_);
    line.add_list_option("--value", "NAME=V", "value of a variable of the program in hints; may be repeated",
                         values_);
    line.add_option("--check", "TRACE", "compare with this recorded run; the number of ranks is the trace's",
                    trace_);
    json_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid hints my_app\n  hybrid hints my_app --ranks 64 --value rows=8\n  hybrid hints "
        "my_app --check hybrid-my_app-1 --json -");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    // All ranks are evaluated, each with possibly thousands of connections.
    std::uint32_t ranks =
        ranks_.empty() ? 0 : static_cast<std::uint32_t>(parse_whole(ranks_, "--ranks", 1, 16384));
    GivenValues values(values_);
    const std::vector<HintUnit> units = require_hint_units(binary_, binary_);
    values.check(units);

    HintCheck check;
    if (!trace_.empty()) {
      ProgressLine line(stderr);
      const ProgressNote note = [&](std::string_view what, Progress done) { return line.show(what, done); };
      CountedTrace trace(open_trace(trace_), "reading the trace", note);
      if (ranks != 0 && ranks != trace.ranks())
        throw UserError("--ranks " + ranks_ + ": the trace " + trace_ + " has " +
                            std::to_string(trace.ranks()) + " ranks",
                        "Leave --ranks out.");
      ranks = trace.ranks();
      check = check_hints(units, values, trace);
    }

    if (!json_.owns_stdout()) {
      // In a file the tables are not truncated.
      const std::size_t width = TextTable::wide(stdout, std::numeric_limits<std::size_t>::max());
      print_text(hints_text(units, ranks, values, width), stdout);
      if (!trace_.empty()) print_text("\n" + check_text(check, width), stdout);
    }
    if (!json_.wanted()) return kDone;
    nlohmann::ordered_json json{{"binary", binary_}, {"ranks", ranks}};
    json.update(hints_json(units, ranks, values));
    if (!trace_.empty()) {
      json["check"] = check_json(check);
      json["check"]["trace"] = trace_;
    }
    json_.write(json);
    return kDone;
  }

 private:
  std::string binary_, ranks_, trace_;
  std::vector<std::string> values_;
  JsonOutput json_;
};

const CommandRegistration kHints{
    "hints", "the hints on communication that the compiler left in a program",
    []() -> std::unique_ptr<Command> { return std::make_unique<HintsCommand>(); }};

}  // namespace
}  // namespace hybrid
