// `hybrid predict TRACE`: every predictor at every capacity, on a job's sends; no network is emulated.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/trace_command.h"
#include "core/error.h"
#include "core/registry.h"
#include "emulator/replay/operation.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/progress.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"
#include "predictor/evaluation_grid.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

class PredictCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Scores predictors on the sends of a recorded job: had every request been granted at once, how many "
        "messages would have found their circuit? --slots lists the capacities K. The last rows are Belady's "
        "optimal replacement, the most hits of whoever asks for a circuit only when a message is there; the "
        "predictor oracle knows the next messages. These two keep 12 bytes a message.");
    arguments_.declare(app);
    app.footer(
        "Examples:\n"
        "  hybrid predict hybrid-my_app-1\n"
        "  hybrid predict hybrid-my_app-1 --predictors markov1,markov2 --slots 1,2,3,4 --json -");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    refuse_emulation();
    const JobOptions& options = arguments_.options();
    std::vector<std::string> predictors = options.predictors;
    if (predictors.empty())
      for (std::string_view name : registered_names(Predictor::kKind)) predictors.emplace_back(name);
    predictors.emplace_back(BeladyBound::kName);
    std::vector<std::uint32_t> capacities = options.slot_counts;
    if (capacities.empty()) capacities = {1, 2, 4, 8, 16};

    ProgressLine line(stderr);
    line.show("finding the last send", 0);
    auto trace = open_trace(arguments_.trace());
    DestinationNumbers numbers;
    Time end{};
    for_each_sent(*trace, options.replay, [&](const SentMessage& message) {
      numbers.add({message.source, message.destination});
      end = std::max(end, message.at);
    });
    line.show("scoring predictors", 0);
    trace = open_trace(arguments_.trace());
    EvaluationGrid grid(predictors, capacities,
                        {.timeout = options.network.predictor_timeout,
                         .threshold = options.network.predictor_threshold,
                         .pause = options.network.predictor_pause},
                        numbers);
    for_each_sent(*trace, options.replay, [&](const SentMessage& message) {
      grid.send({message.source, message.destination}, message.at, message.bytes, message.site);
    });
    const auto scores = grid.finish(end);
    line.clear();

    if (!arguments_.json().owns_stdout()) std::fputs(predictor_table(scores).c_str(), stdout);
    auto json = nlohmann::ordered_json::array();
    for (const PredictorScore& score : scores) json.push_back(to_json(score));
    arguments_.json().write(json);
    return kDone;
  }

 private:
  // Variables and files may be for other commands, too; what is given here would be passed over.
  void refuse_emulation() const {
    static const std::set<std::string, std::less<>> kUsed{"config",
                                                          "preset",
                                                          "predictors",
                                                          "slots",
                                                          "predictor-timeout",
                                                          "predictor-pause",
                                                          "predictor-threshold",
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
};

const CommandRegistration kPredict{
    "predict", "score predictors on a recorded job",
    []() -> std::unique_ptr<Command> { return std::make_unique<PredictCommand>(); }};

}  // namespace
}  // namespace hybrid
