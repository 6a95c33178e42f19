// `hybrid replay TRACE`: the report of a recorded job, with any parameters.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/trace_command.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/progress.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"

namespace hybrid {
namespace {

class ReplayCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Emulates a recorded job on a hybrid switch and reports. The trace is only read.");
    arguments_.declare(app);
    app.footer(
        "Examples:\n"
        "  hybrid replay hybrid-my_app-1\n"
        "  hybrid replay hybrid-my_app-1 --technique wormhole,hybrid --slots 2,4,8\n"
        "  hybrid replay scorep/traces.otf2 --link-rate 100Gb/s --slot-length 50ns --json result.json");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    ProgressLine line(stderr);
    const JobReport report =
        make_report(arguments_.trace(), arguments_.options(),
                    [&](std::string_view what, std::uint64_t done) { line.show(what, done); });
    line.clear();
    if (!arguments_.json().owns_stdout()) std::fputs(to_text(report).c_str(), stdout);
    if (arguments_.json().wanted()) arguments_.json().write(to_json(report));
    return kDone;
  }

 private:
  TraceArguments arguments_;
};

const CommandRegistration kReplay{
    "replay", "emulate a recorded job (OTF2) and report",
    []() -> std::unique_ptr<Command> { return std::make_unique<ReplayCommand>(); }};

}  // namespace
}  // namespace hybrid
