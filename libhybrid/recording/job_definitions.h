// The merged definitions of all processes of a recording: each communicator, window, region and call site
// of the job has one id, and each process has a map from its local ids to these.
//
// Processes do not share names of communicators, and recording adds no communication to the program. They are
// matched as follows. Creating a communicator is collective, mostly over a parent communicator, and MPI
// requires that all members make the calls on one communicator in the same order. So the k-th call on a
// parent is the k-th call of every member. (Processes may differ in the order of calls on different
// communicators: threads, nonblocking duplication.) Communicators that only their new members create are
// matched by members and tag, the k-th with the k-th. Windows are matched by their number on their
// communicator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libhybrid/recording/definitions.h"

namespace hybrid {

/// The members of a group: world ranks in the order of their ranks in the group.
struct RankGroup {
  std::vector<std::int32_t> members;
  /// The rank of a world rank in this group, in O(log n). nullopt: not a member.
  std::optional<std::uint32_t> rank_of(std::int32_t world_rank) const;

  std::vector<std::pair<std::int32_t, std::uint32_t>> by_world_rank;  // sorted; empty if members[r] == r
};

struct JobCommunicator {
  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu;
  std::uint32_t group = 0;               // index into JobDefinitions::groups
  std::uint32_t other_group = kNoGroup;  // the second group of an inter-communicator
};

/// Definitions of one process. Keys of the maps are its local ids.
struct ProcessDefinitions {
  struct CommunicatorView {
    std::uint32_t id = 0;         // index into JobDefinitions::communicators
    bool in_other_group = false;  // the process is in the second group of an inter-communicator
  };
  struct Neighbors {
    std::vector<std::int32_t> out, in;  // world ranks
  };
  std::uint32_t rank = 0;
  std::map<std::string, std::string, std::less<>> properties;
  std::unordered_map<std::uint32_t, CommunicatorView> communicators;
  std::unordered_map<std::uint32_t, std::uint32_t> windows;     // index into JobDefinitions::windows
  std::unordered_map<std::uint32_t, std::uint32_t> regions;     // index into JobDefinitions::regions
  std::unordered_map<std::uint32_t, std::uint32_t> call_sites;  // index into JobDefinitions::call_sites
  std::unordered_map<std::uint32_t, Neighbors> neighbors;       // by communicator
};

struct JobDefinitions {
  std::uint32_t ranks = 0;                     // of the job, with or without files
  std::vector<RankGroup> groups;               // 0: all ranks
  std::vector<JobCommunicator> communicators;  // 0: MPI_COMM_WORLD; 1: MPI_COMM_SELF of all processes
  std::vector<std::uint32_t> windows;          // their communicators
  std::vector<std::string> regions;            // distinct names
  std::vector<CallSiteAddress> call_sites;     // distinct
  // Of each call site, the region of the function that it calls: an index into mpi_regions(), then into
  // mpi_functions; nullopt: not known.
  std::vector<std::optional<std::uint32_t>> called_regions;
  std::vector<std::string> mpi_functions;     // distinct names, of those that are not in mpi_regions()
  std::vector<ProcessDefinitions> processes;  // with a definitions file, in order of rank

  /// The rank of `world_rank` as a peer of `process` on `view`; in an inter-communicator its rank in the
  /// other group. nullopt: not a member.
  std::optional<std::uint32_t> peer_rank(const ProcessDefinitions& process,
                                         const ProcessDefinitions::CommunicatorView& view,
                                         std::int32_t world_rank) const;
  /// The group of the process on its communicator `view`.
  const RankGroup& own_group(const ProcessDefinitions::CommunicatorView& view) const;
};

/// Reads and merges the definitions of `ranks` (ascending). JobDefinitions::ranks is the recorded number, or
/// the highest of `ranks` plus one if that is larger. Ranks with damaged files are left out, with a sentence
/// in `damaged`; throws UserError if it is null, or all are damaged.
JobDefinitions merge_definitions(const std::string& directory, const std::vector<std::uint32_t>& ranks,
                                 std::vector<std::string>* damaged = nullptr);

}  // namespace hybrid
