// Where the job's ranks are: hosts, bindings, ports. Found out together, once, when the recording begins.
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
  std::uint32_t host = 0;                   // of this rank, by shared memory, and as pretended within that
  std::vector<std::uint32_t> host_of_rank;  // likewise, by world rank
  std::vector<CpuSet> bindings_on_host;     // of the ranks on this machine, whatever is pretended
  std::uint32_t ranks_on_host = 1;          // likewise
  std::uint32_t cpus_on_host = 1;           // processing units that these may run on, in all
  MPI_Comm host_comm = MPI_COMM_NULL;       // of `host`; the caller frees it

  /// More ranks than processing units for them.
  bool oversubscribed() const { return ranks_on_host > cpus_on_host; }
};

/// Collective over `comm`, whose ranks are the world's. Throws UserError for options that do not fit this
/// job; then on every rank.
JobLayout find_layout(const JobOptions& options, MPI_Comm comm);

/// `text` of every rank, by rank. Collective over `comm`.
std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm);

}  // namespace hybrid::shim
