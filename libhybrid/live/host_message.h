// What the services of several hosts say to each other (libhybrid/live/host_link.h): asks to host 0, rows of
// established connections back. Fixed little-endian layout, version in the header:
//
//   header   "HL" version:u8 kind:u8 count:u32
//   ask      time_ps:i64 rank:u32 destination:u32 kind:u32 zero:u32      kind 1: asks
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

/// An ask with its rank and model time.
struct TimedAsk {
  Time at;
  std::uint32_t rank = 0;  // world rank
  AskKind kind = AskKind::request;
  Port destination = kNoPort;
  bool operator==(const TimedAsk&) const = default;
};

/// 64 destinations of one source port, as they are now (not what changed): a message lost or sent twice does
/// no harm.
struct RowUpdate {
  Word bits = 0;
  std::uint64_t grants = 0;  // of the port, since the start
  Port port = kNoPort;
  std::uint32_t word = 0;
  bool operator==(const RowUpdate&) const = default;
};

inline constexpr std::size_t kHostMessageHeader = 8;
inline constexpr std::size_t kHostMessageEntry = 24;
inline constexpr std::size_t kEntriesPerMessage =
    (kLiveMessageBytes - kHostMessageHeader) / kHostMessageEntry;

/// Writes a message with all of `entries` (at most kEntriesPerMessage) into `message` (kLiveMessageBytes
/// long); returns its length.
std::size_t encode(std::span<const TimedAsk> entries, std::span<std::byte> message);
std::size_t encode(std::span<const RowUpdate> entries, std::span<std::byte> message);

/// Appends the entries of `message` to the vector of its kind. False, and nothing appended, when the message
/// is not one of this version or is cut short.
bool decode(std::span<const std::byte> message, std::vector<TimedAsk>& asks, std::vector<RowUpdate>& rows);

}  // namespace hybrid
