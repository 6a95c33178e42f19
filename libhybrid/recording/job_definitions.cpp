#include "libhybrid/recording/job_definitions.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <tuple>

#include "core/error.h"
#include "libhybrid/recording/mpi_regions.h"

namespace hybrid {

namespace {

/// Builds a JobDefinitions process by process.
class Merger {
 public:
  explicit Merger(JobDefinitions& job) : job_(job) {}

  void add(std::uint32_t rank, Definitions definitions) {
    ProcessDefinitions process;
    process.rank = rank;
    process.properties = std::move(definitions.properties);
    process.communicators[kWorldCommunicator] = {0, false};
    process.communicators[kSelfCommunicator] = {1, false};
    // In order of creation: the ids in a std::map ascend.
    std::map<Made, std::uint32_t> occurrences;
    for (auto& [id, communicator] : definitions.communicators) {
      if (id != kWorldCommunicator && id != kSelfCommunicator)
        process.communicators[id] = communicator_view(process, communicator, occurrences);
      if (!communicator.neighbors_out.empty() || !communicator.neighbors_in.empty())
        process.neighbors[id] = {std::move(communicator.neighbors_out), std::move(communicator.neighbors_in)};
    }
    std::map<std::uint32_t, std::uint32_t> windows_on;
    for (const auto& [id, communicator] : definitions.windows) {
      const auto view = process.communicators.find(communicator);
      if (view == process.communicators.end()) continue;  // lost with a full disk
      const std::uint32_t on = view->second.id;
      process.windows[id] = kth(windows_[on], windows_on[on]++, [&] {
        job_.windows.push_back(on);
        return static_cast<std::uint32_t>(job_.windows.size() - 1);
      });
    }
    for (auto& [id, name] : definitions.regions) {
      const auto [entry, is_new] =
          regions_.try_emplace(name, static_cast<std::uint32_t>(job_.regions.size()));
      if (is_new) job_.regions.push_back(name);
      process.regions[id] = entry->second;
    }
    for (auto& [id, site] : definitions.call_sites) {
      const auto [entry, is_new] =
          call_sites_.try_emplace(site, static_cast<std::uint32_t>(job_.call_sites.size()));
      if (is_new) {
        job_.called_regions.push_back(called_region(site.function));
        job_.call_sites.push_back(site);
      }
      process.call_sites[id] = entry->second;
    }
    job_.processes.push_back(std::move(process));
  }

  std::optional<std::uint32_t> called_region(const std::string& function) {
    if (function.empty()) return std::nullopt;
    if (const auto known = find_mpi_region(function)) return known;
    auto& names = job_.mpi_functions;
    const auto at = std::ranges::find(names, function) - names.begin();
    if (at == std::ssize(names)) names.push_back(function);
    return static_cast<std::uint32_t>(mpi_regions().size() + static_cast<std::size_t>(at));
  }

