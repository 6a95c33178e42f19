#include "libhybrid/report/recorded_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "core/hints/notes.h"
#include "core/parallel.h"

namespace hybrid {

namespace {

// The sends of a hinted phase, over all its occurrences and ranks.
struct HintedPhase {
  Phase phase;
  std::unordered_set<std::uint64_t> connections;  // source << 32 | destination
};

void add_message(HintedPhase& gathered, const SentMessage& message) {
  Phase& phase = gathered.phase;
  if (phase.messages++ == 0) phase.begin = message.at;
  phase.end = std::max(phase.end, message.at);
  phase.bytes += message.bytes;
  phase.occurrences = std::max(phase.occurrences, message.phase_occurrence);
  gathered.connections.insert(std::uint64_t{message.source} << 32 | message.destination);
}

}  // namespace

std::vector<std::uint32_t> ports_of_ranks(const JobTrace& trace, const ReplayOptions& options) {
  std::vector<std::uint32_t> ports = options.placement.empty() ? trace.placement() : options.placement;
  if (!options.placement.empty() && ports.size() != trace.ranks())
    throw UserError(
        fmt::format("ports: {} ports given, but the job has {} ranks", ports.size(), trace.ranks()),
        "Give one port for each rank, in order of rank.");
  if (ports.empty()) {
    ports.resize(trace.ranks());
    std::iota(ports.begin(), ports.end(), 0u);
  }
  return ports;
}

std::uint32_t count_ports(const std::vector<std::uint32_t>& ports) {
  return ports.empty() ? 0 : *std::max_element(ports.begin(), ports.end()) + 1;
}

CountedTrace::CountedTrace(std::unique_ptr<JobTrace> trace, std::string what, const ProgressNote& note)
    : ForwardingTrace(std::move(trace)), what_(std::move(what)), note_(note) {
  show();
}

bool CountedTrace::next(std::uint32_t location, Operation& operation) {
  constexpr std::uint64_t kShownEvery = 4096;
  if (!ForwardingTrace::next(location, operation)) return false;
  if (++operations_ % kShownEvery == 0) show();
  return true;
}

void CountedTrace::show() const {
  if (!note_) return;
  const EventsRead events = this->events();
  note_(what_, {events.read, events.all, "events"});
}

TraceOpener stored(const TraceOpener& open, unsigned threads, const ProgressNote& note) {
  const auto job = StoredJob::read(open, threads == 0 ? processors() : threads, StoredJob::kMostBytes,
                                   [&](JobTrace::EventsRead events) {
                                     if (note) note("reading the trace", {events.read, events.all, "events"});
                                   });
  if (!job) return open;
  return [job] { return job->open(); };
}

FoundPhases find_phases(JobTrace& trace, const ReplayOptions& options, std::uint32_t ports,
                        PhaseTraffic* traffic, TrafficMatrix* matrix) {
  PhaseFinder finder(ports);
  std::map<std::uint32_t, HintedPhase> hinted;  // by region; kNoPhase: outside any
  FoundPhases found;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Volume> calls;  // by call and call site
  for_each_sent(trace, options, [&](const SentMessage& message) {
    found.end = std::max(found.end, message.at);
    finder.send(message.at, {message.source, message.destination}, message.bytes);
    add_message(hinted[message.phase], message);
    if (message.call_site != 0) calls[{message.call, message.call_site}].add({1, message.bytes});
    if (traffic != nullptr) traffic->add(message);
    if (matrix != nullptr)
      (*matrix)[{message.source, message.destination}] += std::max<Bytes>(1, message.bytes);
  });
  for (const auto& [call, volume] : calls)
    found.calls[source_call(trace, call.first, call.second)].add(volume);
  found.hinted = std::any_of(hinted.begin(), hinted.end(), [](const auto& p) { return p.first != kNoPhase; });
  if (!found.hinted) {
    found.phases = finder.finish();
    found.occurrences = finder.occurrences();
    return found;
  }
  for (auto& [region, gathered] : hinted) {
    Phase& phase = gathered.phase;
    phase.name = region == kNoPhase ? std::string(kOutsidePhases) : trace.region_name(region);
    for (const std::uint64_t connection : gathered.connections)
      phase.working_set.push_back({static_cast<Port>(connection >> 32), static_cast<Port>(connection)});
    std::ranges::sort(phase.working_set);
    count_slots(phase);
    found.phases.push_back(std::move(phase));
  }
  std::sort(found.phases.begin(), found.phases.end(), [](const Phase& a, const Phase& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.name < b.name;
  });
  return found;
}

PhaseHints hints_of(const std::string& source, const std::string& trace, const TraceOpener& open,
                    const FoundPhases& found) {
  if (source == kRecordedHints) {
    PhaseHints recorded = read_recorded_hints(*open());
    if (recorded.phases.empty())
      throw NoHints(trace + ": the program gave no hints while it was recorded",
                    found.hinted
                        ? "It has phases, but the destinations in them are known only when a message "
                          "leaves: `hybrid hints BINARY` states why."
                        : "Compile it with hybridcc, hybridcxx or hybridfort and record it again, or "
                          "name a binary that has hints.");
    return recorded;
  }
  const std::vector<HintUnit> units = require_hint_units(source, source);
  PhaseHints hints = evaluate_hints(units, open()->ranks());
  const auto is_known = [&](const Phase& phase) {
    return hints.phases.contains(phase.name) || hints.unknown.contains(phase.name);
  };
  if (std::none_of(found.phases.begin(), found.phases.end(), is_known))
    throw NoHints(trace + ": has no phase for which " + source + " contains hints",
                  "Record a program that was compiled with hints; `hybrid hints` lists its phases.");
  return hints;
}

std::vector<std::string> gaps_of(const PhaseHints& hints, const std::vector<Phase>& phases) {
  std::vector<std::string> gaps;
  for (const Phase& phase : phases)
    if (const auto found = hints.unknown.find(phase.name); found != hints.unknown.end())
      gaps.push_back("The hints of phase " + phase.name + " are incomplete: " + found->second + ".");
  return gaps;
}

}  // namespace hybrid
