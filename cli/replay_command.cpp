// `hybrid replay TRACE`: the report of a recorded job, with any parameters.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/ignored_options.h"
#include "cli/trace_arguments.h"
#include "core/error.h"
#include "emulator/limits.h"
#include "emulator/network_shape.h"
#include "emulator/replay/trace_format.h"
#include "emulator/timeline_file.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/repeats.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class ReplayCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Emulates a recorded job on a hybrid switch and reports. Traces are only read. Several traces are "
        "recordings of one job: the report then has medians and extremes over them, and a verdict that "
        "respects their spread.");
    arguments_.declare_many(line);
    line.add_option("--timeline", "FILE",
                    "new file for ui.perfetto.dev: what each rank and port does over time; .pftrace: "
                    "protobuf, else JSON; for one technique and "
                    "one number of slots",
                    timeline_);
    line.add_flag("--per-phase", "also show the measures of each phase on each technique", per_phase_);
    line.add_examples(
        "Examples:\n"
        "  hybrid replay hybrid-my_app-1\n"
        "  hybrid replay hybrid-my_app-1 --technique wormhole,hybrid --slots 2,4,8\n"
        "  hybrid replay hybrid-my_app-1 --preset ocs-mems-400g\n"
        "  hybrid replay hybrid-my_app-1 hybrid-my_app-2 hybrid-my_app-3\n"
        "  hybrid replay scorep/traces.otf2 --link-rate 100Gb/s --json result.json");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    arguments_.json().check_another("timeline", timeline_);
    print_notes(ignored_options(arguments_.names_given(), arguments_.options()));
    print_notes(limit_sentences(compared_runs(arguments_.options())));
    if (arguments_.traces().size() > 1) return replay_repeats();
    ProgressLine line(stderr);
    JobOptions options = arguments_.options();
    std::optional<TimelineFile> timeline;
    if (!timeline_.empty()) {
      const auto placement = ports_of_ranks(*open_trace(arguments_.trace()), options.replay);
      SwitchParameters fitted = options.network;
      fit_nodes(count_ports(placement), fitted, options.replay.crossbar);
      options.replay.timeline = &timeline.emplace(timeline_, fitted.nodes);
    }
    const JobReport report =
        make_report(arguments_.trace(), options,
                    [&](std::string_view what, Progress done) { return line.show(what, done); });
    if (timeline) timeline->finish();
    line.clear();
    if (!arguments_.json().owns_stdout()) {
      print_text(to_text(report, terminal_width(stdout)), stdout);
      if (per_phase_) print_text(phases_section(report), stdout);
    }
    if (arguments_.json().wanted()) arguments_.json().write(to_json(report));
    const FailureText failures = failures_of(report);
    if (!failures.text.empty()) {
      std::fflush(stdout);  // the report comes first
      if (failures.of_trace) throw UserError(arguments_.trace() + ": " + failures.text);
      throw RunError(failures.text);
    }
    return kDone;
  }

 private:
  int replay_repeats() {
    if (!timeline_.empty() || per_phase_)
      throw UserError("--timeline and --per-phase: of one trace, but several are given");
    ProgressLine line(stderr);
    std::vector<JobReport> runs;
    for (const std::string& trace : arguments_.traces()) {
      runs.push_back(make_report(trace, arguments_.options(), [&](std::string_view what, Progress done) {
        return line.show(trace + ": " + std::string(what), done);
      }));
      if (const FailureText failures = failures_of(runs.back()); !failures.text.empty()) {
        line.clear();
        if (failures.of_trace) throw UserError(trace + ": " + failures.text);
        throw RunError(trace + ": " + failures.text);
      }
    }
    line.clear();
    const RepeatedReport report = compare_repeats(std::move(runs));
    if (!arguments_.json().owns_stdout()) print_text(to_text(report, terminal_width(stdout)), stdout);
    if (arguments_.json().wanted()) arguments_.json().write(to_json(report));
    return kDone;
  }

  static std::string phases_section(const JobReport& report) {
    std::vector<const Measures*> all;
    all.reserve(report.techniques.size());
    for (const TechniqueResult& result : report.techniques) all.push_back(&result.measures);
    return "\nPhases on each technique\n" + phase_measures_table(all, 2, terminal_width(stdout));
  }

  TraceArguments arguments_;
  std::string timeline_;
  bool per_phase_ = false;
};

const CommandRegistration kReplay{
    "replay", "emulate a recorded job (OTF2) and report",
    []() -> std::unique_ptr<Command> { return std::make_unique<ReplayCommand>(); }};

}  // namespace
}  // namespace hybrid
