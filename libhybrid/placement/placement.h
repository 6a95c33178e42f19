// Placement: the map from ranks to ports of the switch (core/connection.h). Messages between ranks of the
// same port never reach the switch.
//
// It takes two steps, so that ranks on different machines agree without knowing each other's topology:
// locate() converts a rank's binding to facts on its own machine; every rank gathers the facts of all ranks;
// then assign_ports() is a pure function of these facts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "libhybrid/placement/cpu_set.h"
#include "libhybrid/placement/machine.h"

namespace hybrid {

/// The kinds of placement: a port for each `rank`, `core`, `numa` node, `nic` (the nearest), or `host`.
inline constexpr std::string_view kPlacementKinds[] = {"rank", "core", "numa", "nic", "host"};

/// Facts about one rank, for one kind of placement.
struct RankFacts {
  std::uint32_t host = 0;  // any number that is equal for exactly the ranks of one host
  /// The cores, NUMA nodes or NICs of the host at which the rank may be placed, ascending; a single one if
  /// its binding decides. {0} for the kinds `rank` and `host`.
  std::vector<std::uint32_t> objects;
  std::string cpus;          // the rank's binding, in list form
  bool nic_assumed = false;  // Machine::nic_assumed
  bool operator==(const RankFacts&) const = default;
};

/// Facts of a rank with `binding` on `machine`. A binding that is empty or contains no processing unit of the
/// machine counts as unbound. A core or NUMA node is possible if the binding intersects it. A NIC is possible
/// if no other is nearer; from near to far: its place contains the binding, intersects it, intersects a
/// package that the binding intersects, any NIC. Throws UserError for an unknown kind, with the closest name.
RankFacts locate(std::string_view kind, const Machine& machine, const CpuSet& binding, std::uint32_t host);

/// Encodes facts as a line of text without newline or zero, for gathering; and decodes it. decode_facts()
/// throws RunError for any other text.
std::string encode(const RankFacts& facts);
RankFacts decode_facts(std::string_view line);

/// Replaces the hosts of the ranks by `hosts` hosts with equal blocks of ranks; 0 changes nothing. Throws
/// UserError for more hosts than ranks.
void pretend_hosts(std::uint32_t hosts, std::span<RankFacts> ranks);

struct Placement {
  std::string kind;
  std::vector<Port> port_of_rank;
  std::vector<std::uint32_t> host_of_rank;  // 0, 1, ... in order of the hosts' first ranks
  std::vector<std::string> port_names;      // "rank 3", "host 0 core 5", "host 1"
  std::vector<std::string> notes;           // assumptions that were made for lack of facts, for people
  std::uint32_t ports() const { return static_cast<std::uint32_t>(port_names.size()); }
};

/// Assigns ports 0, 1, ... in the order of hosts (by first rank) and of the objects on them. Objects without
/// a rank get no port. Ranks of a host with the same possible objects are distributed over these in order:
/// one per object if there are enough objects, otherwise in equal blocks. Throws UserError for an unknown
/// kind.
Placement assign_ports(std::string_view kind, std::span<const RankFacts> ranks);

/// Facts of `ranks` unbound ranks in equal blocks on `hosts` machines like `machine`, to try placements
/// without a job. Throws UserError for no ranks, no hosts, or more hosts than ranks.
std::vector<RankFacts> unbound_ranks(std::string_view kind, const Machine& machine, std::uint32_t ranks,
                                     std::uint32_t hosts);

/// The CPUs of a host for the thread of the live scheduler, off the cores of the ranks.
struct ServiceCpus {
  std::string cpus;    // list form; "": unrestricted
  bool spare = false;  // at least one processing unit has no rank
  std::string note;    // for people, one line
};

/// `bindings`: of the host's ranks; an empty one is unbound. Prefers cores on which no rank may run, then
/// such processing units. Otherwise (for instance with unbound ranks) the thread is unrestricted, and `spare`
/// is true if the machine has more processing units than ranks.
ServiceCpus choose_service_cpus(const Machine& machine, std::span<const CpuSet> bindings);

}  // namespace hybrid
