// `hybrid report RESULT.json|RUN|TRACE -o FILE.html`: the page of a job.
#include <algorithm>
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
#include "core/error.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/page/job_traffic.h"
#include "libhybrid/page/page.h"
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
        "the communication matrix, the phases and the traffic over time. It opens from disk, without a "
        "network. A result is shown as it is; a trace without one is emulated with the default parameters.");
    line.add_argument("RESULT.json|RUN|TRACE", source_,
                      "JSON file of `hybrid run` or `hybrid replay`, directory of a run, or recorded job",
                      CommandLine::Need::required);
    page_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid report hybrid-my_app-1 -o my_app.html\n"
        "  hybrid replay hybrid-my_app-1 --slots 2,4,8 --json result.json && hybrid report result.json -o "
        "result.html");
  }

  int run(const std::vector<std::string>&) override {
    if (!page_.wanted()) throw UserError("no file for the page is given", "Name one with -o FILE.html.");
    page_.check();
    ProgressLine line(stderr);
    Json data{{"source", source_}};
    std::string trace = source_;
    if (const std::optional<std::string> result = result_file()) {
      data["report"] = read(*result);
      if (source_ == *result) trace = data["report"]["trace"].get<std::string>();
    } else {
      data["report"] = to_json(make_report(
          source_, JobOptions{}, [&](std::string_view what, std::uint64_t done) { line.show(what, done); }));
    }
    line.show("reading the traffic", 0);
    std::string reason;
    try {
      data["traffic"] = traffic_json([&trace] { return open_trace(trace); }, {});
    } catch (const UserError& error) {
      if (source_ == trace) throw;
      reason = error.what();  // a result may be elsewhere than its trace
    }
    const std::string html = page_html(std::move(data));
    line.clear();
    if (!reason.empty())
      print_notes(
          {"The page has no communication matrix and no traffic over time, since its trace cannot be read: " +
           reason});
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
      const std::string report = (fs::path(source_) / "report.json").string();
      if (fs::is_regular_file(report, ignored)) return report;
    } else if (fs::path(source_).extension() == ".json") {
      return source_;
    }
    return std::nullopt;
  }

  // A report; of several repeats or of another command there is no page.
  static Json read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw UserError(path + ": cannot be read", "Name a JSON file of `hybrid run` or `hybrid replay`.");
    Json json = Json::parse(file, nullptr, false);
    if (json.is_discarded()) throw UserError(path + ": not a JSON file");
    const bool report = json.is_object() && json.contains("trace") && json["trace"].is_string() &&
                        json.contains("results") && json["results"].is_array() && json.contains("job") &&
                        json["job"].is_object() && json.contains("verdict") && json["verdict"].is_object();
    if (!report)
      throw UserError(
          path + ": not the result of one job: it lacks \"trace\", \"job\", \"results\" or \"verdict\"",
          "Name a JSON file of `hybrid run` or `hybrid replay` with one trace.");
    return json;
  }

  std::string source_;
  PageOutput page_;
};

const CommandRegistration kReport{
    "report", "one HTML page that explains a recorded job",
    []() -> std::unique_ptr<Command> { return std::make_unique<ReportCommand>(); }};

}  // namespace
}  // namespace hybrid
