// `hybrid simulate`: synthetic traffic on an emulated switch.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "core/error.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/format.h"
#include "libhybrid/report/progress.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/text_table.h"

namespace hybrid {
namespace {

std::string measures_table(const std::vector<Measures>& results) {
  TextTable table({{"technique", TextTable::Align::left},
                   {"K"},
                   {"nodes"},
                   {"time"},
                   {"utilisation"},
                   {"messages"},
                   {"mean"},
                   {"p50"},
                   {"p99"},
                   {"largest"},
                   {"hit rate"}});
  for (const Measures& m : results)
    table.add({m.technique, m.slots == 0 ? "-" : std::to_string(m.slots), std::to_string(m.nodes),
               short_time(m.time), percent(m.utilisation), grouped(m.messages), short_time(m.latency.mean()),
               short_time(m.latency.quantile(0.5)), short_time(m.latency.quantile(0.99)),
               short_time(m.latency.maximum()), percent(m.hit_rate)});
  return table.text(0);
}

class SimulateCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Emulates synthetic traffic on a switch. --technique and --slots take lists: every combination is "
        "run.");
    add_config_option(table_);
    add_compared_switch_options(table_, network_, techniques_, slot_counts_, true, network_.technique,
                                std::to_string(network_.slots));
    flags_.declare(app, table_, "Switch");
    add_traffic_options(table_, traffic_);
    flags_.declare(app, table_, "Traffic");
    json_.declare(app);
    app.footer(
        "Examples:\n"
        "  hybrid simulate --pattern uniform --nodes 32 --technique wormhole,hybrid --load 0.5\n"
        "  hybrid simulate --preset ch8 --pattern random-to-all --message 512 --technique circuit\n"
        "  hybrid simulate --pattern transpose --slots 1,2,4,8 --json -");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    flags_.apply(table_, environ);
    const std::vector<SwitchParameters> runs = combinations();
    for (const SwitchParameters& parameters : runs) check(parameters);
    check(traffic_);

    std::vector<Measures> results;
    ProgressLine line(stderr);
    for (const SwitchParameters& p : runs) {
      const std::string what =
          "emulating " + p.technique + (uses_slots(p.technique) ? ", K = " + std::to_string(p.slots) : "");
      Measures m = simulate(p, traffic_, [&](std::uint64_t delivered, std::uint64_t all) {
        line.show(what + ": " + percent(static_cast<double>(delivered) / static_cast<double>(all)), 0);
      });
      if (!uses_slots(p.technique)) m.slots = 0;
      results.push_back(std::move(m));
    }
    line.clear();

    if (!json_.owns_stdout()) std::fputs(measures_table(results).c_str(), stdout);
    json_.write(as_json(results));
    return kDone;
  }

 private:
  std::vector<SwitchParameters> combinations() const {
    std::vector<SwitchParameters> runs;
    const auto techniques = techniques_.empty() ? std::vector<std::string>{network_.technique} : techniques_;
    const auto counts = slot_counts_.empty() ? std::vector<std::uint32_t>{network_.slots} : slot_counts_;
    for (const std::string& technique : techniques)
      for (std::uint32_t slots : counts) {
        SwitchParameters p = network_;
        p.technique = technique;
        p.slots = slots;
        runs.push_back(p);
        if (!uses_slots(technique)) break;  // the same for every K
      }
    return runs;
  }

  nlohmann::ordered_json as_json(const std::vector<Measures>& results) const {
    auto array = nlohmann::ordered_json::array();
    for (const Measures& m : results) {
      auto one = to_json(m);
      one["pattern"] = traffic_.pattern;
      one["message"] = traffic_.message;
      one["load"] = traffic_.load;
      array.push_back(std::move(one));
    }
    return array.size() == 1 ? array.front() : array;
  }

  SwitchParameters network_;
  std::vector<std::string> techniques_;
  std::vector<std::uint32_t> slot_counts_;
  TrafficOptions traffic_;
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

const CommandRegistration kSimulate{
    "simulate", "emulate synthetic traffic",
    []() -> std::unique_ptr<Command> { return std::make_unique<SimulateCommand>(); }};

}  // namespace
}  // namespace hybrid
