// `hybrid predict TRACE`: every predictor at every capacity, on a job's sends; no network is emulated.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/trace_command.h"
#include "core/registry.h"
#include "emulator/replay/operation.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/progress.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"
#include "predictor/oracle.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

class PredictCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Scores predictors on the sends of a recorded job: had every request been granted at once, how many "
        "messages would have found their circuit? --slots lists the capacities K.");
    arguments_.declare(app);
    app.footer(
        "Examples:\n"
        "  hybrid predict hybrid-my_app-1\n"
        "  hybrid predict hybrid-my_app-1 --predictors markov1,markov2 --slots 1,2,3,4 --json -");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    const JobOptions& options = arguments_.options();
    std::vector<std::string> predictors = options.predictors;
    if (predictors.empty())
      for (std::string_view name : registered_names(Predictor::kKind))
        if (name != kOracle) predictors.emplace_back(name);
    std::vector<std::uint32_t> capacities = options.slot_counts;
    if (capacities.empty()) capacities = {1, 2, 4, 8, 0};

    ProgressLine line(stderr);
    line.show("finding the last send", 0);
    auto trace = open_trace(arguments_.trace());
    const std::uint32_t ports = std::max(count_ports(ports_of_ranks(*trace, options.replay)), 2u);
    Time end{};
    for_each_sent(*trace, options.replay,
                  [&](const SentMessage& message) { end = std::max(end, message.at); });
    line.show("scoring predictors", 0);
    trace = open_trace(arguments_.trace());
    const auto scores = score_predictors(*trace, options, predictors, capacities, ports, end);
    line.clear();

    if (!arguments_.json().owns_stdout()) std::fputs(predictor_table(scores).c_str(), stdout);
    auto json = nlohmann::ordered_json::array();
    for (const PredictorScore& score : scores) json.push_back(to_json(score));
    arguments_.json().write(json);
    return kDone;
  }

 private:
  TraceArguments arguments_;
};

const CommandRegistration kPredict{
    "predict", "score predictors on a recorded job",
    []() -> std::unique_ptr<Command> { return std::make_unique<PredictCommand>(); }};

}  // namespace
}  // namespace hybrid
