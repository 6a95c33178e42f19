// What a placement needs to know of a machine: packages, NUMA nodes, cores, processing units and NICs, as
// hwloc sees them on this host or finds them in the XML of another machine (lstopo FILE.xml). Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "libhybrid/placement/cpu_set.h"

namespace hybrid {

/// Indices are hwloc's logical ones: neighbours in number are neighbours in the machine.
struct Machine {
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  struct Package {
    CpuSet cpus;
  };
  struct NumaNode {
    CpuSet cpus;
    Bytes memory = 0;
    std::uint32_t package = kUnknown;
  };
  struct Core {
    CpuSet cpus;
    std::uint32_t numa = kUnknown;
    std::uint32_t package = kUnknown;
  };
  struct Nic {
    std::string name;  // "mlx5_0", "eth0"
    std::string kind;  // "openfabrics" or "network"
    CpuSet near;       // the processing units that it is closest to; all of the machine's where unknown
    std::uint32_t numa = kUnknown;  // where `near` is within one NUMA node
  };

  std::string source;  // "this host", or the XML's path
  CpuSet cpus;         // every processing unit that may be used
  std::vector<Package> packages;
  std::vector<NumaNode>
      numa_nodes;  // those with processors of their own; two memories of one place count once
  std::vector<Core> cores;
  /// At most one a PCI device. Ethernet devices count only where there is no OpenFabrics device: beside one
  /// they carry no MPI traffic. A machine without any has one, "host" of kind "assumed".
  std::vector<Nic> nics;
  bool nic_assumed = false;

  std::uint32_t processing_units() const { return cpus.count(); }
};

/// This host. Throws RunError when hwloc cannot see it.
Machine this_machine();
/// The machine in a file that hwloc (2.x) exported. Throws UserError for a file that is missing or no such
/// XML.
Machine machine_from_xml(const std::string& path);
/// The same from text; `name` stands for it in errors and in Machine::source.
Machine machine_from_xml_text(std::string_view xml, const std::string& name);
/// What JobOptions::topology means: "" this host, else the XML's path.
Machine machine_for(const std::string& topology);

}  // namespace hybrid
