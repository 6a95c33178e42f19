// `hybrid report RESULT.json|RUN|TRACE -o FILE.html`: the page of a job.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/ignored_options.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/page/page.h"
#include "libhybrid/page/page_data.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class ReportCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Writes one HTML file that explains a job: the verdict, the techniques and where their time goes, "
        "the communication matrix, the phases, the traffic and the circuits over time. It opens from disk, "
        "without a network. A result is shown as it is, with what its trace adds; a trace without a result "
        "is emulated with the options given. Of several runs, the page shows the spread, and the run with "
        "the median job time.");
    line.add_argument("RESULT.json|RUN|TRACE", source_,
                      "JSON file of `hybrid run` or `hybrid replay`, directory of a run, or recorded job",
                      CommandLine::Need::required);
    page_.declare(line);
    line.add_flag(
        "--sweep",
        "also emulate other reconfiguration times, packet planes and predictors, about 25 emulations, if the "
        "job is long; for a short one the page has them in any case",
        sweep_);
    add_emulation_options(table_, options_);
    flags_.declare(line, table_, "Emulation of a trace without a result");
    flags_.exclude("nodes", "network");
    line.add_examples(
        "Examples:\n  hybrid report hybrid-my_app-1 -o my_app.html\n"
        "  hybrid report scorep/traces.otf2 --preset ocs-mems-400g --sweep -o optical.html\n"
        "  hybrid replay hybrid-my_app-1 --slots 2,4,8 --json result.json && hybrid report result.json -o "
        "result.html");
  }

  int run(const std::vector<std::string>&) override {
    if (!page_.wanted()) throw UserError("no file for the page is given", "Name one with -o FILE.html.");
    page_.check();
    warn_of_unknown(flags_.apply(table_, environ));
    check_job(options_);
    ProgressLine line(stderr);
    const ProgressNote note = [&](std::string_view what, Progress done) { return line.show(what, done); };
    const std::optional<std::string> result = result_file();
    if (result && !flags_.given().empty())
      throw UserError("--" + flags_.given().begin()->first + ": " + *result +
                          " is a result, which has its options already",
                      "For other options: hybrid replay TRACE with them and --json RESULT.json.");
    Json data;
    std::string reason;
    if (!result) {
      JobEmulator job(source_, [this] { return open_trace(source_); }, options_);
      data = data_of(to_json(make_report(job, note)), job, note);
    } else {
      const Json whole = read(*result);
      const Json& report = report_of_result(whole);
      const std::string trace = source_ == *result || &report != &whole ? trace_of(report, *result) : source_;
      try {
        JobEmulator job(trace, [&trace] { return open_trace(trace); }, options_of_result(report, *result));
        data = data_of(report, job, note);
      } catch (const UserError& error) {
        if (source_ == trace) throw;
        reason = error.what();  // for instance, the result is elsewhere than its trace
        data = {{"source", source_}, {"report", report}};
      }
      add_repeats(data, whole);
    }
    const std::string html = page_html(std::move(data));
    line.clear();
    if (!reason.empty())
      print_notes({"The page has no communication matrix and nothing over time: " + reason});
    page_.write(html);
    return kDone;
  }

 private:
  class PageOutput : public ResultOutput {
   public:
    PageOutput() : ResultOutput("--output") {}
    void declare(CommandLine& line) { ResultOutput::declare(line, "HTML", "-o,--output"); }
    void write(const std::string& html) const { write_text(html); }
  };

  Json data_of(Json report, JobEmulator& job, const ProgressNote& note) const {
    Json data = page_data(source_, std::move(report), job, note);
    if (sweep_ || sweep_is_short(job)) add_sweep(data, job, note);
    return data;
  }

  // The JSON file of a result that `source_` names or contains.
  std::optional<std::string> result_file() const {
    std::error_code ignored;
    if (fs::is_directory(source_, ignored)) {
      std::string report = (fs::path(source_) / "report.json").string();
      if (fs::is_regular_file(report, ignored)) return report;
    } else if (fs::path(source_).extension() == ".json") {
      return source_;
    }
    return std::nullopt;
  }

  // The trace that the result names; where that does not exist, the one beside the result, or in the same
  // directory beside it: all may have been moved.
  static std::string trace_of(const Json& report, const std::string& result) {
    const fs::path named = report["trace"].get<std::string>();
    const fs::path here = fs::path(result).parent_path();
    std::error_code ignored;
    for (const fs::path& path :
         {named, here / named.filename(), here / named.parent_path().filename() / named.filename()})
      if (fs::exists(path, ignored)) return path.string();
    return named.string();
  }

  // A result of one or several runs; of another command there is no page.
  static Json read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw UserError(unreadable(path, errno), "Name a JSON file of `hybrid run` or `hybrid replay`.");
    Json json = Json::parse(file, nullptr, false);
    if (json.is_discarded()) throw UserError(path + ": not a JSON file");
    if (!json.is_object() || !json.contains("repeats")) {
      check_report(json, path);
      return json;
    }
    const Json runs = json.value("runs", Json());
    const Json& repeats = json["repeats"];
    if (!runs.is_array() || runs.empty() || !repeats.is_object() || !repeats.contains("reference") ||
        !repeats["reference"].is_string() || !repeats.contains("results") || !repeats["results"].is_array() ||
        !repeats.contains("verdict") || !repeats["verdict"].is_object())
      throw UserError(path + ": not the result of several runs: it lacks \"runs\", or a part of \"repeats\"",
                      "Make it again with `hybrid run --repeats` or `hybrid replay TRACE... --json FILE`.");
    for (std::size_t run = 0; run < runs.size(); ++run)
      check_report(runs[run], path + ": run " + std::to_string(run + 1));
    return json;
  }

  static void check_report(const Json& json, const std::string& place) {
    const bool report = json.is_object() && json.contains("trace") && json["trace"].is_string() &&
                        json.contains("results") && json["results"].is_array() && json.contains("job") &&
                        json["job"].is_object() && json.contains("verdict") && json["verdict"].is_object();
    if (!report)
      throw UserError(place +
                          ": not the result of a job: it lacks \"trace\", \"job\", \"results\" or "
                          "\"verdict\"",
                      "Name a JSON file of `hybrid run` or `hybrid replay`.");
    const bool complete = std::ranges::all_of(json["results"], [](const Json& result) {
      return result.is_object() && result.contains("technique") && result["technique"].is_string() &&
             result.contains("slots") && result["slots"].is_number_unsigned() && result.contains("time_ns") &&
             result["time_ns"].is_number();
    });
    const Json& verdict = json["verdict"];
    if (!complete || (verdict.contains("technique") && !verdict["technique"].is_string()))
      throw UserError(
          place + ": each of \"results\" needs a technique, slots and time_ns, and the verdict a technique",
          "Make it again with `hybrid replay TRACE --json FILE`.");
  }

  std::string source_;
  PageOutput page_;
  bool sweep_ = false;
  JobOptions options_;
  OptionTable table_;
  TableFlags flags_;
};

const CommandRegistration kReport{
    "report", "one HTML page that explains a recorded job",
    []() -> std::unique_ptr<Command> { return std::make_unique<ReportCommand>(); }};

}  // namespace
}  // namespace hybrid
