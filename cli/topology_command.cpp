// `hybrid topology`: the machine as placement sees it, and the ports that ranks would get on it.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "core/units.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/placement/describe.h"
#include "libhybrid/placement/machine.h"
#include "libhybrid/placement/placement.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class TopologyCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints packages, NUMA nodes, cores and NICs as hwloc sees them, and with -n the port of the switch "
        "that each rank would have, unless mpiexec binds the ranks otherwise.");
    line.add_option("-n,--ranks", "N", "show where N ranks would be placed", ranks_);
    OptionTable recording;
    add_recording_options(recording, options_);
    for (const char* name : {"placement", "topology", "hosts"}) table_.add(*recording.find(name));
    flags_.declare(line, table_, "Placement");
    json_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid topology\n  hybrid topology -n 16 --placement numa\n"
        "  lstopo node.xml; hybrid topology -n 128 --hosts 2 --placement nic --topology node.xml");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    warn_of_unknown(flags_.apply(table_, environ));
    std::uint64_t ranks = 0;
    if (!ranks_.empty()) {
      ranks = parse_count(ranks_, "-n", 65536);
      if (ranks == 0)
        throw UserError("-n: 0 ranks have no place", "Give the number of ranks, for instance -n 16.");
    } else if (options_.hosts != 0) {
      throw UserError("--hosts needs the number of ranks", "Give it with -n.");
    }
    const Machine machine = machine_for(options_.topology);
    nlohmann::ordered_json json{{"machine", to_json(machine)}};
    const std::size_t width = terminal_width(stdout);
    std::string text = describe(machine, width);
    if (ranks != 0) {
      const auto facts = unbound_ranks(options_.placement, machine, static_cast<std::uint32_t>(ranks),
                                       options_.hosts == 0 ? 1 : options_.hosts);
      const Placement placement = assign_ports(options_.placement, facts);
      text += "\n" + describe(placement, facts, width);
      json["placement"] = to_json(placement, facts);
    }
    if (!json_.owns_stdout()) print_text(text, stdout);
    json_.write(json);
    return kDone;
  }

 private:
  std::string ranks_;
  JobOptions options_;
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

const CommandRegistration kTopology{
    "topology", "the machine and the ports that ranks would get, as hwloc sees them",
    []() -> std::unique_ptr<Command> { return std::make_unique<TopologyCommand>(); }};

}  // namespace
}  // namespace hybrid
