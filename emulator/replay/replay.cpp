#include "emulator/replay/replay.h"

#include <algorithm>
#include <memory>

#include "emulator/network_shape.h"
#include "emulator/replay/job_driver.h"
#include "emulator/switching/bounds.h"

namespace hybrid {

void check(const ReplayOptions& options) {
  constexpr Time kLongest = milliseconds(10'000);  // the limit of all delays of the switch
  if (options.local_latency < Time{} || options.local_latency > kLongest)
    throw UserError("local-latency: " + to_string(options.local_latency) + " is not in the range 0 to " +
                        to_string(kLongest),
                    "Give a time such as 200ns.");
  if (options.local_rate == 0)
    throw UserError("local-rate: must be more than 0", "Give a rate such as 80Gb/s.");
}

ReplayResult replay(JobTrace& trace, SwitchParameters parameters, const ReplayOptions& options) {
  std::vector<std::uint32_t> placement = placement_of(trace, options);
  const std::uint32_t ports =
      placement.empty() ? 0 : *std::max_element(placement.begin(), placement.end()) + 1;
  fit_nodes(ports, parameters, options.crossbar);
  if (options.hardware_multicast) check_multicast(parameters);
  check(parameters);
  check(options);
  const std::unique_ptr<Technique> technique = TechniqueRegistration::make(parameters.technique, parameters);
  if (options.timeline != nullptr) technique->observe(*options.timeline);
  CollectivePlane plane(parameters, is_instant(parameters.technique));
  JobDriver driver(trace, *technique, std::move(placement), options,
                   options.hardware_multicast ? &plane : nullptr);
  try {
    driver.run();
  } catch (const UnfinishedReplay&) {
    throw;
  } catch (const UserError& error) {  // the run is longer than can be emulated
    throw UnfinishedReplay(UnfinishedReplay::Fault::technique, error.what());
  }

  ReplayResult result;
  driver.report(result);
  Measures& measures = result.measures;
  measures.technique = parameters.technique;
  measures.nodes = parameters.nodes;
  measures.ports.resize(parameters.nodes);
  measures.slots = parameters.slots;
  measures.seed = parameters.seed;
  measures.statistics = technique->statistics();
  measures.set_utilisation(parameters.link_rate);
  return result;
}

}  // namespace hybrid
