// Messages between the services of several hosts (libhybrid/live/host_link.h): commands to host 0, rows of
// established connections back. The layout is fixed and little-endian, with the version in the header:
//
//   header   "HL" version:u8 kind:u8 count:u32
//   command  time_ps:i64 rank:u32 destination:u32 kind:u32 zero:u32      kind 1: commands
//   row      bits:u64 grants:u64 port:u32 word:u32                       kind 2: rows
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "libhybrid/live/host_link.h"
#include "libhybrid/live/region.h"

namespace hybrid {

/// A command with its rank and model time.
struct TimedCommand {
  Time at;
  std::uint32_t rank = 0;  // world rank
  CommandKind kind = CommandKind::request;
  Port destination = kNoPort;
  bool operator==(const TimedCommand&) const = default;
};

/// State of 64 destinations of one source port. It is the full state, not a difference, so a message that is
/// lost or sent twice does no harm.
struct RowUpdate {
  Word bits = 0;
  std::uint64_t grants = 0;  // to the port, since the start
  Port port = kNoPort;
  std::uint32_t word = 0;
  bool operator==(const RowUpdate&) const = default;
};

inline constexpr std::size_t kHostMessageHeader = 8;
inline constexpr std::size_t kHostMessageEntry = 24;
inline constexpr std::size_t kEntriesPerMessage =
    (kLiveMessageBytes - kHostMessageHeader) / kHostMessageEntry;

/// Writes all `entries` (at most kEntriesPerMessage) into `message` (kLiveMessageBytes long). Returns the
/// length of the message.
std::size_t encode(std::span<const TimedCommand> entries, std::span<std::byte> message);
std::size_t encode(std::span<const RowUpdate> entries, std::span<std::byte> message);

/// Appends the entries of `message` to the vector of its kind. Returns false and appends nothing if the
/// message is truncated or has another version.
bool decode(std::span<const std::byte> message, std::vector<TimedCommand>& commands,
            std::vector<RowUpdate>& rows);

}  // namespace hybrid
