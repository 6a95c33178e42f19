// Results as JSON with stable key names, for other tools. Keys of times end in _ns; the values are
// nanoseconds, exact to the picosecond. Equal input gives equal text, byte for byte.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "emulator/measures.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// technique, nodes, slots, time_ns, utilisation, messages, bytes, cycles, latency_ns{mean,p50,p99,max},
/// hit_rate, slot_occupancy, slot_waste, ports{out,in}{min,mean,max}, seed, and the technique's statistics.
/// With `each_port`, ports also has the lists bytes_out and bytes_in by port. phases: a list with name,
/// time_ns, utilisation, messages, bytes, latency_ns, hit_rate.
nlohmann::ordered_json to_json(const Measures& measures, bool each_port = false);

/// The value of preload_topology if a fixed topology is preloaded: topology, share_of_bytes.
nlohmann::ordered_json topology_json(const std::string& topology, double share_of_bytes);

nlohmann::ordered_json to_json(const PredictorScore& score);

/// path, contention, scheduling, reconfiguration, packet_plane, slot_wait, other.
nlohmann::ordered_json to_json(const WaitParts& parts);
/// no_network_ns, uncontended_ns, ideal_ns; null: unknown.
nlohmann::ordered_json to_json(const JobBounds& bounds);
/// null: unknown; of a time, nanoseconds.
nlohmann::ordered_json or_null(const std::optional<double>& value);
nlohmann::ordered_json or_null(const std::optional<Time>& value);

/// The text for files: indented by two blanks, with a newline at the end. Bytes that are not UTF-8 (in
/// arguments and names of phases) become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

/// job, phases, predictors, results (one object per technique and K), bounds, verdict, warnings, parameters,
/// repeat. Each result also has gap_closed, network_wait_ns, network_wait_parts_ns and rank_wait_ns
/// (docs/guide.md).
nlohmann::ordered_json to_json(const JobReport& report);

}  // namespace hybrid
