#include "libhybrid/shim/online_prediction.h"

#include <sys/auxv.h>

#include <utility>

namespace hybrid::shim {

void OnlinePrediction::start(std::unique_ptr<Predictor> predictor, std::vector<Port> port_of_rank,
                             std::int32_t own_rank, const TickScale& scale, bool concurrent) {
  predictor_ = std::move(predictor);
  port_of_rank_ = std::move(port_of_rank);
  own_port_ = port_of_rank_[static_cast<std::size_t>(own_rank)];
  program_ = getauxval(AT_ENTRY);
  scale_ = scale;
  origin_ = ticks();
  concurrent_ = concurrent;
  if (predictor_ != nullptr) deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
}

void OnlinePrediction::decide(Thread& thread, Ticks now, const Predictor::Decisions& decisions) {
  for (const Port port : decisions.release) {
    ++counts_.releases;
    thread.decision(EventKind::predict_release, port, now);
    if (live_.active()) live_.release(port);
  }
  for (const Port port : decisions.request) {
    ++counts_.requests;
    thread.decision(EventKind::predict_request, port, now);
    if (live_.active()) live_.request(port);
  }
}

void OnlinePrediction::preload(std::span<const int> ranks) {
  if (!live_.active()) return;
  // Waits: preloads are rare, and must not be lost because another thread sends at the same time.
  while (!try_lock()) {
  }
  for (const int rank : ranks) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= port_of_rank_.size()) continue;
    const Port port = port_of_rank_[static_cast<std::size_t>(rank)];
    if (port != own_port_) live_.preload(port);
  }
  unlock();
}

void OnlinePrediction::flush() {
  if (predictor_ == nullptr || !try_lock()) return;
  predictor_->on_flush();
  deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
  if (live_.active()) live_.flush();
  unlock();
}

}  // namespace hybrid::shim