  std::uint32_t group(std::vector<std::int32_t> members) {
    // Processes of another job (spawned, connected) have no rank in this one.
    std::erase_if(members, [](std::int32_t rank) { return rank < 0; });
    const auto [entry, is_new] = groups_.try_emplace(members, static_cast<std::uint32_t>(job_.groups.size()));
    if (is_new) {
      RankGroup group{std::move(members), {}};
      bool identity = true;
      for (std::uint32_t r = 0; r < group.members.size(); ++r)
        identity = identity && group.members[r] == static_cast<std::int32_t>(r);
      if (!identity) {
        for (std::uint32_t r = 0; r < group.members.size(); ++r)
          group.by_world_rank.emplace_back(group.members[r], r);
        std::sort(group.by_world_rank.begin(), group.by_world_rank.end());
      }
      job_.groups.push_back(std::move(group));
    }
    return entry->second;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  /// Origin of a communicator: the job's id of the parent, the call, the groups.
  using Made = std::tuple<std::uint32_t, std::string, Pair>;

  // The k-th entry of `made`; calls make() for the missing ones.
  template <typename Make>
  static std::uint32_t kth(std::vector<std::uint32_t>& made, std::uint32_t k, Make make) {
    while (made.size() <= k) made.push_back(make());
    return made[k];
  }

  ProcessDefinitions::CommunicatorView communicator_view(const ProcessDefinitions& process,
                                                         Definitions::Communicator& communicator,
                                                         std::map<Made, std::uint32_t>& occurrences) {
    Pair groups{group(std::move(communicator.members)), group(std::move(communicator.remote))};
    const bool inter =
        !job_.groups[groups.first].members.empty() && !job_.groups[groups.second].members.empty();
    bool swapped = false;
    if (!inter) {
      groups.second = JobCommunicator::kNoGroup;
    } else {
      // Both sides must get the same pair. The groups are disjoint, so their first members differ.
      swapped = job_.groups[groups.second].members.front() < job_.groups[groups.first].members.front();
      if (swapped) std::swap(groups.first, groups.second);
    }
    // A parent has a lower id, so it is already known unless its definition was lost with a full disk.
    const auto parent = process.communicators.find(communicator.origin.parent);
    const bool has_parent = parent != process.communicators.end();
    const Made made{has_parent ? parent->second.id : Origin::kNoParent, std::move(communicator.origin.call),
                    groups};
    const std::uint32_t id = kth(communicators_[made], occurrences[made]++, [&] {
      job_.communicators.push_back({groups.first, groups.second});
      return static_cast<std::uint32_t>(job_.communicators.size() - 1);
    });
    return {id, swapped};
  }

  JobDefinitions& job_;
  std::map<std::vector<std::int32_t>, std::uint32_t> groups_;
  std::map<Made, std::vector<std::uint32_t>> communicators_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> windows_;
  std::map<std::string, std::uint32_t> regions_;
  std::map<CallSiteAddress, std::uint32_t> call_sites_;
};

std::uint32_t recorded_ranks(const ProcessDefinitions& process) {
  const auto property = process.properties.find("ranks");
  std::uint32_t ranks = 0;
  if (property != process.properties.end())
    std::from_chars(property->second.data(), property->second.data() + property->second.size(), ranks);
  return ranks;
}

}  // namespace

std::optional<std::uint32_t> RankGroup::rank_of(std::int32_t world_rank) const {
  if (by_world_rank.empty()) {
    if (world_rank < 0 || world_rank >= static_cast<std::int64_t>(members.size())) return std::nullopt;
    return static_cast<std::uint32_t>(world_rank);
  }
  const auto found =
      std::lower_bound(by_world_rank.begin(), by_world_rank.end(), std::pair{world_rank, std::uint32_t{0}});
  if (found == by_world_rank.end() || found->first != world_rank) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> JobDefinitions::peer_rank(const ProcessDefinitions& process,
                                                       const ProcessDefinitions::CommunicatorView& view,
                                                       std::int32_t world_rank) const {
  if (view.id == kSelfCommunicator) {
    if (world_rank != static_cast<std::int32_t>(process.rank)) return std::nullopt;
    return 0;
  }
  const JobCommunicator& communicator = communicators[view.id];
  const bool other = communicator.other_group != JobCommunicator::kNoGroup && !view.in_other_group;
  return groups[other ? communicator.other_group : communicator.group].rank_of(world_rank);
}

const RankGroup& JobDefinitions::own_group(const ProcessDefinitions::CommunicatorView& view) const {
  const JobCommunicator& communicator = communicators[view.id];
  return groups[view.in_other_group ? communicator.other_group : communicator.group];
}

JobDefinitions merge_definitions(const std::string& directory, const std::vector<std::uint32_t>& ranks,
                                 std::vector<std::string>* damaged) {
  JobDefinitions job;
  Merger merger(job);
  // Group 0 and communicators 0 and 1 are those of MPI_COMM_WORLD and MPI_COMM_SELF, even if no process has
  // defined them. The number of ranks is known when all files are read.
  job.groups.emplace_back();
  job.communicators = {{0, JobCommunicator::kNoGroup}, {0, JobCommunicator::kNoGroup}};
  for (const std::uint32_t rank : ranks) {
    Definitions definitions;
    try {
      definitions = read_definitions(definitions_path(directory, rank));
    } catch (const UserError& error) {
      if (damaged == nullptr || damaged->size() + 1 == ranks.size()) throw;
      const std::string_view text = error.what();
      damaged->push_back(std::string(text.substr(0, text.find('\n'))) + ": the rank is left out");
      continue;
    }
    merger.add(rank, std::move(definitions));
    job.ranks = std::max({job.ranks, rank + 1, recorded_ranks(job.processes.back())});
  }
  job.groups[0].members.resize(job.ranks);
  std::iota(job.groups[0].members.begin(), job.groups[0].members.end(), 0);
  return job;
}

}  // namespace hybrid
