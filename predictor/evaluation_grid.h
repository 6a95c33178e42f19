// Every predictor at every capacity, and Belady's bound, on the streams of many sources in one pass.
//
// Memory does not grow with the trace, but for what needs the whole stream: the bound and the oracle, 12
// bytes a message between them (BeladyBound::kBytesPerSend; stream_bytes() says how much), and while one
// source's bound is computed 4 bytes for each of its messages. It does grow with the sources: by one
// predictor each for every name and capacity, built for as many destinations as the source has.
//
// Sources do not know of each other: several grids, each with some of the sources, may work in parallel, and
// PredictorScore::add puts their rows together.
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
  /// `names`: registered predictors, or "belady" for the bound. `shape`: its destinations, capacity and
  /// future are set by the grid. `numbers` must outlive the grid and know every connection. Throws UserError
  /// for an unknown name or an impossible shape.
  EvaluationGrid(const std::vector<std::string>& names, const std::vector<std::uint32_t>& capacities,
                 const PredictorShape& shape, const DestinationNumbers& numbers);

  /// In time order for each source. Where `phase` is another one than that of the send before, predictors are
  /// told of it first; a source begins outside all phases.
  void send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase = {});

  struct Sent {
    Port destination;
    Time at;
    Bytes bytes;
    std::uint64_t site;
    PhaseMark phase{};
  };
  /// Nanoseconds, from any start; may differ from thread to thread.
  using Clock = std::int64_t (*)();
  /// All of them from one source, predictor by predictor: quicker than one by one, and to the same scores.
  /// With a clock, what a predictor takes is measured (PredictorScore::spent_ns); what needs the whole stream
  /// is not.
  void send(Port source, std::span<const Sent> sends, Clock clock = nullptr);
  /// A source that has sent nothing holds nothing: it is passed over.
  void flush(Port source, Time at);
  /// What is stored of the streams.
  std::size_t stream_bytes() const;
  /// Once. A row for each name and capacity, in this order, summed over the sources.
  std::vector<PredictorScore> finish(Time end);

 private:
  struct Row {
    std::string name;
    PredictorShape shape;
    bool needs_stream;
    std::int64_t spent_ns = 0;
  };
  struct Source {
    std::vector<PredictorEvaluation> evaluations;  // of the rows that need no stream
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
  std::vector<Port> numbered_;  // destinations of the sends at hand
};

}  // namespace hybrid
