// Layout of the job: hosts, bindings and ports of its ranks. Determined collectively once, when the recording
// begins.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "libhybrid/options/job_options.h"
#include "libhybrid/placement/cpu_set.h"
#include "libhybrid/placement/placement.h"

namespace hybrid::shim {

struct JobLayout {
  Placement placement;
  std::uint32_t hosts = 1;
  std::uint32_t host = 0;                   // of this rank, by shared memory, subdivided by JobOptions::hosts
  std::vector<std::uint32_t> host_of_rank;  // the same, by world rank
  std::vector<CpuSet> bindings_on_host;     // of the ranks on this machine, not subdivided
  std::uint32_t ranks_on_host = 1;          // the same
  std::uint32_t cpus_on_host = 1;           // processing units that these ranks may run on
  MPI_Comm host_comm = MPI_COMM_NULL;       // of `host`; the caller frees it

  /// Whether there are more ranks than processing units for them.
  bool oversubscribed() const { return ranks_on_host > cpus_on_host; }
  /// Ranks per processing unit, at least 1.
  double sharing() const { return oversubscribed() ? static_cast<double>(ranks_on_host) / cpus_on_host : 1; }
};

/// Determines the layout. Collective over `comm`, which has the ranks of the world. Throws UserError on every
/// rank when the options do not fit this job.
JobLayout find_layout(const JobOptions& options, MPI_Comm comm);

/// Returns the texts of all ranks, by rank. Collective over `comm`.
std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm);

}  // namespace hybrid::shim
