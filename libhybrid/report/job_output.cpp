#include "libhybrid/report/job_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/file_size_signal.h"
#include "core/shell.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/page/page.h"
#include "libhybrid/page/page_data.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/recording/trace_writer.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

namespace fs = std::filesystem;

namespace {

// The last part of the path, with all characters replaced that a shell would need quotes for.
std::string plain_name(std::string_view application) {
  std::string name(application.substr(application.rfind('/') + 1));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-' || c == '+';
    if (!plain) c = '_';
  }
  return name.empty() ? "job" : name;
}

[[noreturn]] void fail(const std::string& path, const std::string& fix) {
  const int reason = errno;
  const std::string problem = "output: cannot make the directory '" + path + "': " + std::strerror(reason);
  // A full disk is no error of the user: the program runs without being recorded.
  if (reason == ENOSPC || reason == EDQUOT) throw RunError(problem, "Free space, or name another place.");
  throw UserError(problem, fix);
}

// Writes a new file, completely or not at all. An existing file is an error and is never overwritten. `kept`:
// the advice in the error, about the files that remain.
void write_new_file(const std::string& path, const std::string& text, const std::string& kept) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const auto failed = [&](const char* reason) {
    return RunError("cannot write " + path + ": " + reason, kept);
  };
  if (file < 0) throw failed(std::strerror(errno));
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int reason = errno;
      ::close(file);
      ::unlink(path.c_str());
      throw failed(std::strerror(reason));
    }
    done += static_cast<std::size_t>(n);
  }
  if (::close(file) != 0) throw failed(std::strerror(errno));
}

// Removes the files of a recording (libhybrid/recording/definitions.h), and the directory unless it contains
// other files.
void remove_recording(const std::string& recording) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(recording, ignored)) {
    const std::string name = entry.path().filename();
    const bool ours =
        name.starts_with("rank-") && (name.ends_with(".journal") || name.ends_with(".definitions"));
    if (ours || name == kFullDiskMark) fs::remove(entry.path(), ignored);
  }
  ::rmdir(recording.c_str());
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string what_is_kept(const std::string& anchor, const std::string& recording) {
  return "The trace is kept: hybrid replay " + shell_quoted(anchor) +
         "\n  The journals are kept, too; if the trace is wrong: hybrid recover " + shell_quoted(recording);
}

// The emulations for a report were stopped.
struct Stopped {
  std::string reason;
};

// Stops the emulations: called with their progress, from several threads.
class Stop {
 public:
  Stop(Time limit, const std::function<bool()>& interrupted) : limit_(limit), interrupted_(interrupted) {}
  void check() const {
    if (interrupted_ && interrupted_()) throw Stopped{"Interrupted: no report was made."};
    if (limit_ == Time{} || limit_ == Time::never()) return;
    const auto passed = std::chrono::steady_clock::now() - begin_;
    if (passed >= std::chrono::nanoseconds(limit_.ps / 1000))
      throw Stopped{"The emulation was stopped at its limit of " + short_time(limit_) +
                    " (--report-limit, HYBRID_REPORT_LIMIT)."};
  }

