// How the services of several hosts talk: messages between hosts, carried by the first rank of each host
// inside its own MPI calls (the service's thread never calls MPI). Implemented by the shim over a
// communicator of its own; tests use a loopback.
//
// Asks go from hosts 1, 2, ... to host 0, which owns the scheduler port; rows of established connections go
// back. Messages are whole, keep their order between two hosts, and may be late; nothing depends on one
// arriving at all: a lost ask is a request not made, a lost row is mended by the row's next change.
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

  /// Starts sending `message` (copied before the return) to the first rank of `host`. False when the link can
  /// take nothing more for this host now; it is asked again later. Never waits.
  virtual bool send(std::uint32_t host, std::span<const std::byte> message) = 0;

  /// Takes one message that has arrived, from any host, into `buffer` (kLiveMessageBytes long); returns its
  /// length, 0 when there is none. Never waits.
  virtual std::size_t receive(std::span<std::byte> buffer) = 0;
};

}  // namespace hybrid
