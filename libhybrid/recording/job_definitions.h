// The definitions of all processes of a recording, merged: each communicator, window and region of the job
// has one id, and each process a map from its own ids to those.
//
// Communicators carry no name that processes share, and recording adds no communication to the program. But
// creating one is collective, mostly over all of another one, its parent, and MPI has all members call on one
// communicator in one order: so the k-th call on a parent is the k-th of every member. (In what order a
// process calls on different communicators is its own affair: threads, and nonblocking duplication.) Of those
// made by the new one's members alone, the k-th with the same members and tag. Windows are the k-th on their
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

/// World ranks in the order of their ranks in a communicator.
struct RankGroup {
  std::vector<std::int32_t> members;
  /// The rank in this group of a world rank, in O(log n); nullopt: not a member.
  std::optional<std::uint32_t> rank_of(std::int32_t world_rank) const;

  std::vector<std::pair<std::int32_t, std::uint32_t>> by_world_rank;  // empty when members[r] == r
};

struct JobCommunicator {
  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu;
  std::uint32_t group = 0;               // index into JobDefinitions::groups
  std::uint32_t other_group = kNoGroup;  // an inter-communicator's second group
};

/// One process's view.
struct ProcessDefinitions {
  struct CommunicatorView {
    std::uint32_t id = 0;         // index into JobDefinitions::communicators
    bool in_other_group = false;  // this process belongs to an inter-communicator's second group
  };
  struct Neighbors {
    std::vector<std::int32_t> out, in;  // world ranks
  };
  std::uint32_t rank = 0;
  std::map<std::string, std::string, std::less<>> properties;
  std::unordered_map<std::uint32_t, CommunicatorView> communicators;  // by the process's own id
  std::unordered_map<std::uint32_t, std::uint32_t> windows;  // own id -> index into JobDefinitions::windows
  std::unordered_map<std::uint32_t, std::uint32_t> regions;  // own id -> index into JobDefinitions::regions
  std::unordered_map<std::uint32_t, Neighbors> neighbors;    // by the communicator's own id
};

struct JobDefinitions {
  std::uint32_t ranks = 0;                     // of the job, including those that left nothing
  std::vector<RankGroup> groups;               // 0: all ranks
  std::vector<JobCommunicator> communicators;  // 0: MPI_COMM_WORLD; 1: every process's MPI_COMM_SELF
  std::vector<std::uint32_t> windows;          // the communicator of each
  std::vector<std::string> regions;            // names, each once
  std::vector<ProcessDefinitions> processes;   // ascending in rank; those that left a file

  /// The rank that `world_rank` has as a peer of `process` on `view`: in an inter-communicator in the other
  /// group. nullopt: it is not there.
  std::optional<std::uint32_t> peer_rank(const ProcessDefinitions& process,
                                         const ProcessDefinitions::CommunicatorView& view,
                                         std::int32_t world_rank) const;
  /// The group that `process` itself belongs to on `view`.
  const RankGroup& own_group(const ProcessDefinitions::CommunicatorView& view) const;
};

/// Reads and merges the definitions of these ranks (ascending). `ranks` of the result is the recorded number,
/// or the highest rank seen plus one. Throws UserError for damaged files.
JobDefinitions merge_definitions(const std::string& directory, const std::vector<std::uint32_t>& ranks);

}  // namespace hybrid
