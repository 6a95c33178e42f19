// The placement: which rank sits at which port of the switch (core/connection.h). Ranks of one port never
// reach the switch with what they say to each other.
//
// In two steps, so that ranks on different machines agree without knowing each other's topology: `locate`
// turns a rank's binding into facts on its own machine, everybody gathers everybody's facts, and
// `assign_ports` is a pure function of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "libhybrid/placement/machine.h"

namespace hybrid {

/// What has a port: `rank`, `core`, `numa`, `nic` (the nearest), or `host`.
inline constexpr std::string_view kPlacementKinds[] = {"rank", "core", "numa", "nic", "host"};

/// One rank's facts, for one kind of placement.
struct RankFacts {
  std::uint32_t host = 0;  // any number, the same for the ranks of one host only
  /// The cores, NUMA nodes or NICs of its host that the rank may be placed at, ascending; one where its
  /// binding decides. {0} for the kinds `rank` and `host`.
  std::vector<std::uint32_t> objects;
  std::string cpus;          // its binding, in list form
  bool nic_assumed = false;  // Machine::nic_assumed
  bool operator==(const RankFacts&) const = default;
};

/// `binding` as on `machine`; empty, or without a processing unit of the machine: unbound. A core or NUMA
/// node is possible when the binding touches it; a NIC when no other is nearer: one whose place contains the
/// binding, else touches it, else lies in a package that it touches, else any. Throws UserError for an
/// unknown kind, naming the likely meant one.
RankFacts locate(std::string_view kind, const Machine& machine, const CpuSet& binding, std::uint32_t host);

/// One line of text without a newline or zero, to be gathered; and back (throws RunError on any other text).
std::string encode(const RankFacts& facts);
RankFacts decode_facts(std::string_view line);

/// Puts the ranks on `hosts` hosts in blocks, whatever host they are on; 0 changes nothing. Throws UserError
/// for more hosts than ranks.
void pretend_hosts(std::uint32_t hosts, std::span<RankFacts> ranks);

struct Placement {
  std::string kind;
  std::vector<Port> port_of_rank;
  std::vector<std::uint32_t> host_of_rank;  // 0, 1, ... by first rank; as pretended, where that is so
  std::vector<std::string> port_names;      // "rank 3", "host 0 core 5", "host 1"
  std::vector<std::string> notes;           // what was decided for want of facts, for people
  std::uint32_t ports() const { return static_cast<std::uint32_t>(port_names.size()); }
};

/// Ports 0, 1, ... in the order of hosts (by first rank) and of objects on them; objects without a rank get
/// none. Ranks of a host with the same choice of objects are dealt to them in order: one each while there are
/// enough, in equal blocks otherwise. Throws UserError for an unknown kind.
Placement assign_ports(std::string_view kind, std::span<const RankFacts> ranks);

/// Facts of `ranks` unbound ranks on `hosts` machines like this one, in blocks; for trying placements without
/// a job. Throws UserError for no ranks, no hosts, or more hosts than ranks.
std::vector<RankFacts> unbound_ranks(std::string_view kind, const Machine& machine, std::uint32_t ranks,
                                     std::uint32_t hosts);

}  // namespace hybrid
