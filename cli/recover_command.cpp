// `hybrid recover DIR`: makes a trace and a report from the journals of a job that died.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_output.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

bool holds_recording(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("rank-") && (name.ends_with(".definitions") || name.ends_with(".journal")))
      return true;
  }
  return false;
}

class RecoverCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Makes a trace and a report from the journals of a job that died, or whose machine died. Uses what "
        "each "
        "rank recorded until then and reports what is missing. The journals are kept.");
    line.add_argument("DIR", directory_, "the job's output directory, or the directory of its journals",
                      CommandLine::Need::required);
    line.add_option("-o,--output", "DIR",
                    "new directory for trace and report [DIR, where it is a job's output directory]",
                    options_.output);
    line.add_flag("--trace-only", "write the trace, emulate nothing", trace_only_);
    line.add_flag("--delete-journals",
                  "remove the journals once the trace is written (default: they are kept)", delete_journals_);
    line.add_hidden_flag("--keep-journals", "--delete-journals");  // the default
    json_.declare(line);
    add_emulation_options(table_, options_);
    flags_.declare(line, table_, "Emulation and report");
    flags_.exclude("nodes", "network");
    line.add_examples(
        "Examples:\n  hybrid recover hybrid-my_app-1\n"
        "  hybrid recover /scratch/journals -o recovered --trace-only");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    if (trace_only_ && json_.wanted())
      throw UserError("--json needs the report, which --trace-only leaves out");
    warn_of_unknown(flags_.apply(table_, environ));
    check_job(options_);
    json_.check_another("output", options_.output);
    options_.at_finalize = trace_only_ ? "trace" : "emulate";
    options_.keep_journals = !delete_journals_;  // nothing else of the job is left
    const std::string recording = find_recording();
    // The trace goes into the output directory of the job, else into a new directory.
    const bool creates = !options_.output.empty() || recording != recording_directory(directory_);
    options_.output = creates ? create_output_directory(options_.output, "recovered") : directory_;
    try {
      return recover(recording);
    } catch (...) {
      if (creates) ::rmdir(options_.output.c_str());  // if it is empty
      throw;
    }
  }

 private:
  int recover(const std::string& recording) {
    for (const char* file : {"trace.otf2", "report.txt", "report.json", "report.html"}) {
      const fs::path path = fs::path(options_.output) / file;
      if (fs::exists(path))
        throw UserError("'" + path.string() + "' exists already; nothing is overwritten",
                        "Use it (hybrid replay), or name a new directory with -o.");
    }
    std::FILE* const text = json_.owns_stdout() ? nullptr : stdout;
    const Interruption interruption;
    const FinishedJob finished = finish_job(recording, options_, text, stderr, Interruption::requested);
    if (finished.stopped) return Interruption::exit_code();
    const std::string& failures = finished.failures.text;
    if (text != nullptr) {
      std::fprintf(text, "  files: %s\n", options_.output.c_str());
      if (options_.keep_journals || !failures.empty())
        std::fprintf(text, "  journals: kept in %s\n", recording.c_str());
    }
    json_.write_file_of(options_.output + "/report.json");
    if (!failures.empty()) throw RunError(failures);
    return kDone;
  }

  std::string find_recording() {
    std::error_code error;
    const fs::file_status status = fs::status(directory_, error);
    const int reason = !fs::exists(status)                              ? error.value()
                       : !fs::is_directory(status)                      ? ENOTDIR
                       : ::access(directory_.c_str(), R_OK | X_OK) != 0 ? errno
                                                                        : 0;
    if (reason != 0)
      throw UserError(unreadable(directory_, reason),
                      "Give the output directory of the job that died, with the account that ran it.");
    while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
    for (const std::string& candidate : {recording_directory(directory_), directory_})
      if (holds_recording(candidate)) return candidate;
    throw UserError("no journals in '" + directory_ + "'",
                    "A job that ended normally has removed them: use its trace with `hybrid replay`.");
  }

  std::string directory_;
  bool trace_only_ = false, delete_journals_ = false;
  JobOptions options_;
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

const CommandRegistration kRecover{
    "recover", "make a trace from the journals of a job that died",
    []() -> std::unique_ptr<Command> { return std::make_unique<RecoverCommand>(); }};

}  // namespace
}  // namespace hybrid
