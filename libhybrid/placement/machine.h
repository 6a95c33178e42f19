// Description of a machine for placement: packages, NUMA nodes, cores, processing units and NICs. hwloc reads
// it from this host, or from the XML of another machine (lstopo FILE.xml).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "libhybrid/placement/cpu_set.h"

namespace hybrid {

/// Plain values. Indices are hwloc's logical indices: objects with neighbouring indices are neighbours in the
/// machine.
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
    CpuSet near;       // the processing units that it is closest to; all of the machine if unknown
    std::uint32_t numa = kUnknown;  // the NUMA node that contains `near`, if there is one
  };

  std::string source;  // "this host", or the XML's path
  CpuSet cpus;         // all processing units that may be used
  std::vector<Package> packages;
  std::vector<NumaNode> numa_nodes;  // those with processing units; two memories of the same units count once
  std::vector<Core> cores;
  /// At most one per PCI device. Ethernet devices are listed only if there is no OpenFabrics device, since
  /// otherwise they carry no MPI traffic. A machine without a NIC gets one, named "host", of kind "assumed".
  std::vector<Nic> nics;
  bool nic_assumed = false;  // the machine has no NIC

  std::uint32_t processing_units() const { return cpus.count(); }
};

/// This host. Throws RunError if hwloc cannot read it.
Machine this_machine();
/// The machine in a file that hwloc (2.x) exported. Throws UserError if the file is missing or not such XML.
Machine machine_from_xml(const std::string& path);
/// The same from text. `name` names the text in errors and in Machine::source.
Machine machine_from_xml_text(std::string_view xml, const std::string& name);
/// The machine of JobOptions::topology: this host for "", otherwise that of the XML file `topology`.
Machine machine_for(const std::string& topology);

}  // namespace hybrid
