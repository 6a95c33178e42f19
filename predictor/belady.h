// The most hits that replacement alone can have: Belady's optimal replacement (MIN), from the whole stream.
//
// What is bounded. At most `capacity` destinations are held. The message that is sent needs its connection:
// its destination is held afterwards, whatever was held before (predictor.h; there is no bypass). Then
// - among all who request a destination only when a message goes there, nobody hits more often than MIN,
//   which drops the one that is needed again last;
// - nobody at all, requesting ahead or not, makes fewer requests than MIN has misses: a request made ahead
//   could have been made at the send that uses it.
// Who requests ahead may hit more often than MIN, for more requests: who knows the next message hits all but
// the first from capacity 2 on (the predictor `oracle`). So a hit rate above 100 % of this bound is no
// mistake.
//
// MIN releases what it will not hit again at once, so that nothing is held unused. A flush ends every
// holding, for MIN too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "predictor/evaluation.h"

namespace hybrid {

/// One source's stream. The only part of an evaluation whose memory grows with the trace.
class BeladyBound {
 public:
  static constexpr const char* kName = "belady";
  /// While score() runs, another 4 bytes a send and 4 a destination, and a bit and at most 8 bytes a place.
  static constexpr std::size_t kBytesPerSend = sizeof(Time) + sizeof(Port);

  /// In time order; a time before the previous one counts as the previous one. Throws UserError beyond 2^32 -
  /// 2 sends.
  void send(Time at, Port destination);
  void flush(Time at);
  const std::vector<Time>& times() const { return times_; }
  const std::vector<Port>& destinations() const { return destinations_; }
  struct Flush {
    std::uint32_t sends;  // before it
    Time at;
  };
  const std::vector<Flush>& flushes() const { return flushes_; }
  std::size_t bytes() const { return times_.size() * kBytesPerSend + flushes_.size() * sizeof(Flush); }

  /// As PredictorEvaluation scores. O(sends x log capacity). Capacity 0: no limit.
  PredictorScore score(std::uint32_t capacity) const;

 private:
  std::vector<std::uint32_t> next_uses() const;

  std::vector<Time> times_;
  std::vector<Port> destinations_;
  std::vector<Flush> flushes_;
};

}  // namespace hybrid
