// `hybrid advise TRACE...`: which technique and configuration suit recorded jobs, by search.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/trace_arguments.h"
#include "core/error.h"
#include "core/option.h"
#include "core/units.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/report/advice.h"
#include "libhybrid/report/advice_text.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

double parse_number(const std::string& text, const char* unit, const std::string& option, double least) {
  std::string_view number = text;
  double scale = 1;
  if (*unit != '\0' && number.ends_with(unit)) {
    number.remove_suffix(1);
    if (number.ends_with('m')) {
      number.remove_suffix(1);
      scale = 1e-3;
    }
    while (number.ends_with(' ')) number.remove_suffix(1);
  }
  const auto value = read_number(number);
  if (!value || *value < least)
    throw UserError(
        option + ": '" + text + "' is not " + (least == 0 ? "0 or a positive number" : "a positive number"),
        *unit == '\0' ? "Give a number such as 500." : "Give a power such as 12W or 240mW.");
  return *value * scale;
}

class AdviseCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Searches for the technique and the configuration that suit recorded jobs: number and length of "
        "slots, "
        "predictor, share of the packet plane. Options that are given are not changed; --technique and "
        "--slots "
        "take lists of what may be used. Each configuration is emulated with the whole job. Then: the "
        "smallest "
        "packet plane with which a hybrid switch is about as fast as a packet switch of full rate.");
    arguments_.declare_many(line);
    line.add_option("--budget", "N", "most emulations for each trace [" + budget_ + "]", budget_);
    line.add_option(
        "--time-limit", "TIME",
        "ends the search after this time, such as 60s, with the best until then; results then depend "
        "on the machine [none]",
        time_limit_);
    line.add_option("--threads", "N", "threads that emulate [one for each processor]", threads_);
    line.add_option("--reconfigurations", "TIME,...",
                    "times that the fabric needs to change its configuration, for the packet plane [" +
                        reconfigurations_ + "]",
                    reconfigurations_);
    line.add_option(
        "--within", "PERCENT",
        "how much longer than with a packet switch the job may take, for the packet plane [" + within_ + "]",
        within_);
    line.add_option("--packet-port-cost", "COST",
                    "of a port of the packet switch, in any unit [" + packet_cost_ + "]", packet_cost_);
    line.add_option("--circuit-port-cost", "COST", "of a port of the circuit switch [" + circuit_cost_ + "]",
                    circuit_cost_);
    line.add_option("--packet-port-power", "POWER", "of a port of the packet switch [" + packet_power_ + "]",
                    packet_power_);
    line.add_option("--circuit-port-power", "POWER",
                    "of a port of the circuit switch [" + circuit_power_ + "]", circuit_power_);
    line.add_examples(
        "Examples:\n"
        "  hybrid advise hybrid-my_app-1\n"
        "  hybrid advise hybrid-my_app-1 --reconfiguration 1us --technique wormhole,hybrid\n"
        "  hybrid advise bt-16 cg-16 --preset ocs-silicon-400g --within 2% --json -");
  }

  int run(const std::vector<std::string>&) override {
    arguments_.settle();
    AdviceRequest request;
    request.named = arguments_.names_given();
    for (const std::string_view option : kDesignOptions) {
      const char* const value = std::getenv(environment_name(option).c_str());
      if (value != nullptr && *value != '\0') request.named.emplace(option);
    }
    request.budget = parse_count(budget_, "--budget", 1'000'000);
    if (request.budget < kLeastBudget)
      throw UserError("--budget: " + budget_ + " emulations are too few for a search",
                      "Give at least " + std::to_string(kLeastBudget) + ".");
    for (const std::string& text : split_list(reconfigurations_, "--reconfigurations"))
      request.reconfigurations.push_back(parse_time(text, "--reconfigurations"));
    request.within = parse_within();
    const PortPrices prices{parse_number(packet_cost_, "", "--packet-port-cost", kLeastPrice),
                            parse_number(circuit_cost_, "", "--circuit-port-cost", 0),
                            parse_number(packet_power_, "W", "--packet-port-power", kLeastPrice),
                            parse_number(circuit_power_, "W", "--circuit-port-power", 0)};
    JobOptions options = arguments_.options();
    if (!threads_.empty()) options.threads = static_cast<unsigned>(parse_count(threads_, "--threads", 4096));
    set_time_limit(request);

    ProgressLine line(stderr);
    auto json = nlohmann::ordered_json::array();
    for (const std::string& trace : arguments_.traces()) {
      const Advice advice = advise(
          trace, [&] { return open_trace(trace); }, options, request,
          [&](std::string_view what, Progress done) {
            return line.show(trace + ": " + std::string(what), done);
          });
      line.clear();
      if (!arguments_.json().owns_stdout()) {
        if (!json.empty()) std::fputs("\n", stdout);
        print_text(to_text(advice, prices, terminal_width(stdout)), stdout);
        std::fflush(stdout);
      }
      json.push_back(to_json(advice, prices));
    }
    if (arguments_.json().wanted()) arguments_.json().write(json);
    return kDone;
  }

 private:
  static constexpr double kLeastPrice = 1e-9;  // divides

  double parse_within() const {
    std::string_view text = within_;
    if (text.ends_with('%')) text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    const auto percent = read_number(text);
    if (!percent || *percent < 0 || *percent > 1000)
      throw UserError("--within: '" + within_ + "' is not a percentage from 0 to 1000",
                      "Give a percentage such as 5%.");
    return *percent / 100;
  }

  void set_time_limit(AdviceRequest& request) const {
    if (time_limit_.empty()) return;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(
                                        parse_time(time_limit_, "--time-limit").nanoseconds()));
    request.expired = [end] { return Clock::now() >= end; };
  }

  TraceArguments arguments_;
  std::string budget_ = std::to_string(AdviceRequest{}.budget);
  std::string reconfigurations_ = "0ns,100ns,1us,10us,100us,1ms";
  std::string within_ = "5%";
  std::string packet_cost_ = "500", circuit_cost_ = "500", packet_power_ = "12W", circuit_power_ = "240mW";
  std::string time_limit_, threads_;
};

const CommandRegistration kAdvise{
    "advise", "which technique and configuration suit a recorded job, by search",
    []() -> std::unique_ptr<Command> { return std::make_unique<AdviseCommand>(); }};

}  // namespace
}  // namespace hybrid
