// Link between the services of several hosts. The first rank of each host carries the messages inside its own
// MPI calls (the thread of the service never calls MPI). The shim implements the link over a separate
// communicator; tests use a loopback.
//
// Commands go from hosts 1, 2, ... to host 0, which owns the scheduler port; rows of established connections
// go back. Messages arrive whole and in order between two hosts, but possibly late. No message has to arrive:
// a lost command is a request that was not made, a lost row is corrected by the next change of that row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hybrid {

/// The longest message, in bytes.
inline constexpr std::size_t kLiveMessageBytes = 4096;

class HostLink {
 public:
  virtual ~HostLink() = default;

  /// Starts sending `message` (copied before the return) to the first rank of `host`. False if the link has
  /// no room for this host now; the caller tries again later. Never waits.
  virtual bool send(std::uint32_t host, std::span<const std::byte> message) = 0;

  /// Moves one message that has arrived, from any host, into `buffer` (kLiveMessageBytes long). Returns its
  /// length, or 0 if there is none. Never waits.
  virtual std::size_t receive(std::span<std::byte> buffer) = 0;
};

}  // namespace hybrid
