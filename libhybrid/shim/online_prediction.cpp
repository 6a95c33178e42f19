#include "libhybrid/shim/online_prediction.h"

#include <sys/auxv.h>

#include <algorithm>
#include <utility>

namespace hybrid::shim {

void OnlinePrediction::start(std::unique_ptr<Predictor> predictor, std::vector<Port> port_of_rank,
                             std::int32_t own_rank, const TickScale& scale, bool concurrent, double share) {
  predictor_ = std::move(predictor);
  port_of_rank_ = std::move(port_of_rank);
  own_port_ = port_of_rank_[static_cast<std::size_t>(own_rank)];
  program_ = getauxval(AT_ENTRY);
  scale_ = scale;
  origin_ = ticks();
  concurrent_ = concurrent;
  held_ = PortSet(std::max(*std::max_element(port_of_rank_.begin(), port_of_rank_.end()) + 1, 2u));
  pace_ = WorkPace(share);
  if (predictor_ != nullptr) deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
}

void OnlinePrediction::predict(Thread& thread, Ticks now, std::uint32_t peer, std::uint64_t bytes,
                               std::int32_t tag) {
  if (inspected_sends != nullptr) inspected_sends->note_send(static_cast<std::int32_t>(peer));
  if (predictor_ == nullptr || peer >= port_of_rank_.size()) return;
  const Port port = port_of_rank_[peer];
  if (port == own_port_) return;  // stays inside the port, never reaches the switch
  if (!try_lock()) {
    skipped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Time time = monotonic(time_of(now));
  if (live_.active()) live_.count_send(port);
  if (time < paused_until_) {
    skipped_.fetch_add(1, std::memory_order_relaxed);
  } else {
    waiting_[waiting_count_++] = {time, bytes, site(tag), port, held_.test(port)};
    if (waiting_count_ >= most_waiting_ || !held_.test(port) ||
        time >= deadline_.load(std::memory_order_relaxed))
      catch_up(thread, now);
  }
  unlock();
}

void OnlinePrediction::catch_up(Thread& thread, Ticks now) {
  if (waiting_count_ == 0) return;
  const Ticks begin = ticks();
  bool decided = false;
  for (const Send& send : std::span(waiting_).first(waiting_count_)) {
    if (send.time >= predictor_->next_deadline()) [[unlikely]]
      decided |= decide(thread, now, predictor_->on_time(send.time));
    ++counts_.sends;
    if (send.held) ++counts_.hits;
    decided |= decide(thread, now, predictor_->on_send(send.time, send.port, send.bytes, send.site));
  }
  const std::size_t sends = std::exchange(waiting_count_, 0);
  most_waiting_ = decided ? 1 : std::min(2 * most_waiting_, kMostWaiting);
  deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
  const Ticks end = ticks();
  const Time pause = pace_.after(Time{scale_.picoseconds(end - begin)}, time_of(end), sends);
  if (pause == Time{}) return;
  paused_until_ = time_of(end) + pause;
  if (!counts_.paused_since) counts_.paused_since = time_of(end);
}

bool OnlinePrediction::decide(Thread& thread, Ticks now, const Predictor::Decisions& decisions) {
  for (const Port port : decisions.release) {
    ++counts_.releases;
    held_.reset(port);
    thread.decision(EventKind::predict_release, port, now);
    if (live_.active()) live_.release(port);
  }
  for (const Port port : decisions.request) {
    ++counts_.requests;
    held_.set(port);
    thread.decision(EventKind::predict_request, port, now);
    if (live_.active()) live_.request(port);
  }
  return !decisions.release.empty() || !decisions.request.empty();
}

void OnlinePrediction::preload(Thread& thread, std::span<const int> ranks) {
  if (!live_.active()) return;
  // Waits: preloads are rare, and must not be lost because another thread sends at the same time.
  while (!try_lock()) {
  }
  catch_up(thread, ticks());  // a release must not follow the preload
  for (const int rank : ranks) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= port_of_rank_.size()) continue;
    const Port port = port_of_rank_[static_cast<std::size_t>(rank)];
    if (port != own_port_) live_.preload(port);
  }
  unlock();
}

void OnlinePrediction::finish(Thread& thread) {
  if (predictor_ == nullptr) return;
  while (!try_lock()) {  // another thread's last send
  }
  catch_up(thread, ticks());
  unlock();
}

void OnlinePrediction::flush(Thread& thread) {
  if (predictor_ == nullptr || !try_lock()) return;
  catch_up(thread, ticks());
  predictor_->on_flush();
  held_.clear();
  deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
  if (live_.active()) live_.flush();
  unlock();
}

}  // namespace hybrid::shim
