#include "libhybrid/placement/machine.h"

#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <system_error>

#include "core/error.h"

namespace hybrid {

namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

Topology new_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw RunError("hwloc cannot be initialised");
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return topology;
}

template <class Objects>
std::uint32_t index_of_holder(const Objects& objects, const CpuSet& cpus) {
  for (std::uint32_t i = 0; i < objects.size(); ++i)
    if (!cpus.empty() && objects[i].cpus.contains(cpus)) return i;
  return Machine::kUnknown;
}

template <class Visit>
void for_each(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) visit(o);
}

void read_nics(hwloc_topology_t topology, Machine& machine) {
  // A device with both Ethernet and InfiniBand appears as two objects: keep the InfiniBand one.
  std::map<hwloc_obj_t, Machine::Nic> by_device;
  std::vector<hwloc_obj_t> order;
  bool fabric = false;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_osdev(topology, o)) != nullptr;) {
    const auto type = o->attr->osdev.type;
    if (type != HWLOC_OBJ_OSDEV_NETWORK && type != HWLOC_OBJ_OSDEV_OPENFABRICS) continue;
    const bool open = type == HWLOC_OBJ_OSDEV_OPENFABRICS;
    hwloc_obj_t device = o;
    for (hwloc_obj_t up = o; up != nullptr; up = up->parent)
      if (up->type == HWLOC_OBJ_PCI_DEVICE) device = up;
    const auto known = by_device.find(device);
    if (known != by_device.end() && (known->second.kind == "openfabrics" || !open)) continue;
    if (known == by_device.end()) order.push_back(device);
    fabric = fabric || open;
    Machine::Nic nic;
    nic.name = o->name == nullptr ? "NIC " + std::to_string(order.size() - 1) : o->name;
    nic.kind = open ? "openfabrics" : "network";
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, o);
    nic.near = place == nullptr ? CpuSet() : CpuSet(place->cpuset);
    nic.near &= machine.cpus;
    if (nic.near.empty()) nic.near = machine.cpus;
    nic.numa = index_of_holder(machine.numa_nodes, nic.near);
    by_device.insert_or_assign(device, std::move(nic));
  }
  for (const hwloc_obj_t device : order)
    if (Machine::Nic& nic = by_device[device]; !fabric || nic.kind == "openfabrics")
      machine.nics.push_back(std::move(nic));
  if (!machine.nics.empty()) return;
  machine.nic_assumed = true;
  machine.nics.push_back(
      {"host", "assumed", machine.cpus, index_of_holder(machine.numa_nodes, machine.cpus)});
}

Machine read(hwloc_topology_t topology, std::string source) {
  Machine m;
  m.source = std::move(source);
  m.cpus = CpuSet(hwloc_topology_get_allowed_cpuset(topology));
  const auto allowed = [&m](hwloc_obj_t object) {
    CpuSet cpus(object->cpuset);
    cpus &= m.cpus;
    return cpus;
  };
  for_each(topology, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t o) {
    if (CpuSet cpus = allowed(o); !cpus.empty()) m.packages.push_back({std::move(cpus)});
  });
  if (m.packages.empty()) m.packages.push_back({m.cpus});
  for_each(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t o) {
    CpuSet cpus = allowed(o);
    const auto same = [&cpus](const Machine::NumaNode& node) { return node.cpus == cpus; };
    if (cpus.empty() || std::any_of(m.numa_nodes.begin(), m.numa_nodes.end(), same)) return;
    const std::uint32_t package = index_of_holder(m.packages, cpus);
    m.numa_nodes.push_back({std::move(cpus), o->attr->numanode.local_memory, package});
  });
  if (m.numa_nodes.empty()) m.numa_nodes.push_back({m.cpus, 0, index_of_holder(m.packages, m.cpus)});
  // Some virtual machines show processing units without cores.
  const bool cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  for_each(topology, cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, [&](hwloc_obj_t o) {
    CpuSet cpus = allowed(o);
    if (cpus.empty()) return;
    const std::uint32_t numa = index_of_holder(m.numa_nodes, cpus);
    const std::uint32_t package = index_of_holder(m.packages, cpus);
    m.cores.push_back({std::move(cpus), numa, package});
  });
  read_nics(topology, m);
  return m;
}

}  // namespace

Machine this_machine() {
  const Topology topology = new_topology();
  if (hwloc_topology_load(topology.get()) != 0) throw RunError("hwloc cannot see this host's topology");
  return read(topology.get(), "this host");
}

Machine machine_from_xml_text(std::string_view xml, const std::string& name) {
  const auto bad = [&name](const std::string& why) {
    return UserError(name + ": " + why, "Export the machine's topology there with: lstopo topology.xml");
  };
  // hwloc's parser prints to stderr if the text is not XML, so obvious errors are found here first.
  const std::size_t begin = xml.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || xml[begin] != '<') throw bad("not an XML file");
  if (xml.find("<topology") == std::string_view::npos || xml.find("</topology>") == std::string_view::npos)
    throw bad("not an hwloc topology, or truncated");
  const Topology topology = new_topology();
  const std::string text(xml);  // hwloc counts the terminating zero
  if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size() + 1)) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    throw bad("not a topology that this hwloc can read");
  Machine machine = read(topology.get(), name);
  if (machine.cpus.empty()) throw bad("a machine without processing units");
  return machine;
}

Machine machine_from_xml(const std::string& path) {
  // A directory can be opened, but not read.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw UserError("topology " + path + ": a directory, not a file",
                    "Export the machine's topology there with: lstopo topology.xml");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw UserError("topology " + path + ": " + std::system_category().message(errno),
                    "Export the machine's topology there with: lstopo topology.xml");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return machine_from_xml_text(text, "topology " + path);
}

Machine machine_for(const std::string& topology) {
  return topology.empty() ? this_machine() : machine_from_xml(topology);
}

}  // namespace hybrid
