// The predictor of this rank while the job runs (D 5.2.2). It is notified of every send; its decisions go to
// the journal and to the live scheduler. Knows no MPI type.
//
// Where ranks share a core, a predictor costs microseconds for a send, because its memory is no longer in the
// cache. So it is not notified of each send alone while it decides nothing: the next sends to destinations
// that it holds wait until there are twice as many as last time, up to 64. A send to another destination, a
// deadline or a hint ends the wait, and a decision sets the number back to 1. The predictor sees the same
// sends with the same times; a request ahead may be up to 63 sends late.
//
// If it still takes more than its share of the time, it pauses (WorkPace).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
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
  std::uint64_t skipped = 0;  // sends not passed to the predictor: another thread used it, or it paused
  std::optional<Time> paused_since;  // time of the first pause, from the start
};

/// Limits work to a share of the time: work that takes more pauses. The share is that of the time since the
/// start, or of a second if that is longer, so that a short job is not cut off by its first calls.
class WorkPace {
 public:
  static constexpr Time kLeastTime = milliseconds(1000);
  static constexpr Time kShortestPause = milliseconds(10);
  /// Work of one unit that takes longer was interrupted: the thread did not run for most of it.
  static constexpr Time kInterrupted = microseconds(50);

  explicit WorkPace(double share) : share_(share) {}
  /// Notes that work of so many units took `took` until `elapsed` after the start. Returns the length of the
  /// pause that follows, which is 0 or at least kShortestPause.
  Time after(Time took, Time elapsed, std::size_t units = 1) {
    if (took > kInterrupted * static_cast<std::int64_t>(units)) return Time{};
    spent_ += took;
    if (static_cast<double>(spent_.ps) <= share_ * static_cast<double>(std::max(elapsed, kLeastTime).ps))
      return Time{};
    const double earned = static_cast<double>(spent_.ps) / share_;
    constexpr double kLongest = 1e17;  // a day
    const Time wait = Time{static_cast<std::int64_t>(std::min(earned, kLongest))} - elapsed;
    return std::max(wait, Time{}) + kShortestPause;
  }

 private:
  double share_;
  Time spent_{};
};

/// Predictor of a process, as a network interface would have one. Threads that send at the same time do not
/// wait for each other: the send of the second thread is only counted.
class OnlinePrediction {
 public:
  OnlinePrediction() = default;

  /// Starts `predictor`; nullptr predicts nothing. `port_of_rank` is indexed by world rank. `concurrent`:
  /// several threads may send at once. `share`: of the rank's time, for the predictor.
  void start(std::unique_ptr<Predictor> predictor, std::vector<Port> port_of_rank, std::int32_t own_rank,
             const TickScale& scale, bool concurrent, double share = 1);
  void connect(const LiveClient& live) { live_ = live; }

  /// Handles a message to world rank `peer` that is about to be sent.
  [[gnu::always_inline]] void on_send(Thread& thread, Ticks now, std::int32_t peer, std::uint64_t bytes,
                                      std::int32_t tag) {
    if (peer >= 0) predict(thread, now, static_cast<std::uint32_t>(peer), bytes, tag);
  }

  /// Handles a call that sends nothing: only time has passed.
  void on_time(Thread& thread, Ticks now) {
    if (predictor_ == nullptr) return;
    const Time deadline = deadline_.load(std::memory_order_relaxed);
    if (deadline == Time::never() || time_of(now) < deadline || !try_lock()) return;
    const Time time = monotonic(time_of(now));
    catch_up(thread, now);
    if (time >= predictor_->next_deadline()) decide(thread, now, predictor_->on_time(time));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    unlock();
  }

  /// Whether the predictor uses phases.
  bool takes_phases() const { return predictor_ != nullptr && predictor_->takes_phases(); }
  /// Handles a change of phase. `phase`: number of its name (Predictor::on_phase).
  void on_phase(Thread& thread, Ticks now, std::uint32_t phase) {
    if (predictor_ == nullptr || !try_lock()) return;
    catch_up(thread, now);
    decide(thread, now, predictor_->on_phase(monotonic(time_of(now)), phase));
    deadline_.store(predictor_->next_deadline(), std::memory_order_relaxed);
    unlock();
  }

  /// Passes the world ranks of the working set that begins to the live scheduler, in addition to the
  /// predictions.
  void preload(Thread& thread, std::span<const int> ranks);

  /// Ends the working set (D 5.2.3).
  void flush(Thread& thread);

  /// Notifies the predictor of the sends that wait, at the end of the recording.
  void finish(Thread& thread);

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
  void predict(Thread& thread, Ticks now, std::uint32_t peer, std::uint64_t bytes, std::int32_t tag);
  /// Notifies the predictor of the sends that wait, and decides when it is notified again. Precondition: the
  /// lock is held.
  void catch_up(Thread& thread, Ticks now);
  /// Returns whether there are decisions.
  bool decide(Thread& thread, Ticks now, const Predictor::Decisions& decisions);

  struct Send {
    Time time;
    Bytes bytes;
    std::uint64_t site;
    Port port;
    bool held;  // by the predictor when the message was sent
  };
  static constexpr std::size_t kMostWaiting = 64;

  // What every call needs comes first, in few cache lines.
  std::unique_ptr<Predictor> predictor_;
  std::atomic<Time> deadline_{Time::never()};  // also read without the lock
  std::vector<Port> port_of_rank_;
  Port own_port_ = kNoPort;
  bool concurrent_ = false;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  Ticks origin_ = 0;
  TickScale scale_;
  Time latest_{0}, paused_until_{0};
  std::size_t waiting_count_ = 0, most_waiting_ = 1;
  std::uint64_t program_ = 0;  // an address in the program's executable
  LiveClient live_;
  PortSet held_;  // by the predictor
  std::array<Send, kMostWaiting> waiting_;
  WorkPace pace_{1};
  PredictionCounts counts_;
  std::atomic<std::uint64_t> skipped_{0};
};

}  // namespace hybrid::shim
