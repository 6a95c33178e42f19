// Results as JSON with stable key names, which other tools rely on. Times end in _ns and are numbers of
// nanoseconds, exact to the picosecond. The text is the same, byte for byte, for the same input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "emulator/measures.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// technique, nodes, slots, time_ns, utilisation, messages, bytes, cycles, latency_ns{mean,p50,p99,max},
/// hit_rate, slot_occupancy, slot_waste, ports{out,in}{min,mean,max}, seed, and the technique's statistics.
/// With `each_port`, ports also has bytes_out and bytes_in, lists by port. phases: of each name, time_ns,
/// utilisation, messages, bytes, latency_ns, hit_rate.
nlohmann::ordered_json to_json(const Measures& measures, bool each_port = false);

/// What is under preload_topology, where a fixed topology is preloaded: topology, share_of_bytes.
nlohmann::ordered_json topology_json(const std::string& topology, double share_of_bytes);

nlohmann::ordered_json to_json(const PredictorScore& score);

/// As written to files: indented by two, with a line end. Bytes that are no UTF-8 (arguments, names of
/// phases) become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

/// job, phases, predictors, results (one object per technique and K), verdict, warnings, parameters, repeat.
nlohmann::ordered_json to_json(const JobReport& report);

}  // namespace hybrid
