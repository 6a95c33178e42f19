#include "libhybrid/shim/job_layout.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "libhybrid/placement/machine.h"
#include "libhybrid/shim/mpi_library.h"

namespace hybrid::shim {

namespace {

// Divides each real host into the simulated ones: the ranks of a simulated host share memory.
void divide_host(std::uint32_t hosts, MPI_Comm comm, MPI_Comm& host_comm) {
  int rank = 0, size = 1;
  mpi::Comm_rank(comm, &rank);
  mpi::Comm_size(comm, &size);
  const auto simulated = static_cast<int>(std::int64_t{rank} * hosts / size);
  MPI_Comm part = MPI_COMM_NULL;
  if (mpi::Comm_split(host_comm, simulated, rank, &part) != MPI_SUCCESS) return;
  mpi::Comm_free(&host_comm);
  host_comm = part;
}

std::uint32_t host_number(MPI_Comm host_comm, int world_rank) {
  int number = world_rank;  // of the host's first rank
  mpi::Bcast(&number, 1, MPI_INT, 0, host_comm);
  return static_cast<std::uint32_t>(number);
}

// Only placements by objects of the machine read its topology: this takes hwloc tens of milliseconds on every
// rank.
RankFacts facts_of(const JobOptions& options, const CpuSet& binding, std::uint32_t host) {
  if (options.placement == "rank" || options.placement == "host") {
    RankFacts facts;
    facts.host = host;
    facts.objects = {0};
    facts.cpus = binding.text();
    return facts;
  }
  return locate(options.placement, machine_for(options.topology), binding, host);
}

// First character of a text that is an error message. All ranks get the errors of each.
constexpr char kFailure = '!';

}  // namespace

std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm) {
  int size = 1;
  mpi::Comm_size(comm, &size);
  int length = static_cast<int>(text.size()) + 1, longest = 0;
  mpi::Allreduce(&length, &longest, 1, MPI_INT, MPI_MAX, comm);
  const auto width = static_cast<std::size_t>(longest);
  std::string mine = text;
  mine.resize(width, '\0');
  std::string all(width * static_cast<std::size_t>(size), '\0');
  mpi::Allgather(mine.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, comm);
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(size));
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank)
    texts.emplace_back(all.c_str() + rank * width);
  return texts;
}

JobLayout find_layout(const JobOptions& options, MPI_Comm comm) {
  JobLayout layout;
  int rank = 0;
  mpi::Comm_rank(comm, &rank);
  mpi::Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &layout.host_comm);

  const CpuSet binding = binding_of_this_thread();
  const std::vector<std::string> bindings = gather_texts(binding.text(), layout.host_comm);
  layout.bindings_on_host.reserve(bindings.size());
  for (const std::string& text : bindings) layout.bindings_on_host.push_back(CpuSet::parse(text, "binding"));
  CpuSet usable;
  for (const CpuSet& each : layout.bindings_on_host) usable |= each;
  layout.ranks_on_host = static_cast<std::uint32_t>(layout.bindings_on_host.size());
  layout.cpus_on_host = usable.empty()
                            ? static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))
                            : usable.count();

  if (options.hosts != 0) divide_host(options.hosts, comm, layout.host_comm);
  const std::uint32_t host = host_number(layout.host_comm, rank);
  std::string line;
  try {
    line = encode(facts_of(options, binding, host));
  } catch (const std::exception& error) {
    line = kFailure + std::string(error.what());
  }
  std::vector<RankFacts> facts;
  for (const std::string& each : gather_texts(line, comm)) {
    if (!each.empty() && each.front() == kFailure) throw UserError(each.substr(1));
    facts.push_back(decode_facts(each));
  }
  std::map<std::uint32_t, std::uint32_t> numbers;  // host's first rank -> 0, 1, ... in that order
  for (const RankFacts& each : facts) numbers.emplace(each.host, 0);
  layout.hosts = 0;
  for (auto& [first, number] : numbers) number = layout.hosts++;
  for (const RankFacts& each : facts) layout.host_of_rank.push_back(numbers[each.host]);
  layout.host = numbers[host];

  pretend_hosts(options.hosts, facts);
  layout.placement = assign_ports(options.placement, facts);
  return layout;
}

}  // namespace hybrid::shim
