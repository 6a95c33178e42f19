// `hybrid worth TRACE...`: what the compiler's hints are worth to recorded jobs, compared with prediction.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/trace_arguments.h"
#include "core/error.h"
#include "core/units.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/hint_worth.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class WorthCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Emulates recorded jobs on wormhole, and on the hybrid switch with prediction alone, with the hints "
        "of their compiler alone, with both, and with neither (none), with which they are compared. A slot "
        "lasts at least as long as --fabric makes it. The hints are those recorded in the trace or, with "
        "--hints, those of a "
        "binary. The predictor is tournament unless --predictor is given.");
    JobOptions defaults;
    defaults.explain = false;  // many emulations already
    arguments_.declare_many(line, defaults);
    line.add_option("--reconfigurations", "TIME,...",
                    "times that the fabric needs to change its configuration [" + reconfigurations_ + "]",
                    reconfigurations_);
    line.add_examples(
        "Examples:\n"
        "  hybrid worth hybrid-my_app-1\n"
        "  hybrid worth bt-16 cg-16 --reconfigurations 1ns,1us,1ms --slots 8 --predictor markov2 --json -");
  }

  int run(const std::vector<std::string>&) override {
    refuse_compared();
    arguments_.settle();
    JobOptions options = arguments_.options();
    if (options.slot_counts.size() > 1 || options.finds_slots)
      throw UserError("--slots: worth compares with one number of slots", "Give one number.");
    bool is_named = options.network.predictor != network_by_default().predictor;
    for (const auto& [name, value] : arguments_.given()) is_named = is_named || name == "predictor";
    if (!is_named) options.network.predictor = "tournament";
    std::vector<Time> times;
    for (const std::string& text : split_list(reconfigurations_, "--reconfigurations"))
      times.push_back(parse_time(text, "--reconfigurations"));

    ProgressLine line(stderr);
    std::vector<JobWorth> jobs;
    for (const std::string& trace : arguments_.traces()) {
      try {
        jobs.push_back(hint_worth(
            trace, [&] { return open_trace(trace); }, options, times,
            [&](std::string_view what, Progress done) { return line.show(std::string(what), done); }));
      } catch (const UnfinishedReplay& error) {
        line.clear();
        const std::string text = trace + ": " + error.what();
        if (error.fault() == UnfinishedReplay::Fault::trace) throw UserError(text);
        throw RunError(text);
      }
    }
    line.clear();
    if (!arguments_.json().owns_stdout()) print_text(worth_text(jobs, TextTable::wide(stdout, 150)), stdout);
    if (arguments_.json().wanted()) arguments_.json().write(as_json(jobs, options));
    return kDone;
  }

 private:
  // Options that the command itself varies.
  void refuse_compared() const {
    static const std::set<std::string, std::less<>> kVaried{"technique",
                                                            "predictors",
                                                            "preload",
                                                            "preload-topology",
                                                            "predictor-phases",
                                                            "fabric",
                                                            "reconfiguration",
                                                            "reconfiguration-command",
                                                            "reconfiguration-switching",
                                                            "reconfiguration-lock"};
    for (const auto& [name, value] : arguments_.given()) {
      if (!kVaried.contains(name)) continue;
      throw UserError("--" + name + ": that is what worth compares",
                      name.starts_with("reconfiguration") ? "Give --reconfigurations."
                                                          : "Leave it out, or emulate with `hybrid replay`.");
    }
  }

  static nlohmann::ordered_json as_json(const std::vector<JobWorth>& jobs, const JobOptions& options) {
    auto array = nlohmann::ordered_json::array();
    for (const JobWorth& job : jobs)
      for (const HintWorth& at : job.at) {
        nlohmann::ordered_json one{{"trace", job.trace},
                                   {"ranks", job.ranks},
                                   {"nodes", job.nodes},
                                   {"slots", options.network.slots},
                                   {"predictor", options.network.predictor},
                                   {"reconfiguration_ns", at.reconfiguration.nanoseconds()},
                                   {"slot_length_ns", at.slot_length.nanoseconds()},
                                   {"messages", job.messages},
                                   {"messages_hinted", job.messages_hinted},
                                   {"reference", "none"}};
        auto results = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < at.variants.size(); ++i) {
          const HintWorth::Variant& variant = at.variants[i];
          if (!variant.is_known) continue;
          auto& result =
              results.emplace_back(nlohmann::ordered_json{{"variant", kWorthVariants[i]},
                                                          {"time_ns", variant.time.nanoseconds()},
                                                          {"time_ratio", at.time_ratio(variant)},
                                                          {"hit_rate", variant.hit_rate},
                                                          {"gap_closed", or_null(variant.gap_closed)},
                                                          {"network_wait_ns", or_null(variant.network_wait)},
                                                          {"rank_wait_ns", or_null(variant.rank_wait)}});
          if (variant.wait_parts) result["network_wait_parts_ns"] = to_json(*variant.wait_parts);
        }
        one["results"] = std::move(results);
        one["bounds"] = to_json(job.bounds);
        one["notes"] = job.notes;
        array.push_back(std::move(one));
      }
    return array;
  }

  TraceArguments arguments_;
  std::string reconfigurations_ = "1ns,1us";
};

const CommandRegistration kWorth{
    "worth", "what a program's hints are worth, compared with prediction and wormhole",
    []() -> std::unique_ptr<Command> { return std::make_unique<WorthCommand>(); }};

}  // namespace
}  // namespace hybrid
