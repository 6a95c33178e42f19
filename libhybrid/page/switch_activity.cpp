#include "libhybrid/page/switch_activity.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "libhybrid/options/job_options.h"

namespace hybrid {

SwitchActivity::SwitchActivity(const SwitchParameters& parameters, Time job_time,
                               const ActivityDetail& detail)
    : parameters_(parameters),
      detail_(detail),
      width_(std::max<std::int64_t>(1, job_time.ps / detail.time_bins + 1)),
      out_(parameters.nodes, std::vector<double>(detail.time_bins)),
      in_(out_),
      circuit_slots_(uses_slots(parameters.technique) ? std::min(parameters.slots, detail.circuit_slots) : 0),
      rows_(std::size_t{circuit_slots_} * parameters.nodes) {}

std::uint32_t SwitchActivity::bin_of(Time at) const {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(at.ps / width_.ps, detail_.time_bins - 1));
}

void SwitchActivity::delivered(Time at, const Message& message) {
  const double bits = 8.0 * static_cast<double>(message.bytes);
  add(out_[message.connection.source], at, bits);
  add(in_[message.connection.destination], at, bits);
}

/// Adds bits of a link up to `at`, to the latest times that are not taken by earlier bits.
void SwitchActivity::add(std::vector<double>& bits_of_bin, Time at, double bits) const {
  const std::uint32_t last = bin_of(at);
  for (std::uint32_t bin = last;; --bin) {
    const Time until = bin == last ? at : begin_of(bin + 1);
    const double room = capacity_of((until - begin_of(bin))) - bits_of_bin[bin];
    const double part = std::clamp(room, 0.0, bits);
    bits_of_bin[bin] += part;
    bits -= part;
    if (bits <= 0) return;
    if (bin == 0) break;
  }
  bits_of_bin[last] += bits;  // more than the link carries
}

/// The bits that a port's links can carry in `time`.
double SwitchActivity::capacity_of(Time time) const {
  return static_cast<double>(parameters_.link_rate) * (1 + parameters_.packet_plane) *
         static_cast<double>(time.ps) * 1e-12;
}

void SwitchActivity::circuit(Time at, Connection connection, std::uint32_t slot, bool established) {
  if (slot >= circuit_slots_) return;
  Row& row = rows_[std::size_t{slot} * parameters_.nodes + connection.source];
  hold(row, at);
  row.held = established ? connection.destination : kNoPort;
  row.since = at;
}

/// Adds the time of the present circuit up to `until`.
void SwitchActivity::hold(Row& row, Time until) {
  if (row.held == kNoPort) return;
  const std::uint32_t last = bin_of(until);
  for (std::uint32_t bin = bin_of(row.since); bin <= last; ++bin) {
    if (bin != row.bin) end_bin(row);
    row.bin = bin;
    const Time from = std::max(row.since, begin_of(bin));
    const Time end = bin == last ? until : begin_of(bin + 1);
    const auto same = std::find_if(row.in_bin.begin(), row.in_bin.end(),
                                   [&](const auto& entry) { return entry.first == row.held; });
    if (same == row.in_bin.end())
      row.in_bin.emplace_back(row.held, end - from);
    else
      same->second += end - from;
    ++row.circuits_in_bin;
  }
}

void SwitchActivity::end_bin(Row& row) {
  if (row.in_bin.empty()) return;
  const Port most = std::max_element(row.in_bin.begin(), row.in_bin.end(), [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second < b.second : a.first > b.first;
                    })->first;
  Cell* const before = row.cells.empty() ? nullptr : &row.cells.back();
  if (before != nullptr && before->destination == most && before->circuits == 1 && row.circuits_in_bin == 1 &&
      before->first + before->count == row.bin)
    ++before->count;
  else
    row.cells.push_back({row.bin, 1, most, row.circuits_in_bin});
  row.in_bin.clear();
  row.circuits_in_bin = 0;
}

nlohmann::ordered_json SwitchActivity::json() {
  using Json = nlohmann::ordered_json;
  const std::uint32_t ports = parameters_.nodes;
  const std::uint32_t group = (ports + detail_.port_groups - 1) / detail_.port_groups;
  const auto shares = [&](const std::vector<std::vector<double>>& bits) {
    Json rows = Json::array();
    for (std::uint32_t first = 0; first < ports; first += group) {
      const std::uint32_t end = std::min(ports, first + group);
      std::vector<double> row(detail_.time_bins);
      for (std::uint32_t port = first; port < end; ++port)
        for (std::uint32_t bin = 0; bin < detail_.time_bins; ++bin) row[bin] += bits[port][bin];
      const double capacity = capacity_of(width_) * (end - first);
      for (double& value : row) value = std::round(1e4 * value / capacity) / 1e4;
      rows.push_back(std::move(row));
    }
    return rows;
  };
  Json json{{"technique", parameters_.technique},
            {"slots", uses_slots(parameters_.technique) ? parameters_.slots : 0},
            {"ports", ports}};
  json["bins"] = {{"count", detail_.time_bins}, {"width_ns", width_.nanoseconds()}};
  json["port_group"] = group;
  json["out"] = shares(out_);
  json["in"] = shares(in_);

  std::vector<Port> shown(ports);
  std::iota(shown.begin(), shown.end(), 0);
  if (ports > detail_.circuit_ports) {
    std::vector<double> traffic(ports);
    for (Port port = 0; port < ports; ++port)
      traffic[port] = std::reduce(out_[port].begin(), out_[port].end());
    std::sort(shown.begin(), shown.end(),
              [&](Port a, Port b) { return traffic[a] != traffic[b] ? traffic[a] > traffic[b] : a < b; });
    shown.resize(detail_.circuit_ports);
    std::sort(shown.begin(), shown.end());
  }
  json["circuit_ports"] = shown;
  json["circuit_slots"] = circuit_slots_;
  json["circuits"] = Json::array();
  const Time end = begin_of(detail_.time_bins);
  for (std::uint32_t slot = 0; slot < circuit_slots_; ++slot)
    for (std::size_t i = 0; i < shown.size(); ++i) {
      Row& row = rows_[std::size_t{slot} * ports + shown[i]];
      hold(row, end);
      row.held = kNoPort;
      end_bin(row);
      for (const Cell& cell : row.cells)
        json["circuits"].push_back({slot, i, cell.first, cell.count, cell.destination, cell.circuits});
    }
  return json;
}

}  // namespace hybrid
