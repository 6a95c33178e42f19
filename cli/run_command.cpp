// `hybrid run`: a program under mpiexec with the shim, then trace, emulation and report.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/ignored_options.h"
#include "cli/interruption.h"
#include "cli/json_output.h"
#include "cli/mpiexec.h"
#include "cli/mpiexec_output.h"
#include "cli/program.h"
#include "cli/rank_watch.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "core/hints/notes.h"
#include "core/units.h"
#include "emulator/limits.h"
#include "emulator/network_shape.h"
#include "emulator/scheduler/algorithm.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/placement/machine.h"
#include "libhybrid/report/job_output.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/repeats.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRanks = 65536, kMostRuns = 1000;

bool has_recording(const std::string& directory) {
  std::error_code ignored;
  return fs::is_directory(directory, ignored) && !fs::is_empty(directory, ignored);
}

class RunCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.take_program();
    line.describe(
        "Runs an MPI program under mpiexec, records its messages, and reports what a hybrid switch would do "
        "for it. The program is not recompiled. Trace and report go into a new directory.");
    line.add_option("-n,--ranks", "N", "ranks to start [as many as cores, at least 2]", ranks_);
    line.add_alias("-np", "-n");
    line.add_option(
        "--repeats", "R",
        "run the program R times: medians and extremes of the job times, and a verdict that respects "
        "their spread; files of each run in DIR/run-1, ... [1]",
        repeats_);
    line.add_option("--mpiexec", "CMD", "mpiexec of MPICH and arguments for it, with blanks between",
                    mpiexec_);
    json_.declare(line);
    add_recording_options(table_, options_);
    flags_.declare(line, table_, "Recording", {{"output", "o"}});
    add_emulation_options(table_, options_);
    flags_.declare(line, table_, "Emulation and report");
    flags_.exclude("nodes", "network");
    for (const char* name : {"--repeats", "--mpiexec", "--nodes"}) line.hide_in_short_help(name);
    line.add_examples(
        "Examples:\n"
        "  hybrid run -n 16 -- ./my_app input.dat\n"
        "  hybrid run -n 64 --slots 2,4,8 -o tuning -- ./my_app\n"
        "  hybrid run -n 16 --repeats 5 -- ./my_app\n"
        "  hybrid run -n 32 --mpiexec 'mpiexec.mpich -f hosts' --placement host -- ./my_app\n"
        "  hybrid run -n 16 --json - -- ./my_app > report.json\n"
        "Every option is also a variable (HYBRID_SLOTS) and a key of --config; docs/options.md has the "
        "table.");
  }

  int run(const std::vector<std::string>& program) override {
    // All checks come before anything is created or started.
    json_.check();
    const auto unknown = flags_.apply(table_, environ);
    check_job(options_);
    if (options_.at_finalize == "auto") options_.at_finalize = "emulate";
    json_.check_another("output", options_.output);
    if (json_.wanted() && options_.at_finalize != "emulate")
      throw UserError("--json writes the report, but --at-finalize " + options_.at_finalize + " makes none",
                      "Leave one of them out.");
    const std::string ranks = settle_ranks();
    const std::uint64_t repeats = settle_repeats();
    check_ranks(static_cast<std::uint32_t>(parse_count(ranks, "-n", kMostRanks)));
    check_hints();
    if (is_hardware(options_.network.scheduler_name))  // opens a device
      make_one_slot_scheduler(options_.network.scheduler_name, {2});
    if (program.empty())
      throw UserError("no program given", "hybrid run -n 16 -- ./my_app; see `hybrid run --help`.");
    const std::string application = find_program(program.front());
    check_linkage(application);
    if (!options_.topology.empty()) {
      if (::access(options_.topology.c_str(), R_OK) != 0)
        throw UserError("topology: " + unreadable(options_.topology, errno),
                        "Give a file of `lstopo FILE.xml`.");
      machine_for(options_.topology);  // throws for a file that describes no machine
    }
    std::vector<std::string> command = find_mpiexec(mpiexec_);
    const std::string library = find_library();
    warn_of_unknown(unknown);
    if (options_.at_finalize == "emulate") {
      print_notes(ignored_options(flags_.names_given(), options_));
      print_notes(limit_sentences(compared_runs(options_)));
    }

    options_.output = create_output_directory(options_.output, application);
    const auto run_once = [&](std::FILE* text) {
      std::vector<std::string> words = command;
      if (std::ranges::find(words, MpiexecOutput::kOption) == words.end())
        words.emplace_back(MpiexecOutput::kOption);
      words.insert(words.end(), {"-n", ranks});
      for (const auto& [name, value] : rank_environment(library))
        words.insert(words.end(), {"-genv", name, value});
      words.push_back(application);
      words.insert(words.end(), program.begin() + 1, program.end());
      MpiexecOutput output;
      RankWatch watch(options_.output);
      const ChildEnd end = run_child(words, json_.owns_stdout(), output.filter());
      const std::vector<std::uint32_t> deaths = watch.deaths();
      // mpiexec that ends a job because of a signal may exit with code 0.
      const bool good = end.good() && (end.forwarded == 0 || deaths.empty());
      const std::string failure = good ? "" : output.how_it_ended(application, end, deaths);
      return finish(failure, output.rejects_options(), good ? 0 : end.forwarded, application, text);
    };
    std::FILE* const text = json_.owns_stdout() ? nullptr : stdout;
    if (repeats > 1) return run_repeats(repeats, application, run_once, text);
    const Finished finished = run_once(text);
    if (finished.exit_code == kDone && options_.at_finalize != "journal" && text != nullptr)
      std::fprintf(text, "  files: %s\n", options_.output.c_str());
    if (finished.report) json_.write_file_of(options_.output + "/report.json");
    return finished.exit_code;
  }

 private:
  std::string settle_ranks() const {
    if (ranks_.empty()) return std::to_string(std::max(2u, std::thread::hardware_concurrency()));
    const std::uint64_t ranks = parse_count(ranks_, "-n", kMostRanks);
    if (ranks == 0)
      throw UserError("-n: 0: at least 1 rank is needed", "Give the number of ranks, for instance -n 16.");
    return std::to_string(ranks);
  }

  // The library and the report check ranks, ports and hints too, but only when the program has started.
  void check_ranks(std::uint32_t ranks) const {
    if (options_.hosts > ranks)
      throw UserError(
          "hosts: " + std::to_string(options_.hosts) + " hosts for " + std::to_string(ranks) + " ranks",
          "Use at most one host per rank.");
    if (options_.at_finalize != "emulate") return;
    const std::vector<std::uint32_t>& given = options_.replay.placement;
    if (!given.empty() && given.size() != ranks)
      throw UserError("ports: " + std::to_string(given.size()) + " ports given, but the job has " +
                          std::to_string(ranks) + " ranks",
                      "Give one port for each rank, in order of rank.");
    if (given.empty() && options_.placement != "rank") return;  // the number of ports depends on the hosts
    JobOptions job = options_;
    fit_nodes(given.empty() ? ranks : *std::max_element(given.begin(), given.end()) + 1, job.network,
              job.replay.crossbar);
    check_job(job);
  }

  void check_hints() const {
    if (options_.at_finalize != "emulate" || !options_.preloads_hints() || options_.hints == kRecordedHints)
      return;
    require_hint_units(options_.hints, "hints: '" + options_.hints + "'");
  }

  // Variables of the ranks in addition to the environment of this process; mpiexec itself does not get them.
  std::vector<std::pair<std::string, std::string>> rank_environment(const std::string& library) const {
    std::vector<std::pair<std::string, std::string>> variables;
    const char* preloaded = std::getenv("LD_PRELOAD");
    variables.emplace_back("LD_PRELOAD",
                           preloaded != nullptr && *preloaded != '\0' ? library + ":" + preloaded : library);
    for (const auto& [name, value] : flags_.given()) {
      if (name == "output" || name == "at-finalize") continue;
      const Option* option = table_.find(name);
      const bool path = name == "config" || name == "topology";
      variables.emplace_back(environment_name(name), option->value.empty() ? "on"
                                                     : path                ? fs::absolute(value).string()
                                                                           : value);
    }
    variables.emplace_back("HYBRID_OUTPUT", fs::absolute(options_.output).string());
    variables.emplace_back("HYBRID_AT_FINALIZE", "journal");
    return variables;
  }

  std::uint64_t settle_repeats() const {
    if (repeats_.empty()) return 1;
    const std::uint64_t repeats = parse_count(repeats_, "--repeats", kMostRuns);
    if (repeats == 0)
      throw UserError("--repeats: 0 runs", "Give the number of runs, for instance --repeats 5.");
    if (repeats > 1 && options_.at_finalize != "emulate")
      throw UserError("--repeats compares reports, but --at-finalize " + options_.at_finalize + " makes none",
                      "Leave one of them out.");
    return repeats;
  }

  struct Finished {
    int exit_code = kDone;
    std::optional<JobReport> report;  // if the job was emulated to its end
  };

  // `failure`: how the job ended, "" if it ended well. The report goes to `text`, unless it is null. Nothing
  // is emulated after `signal`, which stopped the job, if it is not 0.
  Finished finish(const std::string& failure, bool rejects_options, int signal,
                  const std::string& application, std::FILE* text) {
    const std::string recording = recording_directory(options_.output);
    if (!has_recording(recording)) {
      ::rmdir(recording.c_str());
      ::rmdir(options_.output.c_str());
      if (rejects_options) throw UserError(failure, "Give --mpiexec options of MPICH's mpiexec.");
      if (!failure.empty()) throw RunError(failure + "; nothing was recorded");
      throw UserError("'" + application + "' ended without an MPI call that libhybrid.so saw",
                      "Is it an MPI program, linked to MPICH? `ldd` shows libmpich.so.12. If libhybrid "
                      "printed a warning above, it gives the reason.");
    }
    FinishedJob finished;
    if (options_.at_finalize == "journal") {
      if (text != nullptr) std::fprintf(text, "journals: %s\n", recording.c_str());
    } else {
      const Interruption interruption;
      finished = finish_job(
          recording, options_, text, stderr, [signal] { return signal != 0 || Interruption::requested(); },
          failure);
      if (finished.stopped && failure.empty())
        return {Interruption::requested() ? Interruption::exit_code() : kFailed, {}};
    }
    if (!failure.empty()) {
      if (finished.report) json_.write_file_of(options_.output + "/report.json");
      throw RunError(failure + "; what was recorded until then is in " + options_.output);
    }
    if (!finished.failures.text.empty()) {
      json_.write_file_of(options_.output + "/report.json");
      throw RunError(finished.failures.text, "The journals are kept: " + recording);
    }
    return {kDone, std::move(finished.report)};
  }

  // Runs the program `repeats` times, each with a directory of its own in options_.output.
  int run_repeats(std::uint64_t repeats, const std::string& application,
                  const std::function<Finished(std::FILE*)>& run_once, std::FILE* text) {
    const std::string directory = options_.output;
    std::vector<JobReport> reports;
    for (std::uint64_t i = 1; i <= repeats; ++i) {
      if (text != nullptr) std::fprintf(text, "run %ju of %ju\n", i, repeats);
      if (text != nullptr) std::fflush(text);
      options_.output = create_output_directory(directory + "/run-" + std::to_string(i), application);
      Finished finished = run_once(nullptr);
      if (!finished.report) return finished.exit_code;
      reports.push_back(std::move(*finished.report));
    }
    const RepeatedReport report = compare_repeats(std::move(reports));
    write_repeats(directory, report, options_, stderr);
    if (text != nullptr)
      print_text("\n" + to_text(report, terminal_width(text)) + "  files: " + directory + "\n", text);
    json_.write_file_of(directory + "/report.json");
    return kDone;
  }

  std::string ranks_, repeats_, mpiexec_;
  JobOptions options_;
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

const CommandRegistration kRun{"run", "run a program under mpiexec, then emulate and report",
                               []() -> std::unique_ptr<Command> { return std::make_unique<RunCommand>(); }};

}  // namespace
}  // namespace hybrid
