// MPI side of the live scheduler: its collective start, and the link between hosts.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libhybrid/live/host_messages.h"
#include "libhybrid/live/live_job.h"

namespace hybrid::shim {

/// Collective operations of the start.
class MpiLiveExchange : public LiveExchange {
 public:
  MpiLiveExchange(MPI_Comm host_comm, MPI_Comm job_comm) : host_comm_(host_comm), job_comm_(job_comm) {}
  void broadcast_on_host(std::span<std::byte> data) override;
  bool all_in_job(bool mine) override;

 private:
  MPI_Comm host_comm_, job_comm_;
};

/// Messages between the first ranks of the hosts, over a communicator in which host h has rank h.
class MpiHostLink : public HostLink {
 public:
  explicit MpiHostLink(MPI_Comm first_ranks);
  ~MpiHostLink() override;
  /// Receives the messages that are still under way, so that MPI ends without unmatched messages, and frees
  /// the communicator. Collective over the first ranks. Precondition: none of them sends any more.
  void finish();
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
  std::vector<int> sent_, received_;  // messages by host; wrapping is harmless
};

}  // namespace hybrid::shim
