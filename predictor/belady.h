// BeladyBound: the largest number of hits that is possible by replacement alone: Belady's optimal replacement
// (MIN), computed from the whole stream.
//
// Assumptions: at most `capacity` destinations are held, and the destination of a message is held after its
// send (predictor.h; there is no bypass). Under these,
// - no predictor that requests a destination only at a send to it has more hits than MIN, which drops the
//   destination with the latest next use;
// - no predictor, with or without requests ahead, makes fewer requests than MIN has misses, because a request
//   ahead could be made at the send that uses it.
// A predictor that requests ahead may have more hits than MIN, with more requests: one that knows the next
// message hits every message but the first from capacity 2 on (the predictor `oracle`). A hit rate above 100
// % of this bound is therefore correct.
//
// MIN releases a destination at its last hit, so that none is held unused. A flush ends all holdings of MIN,
// too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "predictor/evaluation.h"

namespace hybrid {

/// The stream of one source. Its memory is proportional to the number of sends.
class BeladyBound {
 public:
  static constexpr const char* kName = "belady";
  /// During score(), in addition 4 bytes for each send, 4 for each destination, and a bit and at most 8 bytes
  /// for each place.
  static constexpr std::size_t kBytesPerSend = sizeof(Time) + sizeof(Port);

  /// Adds a send, in time order; a time before the previous one counts as the previous one. Throws UserError
  /// after 2^32 - 2 sends.
  void send(Time at, Port destination);
  void flush(Time at);
  const std::vector<Time>& times() const { return times_; }
  const std::vector<Port>& destinations() const { return destinations_; }
  struct Flush {
    std::uint32_t sends;  // number of sends before the flush
    Time at;
  };
  const std::vector<Flush>& flushes() const { return flushes_; }
  std::size_t bytes() const { return times_.size() * kBytesPerSend + flushes_.size() * sizeof(Flush); }

  /// The score as by PredictorEvaluation. Capacity 0: no limit. O(sends x log capacity).
  PredictorScore score(std::uint32_t capacity) const;

 private:
  std::vector<std::uint32_t> next_uses() const;

  std::vector<Time> times_;
  std::vector<Port> destinations_;
  std::vector<Flush> flushes_;
};

}  // namespace hybrid
