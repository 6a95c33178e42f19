// What the live scheduler needs of MPI: the collective start, and the link between hosts.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libhybrid/live/host_link.h"
#include "libhybrid/live/live_job.h"

namespace hybrid::shim {

class MpiLiveExchange : public LiveExchange {
 public:
  MpiLiveExchange(MPI_Comm host_comm, MPI_Comm job_comm) : host_comm_(host_comm), job_comm_(job_comm) {}
  void broadcast_on_host(std::span<std::byte> data) override;
  bool all_in_job(bool mine) override;

 private:
  MPI_Comm host_comm_, job_comm_;
};

/// Messages between the first ranks of the hosts, over a communicator of theirs in which host h has rank h.
/// Frees the communicator. Messages still under way at the end are given up.
class MpiHostLink : public HostLink {
 public:
  explicit MpiHostLink(MPI_Comm first_ranks) : comm_(first_ranks) {}
  ~MpiHostLink() override;
  bool send(std::uint32_t host, std::span<const std::byte> message) override;
  std::size_t receive(std::span<std::byte> buffer) override;

 private:
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<std::byte, kLiveMessageBytes> message;
  };
  static constexpr std::size_t kMostOutgoing = 64;
  MPI_Comm comm_;
  std::vector<Outgoing*> outgoing_;
};

}  // namespace hybrid::shim
