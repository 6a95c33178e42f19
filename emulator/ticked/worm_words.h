// Ticked switches: when words of worms enter the NIC (emulator/network/processing_element.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/parameters.h"

namespace hybrid {

enum class MadeBy : std::uint8_t { pe, nic_before, nic_after };

/// Who makes word `k` of a worm with `body` words of payload.
inline MadeBy made_by(const SwitchParameters& p, std::uint64_t k, std::uint64_t body) {
  if (!p.nic_makes_headers || p.worm_overhead_words == 0) return MadeBy::pe;
  if (k == 0) return MadeBy::nic_before;
  return k > body ? MadeBy::nic_after : MadeBy::pe;
}

/// The earliest entry of a word; `pe_free` is that of the next word of the PE.
inline std::int64_t earliest_entry(const SwitchParameters& p, MadeBy by, std::int64_t pe_free) {
  return by == MadeBy::nic_after ? pe_free - p.word_generation.ps : pe_free;
}

/// The earliest entry of the next word of the PE, after a word that entered at `now`.
inline std::int64_t next_payload(const SwitchParameters& p, MadeBy by, std::int64_t pe_free,
                                 std::int64_t now) {
  if (by == MadeBy::nic_before) return std::max(pe_free, now);
  if (by == MadeBy::nic_after && now < pe_free) return pe_free;
  return now + p.word_generation.ps;
}

}  // namespace hybrid
