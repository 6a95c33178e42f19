#include "predictor/evaluation_grid.h"

#include "core/parallel.h"
#include "predictor/reference_predictors.h"

namespace hybrid {

EvaluationGrid::EvaluationGrid(const std::vector<std::string>& names,
                               const std::vector<std::uint32_t>& capacities, const PredictorShape& shape,
                               const DestinationNumbers& numbers)
    : numbers_(numbers) {
  static constexpr Port kSome[] = {0};
  for (const std::string& name : names) {
    const bool is_bound = name == BeladyBound::kName;
    const bool needs_stream = is_bound || name == kOracle;
    for (std::uint32_t capacity : capacities) {
      Row& row = rows_.emplace_back(name, shape, needs_stream);
      row.shape.capacity = capacity;
      row.shape.destinations = 1;
      row.shape.future = kSome;
      if (!is_bound)
        PredictorEvaluation(name, row.shape);  // throws for an unknown name before the first send
    }
    keeps_stream_ = keeps_stream_ || needs_stream;
  }
}

EvaluationGrid::Source& EvaluationGrid::source_of(Port port) {
  const auto [found, is_new] = sources_.try_emplace(port);
  Source& source = found->second;
  if (is_new)
    for (Row& row : rows_) {
      if (row.needs_stream) continue;
      row.shape.destinations = numbers_.count(port);
      source.evaluations.emplace_back(row.name, row.shape);
    }
  return source;
}

void EvaluationGrid::send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase) {
  const Sent sent{connection.destination, at, bytes, site, phase};
  send(connection.source, {&sent, 1});
}

void EvaluationGrid::send(Port port, std::span<const Sent> sends, Clock clock) {
  Source& source = source_of(port);
  numbered_.clear();
  for (const Sent& sent : sends) {
    numbered_.push_back(numbers_.of({port, sent.destination}));
    if (keeps_stream_) source.stream.send(sent.at, numbered_.back());
  }
  auto evaluation = source.evaluations.begin();
  for (Row& row : rows_) {
    if (row.needs_stream) continue;
    const std::int64_t start = clock == nullptr ? 0 : clock();
    PhaseMark phase = source.phase;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (sends[i].phase != phase) {
        phase = sends[i].phase;
        evaluation->phase(sends[i].at, phase.phase);
      }
      evaluation->send(sends[i].at, numbered_[i], sends[i].bytes, sends[i].site);
    }
    if (clock != nullptr) row.spent_ns += clock() - start;
    ++evaluation;
  }
  if (!sends.empty()) source.phase = sends.back().phase;
}

void EvaluationGrid::flush(Port port, Time at) {
  const auto found = sources_.find(port);
  if (found == sources_.end()) return;
  if (keeps_stream_) found->second.stream.flush(at);
  for (PredictorEvaluation& evaluation : found->second.evaluations) evaluation.flush(at);
}

std::size_t EvaluationGrid::stream_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [port, source] : sources_) bytes += source.stream.bytes();
  return bytes;
}

PredictorScore EvaluationGrid::score_stream(const Row& row, const BeladyBound& stream,
                                            std::uint32_t destinations, Time end) const {
  if (row.name == BeladyBound::kName) return stream.score(row.shape.capacity);
  PredictorShape shape = row.shape;
  shape.destinations = destinations;
  shape.future = stream.destinations();
  PredictorEvaluation evaluation(row.name, shape);
  auto flush = stream.flushes().begin();
  for (std::size_t i = 0; i < stream.times().size(); ++i) {
    for (; flush != stream.flushes().end() && flush->sends <= i; ++flush) evaluation.flush(flush->at);
    evaluation.send(stream.times()[i], stream.destinations()[i], 0, 0);
  }
  for (; flush != stream.flushes().end(); ++flush) evaluation.flush(flush->at);
  return evaluation.finish(end);
}

std::vector<PredictorScore> EvaluationGrid::finish(Time end) {
  std::vector<PredictorScore> scores(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    scores[i].predictor = rows_[i].name;
    scores[i].capacity = rows_[i].shape.capacity;
    scores[i].spent_ns = rows_[i].spent_ns;
  }
  for (auto& [port, source] : sources_) {
    auto evaluation = source.evaluations.begin();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      scores[i].add(rows_[i].needs_stream ? score_stream(rows_[i], source.stream, numbers_.count(port), end)
                                          : (evaluation++)->finish(end));
  }
  return scores;
}

ParallelGrid::ParallelGrid(const std::vector<std::string>& names,
                           const std::vector<std::uint32_t>& capacities, const PredictorShape& shape,
                           const DestinationNumbers& numbers, unsigned threads, EvaluationGrid::Clock clock,
                           std::size_t batch)
    : clock_(clock), batch_(batch) {
  for (unsigned t = 0; t < threads; ++t)
    parts_.push_back({EvaluationGrid(names, capacities, shape, numbers), {}});
}

void ParallelGrid::send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase) {
  const std::size_t part =
      part_of_.try_emplace(connection.source, part_of_.size() % parts_.size()).first->second;
  parts_[part].waiting[connection.source].push_back({connection.destination, at, bytes, site, phase});
  if (++waiting_ >= batch_) score_waiting();
}

void ParallelGrid::score_waiting() {
  run_parallel(parts_.size(), threads(), [this](std::size_t i) {
    Part& part = parts_[i];
    for (auto& [source, sends] : part.waiting) {
      if (sends.empty()) continue;
      part.grid.send(source, sends, clock_);
      sends.clear();
    }
  });
  waiting_ = 0;
}

std::vector<PredictorScore> ParallelGrid::finish(Time end) {
  score_waiting();
  std::vector<std::vector<PredictorScore>> scores(parts_.size());
  run_parallel(parts_.size(), threads(), [&](std::size_t i) { scores[i] = parts_[i].grid.finish(end); });
  for (std::size_t i = 1; i < scores.size(); ++i)
    for (std::size_t row = 0; row < scores[i].size(); ++row) scores[0][row].add(scores[i][row]);
  return std::move(scores[0]);
}

}  // namespace hybrid
