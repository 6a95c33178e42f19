// The predictor of this rank at work (D 5.2.2): sees every send as it is made, its decisions go to the
// journal and to the live scheduler. Knows no MPI type.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "libhybrid/live/client.h"
#include "libhybrid/shim/outermost_call.h"
#include "libhybrid/shim/thread.h"
#include "predictor/predictor.h"

namespace hybrid::shim {

/// What the predictor did, for the recording's properties.
struct PredictionCounts {
  std::uint64_t sends = 0;  // shown to the predictor: to another port
  std::uint64_t hits = 0;   // of which the destination was held
  std::uint64_t requests = 0;
  std::uint64_t releases = 0;
  std::uint64_t skipped = 0;  // another thread was inside
};

/// One a process, as a network interface would have one. Threads that send at the same moment never wait for
/// each other: the second one's send is not shown to the predictor, only counted.
class OnlinePrediction {
 public:
  OnlinePrediction() = default;

  /// `port_of_rank` by world rank. A null predictor predicts nothing. `concurrent`: several threads may send
  /// at once.
  void start(std::unique_ptr<Predictor> predictor, std::vector<Port> port_of_rank, std::int32_t own_rank,
             const TickScale& scale, bool concurrent);
  void connect(const LiveClient& live) { live_ = live; }

  /// A message to world rank `peer` is about to leave.
  void sending(Thread& thread, Ticks now, std::int32_t peer, std::uint64_t bytes, std::int32_t tag) {
    if (predictor_ == nullptr || static_cast<std::uint32_t>(peer) >= port_of_rank_.size()) return;
    const Port port = port_of_rank_[static_cast<std::uint32_t>(peer)];
    if (port == own_port_) return;  // stays inside the port, never reaches the switch
    if (!enter()) {
      skipped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const Time time = later(time_of(now));
    if (time >= deadline_.load(std::memory_order_relaxed)) [[unlikely]]
      decide(thread, now, predictor_->on_time(time));
    ++counts_.sends;
    if (predictor_->holds(port)) ++counts_.hits;
    if (live_.active()) live_.count_send(port);
    const Predictor::Decisions decisions = predictor_->on_send(time, port, bytes, site(tag));
    if (!decisions.release.empty() || !decisions.request.empty()) decide(thread, now, decisions);
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    leave();
  }

  /// Time passes in a call that sends nothing.
  void pass(Thread& thread, Ticks now) {
    if (predictor_ == nullptr) return;
    const Time deadline = deadline_.load(std::memory_order_relaxed);
    if (deadline == Time::never() || time_of(now) < deadline || !enter()) return;
    decide(thread, now, predictor_->on_time(later(time_of(now))));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    leave();
  }

  /// Does the predictor make anything of phases?
  bool takes_phases() const { return predictor_ != nullptr && predictor_->takes_phases(); }
  /// The program comes to a phase, by the number that its name has (Predictor::on_phase).
  void come_to_phase(Thread& thread, Ticks now, std::uint32_t phase) {
    if (predictor_ == nullptr || !enter()) return;
    decide(thread, now, predictor_->on_phase(later(time_of(now)), phase));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    leave();
  }

  /// World ranks of the working set that begins: for the live scheduler, beside what is predicted.
  void preload(std::span<const int> ranks, Ticks now);

  /// The working set ends here (D 5.2.3).
  void flush(Ticks now);

  /// Predicts nothing from here on.
  void stop() { predictor_.reset(); }

  /// When no thread sends any more.
  PredictionCounts counts() const {
    PredictionCounts all = counts_;
    all.skipped = skipped_.load(std::memory_order_relaxed);
    return all;
  }

 private:
  bool enter() { return !concurrent_ || !busy_.test_and_set(std::memory_order_acquire); }
  void leave() {
    if (concurrent_) busy_.clear(std::memory_order_release);
  }
  /// What tells sends apart beside their destinations: the place of the call, and the tag, as one place may
  /// send for many purposes (from Fortran, all do). The same in every run, wherever the program is loaded.
  std::uint64_t site(std::int32_t tag) const {
    return (call_site() - program_) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint32_t>(tag);
  }
  Time time_of(Ticks now) const { return Time{now > origin_ ? scale_.picoseconds(now - origin_) : 0}; }
  /// Between enter and leave. The predictor's time never decreases, and threads read their clocks before they
  /// get here.
  Time later(Time time) {
    latest_ = std::max(latest_, time);
    return latest_;
  }
  void decide(Thread& thread, Ticks now, const Predictor::Decisions& decisions);

  std::unique_ptr<Predictor> predictor_;
  std::vector<Port> port_of_rank_;
  Port own_port_ = kNoPort;
  std::uint64_t program_ = 0;  // an address in the program's executable
  TickScale scale_;
  Ticks origin_ = 0;
  Time latest_{0};
  std::atomic<Time> deadline_{Time::never()};  // also read outside
  LiveClient live_;
  PredictionCounts counts_;
  bool concurrent_ = false;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> skipped_{0};
};

}  // namespace hybrid::shim
