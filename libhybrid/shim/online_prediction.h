// The predictor of this rank while the job runs (D 5.2.2). It is notified of every send; its decisions go to
// the journal and to the live scheduler. Knows no MPI type.
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
#include "libhybrid/shim/inspected_sends.h"
#include "libhybrid/shim/interposition.h"
#include "libhybrid/shim/thread.h"
#include "predictor/predictor.h"

namespace hybrid::shim {

/// Counts of the predictor, for the recording's properties.
struct PredictionCounts {
  std::uint64_t sends = 0;  // to another port, and passed to the predictor
  std::uint64_t hits = 0;   // sends to a destination that was held
  std::uint64_t requests = 0;
  std::uint64_t releases = 0;
  std::uint64_t skipped = 0;  // sends not passed to the predictor: another thread used it
};

/// Predictor of a process, as a network interface would have one. Threads that send at the same time do not
/// wait for each other: the send of the second thread is only counted.
class OnlinePrediction {
 public:
  OnlinePrediction() = default;

  /// Starts `predictor`; nullptr predicts nothing. `port_of_rank` is indexed by world rank. `concurrent`:
  /// several threads may send at once.
  void start(std::unique_ptr<Predictor> predictor, std::vector<Port> port_of_rank, std::int32_t own_rank,
             const TickScale& scale, bool concurrent);
  void connect(const LiveClient& live) { live_ = live; }

  /// Handles a message to world rank `peer` that is about to be sent.
  void on_send(Thread& thread, Ticks now, std::int32_t peer, std::uint64_t bytes, std::int32_t tag) {
    if (inspected_sends != nullptr) inspected_sends->note_send(peer);
    if (predictor_ == nullptr || static_cast<std::uint32_t>(peer) >= port_of_rank_.size()) return;
    const Port port = port_of_rank_[static_cast<std::uint32_t>(peer)];
    if (port == own_port_) return;  // stays inside the port, never reaches the switch
    if (!try_lock()) {
      skipped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const Time time = monotonic(time_of(now));
    if (time >= deadline_.load(std::memory_order_relaxed)) [[unlikely]]
      decide(thread, now, predictor_->on_time(time));
    ++counts_.sends;
    if (predictor_->holds(port)) ++counts_.hits;
    if (live_.active()) live_.count_send(port);
    const Predictor::Decisions decisions = predictor_->on_send(time, port, bytes, site(tag));
    if (!decisions.release.empty() || !decisions.request.empty()) decide(thread, now, decisions);
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    unlock();
  }

  /// Handles a call that sends nothing: only time has passed.
  void on_time(Thread& thread, Ticks now) {
    if (predictor_ == nullptr) return;
    const Time deadline = deadline_.load(std::memory_order_relaxed);
    if (deadline == Time::never() || time_of(now) < deadline || !try_lock()) return;
    decide(thread, now, predictor_->on_time(monotonic(time_of(now))));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    unlock();
  }

  /// Whether the predictor uses phases.
  bool takes_phases() const { return predictor_ != nullptr && predictor_->takes_phases(); }
  /// Handles a change of phase. `phase`: number of its name (Predictor::on_phase).
  void on_phase(Thread& thread, Ticks now, std::uint32_t phase) {
    if (predictor_ == nullptr || !try_lock()) return;
    decide(thread, now, predictor_->on_phase(monotonic(time_of(now)), phase));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    unlock();
  }

  /// Passes the world ranks of the working set that begins to the live scheduler, in addition to the
  /// predictions.
  void preload(std::span<const int> ranks);

  /// Ends the working set (D 5.2.3).
  void flush();

  /// Stops predicting.
  void stop() { predictor_.reset(); }

  /// Returns the counts. Precondition: no thread sends any more.
  PredictionCounts counts() const {
    PredictionCounts all = counts_;
    all.skipped = skipped_.load(std::memory_order_relaxed);
    return all;
  }

 private:
  bool try_lock() { return !concurrent_ || !busy_.test_and_set(std::memory_order_acquire); }
  void unlock() {
    if (concurrent_) busy_.clear(std::memory_order_release);
  }
  /// Identifies the purpose of a send: call site and tag, because one call site may serve many purposes (from
  /// Fortran, all calls have the same site). Independent of the address where the program is loaded.
  std::uint64_t site(std::int32_t tag) const {
    return (call_site() - program_) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint32_t>(tag);
  }
  Time time_of(Ticks now) const { return Time{now > origin_ ? scale_.picoseconds(now - origin_) : 0}; }
  /// Makes the predictor's time monotonic: threads read their clocks before they take the lock. Precondition:
  /// the lock is held.
  Time monotonic(Time time) {
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
  std::atomic<Time> deadline_{Time::never()};  // also read without the lock
  LiveClient live_;
  PredictionCounts counts_;
  bool concurrent_ = false;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> skipped_{0};
};

}  // namespace hybrid::shim
