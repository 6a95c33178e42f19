#include "emulator/replay/otf2_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "core/error.h"
#include "emulator/parameters.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {
namespace {

/// The records as read. References may point forward, so that they are resolved afterwards.
struct Raw {
  struct LocationGroup {
    OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
    std::optional<std::uint32_t> port;
  };
  struct Location {
    OTF2_LocationRef ref;
    OTF2_StringRef name;
    OTF2_LocationType type;
    std::uint64_t events;
    OTF2_LocationGroupRef group;
  };
  struct Group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    std::vector<std::uint64_t> members;
  };
  struct Communicator {
    OTF2_CommRef ref;
    OTF2_GroupRef group, remote;
  };
  struct Region {
    OTF2_RegionRef ref;
    OTF2_StringRef name, file;
    std::uint32_t line;
    OTF2_Paradigm paradigm;
    OTF2_RegionFlag flags;
  };
  struct Context {
    OTF2_CallingContextRef ref;
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef place;
    OTF2_CallingContextRef parent;
  };

  Otf2Definitions* out;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_LocationGroupRef, LocationGroup> location_groups;
  std::vector<Location> locations;
  std::map<OTF2_GroupRef, Group> groups;
  std::vector<Communicator> communicators;
  std::vector<std::pair<OTF2_RmaWinRef, OTF2_CommRef>> windows;
  std::vector<Region> regions;
  std::vector<Context> contexts;
  std::unordered_map<OTF2_SourceCodeLocationRef, std::pair<OTF2_StringRef, std::uint32_t>>
      places;  // file, line
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  std::vector<std::pair<OTF2_ParameterRef, OTF2_StringRef>> parameters;
  std::vector<std::pair<OTF2_LocationGroupRef, std::pair<OTF2_StringRef, std::uint32_t>>> ports;
  bool clock = false;
};

Raw& raw_of(void* data) { return *static_cast<Raw*>(data); }

OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                           std::uint64_t) {
  raw_of(data).out->ticks_per_second = resolution;
  raw_of(data).out->first_tick = offset;
  raw_of(data).clock = true;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_string(void* data, OTF2_StringRef self, const char* string) {
  raw_of(data).strings[self] = string;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location_group(void* data, OTF2_LocationGroupRef self, OTF2_StringRef,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef,
                                    OTF2_LocationGroupRef) {
  raw_of(data).location_groups[self].type = type;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location_group_property(void* data, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_UINT32) raw_of(data).ports.push_back({group, {name, value.uint32}});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location(void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                              std::uint64_t events, OTF2_LocationGroupRef group) {
  raw_of(data).locations.push_back({self, name, type, events, group});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                           const std::uint64_t* members) {
  raw_of(data).groups[self] = {type, paradigm, flags, {members, members + count}};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
                          OTF2_CommFlag) {
  raw_of(data).communicators.push_back({self, group, OTF2_UNDEFINED_GROUP});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_inter_comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef a,
                                OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
  raw_of(data).communicators.push_back({self, a, b});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_window(void* data, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef comm,
                            OTF2_RmaWinFlag) {
  raw_of(data).windows.push_back({self, comm});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                            OTF2_StringRef file, std::uint32_t line, std::uint32_t) {
  raw_of(data).regions.push_back({self, name, file, line, paradigm, flags});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_context(void* data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                             OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent) {
  raw_of(data).contexts.push_back({self, region, place, parent});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_place(void* data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                           std::uint32_t line) {
  raw_of(data).places[self] = {file, line};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_attribute(void* data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                               OTF2_Type) {
  raw_of(data).attributes.push_back({self, name});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_parameter(void* data, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType) {
  raw_of(data).parameters.push_back({self, name});
  return OTF2_CALLBACK_SUCCESS;
}

/// Converts the records to definitions.
class Resolver {
 public:
  Resolver(Raw& raw, const std::string& anchor) : raw_(raw), out_(*raw.out), anchor_(anchor) {}

  void run() {
    if (!raw_.clock || out_.ticks_per_second == 0) fail("the archive has no clock properties");
    ranks();
    communicators();
    regions();
    ours();
    ports();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: {}", anchor_, what), "The archive is damaged; write it again.");
  }
  const std::string& text(OTF2_StringRef ref) const {
    static const std::string kNone;
    const auto found = raw_.strings.find(ref);
    return found == raw_.strings.end() ? kNone : found->second;
  }

  /// Ranks are the positions in the COMM_LOCATIONS group of the message-passing paradigm (MPI before others);
  /// without such a group, the processes in their order.
  void ranks() {
    const Raw::Group* world = nullptr;
    for (const OTF2_Paradigm paradigm :
         {OTF2_PARADIGM_MPI, OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_GASPI, OTF2_PARADIGM_UPC})
      for (const auto& [ref, group] : raw_.groups)
        if (world == nullptr && group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == paradigm)
          world = &group;

    std::unordered_map<OTF2_LocationRef, const Raw::Location*> location_of;
    for (const Raw::Location& l : raw_.locations) location_of[l.ref] = &l;
    std::unordered_map<OTF2_LocationRef, std::uint32_t> main_of;  // main location -> rank
    if (world != nullptr) {
      for (const std::uint64_t member : world->members) {
        const auto found = location_of.find(member);
        if (found == location_of.end())
          fail(fmt::format("a rank is location {}, which is not defined", member));
        rank_of_group_.emplace(found->second->group, out_.ranks);
        main_of.emplace(member, out_.ranks++);
      }
    } else {
      for (const auto& [ref, group] : raw_.location_groups)
        if (group.type == OTF2_LOCATION_GROUP_TYPE_PROCESS) rank_of_group_.emplace(ref, out_.ranks++);
    }
    for (const Raw::Location& l : raw_.locations) {
      const auto rank = rank_of_group_.find(l.group);
      if (l.type != OTF2_LOCATION_TYPE_CPU_THREAD || rank == rank_of_group_.end()) continue;
      Otf2Definitions::Location location{l.ref, text(l.name), rank->second, l.events, false};
      if (const auto main = main_of.find(l.ref); main != main_of.end()) {
        location.rank = main->second;
        location.main = true;
      }
      out_.locations.push_back(std::move(location));
    }
    std::sort(out_.locations.begin(), out_.locations.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.rank, !a.main, a.ref) < std::tuple(b.rank, !b.main, b.ref);
    });
    for (std::size_t i = 0; i < out_.locations.size(); ++i) {
      Otf2Definitions::Location& l = out_.locations[i];
      l.main = i == 0 || out_.locations[i - 1].rank != l.rank;
      rank_of_location_[l.ref] = l.rank;
    }
  }

  std::vector<std::uint32_t> members(OTF2_GroupRef ref) const {
    const auto found = raw_.groups.find(ref);
    if (found == raw_.groups.end())
      fail(fmt::format("a communicator has group {}, which is not defined", ref));
    const Raw::Group& group = found->second;
    if (group.type == OTF2_GROUP_TYPE_COMM_SELF) return {};
    const Raw::Group* base = nullptr;
    if ((group.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) == 0 && group.type == OTF2_GROUP_TYPE_COMM_GROUP)
      for (const auto& [other, candidate] : raw_.groups)
        if (candidate.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && candidate.paradigm == group.paradigm)
          base = &candidate;
    std::vector<std::uint32_t> world;
    world.reserve(group.members.size());
    for (std::uint64_t member : group.members) {
      if (base != nullptr) {
        if (member >= base->members.size())
          fail(fmt::format("group {} has member {} of {} processes", ref, member, base->members.size()));
        member = base->members[member];
      }
      const auto rank = rank_of_location_.find(member);
      if (rank == rank_of_location_.end())
        fail(fmt::format("group {} has location {}, which is not a process", ref, member));
      world.push_back(rank->second);
    }
    return world;
  }

  void communicators() {
    for (const Raw::Communicator& c : raw_.communicators) {
      // Communicators of threads (OpenMP teams) carry no messages.
      const auto group = raw_.groups.find(c.group);
      if (group != raw_.groups.end() && is_thread_paradigm(group->second.paradigm)) continue;
      out_.communicator_of[c.ref] = static_cast<std::uint32_t>(out_.communicators.size());
      CommunicatorInfo info;
      info.members = members(c.group);
      if (c.remote != OTF2_UNDEFINED_GROUP) info.remote = members(c.remote);
      out_.communicators.push_back(std::move(info));
    }
    for (const auto& [window, comm] : raw_.windows)
      if (const auto found = out_.communicator_of.find(comm); found != out_.communicator_of.end())
        out_.communicator_of_window[window] = found->second;
    if (out_.communicator_of_window.empty()) return;
    for (const auto& [ref, group] : raw_.groups)
      if (group.type == OTF2_GROUP_TYPE_COMM_GROUP && group.paradigm == OTF2_PARADIGM_MPI)
        out_.groups[ref] = members(ref);
  }
  static bool is_thread_paradigm(OTF2_Paradigm paradigm) {
    switch (paradigm) {
      case OTF2_PARADIGM_MPI:
      case OTF2_PARADIGM_GASPI:
      case OTF2_PARADIGM_UPC:
      case OTF2_PARADIGM_SHMEM:
        return false;
      default:
        return true;
    }
  }

  void regions() {
    for (const Raw::Region& r : raw_.regions) {
      out_.region_of[r.ref] = static_cast<std::uint32_t>(out_.regions.size());
      Otf2Definitions::Region region;
      region.name = text(r.name);
      region.phase = (r.flags & OTF2_REGION_FLAG_PHASE) != 0;
      region.communication = !region.phase &&  // a phase may have any name
                             (!is_thread_paradigm(r.paradigm) || region.name.starts_with("MPI_") ||
                              region.name.starts_with("PMPI_") || region.name.starts_with("mpi_"));
      if (!region.phase && !region.communication)
        region.call_site = add_call_site({region.name, text(r.file), r.line});
      out_.regions.push_back(std::move(region));
    }
    for (const Raw::Context& c : raw_.contexts) {
      const auto region = out_.region_of.find(c.region);
      if (region == out_.region_of.end()) continue;
      CallSite site{out_.regions[region->second].name, {}, 0};
      if (const auto place = raw_.places.find(c.place); place != raw_.places.end()) {
        site.file = text(place->second.first);
        site.line = place->second.second;
      }
      out_.contexts[c.ref] = {region->second, add_call_site(std::move(site)), c.parent};
    }
  }
  std::uint32_t add_call_site(CallSite site) {
    if (site.file.empty()) site.line = 0;
    out_.call_sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(out_.call_sites.size());
  }

  void ours() {
    const std::pair<std::string_view, OTF2_AttributeRef*> attributes[] = {
        {trace_names::kSendMode, &out_.ours.send_mode},
        {trace_names::kCompute, &out_.ours.compute},
        {trace_names::kCollective, &out_.ours.collective},
        {trace_names::kBytes, &out_.ours.bytes},
        {trace_names::kCommunicator, &out_.ours.communicator},
        {trace_names::kRoot, &out_.ours.root},
        {trace_names::kRmaSync, &out_.ours.rma_sync},
        {trace_names::kPeer, &out_.ours.peer},
        {trace_names::kNumber, &out_.ours.number},
        {trace_names::kCallSite, &out_.ours.call_site}};
    for (const auto& [ref, name] : raw_.attributes)
      for (const auto& [ours, slot] : attributes)
        if (text(name) == ours) *slot = ref;
    const std::pair<std::string_view, OTF2_ParameterRef*> parameters[] = {
        {trace_names::kCountSent, &out_.ours.count_sent},
        {trace_names::kCountReceived, &out_.ours.count_received},
        {trace_names::kFlush, &out_.ours.flush},
        {trace_names::kHint, &out_.ours.hint}};
    for (const auto& [ref, name] : raw_.parameters)
      for (const auto& [ours, slot] : parameters)
        if (text(name) == ours) *slot = ref;
  }

  void ports() {
    std::vector<std::optional<std::uint32_t>> known(out_.ranks);
    std::uint32_t next = 0;
    for (const auto& [group, property] : raw_.ports) {
      const auto rank = rank_of_group_.find(group);
      if (rank == rank_of_group_.end() || text(property.first) != trace_names::kPort) continue;
      if (property.second >= kMostNodes)
        fail(fmt::format("rank {} is on port {}, and a switch has at most {} ports", rank->second,
                         property.second, kMostNodes));
      known[rank->second] = property.second;
      next = std::max(next, property.second + 1);
    }
    if (next == 0) return;
    // The definitions of these ranks were lost: each gets a separate port.
    std::string unplaced;
    for (std::uint32_t rank = 0; rank < out_.ranks; ++rank) {
      if (!known[rank]) unplaced.append(unplaced.empty() ? "" : ",").append(std::to_string(rank));
      out_.placement.push_back(known[rank] ? *known[rank] : next++);
    }
    if (!unplaced.empty()) out_.facts.emplace_back(trace_names::kUnplacedRanks, unplaced);
  }

  Raw& raw_;
  Otf2Definitions& out_;
  const std::string& anchor_;
  std::map<OTF2_LocationGroupRef, std::uint32_t> rank_of_group_;
  std::unordered_map<OTF2_LocationRef, std::uint32_t> rank_of_location_;
};

void read_facts(OTF2_Reader* reader, Otf2Definitions& out) {
  std::uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view name = names[i];
    if (!name.starts_with(trace_names::kPropertyPrefix)) continue;
    char* value = nullptr;
    if (OTF2_Reader_GetProperty(reader, names[i], &value) != OTF2_SUCCESS) continue;
    std::string fact(name.substr(trace_names::kPropertyPrefix.size()));
    for (char& c : fact) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (fact == trace_names::kUnresolvedReceivesBefore) fact = trace_names::kUnresolvedReceives;
    out.facts.emplace_back(std::move(fact), value);
    std::free(value);
  }
  std::free(static_cast<void*>(names));
  std::sort(out.facts.begin(), out.facts.end());
}

struct CallbacksDeleter {
  void operator()(OTF2_GlobalDefReaderCallbacks* c) const { OTF2_GlobalDefReaderCallbacks_Delete(c); }
};

}  // namespace

Otf2Definitions read_otf2_definitions(OTF2_Reader* reader, const std::string& anchor) {
  Otf2Definitions out;
  Raw raw{};
  raw.out = &out;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr)
    throw UserError(
        fmt::format("{}: the archive's global definitions (its .def file) cannot be read", anchor),
        "Copy the whole archive: the anchor file, the .def file and the directory next to it.");

  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, CallbacksDeleter> callbacks(
      OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks* c = callbacks.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_location_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_location_group_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_window);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(c, on_place);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, c, &raw);

  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS)
    throw UserError(
        fmt::format("{}: the archive's global definitions are truncated or damaged after record {} ({})",
                    anchor, read, OTF2_Error_GetDescription(code)),
        "The archive is truncated or damaged; write or copy it again.");

  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator != nullptr) {
    out.score_p = std::string_view(creator).starts_with("Score-P");
    std::free(creator);
  }
  Resolver(raw, anchor).run();
  read_facts(reader, out);
  return out;
}

}  // namespace hybrid
