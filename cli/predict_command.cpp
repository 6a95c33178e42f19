// `hybrid predict TRACE`: every predictor at every capacity, on a job's sends; no network is emulated.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/predict_table.h"
#include "cli/trace_arguments.h"
#include "core/error.h"
#include "core/registry.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/predictor_scores.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/terminal_text.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

// CPU time of this thread.
std::int64_t processor_nanoseconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

class PredictCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Scores predictors on the sends of recorded jobs: how many messages would have found their circuit "
        "if every request had been granted at once? --slots lists the capacities; a summary compares the "
        "jobs. The last row of a table is Belady's optimal replacement, an upper bound for predictors that "
        "request "
        "a circuit only when a message exists; the predictor oracle knows the next messages. Both store "
        "12 bytes a message.");
    arguments_.declare_many(line);
    csv_.declare(line);
    line.add_examples(
        "Examples:\n"
        "  hybrid predict hybrid-my_app-1\n"
        "  hybrid predict hybrid-my_app-1 hybrid-my_app-2 --csv -\n"
        "  hybrid predict hybrid-my_app-1 --predictors markov1,markov2 --slots 1,2,3,4 --json -");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    csv_.check();
    if (csv_.owns_stdout() && arguments_.json().owns_stdout())
      throw UserError("--json and --csv: both to standard output", "Give one of them a file.");
    if (!csv_.owns_stdout()) arguments_.json().check_another("csv", csv_.path());
    refuse_emulation();
    const JobOptions& options = arguments_.options();
    std::vector<std::string> predictors = options.predictors;
    if (predictors.empty())
      for (std::string_view name : registered_names(Predictor::kKind)) predictors.emplace_back(name);
    predictors.emplace_back(BeladyBound::kName);
    std::vector<std::uint32_t> capacities = options.slot_counts;
    if (capacities.empty()) capacities = {1, 2, 4, 8, 16};
    const bool has_four = std::find(capacities.begin(), capacities.end(), 4u) != capacities.end();
    const std::uint32_t shown = has_four ? 4 : capacities.front();
    const bool prints = !arguments_.json().owns_stdout() && !csv_.owns_stdout();

    std::vector<TraceScores> traces;
    for (const std::string& trace : arguments_.traces()) {
      traces.push_back(score(trace, predictors, capacities));
      if (!prints) continue;
      const TraceScores& scored = traces.back();
      const std::uint64_t messages = scored.scores.front().sends;
      const std::string title =
          fmt::format("{}: {} messages from {} ports; hit rate, and its cost with {} slots", scored.trace,
                      grouped(messages), scored.sources, shown);
      fmt::print("{}{}\n", wrap(title, 0, terminal_width(stdout)), score_table(scored.scores, shown));
      std::fflush(stdout);
    }
    if (prints) fmt::print("Summary with {} slots\n{}", shown, summary_table(traces, shown));

    auto json = nlohmann::ordered_json::array();
    for (const TraceScores& trace : traces)
      for (const PredictorScore& score : trace.scores) {
        nlohmann::ordered_json one{{"trace", trace.trace}};
        one.update(to_json(score));
        one["requests_per_message"] = score.requests_per_message();
        one["ns_per_event"] = score.ns_per_event();
        json.push_back(std::move(one));
      }
    arguments_.json().write(json);
    csv_.write(scores_csv(traces));
    return kDone;
  }

 private:
  TraceScores score(const std::string& path, const std::vector<std::string>& predictors,
                    const std::vector<std::uint32_t>& capacities) const {
    ProgressLine line(stderr);
    const auto note = [&](std::string_view what, Progress done) {
      return line.show(std::string(what) + " of " + path, done);
    };
    PredictorScores scored = score_predictors([&path] { return open_trace(path); }, arguments_.options(),
                                              predictors, capacities, note, &processor_nanoseconds);
    return {path, scored.sources, std::move(scored.scores)};
  }

  // Options in variables and files may be for other commands; one that is given as a flag would be ignored.
  void refuse_emulation() const {
    if (const auto given = arguments_.given(); given.contains("slots") && given.at("slots") == "auto")
      throw UserError("--slots: auto searches with emulations, but predict emulates nothing",
                      "Give numbers, or use hybrid replay or hybrid advise.");
    static const std::set<std::string, std::less<>> kUsed{"config",
                                                          "preset",
                                                          "predictors",
                                                          "slots",
                                                          "predictor-timeout",
                                                          "predictor-pause",
                                                          "predictor-threshold",
                                                          "predictor-order",
                                                          "predictor-ahead",
                                                          "predictor-confidence",
                                                          "predictor-phases",
                                                          "seed",
                                                          "ports",
                                                          "algorithm",
                                                          "multicast"};
    for (const auto& [name, value] : arguments_.given()) {
      if (kUsed.contains(name)) continue;
      throw UserError("--" + name + ": predict emulates no network",
                      name == "predictor" ? "Name predictors with --predictors."
                                          : "Leave it out, or emulate with `hybrid replay`.");
    }
  }

  TraceArguments arguments_;
  CsvOutput csv_;
};

const CommandRegistration kPredict{
    "predict", "score predictors on recorded jobs",
    []() -> std::unique_ptr<Command> { return std::make_unique<PredictCommand>(); }};

}  // namespace
}  // namespace hybrid
