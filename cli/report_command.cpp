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
        "is "
        "emulated with the options given.");
    line.add_argument("RESULT.json|RUN|TRACE", source_,
                      "JSON file of `hybrid run` or `hybrid replay`, directory of a run, or recorded job",
                      CommandLine::Need::required);
    page_.declare(line);
    line.add_flag(
        "--sweep",
        "also emulate other reconfiguration times, packet planes and predictors: about 25 emulations",
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
      Json report = to_json(make_report(job, note));
      data = page_data(source_, std::move(report), job, sweep_, note);
    } else {
      Json report = read(*result);
      const std::string trace = source_ == *result ? trace_of(report, *result) : source_;
      try {
        JobEmulator job(trace, [&trace] { return open_trace(trace); }, options_of_result(report, *result));
        data = page_data(source_, report, job, sweep_, note);
      } catch (const UserError& error) {
        if (source_ == trace) throw;
        reason = error.what();  // for instance, the result is elsewhere than its trace
        data = {{"source", source_}, {"report", std::move(report)}};
      }
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

  // The trace that the result names; where that does not exist, the one beside the result: both may have been
  // moved.
  static std::string trace_of(const Json& report, const std::string& result) {
    const fs::path named = report["trace"].get<std::string>();
    const fs::path beside = fs::path(result).parent_path() / named.filename();
    std::error_code ignored;
    return (!fs::exists(named, ignored) && fs::exists(beside, ignored) ? beside : named).string();
  }

  // A report; of several repeats or of another command there is no page.
  static Json read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw UserError(path + ": cannot be read: " + std::strerror(errno),
                      "Name a JSON file of `hybrid run` or `hybrid replay`.");
    Json json = Json::parse(file, nullptr, false);
    if (json.is_discarded()) throw UserError(path + ": not a JSON file");
    if (json.is_object() && json.contains("repeats"))
      throw UserError(path + ": the result of several runs; a page shows one",
                      "Name the directory or the trace of one of them.");
    const bool report = json.is_object() && json.contains("trace") && json["trace"].is_string() &&
                        json.contains("results") && json["results"].is_array() && json.contains("job") &&
                        json["job"].is_object() && json.contains("verdict") && json["verdict"].is_object();
    if (!report)
      throw UserError(
          path + ": not the result of one job: it lacks \"trace\", \"job\", \"results\" or \"verdict\"",
          "Name a JSON file of `hybrid run` or `hybrid replay` with one trace.");
    const bool complete = std::ranges::all_of(json["results"], [](const Json& result) {
      return result.is_object() && result.contains("technique") && result["technique"].is_string() &&
             result.contains("slots") && result["slots"].is_number_unsigned() && result.contains("time_ns") &&
             result["time_ns"].is_number();
    });
    const Json& verdict = json["verdict"];
    if (!complete || (verdict.contains("technique") && !verdict["technique"].is_string()))
      throw UserError(
          path + ": each of \"results\" needs a technique, slots and time_ns, and the verdict a technique",
          "Make it again with `hybrid replay TRACE --json FILE`.");
    return json;
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
