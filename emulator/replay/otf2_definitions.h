// The global definitions of an OTF2 archive, resolved to what the replay works with: world ranks behind
// locations and communicators, regions, the ids of our own attributes, facts of the run.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/network/longest_run.h"
#include "emulator/replay/operation.h"

namespace hybrid {

struct Otf2Definitions {
  struct Location {
    OTF2_LocationRef ref = 0;
    std::string name;
    std::uint32_t rank = 0;
    std::uint64_t events = 0;
    bool main = false;  // the rank's first thread
  };
  struct Region {
    std::string name;
    bool communication = false;  // time inside is not compute time
    bool phase = false;
  };
  /// Ids of trace_names.h's attributes and parameters; undefined where the archive has none.
  struct Ours {
    OTF2_AttributeRef send_mode = OTF2_UNDEFINED_ATTRIBUTE, compute = OTF2_UNDEFINED_ATTRIBUTE,
                      collective = OTF2_UNDEFINED_ATTRIBUTE, bytes = OTF2_UNDEFINED_ATTRIBUTE,
                      communicator = OTF2_UNDEFINED_ATTRIBUTE, root = OTF2_UNDEFINED_ATTRIBUTE,
                      rma_sync = OTF2_UNDEFINED_ATTRIBUTE, peer = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_ParameterRef count_sent = OTF2_UNDEFINED_PARAMETER, count_received = OTF2_UNDEFINED_PARAMETER,
                      flush = OTF2_UNDEFINED_PARAMETER, hint = OTF2_UNDEFINED_PARAMETER;
  };

  std::uint64_t ticks_per_second = 1;
  std::uint64_t first_tick = 0;
  bool score_p = false;  // how collectives' sizes are meant, see collective_bytes
  std::uint32_t ranks = 0;
  std::vector<Location> locations;  // by rank, main threads first within a rank
  std::vector<CommunicatorInfo> communicators;
  std::unordered_map<OTF2_CommRef, std::uint32_t> communicator_of;  // index into communicators
  std::unordered_map<OTF2_RmaWinRef, std::uint32_t> communicator_of_window;
  /// World ranks of the groups that synchronisations may name; none in archives without windows.
  std::unordered_map<OTF2_GroupRef, std::vector<std::uint32_t>> groups;
  std::vector<Region> regions;
  std::unordered_map<OTF2_RegionRef, std::uint32_t> region_of;  // index into regions
  std::unordered_map<OTF2_CallingContextRef, std::uint32_t> region_of_context;
  Ours ours;
  std::vector<std::uint32_t> placement;
  std::vector<std::pair<std::string, std::string>> facts;

  /// Ticks to picoseconds since the first tick, exactly (rounded down), kLongestRun at most.
  Time time_of(OTF2_TimeStamp tick) const {
    __extension__ using Wide = unsigned __int128;
    if (tick <= first_tick) return {};
    const Wide ps = Wide{tick - first_tick} * 1'000'000'000'000u / ticks_per_second;
    return ps < Wide{kLongestRun.ps} ? Time{static_cast<std::int64_t>(ps)} : kLongestRun;
  }
};

/// Reads all of them. Throws UserError, naming `anchor` and what is wrong, for definitions that cannot be
/// read or that contradict each other.
Otf2Definitions read_otf2_definitions(OTF2_Reader* reader, const std::string& anchor);

/// OTF2's operation as ours; false for those that move no data (creation of handles).
bool collective_of_otf2(OTF2_CollectiveOp otf2, CollectiveOp& op);

/// `bytes` by operation.h's convention from the sizes that OTF2 carries. Score-P counts what the operation's
/// definition moves (a broadcast's root sends `members` times the vector); others give the sizes of the
/// call's buffers.
Bytes collective_bytes(CollectiveOp op, bool score_p, bool is_root, std::uint32_t rank, std::uint32_t members,
                       Bytes sent, Bytes received);

}  // namespace hybrid
