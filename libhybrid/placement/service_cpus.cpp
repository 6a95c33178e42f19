#include "libhybrid/placement/service_cpus.h"

namespace hybrid {

ServiceCpus choose_service_cpus(const Machine& machine, std::span<const CpuSet> bindings) {
  CpuSet taken;
  for (const CpuSet& binding : bindings) taken |= binding.empty() ? machine.cpus : binding;
  CpuSet free_units = machine.cpus;
  free_units -= taken;
  CpuSet free_cores;
  for (const Machine::Core& core : machine.cores)
    if (!core.cpus.intersects(taken)) free_cores |= core.cpus;

  if (!free_cores.empty()) return {free_cores.text(), true, "cores without a rank: " + free_cores.text()};
  if (!free_units.empty())
    return {free_units.text(), true, "processing units without a rank: " + free_units.text()};
  const std::string counts = std::to_string(bindings.size()) + " ranks on " +
                             std::to_string(machine.processing_units()) + " processing units";
  if (bindings.size() < machine.processing_units())
    return {"", true, "unrestricted: " + counts + ", which are not bound apart"};
  return {"", false, "unrestricted: " + counts + " leave none free"};
}

}  // namespace hybrid
