// EvaluationGrid: scores every predictor at every capacity, and Belady's bound, on the streams of many
// sources in one pass.
//
// Memory: for each source, one predictor for every name and capacity, for the number of destinations of the
// source. It does not grow with the trace, except for the bound and the oracle, which need the whole stream:
// 12 bytes for each message for both together (BeladyBound::kBytesPerSend; see stream_bytes()), and 4 bytes
// for each message of a source during the computation of its bound.
//
// Sources are independent: several grids, each with a part of the sources, may run in parallel
// (ParallelGrid), and PredictorScore::add combines their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/connection.h"
#include "predictor/belady.h"
#include "predictor/destination_numbers.h"
#include "predictor/evaluation.h"
#include "predictor/named_phases.h"

namespace hybrid {

class EvaluationGrid {
 public:
  /// `names`: registered predictors, or "belady" for the bound. `shape`: parameters; the grid sets
  /// destinations, capacity and future. `numbers` must outlive the grid and contain every connection. Throws
  /// UserError for an unknown name or an invalid shape.
  EvaluationGrid(const std::vector<std::string>& names, const std::vector<std::uint32_t>& capacities,
                 const PredictorShape& shape, const DestinationNumbers& numbers);

  /// Adds a send. Requires: time order for each source. If `phase` differs from that of the previous send,
  /// the predictors are notified of the phase first; a source begins outside all phases.
  void send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase = {});

  struct Sent {
    Port destination;
    Time at;
    Bytes bytes;
    std::uint64_t site;
    PhaseMark phase{};
  };
  /// Nanoseconds since any origin, which may differ between threads.
  using Clock = std::int64_t (*)();
  /// Adds several sends of one source, predictor by predictor: faster than one by one, with the same scores.
  /// With a clock, measures the time of each predictor (PredictorScore::spent_ns), except for rows that need
  /// the whole stream.
  void send(Port source, std::span<const Sent> sends, Clock clock = nullptr);
  /// Flushes the predictors of `source`; no effect before its first send.
  void flush(Port source, Time at);
  /// Memory of the stored streams.
  std::size_t stream_bytes() const;
  /// The scores, summed over the sources: a row for each name and capacity, in this order. Call it once.
  std::vector<PredictorScore> finish(Time end);

 private:
  struct Row {
    std::string name;
    PredictorShape shape;
    bool needs_stream;
    std::int64_t spent_ns = 0;
  };
  struct Source {
    std::vector<PredictorEvaluation> evaluations;  // of the rows that do not need the whole stream
    BeladyBound stream;
    PhaseMark phase;  // of the last send
  };

  Source& source_of(Port port);
  PredictorScore score_stream(const Row& row, const BeladyBound& stream, std::uint32_t destinations,
                              Time end) const;

  const DestinationNumbers& numbers_;
  std::vector<Row> rows_;
  bool keeps_stream_ = false;
  std::map<Port, Source> sources_;
  std::vector<Port> numbered_;  // scratch: numbers of the destinations
};

}  // namespace hybrid
