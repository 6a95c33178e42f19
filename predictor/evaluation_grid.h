// Scores many predictors at many capacities on the streams of many sources: EvaluationGrid, with the numbers
// of the destinations (DestinationNumbers) and a version for several threads (ParallelGrid).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/connection.h"
#include "predictor/belady.h"
#include "predictor/evaluation.h"
#include "predictor/named_phases.h"

namespace hybrid {

/// DestinationNumbers: numbers the destinations of each source from 0, in the order of their first use.
///
/// The memory of a predictor is proportional to its number of destinations, which is limited. In a job with a
/// million ports, a source that sends to six of them needs a predictor for six destinations.
class DestinationNumbers {
 public:
  /// Numbers the destination of `connection`, if it has no number yet.
  void add(Connection connection) {
    Source& source = sources_[connection.source];
    source.try_emplace(connection.destination, static_cast<std::uint32_t>(source.size()));
  }
  /// Renumbers the destinations of each source in the order of the ports. Numbers in the order of first use
  /// would reveal the next destination to a predictor that computes with numbers (DestinationLine).
  void order_by_port() {
    for (auto& [port, source] : sources_) {
      std::vector<Port> destinations;
      for (const auto& [destination, number] : source) destinations.push_back(destination);
      std::sort(destinations.begin(), destinations.end());
      for (std::uint32_t i = 0; i < destinations.size(); ++i) source[destinations[i]] = i;
    }
  }
  /// The number of a destination. Throws std::out_of_range if it was not added.
  std::uint32_t of(Connection connection) const {
    return sources_.at(connection.source).at(connection.destination);
  }
  /// The number of destinations of `source`.
  std::uint32_t count(Port source) const {
    const auto found = sources_.find(source);
    return found == sources_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
  }

 private:
  using Source = std::unordered_map<Port, std::uint32_t>;
  std::unordered_map<Port, Source> sources_;
};

/// EvaluationGrid: scores every predictor at every capacity, and Belady's bound, on the streams of many
/// sources in one pass.
///
/// Memory: for each source, one predictor for every name and capacity, for the number of destinations of the
/// source. It does not grow with the trace, except for the bound and the oracle, which need the whole stream:
/// 12 bytes for each message for both together (BeladyBound::kBytesPerSend; see stream_bytes()), and 4 bytes
/// for each message of a source during the computation of its bound.
///
/// Sources are independent: several grids, each with a part of the sources, may run in parallel
/// (ParallelGrid), and PredictorScore::add combines their rows.
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

/// ParallelGrid: one EvaluationGrid for each thread, with a part of the sources. The scores do not depend on
/// the number of threads.
class ParallelGrid {
 public:
  static constexpr std::size_t kBatch = 1u << 16;

  /// As EvaluationGrid. Sends are collected in batches of `batch`. Requires: threads >= 1.
  ParallelGrid(const std::vector<std::string>& names, const std::vector<std::uint32_t>& capacities,
               const PredictorShape& shape, const DestinationNumbers& numbers, unsigned threads,
               EvaluationGrid::Clock clock = nullptr, std::size_t batch = kBatch);

  /// Adds a send. Requires: time order for each source. Throws the exceptions of EvaluationGrid::send(),
  /// possibly for an earlier send.
  void send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase = {});
  /// As EvaluationGrid::finish(). Call it once.
  std::vector<PredictorScore> finish(Time end);

 private:
  struct Part {
    EvaluationGrid grid;
    std::map<Port, std::vector<EvaluationGrid::Sent>> waiting;  // by source
  };
  void score_waiting();
  unsigned threads() const { return static_cast<unsigned>(parts_.size()); }

  std::vector<Part> parts_;
  std::map<Port, std::size_t> part_of_;  // by source: round robin, in the order of their first sends
  EvaluationGrid::Clock clock_;
  std::size_t batch_, waiting_ = 0;
};

}  // namespace hybrid
