#include "libhybrid/report/report_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/units.h"
#include "emulator/replay/trace_names.h"
#include "libhybrid/report/report_text.h"

namespace hybrid {

using nlohmann::ordered_json;

namespace {

double fraction(Time part, Time whole) {
  return whole.ps == 0 ? 0.0 : static_cast<double>(part.ps) / static_cast<double>(whole.ps);
}

ordered_json latencies(const LatencyHistogram& latency) {
  return {{"mean", latency.mean().nanoseconds()},
          {"p50", latency.quantile(0.5).nanoseconds()},
          {"p99", latency.quantile(0.99).nanoseconds()},
          {"max", latency.maximum().nanoseconds()}};
}

ordered_json spread_json(const PortSpread& spread) {
  return {{"min", spread.least}, {"mean", spread.mean}, {"max", spread.largest}};
}

ordered_json ports_json(const Measures& m, bool each) {
  ordered_json json{{"out", spread_json(m.out_utilisation())}, {"in", spread_json(m.in_utilisation())}};
  if (!each) return json;
  json["bytes_out"] = json["bytes_in"] = ordered_json::array();
  for (std::uint32_t port = 0; port < m.nodes; ++port) {
    const PortTraffic traffic = port < m.ports.size() ? m.ports[port] : PortTraffic{};
    json["bytes_out"].push_back(traffic.out);
    json["bytes_in"].push_back(traffic.in);
  }
  return json;
}

ordered_json phase_measures_json(const PhaseMeasures& phase) {
  return {{"name", phase.name},
          {"time_ns", phase.time.nanoseconds()},
          {"utilisation", phase.utilisation <= 1 ? ordered_json(phase.utilisation) : ordered_json()},
          {"messages", phase.messages},
          {"bytes", phase.bytes},
          {"latency_ns", latencies(phase.latency)},
          {"hit_rate", phase.hit_rate()}};
}

// Facts are text in a trace. Counts and times become numbers; what the user named stays text.
ordered_json fact_json(std::string_view name, const std::string& value) {
  std::uint64_t number = 0;
  const auto [end, reason] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_number =
      reason == std::errc{} && end == value.data() + value.size() && std::to_string(number) == value;
  if (name == trace_names::kApplication || name == trace_names::kArguments) return value;
  if (value == "yes" || value == "no") return value == "yes";
  if (is_number) return number;
  return value;
}

ordered_json phase_json(const Phase& phase) {
  return {{"name", phase.name},
          {"occurrences", phase.occurrences},
          {"begin_ns", phase.begin.nanoseconds()},
          {"end_ns", phase.end.nanoseconds()},
          {"messages", phase.messages},
          {"bytes", phase.bytes},
          {"working_set", phase.working_set.size()},
          {"rare", phase.rare.size()},
          {"slots_needed", phase.slots_needed},
          {"slots_without_rare", phase.slots_without_rare}};
}

ordered_json call_json(const CallTraffic& one) {
  const CallSite& site = one.call.site;
  return {{"call", one.call.call}, {"function", site.function},     {"file", site.file},
          {"line", site.line},     {"messages", one.sent.messages}, {"bytes", one.sent.bytes}};
}

template <class Value, class Convert>
ordered_json value_or_null(const std::optional<Value>& value, Convert&& convert) {
  return value ? ordered_json(convert(*value)) : ordered_json();
}

/// 0: nothing to compare with.
ordered_json ratio_json(double ratio) { return ratio == 0 ? ordered_json() : ordered_json(ratio); }

// In the order of the calls of the report.
ordered_json waits_json(const JobReport& report, const CallWaits& waits) {
  ordered_json json = ordered_json::array();
  for (const CallTraffic& one : report.calls) json.push_back(wait_in(waits, one.call).nanoseconds());
  return json;
}

ordered_json bounds_json(const JobReport& report) {
  ordered_json json = to_json(report.bounds);
  json["no_network_call_waits_ns"] = value_or_null(report.bounds.no_network, [&](const BoundTimes& bound) {
    return waits_json(report, bound.call_waits);
  });
  json["largest_saving"] = or_null(report.limits.largest_saving);
  return json;
}

ordered_json long_worms_json(const LongWorms& worms) {
  return {{"worm_limit", worms.worm_limit},
          {"wormhole_ns", worms.wormhole.nanoseconds()},
          {"gap_closed", or_null(worms.gap_closed)},
          {"technique", worms.verdict.technique},
          {"slots", worms.verdict.slots},
          {"tie", worms.verdict.tie},
          {"changes_verdict", worms.changes_verdict}};
}

// The parameters by option name: numbers, or texts in the form of the command line.
ordered_json parameters_json(const JobOptions& options) {
  JobOptions copy = options;
  OptionTable table;
  add_emulation_options(table, copy);
  ordered_json parameters = ordered_json::object();
  for (const Option& option : table.options())
    if (const std::string& text = option.default_text; !text.empty()) {
      const std::optional<double> number = read_number(text);
      if (text.find_first_not_of("0123456789") == std::string::npos)
        parameters[option.name] = parse_count(text, option.name);
      else
        parameters[option.name] = number ? ordered_json(*number) : ordered_json(text);
    }
  return parameters;
}

}  // namespace

ordered_json or_null(const std::optional<double>& value) {
  return value_or_null(value, [](double v) { return v; });
}
ordered_json or_null(const std::optional<Time>& value) {
  return value_or_null(value, [](Time v) { return v.nanoseconds(); });
}

ordered_json to_json(const Measures& m, bool each_port) {
  const TechniqueStatistics& s = m.statistics;
  ordered_json json = {{"technique", m.technique},
                       {"nodes", m.nodes},
                       {"slots", m.slots},
                       {"time_ns", m.time.nanoseconds()},
                       {"communication_time_ns", m.communication_time.nanoseconds()},
                       {"compute_time_ns", m.compute_time.nanoseconds()},
                       {"utilisation", m.utilisation},
                       {"messages", m.messages},
                       {"bytes", m.bytes},
                       {"local_messages", m.local_messages},
                       {"local_bytes", m.local_bytes}};
  if (m.multicast) {
    json["multicast_messages"] = m.multicast->messages;
    json["multicast_bytes"] = m.multicast->bytes;
  }
  json["cycles"] = s.cycles;
  json["latency_ns"] = latencies(m.latency);
  json["hit_rate"] = m.hit_rate;
  json["circuit_messages"] = s.circuit_messages;
  json["wormhole_messages"] = s.wormhole_messages;
  json["requests"] = s.requests;
  json["releases"] = s.releases;
  json["established"] = s.established;
  json["preloads"] = s.preloads;
  json["flushes"] = s.flushes;
  json["slots_used"] = s.slots_used;
  json["slots_wasted"] = s.slots_wasted;
  json["slot_occupancy"] = m.slot_occupancy();
  json["slot_waste"] = m.slot_waste();
  json["held_unused"] = fraction(s.held_unused, s.held);
  json["ports"] = ports_json(m, each_port);
  json["phases"] = ordered_json::array();
  for (const PhaseMeasures& phase : m.phases) json["phases"].push_back(phase_measures_json(phase));
  json["seed"] = m.seed;
  return json;
}

ordered_json to_json(const WaitParts& parts) {
  return {{"path", parts.path.nanoseconds()},
          {"contention", parts.contention.nanoseconds()},
          {"scheduling", parts.scheduling.nanoseconds()},
          {"reconfiguration", parts.reconfiguration.nanoseconds()},
          {"packet_plane", parts.packet_plane.nanoseconds()},
          {"slot_wait", parts.slots.nanoseconds()},
          {"other", parts.other.nanoseconds()}};
}

ordered_json to_json(const JobBounds& bounds) {
  const auto time = [](const std::optional<BoundTimes>& bound) {
    return value_or_null(bound, [](const BoundTimes& b) { return b.time.nanoseconds(); });
  };
  return {{"no_network_ns", time(bounds.no_network)},
          {"uncontended_ns", time(bounds.uncontended)},
          {"ideal_ns", time(bounds.ideal)}};
}

ordered_json topology_json(const std::string& topology, double share_of_bytes) {
  return {{"topology", topology}, {"share_of_bytes", share_of_bytes}};
}

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json to_json(const PredictorScore& score) {
  return {{"predictor", score.predictor},
          {"slots", score.capacity},
          {"messages", score.sends},
          {"hits", score.hits},
          {"hit_rate", score.hit_rate()},
          {"requests", score.requests},
          {"releases", score.releases},
          {"held_ns", score.held.nanoseconds()},
          {"held_unused", fraction(score.held_unused, score.held)},
          {"requests_ahead", score.ahead},
          {"requests_ahead_used", score.ahead_used},
          {"mean_lead_ns", score.mean_lead().nanoseconds()},
          {"state_bytes", score.state_bytes}};
}

ordered_json to_json(const JobReport& report) {
  ordered_json json;
  json["trace"] = report.trace;
  json["job"] = {
      {"ranks", report.job.ranks}, {"ports", report.job.ports}, {"recorded", ordered_json::object()}};
  for (const auto& [name, value] : report.job.recorded)
    json["job"]["recorded"][name] = fact_json(name, value);
  json["job"]["live_step_back"] = live_step_back(report.job);
  json["phases_from"] = report.phases_hinted ? "hints" : "sends";
  json["phases"] = ordered_json::array();
  for (const Phase& phase : report.phases) json["phases"].push_back(phase_json(phase));
  json["calls"] = ordered_json::array();
  for (const CallTraffic& one : report.calls) json["calls"].push_back(call_json(one));
  json["predictors"] = ordered_json::array();
  for (const PredictorScore& score : report.predictors) json["predictors"].push_back(to_json(score));
  json["results"] = ordered_json::array();
  for (const TechniqueResult& result : report.techniques) {
    ordered_json one = to_json(result.measures);
    one["speedup"] = ratio_json(result.speedup);
    one["communication_speedup"] = ratio_json(result.communication_ratio);
    one["gap_closed"] = or_null(result.gap_closed);
    one["network_wait_ns"] = or_null(result.network_wait);
    one["network_wait_parts_ns"] =
        value_or_null(result.wait_parts, [](const WaitParts& parts) { return to_json(parts); });
    one["rank_wait_ns"] = or_null(result.rank_wait);
    one["call_waits_ns"] = waits_json(report, result.call_waits);
    one["limited_by"] = result.limited_by;
    one["time_without_hints_ns"] = or_null(result.time_without_hints);
    json["results"].push_back(std::move(one));
  }
  if (report.options.finds_slots) {
    json["slots_found"] = ordered_json::array();
    for (const SlotsFound& found : report.slots_found) {
      ordered_json one{
          {"technique", found.technique}, {"slots", found.slots}, {"tried", ordered_json::array()}};
      for (const auto& [slots, time] : found.tried)
        one["tried"].push_back({{"slots", slots}, {"time_ns", or_null(time)}});
      json["slots_found"].push_back(std::move(one));
    }
  }
  json["bounds"] = bounds_json(report);
  json["failed"] = ordered_json::array();
  for (const TechniqueFailure& failure : report.failures)
    json["failed"].push_back(
        {{"technique", failure.technique}, {"slots", failure.slots}, {"reason", failure.reason}});
  json["left_out"] = report.left_out;
  json["verdict"] = {{"technique", report.verdict.technique},
                     {"slots", report.verdict.slots},
                     {"sentence", report.verdict.sentence},
                     {"with_long_worms", value_or_null(report.limits.long_worms, long_worms_json)}};
  if (report.topology_share)
    json["preload_topology"] = topology_json(report.options.preload_topology, *report.topology_share);
  json["warnings"] = report.warnings;
  json["parameters"] = parameters_json(report.options);
  json["options"] = ordered_json::object();
  const std::vector<std::string> words = changed_options(report);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) json["options"][words[i].substr(2)] = words[i + 1];
  json["repeat"] = command_to_repeat(report);
  return json;
}

}  // namespace hybrid
