#include "libhybrid/recording/trace_definitions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "emulator/replay/trace_names.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/recording/source_places.h"

namespace hybrid {

namespace {

namespace ids = trace_ids;
namespace names = trace_names;

constexpr std::uint64_t kTicksPerSecond =
    1'000'000'000'000;  // time stamps are picoseconds, as in hybrid::Time

std::string property_of(const ProcessDefinitions& process, std::string_view name) {
  const auto found = process.properties.find(name);
  return found == process.properties.end() ? std::string() : found->second;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// True for properties that each process counts for itself.
bool is_count(std::string_view property) {
  for (const std::string_view prefix : {"inspections", "live_", "predicted_", "unpredicted_", "unrecorded_"})
    if (property.starts_with(prefix)) return true;
  return false;
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (reason != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The port of each rank: from its own definitions, or else from the port map of another process.
std::vector<std::optional<std::uint32_t>> ports_of(const JobDefinitions& job) {
  std::vector<std::optional<std::uint32_t>> ports(job.ranks);
  for (const ProcessDefinitions& process : job.processes) {
    const auto map = decode_ports(property_of(process, kPortMap), job.ranks);
    if (map.empty()) continue;
    std::copy(map.begin(), map.end(), ports.begin());
    break;
  }
  for (const ProcessDefinitions& process : job.processes)
    if (const auto port = decimal(property_of(process, "port")); port && *port <= UINT32_MAX)
      ports[process.rank] = static_cast<std::uint32_t>(*port);
  return ports;
}

class GlobalDefinitions {
 public:
  GlobalDefinitions(TraceArchive& archive, const Recording& recording)
      : archive_(archive), job_(recording.definitions), out_(archive.begin_definitions()) {}

  void write_clock(const TraceTimes& times) {
    check(OTF2_GlobalDefWriter_WriteClockProperties(
        out_, kTicksPerSecond, 0, static_cast<std::uint64_t>(times.length.ps) + 1, times.epoch_ns));
  }

  void write_paradigm() {
    check(OTF2_GlobalDefWriter_WriteParadigm(out_, OTF2_PARADIGM_MPI, string("MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    OTF2_AttributeValue value;
    value.stringRef = string("MPI communicator ${id}");
    check(OTF2_GlobalDefWriter_WriteParadigmProperty(
        out_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, value));
    value.stringRef = string("MPI window ${id}");
    check(OTF2_GlobalDefWriter_WriteParadigmProperty(
        out_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, OTF2_TYPE_STRING, value));
    value.uint8 = OTF2_FALSE;
    check(OTF2_GlobalDefWriter_WriteParadigmProperty(out_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
                                                     OTF2_TYPE_UINT8, value));
  }

  void write_attributes() {
    write_attribute(ids::send_mode, names::kSendMode, "0 standard, 1 buffered, 2 synchronous, 3 ready",
                    OTF2_TYPE_UINT8);
    write_attribute(ids::compute, names::kCompute, "CPU time since the last MPI call, in nanoseconds",
                    OTF2_TYPE_UINT64);
    write_attribute(ids::collective, names::kCollective, "libhybrid's number of the collective",
                    OTF2_TYPE_UINT8);
    write_attribute(ids::bytes, names::kBytes, "size of the vector, or of one member's block",
                    OTF2_TYPE_UINT64);
    write_attribute(ids::communicator, names::kCommunicator, "communicator of a collective under way",
                    OTF2_TYPE_COMM);
    write_attribute(ids::root, names::kRoot, "root of a collective under way", OTF2_TYPE_UINT32);
    write_attribute(ids::rma_sync, names::kRmaSync, "libhybrid's number of the synchronisation",
                    OTF2_TYPE_UINT8);
    write_attribute(ids::peer, names::kPeer, "rank in the communicator", OTF2_TYPE_UINT32);
    write_attribute(ids::number, names::kNumber, "number of the collective call over the communicator",
                    OTF2_TYPE_INT32);
    write_attribute(ids::call_site, names::kCallSite, "function, file and line of the call",
                    OTF2_TYPE_CALLING_CONTEXT);
    write_parameter(ids::count_sent, names::kCountSent);
    write_parameter(ids::count_received, names::kCountReceived);
    write_parameter(ids::flush, names::kFlush);
    write_parameter(ids::predict_request, names::kPredictRequest);
    write_parameter(ids::predict_release, names::kPredictRelease);
    write_parameter(ids::hint, names::kHint);
  }

  void write_regions() {
    const auto mpi = mpi_regions();
    for (std::uint32_t id = 0; id < mpi.size(); ++id)
      write_region(id, mpi[id].name, mpi[id].role, OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE);
    for (auto id = static_cast<std::uint32_t>(mpi.size()); const std::string& name : job_.mpi_functions)
      write_region(id++, name, mpi_role(name), OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE);
    std::string application;
    if (!job_.processes.empty())
      application = base_name(property_of(job_.processes.front(), names::kApplication));
    write_region(ids::application_region(job_), application.empty() ? "application" : application,
                 OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE);
    for (std::uint32_t i = 0; i < job_.regions.size(); ++i)
      write_region(ids::phase_region(job_, i), job_.regions[i], OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
                   OTF2_REGION_FLAG_PHASE);
  }

  void write_call_sites() {
    const std::vector<CallSite> sites = find_source_places(job_.call_sites);
    std::map<std::pair<std::string, std::string>, std::uint32_t> functions;  // by name and file
    for (std::uint32_t i = 0; i < sites.size(); ++i) {
      const CallSite& site = sites[i];
      const auto [function, is_new] =
          functions.try_emplace({site.function, site.file}, static_cast<std::uint32_t>(functions.size()));
      const OTF2_RegionRef region = ids::function_region(job_, function->second);
      if (is_new)
        write_region(region, site.function, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                     OTF2_REGION_FLAG_NONE, site.file);
      check(OTF2_GlobalDefWriter_WriteSourceCodeLocation(out_, i, string(site.file), site.line));
      check(OTF2_GlobalDefWriter_WriteCallingContext(out_, i, region, i, OTF2_UNDEFINED_CALLING_CONTEXT));
    }
  }

  // Machine, hosts and processes. Ranks without a journal have a process, too.
  void write_system_tree() {
    constexpr OTF2_SystemTreeNodeRef kMachine = 0;
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, kMachine, string("machine"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(out_, kMachine, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    std::vector<const ProcessDefinitions*> by_rank(job_.ranks, nullptr);
    for (const ProcessDefinitions& process : job_.processes) by_rank[process.rank] = &process;
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      std::string host = by_rank[rank] == nullptr ? std::string() : property_of(*by_rank[rank], "host");
      if (host.empty()) host = "unknown host";
      const auto [node, is_new] =
          hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (is_new) {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, node->second, string(host), string("node"),
                                                       kMachine));
        check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(out_, node->second,
                                                             OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
      }
      check(OTF2_GlobalDefWriter_WriteLocationGroup(out_, rank, string("MPI Rank " + std::to_string(rank)),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
    }
  }

  void write_locations(const std::map<OTF2_LocationRef, std::uint64_t>& written) {
    for (const auto& [location, events] : written) {
      const auto rank = static_cast<std::uint32_t>(location);
      const auto thread = static_cast<std::uint32_t>(location >> 32);
      const std::string name = thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
      check(OTF2_GlobalDefWriter_WriteLocation(out_, location, string(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                               events, rank));
    }
  }

  void write_process_properties(const Facts& facts) {
    for (const ProcessDefinitions& process : job_.processes) {
      for (const auto& [name, value] : process.properties) {
        if (const auto fact = facts.find(name); fact != facts.end() && fact->second == value) continue;
        if (name == "port" || name == kPortMap) continue;
        OTF2_AttributeValue property;
        property.stringRef = string(value);
        check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(out_, process.rank, string("hybrid." + name),
                                                              OTF2_TYPE_STRING, property));
      }
    }
    const auto ports = ports_of(job_);
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      if (!ports[rank]) continue;
      OTF2_AttributeValue property;
      property.uint32 = *ports[rank];
      check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(out_, rank, string(names::kPort),
                                                            OTF2_TYPE_UINT32, property));
    }
  }

  void write_groups() {
    std::vector<std::uint64_t> members(job_.ranks);
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) members[rank] = ids::location(rank, 0);
    write_group(ids::kLocationsGroup, "MPI locations", OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
    write_group(ids::kSelfGroup, "", OTF2_GROUP_TYPE_COMM_SELF, {});
    for (std::uint32_t i = 0; i < job_.groups.size(); ++i) {
      members.assign(job_.groups[i].members.begin(), job_.groups[i].members.end());
      write_group(ids::group(i), "", OTF2_GROUP_TYPE_COMM_GROUP, members);
    }
    auto next = static_cast<std::uint32_t>(job_.groups.size());
    for (const auto& ranks : archive_.groups()) {
      members.assign(ranks.begin(), ranks.end());
      write_group(ids::group(next++), "", OTF2_GROUP_TYPE_COMM_GROUP, members);
    }
  }

  void write_communicators() {
    for (std::uint32_t id = 0; id < job_.communicators.size(); ++id) {
      const JobCommunicator& communicator = job_.communicators[id];
      if (communicator.other_group != JobCommunicator::kNoGroup) {
        check(OTF2_GlobalDefWriter_WriteInterComm(out_, id, string(""), ids::group(communicator.group),
                                                  ids::group(communicator.other_group), kWorldCommunicator,
                                                  OTF2_COMM_FLAG_NONE));
        continue;
      }
      const bool world = id == kWorldCommunicator;
      const bool self = id == kSelfCommunicator;
      check(OTF2_GlobalDefWriter_WriteComm(out_, id,
                                           string(world  ? "MPI_COMM_WORLD"
                                                  : self ? "MPI_COMM_SELF"
                                                         : ""),
                                           self ? ids::kSelfGroup : ids::group(communicator.group),
                                           world || self ? OTF2_UNDEFINED_COMM : kWorldCommunicator,
                                           OTF2_COMM_FLAG_NONE));
    }
    for (std::uint32_t id = 0; id < job_.windows.size(); ++id)
      check(OTF2_GlobalDefWriter_WriteRmaWin(out_, id, string(""), job_.windows[id],
                                             OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
  }

  void write_facts(const Facts& facts) {
    for (const auto& [name, value] : facts) {
      std::string fact = name;
      for (char& c : fact)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) c = '_';
      archive_.property(names::property_of_fact(fact), names::property_value(value));
    }
  }

 private:
  OTF2_StringRef string(std::string_view text) { return archive_.string(text); }
  void check(OTF2_ErrorCode code) const { archive_.check(code); }

  void write_attribute(OTF2_AttributeRef id, std::string_view name, std::string_view description,
                       OTF2_Type type) {
    check(OTF2_GlobalDefWriter_WriteAttribute(out_, id, string(name), string(description), type));
  }
  void write_parameter(OTF2_ParameterRef id, std::string_view name) {
    check(OTF2_GlobalDefWriter_WriteParameter(out_, id, string(name), OTF2_PARAMETER_TYPE_UINT64));
  }
  void write_region(OTF2_RegionRef id, std::string_view name, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                    OTF2_RegionFlag flags, std::string_view file = "") {
    const OTF2_StringRef text = string(name);
    check(OTF2_GlobalDefWriter_WriteRegion(out_, id, text, text, string(""), role, paradigm, flags,
                                           string(file), 0, 0));
  }
  void write_group(OTF2_GroupRef id, std::string_view name, OTF2_GroupType type,
                   const std::vector<std::uint64_t>& members) {
    check(OTF2_GlobalDefWriter_WriteGroup(out_, id, string(name), type, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                          members.data()));
  }

  TraceArchive& archive_;
  const JobDefinitions& job_;
  OTF2_GlobalDefWriter* out_;
};

}  // namespace

Facts job_facts(const Recording& recording) {
  Facts facts;
  std::map<std::string, std::size_t> holders;
  // These belong to a process, even in a job with a single rank.
  std::set<std::string> differing{"port", "host", std::string(kPortMap)};
  for (const ProcessDefinitions& process : recording.definitions.processes) {
    for (const auto& [name, value] : process.properties) {
      const auto [fact, is_new] = facts.try_emplace(name, value);
      ++holders[name];
      if (is_new) continue;
      const auto count = is_count(name) ? decimal(value) : std::nullopt;
      const auto sum = is_count(name) ? decimal(fact->second) : std::nullopt;
      if (count && sum)
        fact->second = std::to_string(*sum + *count);
      else if (fact->second != value)
        differing.insert(name);
    }
  }
  std::erase_if(facts, [&](const auto& fact) {
    const bool all = is_count(fact.first) || holders[fact.first] == recording.definitions.processes.size();
    return !all || differing.contains(fact.first);
  });
  return facts;
}

void write_definitions(TraceArchive& archive, const Recording& recording, const TraceTimes& times,
                       const Facts& facts) {
  GlobalDefinitions definitions(archive, recording);
  definitions.write_clock(times);
  definitions.write_paradigm();
  definitions.write_attributes();
  definitions.write_regions();
  definitions.write_call_sites();
  definitions.write_system_tree();
  definitions.write_locations(archive.locations());
  definitions.write_process_properties(facts);
  definitions.write_groups();
  definitions.write_communicators();
  definitions.write_facts(facts);
}

}  // namespace hybrid
