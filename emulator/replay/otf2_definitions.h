// Global definitions of an OTF2 archive, with references resolved: world ranks of locations and
// communicators, regions, ids of libhybrid's attributes (trace_names.h), facts of the run.
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
    bool communication = false;  // the time inside is not compute time
    bool phase = false;
    std::uint32_t call_site = 0;  // of calls in it, as far as known; as Operation::call_site
  };
  /// Ids of the attributes and parameters of trace_names.h; undefined if the archive does not have them.
  struct Ours {
    OTF2_AttributeRef send_mode = OTF2_UNDEFINED_ATTRIBUTE, compute = OTF2_UNDEFINED_ATTRIBUTE,
                      collective = OTF2_UNDEFINED_ATTRIBUTE, bytes = OTF2_UNDEFINED_ATTRIBUTE,
                      communicator = OTF2_UNDEFINED_ATTRIBUTE, root = OTF2_UNDEFINED_ATTRIBUTE,
                      rma_sync = OTF2_UNDEFINED_ATTRIBUTE, peer = OTF2_UNDEFINED_ATTRIBUTE,
                      number = OTF2_UNDEFINED_ATTRIBUTE, call_site = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_ParameterRef count_sent = OTF2_UNDEFINED_PARAMETER, count_received = OTF2_UNDEFINED_PARAMETER,
                      flush = OTF2_UNDEFINED_PARAMETER, hint = OTF2_UNDEFINED_PARAMETER;
  };

  std::uint64_t ticks_per_second = 1;
  std::uint64_t first_tick = 0;
  bool score_p = false;  // written by Score-P: for collective_bytes()
  std::uint32_t ranks = 0;
  std::vector<Location> locations;  // by rank, main threads first within a rank
  std::vector<CommunicatorInfo> communicators;
  std::unordered_map<OTF2_CommRef, std::uint32_t> communicator_of;  // index into communicators
  std::unordered_map<OTF2_RmaWinRef, std::uint32_t> communicator_of_window;
  /// World ranks of the groups of one-sided synchronisations; empty for archives without windows.
  std::unordered_map<OTF2_GroupRef, std::vector<std::uint32_t>> groups;
  std::vector<Region> regions;
  std::unordered_map<OTF2_RegionRef, std::uint32_t> region_of;  // index into regions
  struct Context {
    std::uint32_t region = 0;     // index into regions
    std::uint32_t call_site = 0;  // as Operation::call_site
    OTF2_CallingContextRef parent = OTF2_UNDEFINED_CALLING_CONTEXT;
  };
  std::unordered_map<OTF2_CallingContextRef, Context> contexts;
  std::vector<CallSite> call_sites;
  Ours ours;
  std::vector<std::uint32_t> placement;
  std::vector<std::pair<std::string, std::string>> facts;

  /// As Operation::call_site.
  std::uint32_t call_site_of(OTF2_CallingContextRef context) const {
    const auto found = contexts.find(context);
    return found == contexts.end() ? 0 : found->second.call_site;
  }

  /// Converts ticks to picoseconds since the first tick, exactly (rounded down), at most kLongestRun.
  Time time_of(OTF2_TimeStamp tick) const {
    __extension__ using Wide = unsigned __int128;
    if (tick <= first_tick) return {};
    const Wide ps = Wide{tick - first_tick} * 1'000'000'000'000u / ticks_per_second;
    return ps < Wide{kLongestRun.ps} ? Time{static_cast<std::int64_t>(ps)} : kLongestRun;
  }
};

/// Reads all definitions. Throws UserError, naming `anchor` and the fault, for definitions that cannot be
/// read or that contradict each other.
Otf2Definitions read_otf2_definitions(OTF2_Reader* reader, const std::string& anchor);

/// Converts OTF2's operation; false for operations that move no data (creation of handles).
bool collective_of_otf2(OTF2_CollectiveOp otf2, CollectiveOp& op);

/// Operation::bytes from the sizes that OTF2 records. Score-P counts the data that the operation moves by its
/// definition (a broadcast's root sends the vector `members` times); other tools record the sizes of the
/// call's buffers.
Bytes collective_bytes(CollectiveOp op, bool score_p, bool is_root, std::uint32_t rank, std::uint32_t members,
                       Bytes sent, Bytes received);

}  // namespace hybrid
