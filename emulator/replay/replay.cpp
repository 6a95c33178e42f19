#include "emulator/replay/replay.h"

#include <algorithm>
#include <memory>

#include "emulator/network_shape.h"
#include "emulator/replay/job_driver.h"
#include "emulator/replay/unfinished_replay.h"

namespace hybrid {

ReplayResult replay(JobTrace& trace, SwitchParameters parameters, const ReplayOptions& options) {
  std::vector<std::uint32_t> placement = placement_of(trace, options);
  const std::uint32_t ports =
      placement.empty() ? 0 : *std::max_element(placement.begin(), placement.end()) + 1;
  fit_nodes(ports, parameters);
  if (options.hardware_multicast) check_multicast(parameters);
  check(parameters);
  const std::unique_ptr<Technique> technique = TechniqueRegistration::make(parameters.technique, parameters);
  if (options.timeline != nullptr) technique->observe(*options.timeline);
  CollectivePlane plane(parameters);
  JobDriver driver(trace, *technique, std::move(placement), options,
                   options.hardware_multicast ? &plane : nullptr);
  try {
    driver.run();
  } catch (const UnfinishedReplay&) {
    throw;
  } catch (const UserError& error) {  // it takes longer than can be emulated
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
  measures.settle_utilisation(parameters.link_rate);
  return result;
}

}  // namespace hybrid