 private:
  Time limit_;
  const std::function<bool()>& interrupted_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The trace is complete: errors in the report name it.
JobReport report_of(std::optional<JobEmulator>& job, const TraceSummary& trace, const std::string& recording,
                    const JobOptions& options, const ProgressNote& note) {
  const std::string& anchor = trace.anchor;
  try {
    const TraceOpener open = [anchor] { return open_trace(anchor); };
    job.emplace(anchor, open, options);
    JobReport report = make_report(*job, note);
    report.directory = options.output;
    for (const std::string& why : trace.damaged)
      report.warnings.push_back("The recording is damaged: " + why);
    return report;
  } catch (const std::exception& error) {
    throw RunError(error.what(), what_is_kept(anchor, recording));
  }
}

void write_report(const std::string& output, const std::string& text, const std::string& json,
                  const std::string& kept) {
  write_new_file(output + "/report.txt", text, kept);
  write_new_file(output + "/report.json", json, kept);
}

// A page has no sweep if the emulations were stopped; it names the command that adds it.
void add_short_sweep(nlohmann::ordered_json& page, JobEmulator& job, const ProgressNote& note) {
  try {
    if (sweep_is_short(job)) add_sweep(page, job, note);
  } catch (const Stopped&) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

std::string create_output_directory(const std::string& output, std::string_view application) {
  if (!output.empty()) {
    if (::mkdir(output.c_str(), 0700) == 0) return output;
    if (errno == EEXIST)
      throw UserError("output: '" + output + "' exists already",
                      "Name a new directory; nothing is ever overwritten.");
    fail(output, "Name a new directory in an existing one for which you have write permission.");
  }
  const std::string stem = "hybrid-" + plain_name(application) + "-";
  for (std::uint64_t n = 1;; ++n) {
    const std::string path = stem + std::to_string(n);
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    if (errno != EEXIST) fail(path, "Name a directory with --output for which you have write permission.");
  }
}

std::string recording_directory(const std::string& output) { return output + "/recording"; }

FinishedJob finish_job(const std::string& recording, const JobOptions& options, std::FILE* out,
                       std::FILE* progress, const std::function<bool()>& interrupted,
                       const std::string& failure) {
  const FileSizeSignalGuard guard;
  ProgressLine line(progress);
  line.show("writing the trace", 0);
  const TraceSummary trace =
      write_trace(recording, options.output, [&line](std::uint64_t events, std::uint64_t all) {
        line.show("writing the trace", {events, all, "events"});
      });
  // The journals must stay until trace and report are written.
  if (options.at_finalize == "trace") {
    if (!options.keep_journals) remove_recording(recording);
    line.clear();
    if (out != nullptr) std::fputs(to_text(trace).c_str(), out);
    return {};
  }
  const Stop stop(options.report_limit, interrupted);
  const ProgressNote note = [&](std::string_view what, Progress done) {
    stop.check();
    return line.show(what, done);
  };
  std::optional<JobEmulator> job;
  JobReport report;
  try {
    report = report_of(job, trace, recording, options, note);
    if (!failure.empty()) report.warnings.insert(report.warnings.begin(), failure + ".");
  } catch (const Stopped& stopped) {
    if (!options.keep_journals) remove_recording(recording);
    line.clear();
    report.trace = trace.anchor;
    report.options = options;
    if (std::FILE* const notice = out != nullptr ? out : progress; notice != nullptr)
      std::fprintf(notice, "%s%s The trace has all that was recorded. Continue with:\n  %s\n",
                   to_text(trace).c_str(), stopped.reason.c_str(), command_to_repeat(report).c_str());
    FinishedJob finished;
    finished.stopped = true;
    return finished;
  }
  const std::string text = to_text(report);
  line.clear();
  if (out != nullptr) {
    print_text(to_text(report, terminal_width(out)), out);
    std::fflush(out);
  }
  const std::string kept = what_is_kept(trace.anchor, recording);
  nlohmann::ordered_json json = to_json(report);
  write_report(options.output, text, json_text(json), kept);
  if (has_page() && job) {
    try {
      nlohmann::ordered_json page = page_data(options.output, std::move(json), *job, note);
      add_short_sweep(page, *job, note);
      line.show("writing the page", 0);
      write_new_file(options.output + "/report.html", page_html(std::move(page)), kept);
      line.clear();
    } catch (const Stopped& stopped) {
      line.clear();
      if (std::FILE* const notice = out != nullptr ? out : progress; notice != nullptr)
        std::fprintf(notice, "%s The page was not written. Write it with:\n  hybrid report %s -o FILE.html\n",
                     stopped.reason.c_str(), shell_quoted(options.output).c_str());
    }
  }
  FinishedJob finished{.warnings = joined(report.warnings), .failures = failures_of(report)};
  finished.report = std::move(report);
  if (!options.keep_journals && finished.failures.text.empty()) remove_recording(recording);
  return finished;
}

void write_repeats(const std::string& directory, const RepeatedReport& report, const JobOptions& options,
                   std::FILE* progress) {
  const std::string kept = "The runs are kept: " + directory;
  const nlohmann::ordered_json json = to_json(report);
  write_report(directory, to_text(report), json_text(json), kept);
  if (!has_page()) return;
  ProgressLine line(progress);
  const ProgressNote note = [&](std::string_view what, Progress done) { return line.show(what, done); };
  const nlohmann::ordered_json& shown = report_of_result(json);
  const std::string trace = shown["trace"];
  JobEmulator job(trace, [&trace] { return open_trace(trace); }, options);
  nlohmann::ordered_json page = page_data(directory, shown, job, note);
  if (sweep_is_short(job)) add_sweep(page, job, note);
  add_repeats(page, json);
  write_new_file(directory + "/report.html", page_html(std::move(page)), kept);
}

}  // namespace hybrid
