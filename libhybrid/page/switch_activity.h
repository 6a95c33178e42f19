// What an emulated switch does over time, for the page of a job: the traffic of each port, and the
// connections that the scheduler holds in each TDM slot.
//
//   SwitchActivity activity(parameters, job_time);
//   emulator.emulate({parameters}, "emulating", note, &activity);
//   page["activity"] = activity.json();
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "emulator/network/timeline.h"
#include "emulator/parameters.h"

namespace hybrid {

/// Limits of the result; larger switches are aggregated to them.
struct ActivityDetail {
  std::uint32_t time_bins = 200;
  std::uint32_t port_groups = 128;   // rows of the traffic
  std::uint32_t circuit_ports = 64;  // source ports whose circuits are listed
  std::uint32_t circuit_slots = 32;  // slots whose circuits are listed, the first ones
};

class SwitchActivity final : public PortTimeline {
 public:
  /// For a run of `parameters` that takes `job_time`. What is later counts for the last interval. Memory is
  /// in O(ports * intervals * circuit_slots).
  SwitchActivity(const SwitchParameters& parameters, Time job_time, const ActivityDetail& detail = {});

  bool needs_words() const override { return false; }
  void circuit(Time at, Connection connection, std::uint32_t slot, bool established) override;
  void delivered(Time at, const Message& message) override;

  /// technique, slots, ports; bins: count, width_ns; port_group: ports in a row; out, in: for each group the
  /// payload delivered from (to) its ports in each interval, as a share of what their links (and those of a
  /// packet plane) can carry; a message counts for the latest times before its delivery in which the link
  /// carries no earlier one. circuit_ports: source
  /// ports, those with most traffic if there are many; circuit_slots: number of slots; circuits: lists of
  /// slot, index of the source in circuit_ports, first interval, number of intervals, the destination that
  /// was held longest in them, number of circuits in them. Ends the observation.
  nlohmann::ordered_json json();

 private:
  struct Cell {
    std::uint32_t first, count;  // intervals
    Port destination;
    std::uint32_t circuits;
  };
  /// The circuits of a source in a slot.
  struct Row {
    Port held = kNoPort;  // now
    Time since{};
    std::uint32_t bin = 0;                      // the last interval with a circuit
    std::vector<std::pair<Port, Time>> in_bin;  // held in it, and how long
    std::uint32_t circuits_in_bin = 0;
    std::vector<Cell> cells;  // of the intervals before
  };

  std::uint32_t bin_of(Time at) const;
  Time begin_of(std::uint32_t bin) const { return width_ * static_cast<std::int64_t>(bin); }
  void add(std::vector<double>& bits_of_bin, Time at, double bits) const;
  double capacity_of(Time time) const;
  void hold(Row& row, Time until);
  void end_bin(Row& row);

  SwitchParameters parameters_;
  ActivityDetail detail_;
  Time width_;
  std::vector<std::vector<double>> out_, in_;  // by port, interval: payload in bits
  std::uint32_t circuit_slots_;
  std::vector<Row> rows_;  // by slot, source
};

}  // namespace hybrid
