#include "predictor/parallel_grid.h"

#include <exception>
#include <thread>

namespace hybrid {

namespace {

// Calls work(i) for each i below `count` in parallel, work(0) on this thread. Then rethrows the exception of
// the lowest i that threw.
template <class Work>
void run_all(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> errors(count);
  const auto guarded = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < count; ++i) others.emplace_back([&guarded, i] { guarded(i); });
    guarded(0);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace

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
  run_all(parts_.size(), [this](std::size_t i) {
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
  run_all(parts_.size(), [&](std::size_t i) { scores[i] = parts_[i].grid.finish(end); });
  for (std::size_t i = 1; i < scores.size(); ++i)
    for (std::size_t row = 0; row < scores[i].size(); ++row) scores[0][row].add(scores[i][row]);
  return std::move(scores[0]);
}

}  // namespace hybrid
