// The driver's part that keeps account: phases, and what the replay measured.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/replay/job_driver.h"

namespace hybrid {

namespace {

__extension__ using Sum = __int128;  // a large job's times together do not fit into a Time

}  // namespace

void JobDriver::be_in_phase(Location& location, std::uint32_t phase) {
  if (phase == location.phase) return;
  account_.time(location.phase, location.now - location.in_phase_since);
  location.phase = phase;
  location.in_phase_since = location.now;
}

/// The operation that the location comes to began, as recorded, in one of the schedule's phases.
void JobDriver::follow_schedule(Location& location) {
  const std::vector<PhaseOccurrence>& all = options_.phases.occurrences;
  if (all.empty()) return;
  std::size_t& i = location.occurrence;
  while (i + 1 < all.size() && all[i + 1].begin <= location.operation.at) ++i;
  while (i > 0 && all[i].begin > location.operation.at) --i;
  be_in_phase(location, all[i].phase);
}

void JobDriver::begin_phase(Location& location) {
  const std::string& name = trace_.region_name(location.operation.region);
  const auto [found, fresh] = phase_of_name_.try_emplace(name, static_cast<std::uint32_t>(phases_.size()));
  if (fresh) {
    phases_.push_back({name});
    if (options_.phases.occurrences.empty()) account_.add(name);
  }
  location.phases.push_back(found->second);
  enter_phase(location, found->second);
}

void JobDriver::enter_phase(Location& location, std::uint32_t index) {
  if (options_.phases.occurrences.empty()) be_in_phase(location, index + 1);
  tell_phase(location, index + 1);
  if (options_.preloads.empty()) return;
  if (location.occurrences.size() <= index) location.occurrences.resize(index + 1);
  Phase& phase = phases_[index];
  // A rank that comes late finds the slots as the first left them, or as a later phase needs them.
  if (++location.occurrences[index] <= phase.occurrences) return;
  ++phase.occurrences;
  if (!working_sets_.stored(phase.name)) return;
  working_sets_.load_first(phase.name, [this](std::uint32_t slot, const Configuration& content) {
    technique_.preload(now_, slot, content);
  });
}

/// To the predictor at the location's port; 0: outside all phases.
void JobDriver::tell_phase(const Location& location, std::uint32_t phase) {
  if (options_.tell_phases) technique_.begin_phase(now_, placement_[location.rank], phase);
}

/// What stays in the slots whatever the phase.
void JobDriver::preload_fixed() {
  for (std::uint32_t slot = 0; slot < options_.fixed_preload.size(); ++slot)
    technique_.preload(now_, slot, options_.fixed_preload[slot]);
}

void JobDriver::end_phase(Location& location) {
  if (location.phases.empty()) return;
  location.phases.pop_back();
  if (!location.phases.empty() && !location.finished) return enter_phase(location, location.phases.back());
  if (!location.phases.empty()) return;
  if (!location.finished) tell_phase(location, 0);
  if (options_.phases.occurrences.empty()) be_in_phase(location, 0);
}

/// A message on the network.
void JobDriver::count_message(std::uint32_t phase, Connection connection, Bytes bytes) {
  ++messages_;
  bytes_ += bytes;
  const std::size_t ports = std::max(connection.source, connection.destination) + std::size_t{1};
  if (port_traffic_.size() < ports) port_traffic_.resize(ports);
  port_traffic_[connection.source].out += bytes;
  port_traffic_[connection.destination].in += bytes;
  account_.message(phase, bytes);
}

void JobDriver::count_local(Bytes bytes) {
  ++local_messages_;
  local_bytes_ += bytes;
}

void JobDriver::report(ReplayResult& result) const {
  Measures& measures = result.measures;
  measures.messages = messages_;
  measures.bytes = bytes_;
  measures.ports = port_traffic_;
  measures.local_messages = local_messages_;
  measures.local_bytes = local_bytes_;
  if (plane_ != nullptr) measures.multicast = multicast_;
  measures.latency = latency_;
  measures.hit_rate = messages_ == 0 ? 0.0 : static_cast<double>(hits_) / static_cast<double>(messages_);
  Sum computing = 0, communicating = 0;
  for (const Rank& rank : ranks_) {
    measures.time = std::max(measures.time, rank.end);
    computing += static_cast<Sum>(rank.compute.ps);
    communicating += static_cast<Sum>((rank.end - rank.compute).ps);
  }
  if (const auto ranks = static_cast<Sum>(ranks_.size()); ranks != 0) {
    measures.compute_time = {static_cast<std::int64_t>(computing / ranks)};
    measures.communication_time = {static_cast<std::int64_t>(communicating / ranks)};
  }
  PhaseAccount account = account_;
  for (const Location& location : locations_)
    account.time(location.phase, measures.time - location.in_phase_since);
  // A job without hints is of one piece. What is outside of them comes last.
  const bool scheduled = !options_.phases.occurrences.empty();
  if (scheduled || !phases_.empty()) measures.phases = account.finish(locations_.size());
  if (!scheduled && !phases_.empty() && measures.phases.front().name == kOutsidePhases)
    std::rotate(measures.phases.begin(), measures.phases.begin() + 1, measures.phases.end());
  if (dropped_receives_ != 0)
    result.warnings.push_back(
        fmt::format("the recording is incomplete: {} receives were dropped whose messages it does not show",
                    dropped_receives_));
}

}  // namespace hybrid
