// Operations and whole jobs in memory for tests, and their replay on a network with a fixed latency.
#pragma once

#include <string>

#include "core/error.h"
#include "core/random.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {

inline Operation make(Operation::Kind kind, std::uint32_t peer = 0, Bytes bytes = 0, Time compute = {},
                      std::uint64_t request = 0) {
  Operation o;
  o.kind = kind;
  o.peer = peer;
  o.bytes = bytes;
  o.compute = compute;
  o.request = request;
  return o;
}
inline Operation tagged(Operation o, std::int32_t tag) {
  o.tag = tag;
  return o;
}
inline Operation collective(CollectiveOp op, Bytes bytes, Operation::Kind kind = Operation::Kind::collective,
                            std::uint64_t request = 0) {
  Operation o = make(kind, 0, bytes, {}, request);
  o.collective = op;
  return o;
}
inline Operation make_phase(Operation::Kind kind, std::uint32_t region, Time compute = {}) {
  Operation o = make(kind, 0, 0, compute);
  o.region = region;
  return o;
}

/// A posted receive whose match is known.
inline Operation matched_post(std::uint32_t peer, std::uint64_t request) {
  Operation o = make(Operation::Kind::recv_post, peer, 0, {}, request);
  o.matched = true;
  return o;
}

inline Operation finish(Time compute = {}) { return make(Operation::Kind::finish, 0, 0, compute); }

/// Adds a random program that cannot deadlock: rounds of nonblocking transfers along a random rotation, and
/// collectives, which may be nonblocking. For tests that hold for any seed.
inline void random_job(MemoryTrace& trace, std::uint64_t seed, bool nonblocking_collectives = true) {
  Random random(seed);
  const std::uint32_t ranks = trace.ranks();
  for (int i = 0; i < 60; ++i) {
    const auto shift = static_cast<std::uint32_t>(random.below(ranks));
    const auto tag = static_cast<std::int32_t>(random.below(3));
    const Bytes bytes = random.below(5000);
    const auto op = static_cast<CollectiveOp>(random.below(17));
    const auto root = static_cast<std::uint32_t>(random.below(ranks));
    const bool nonblocking = random.below(2) == 0 && nonblocking_collectives;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const Time compute = nanoseconds(static_cast<std::int64_t>(random.below(3000)));
      trace.add(r, tagged(make(Operation::Kind::send_start, (r + shift) % ranks, bytes, compute, 1), tag));
      Operation c = collective(
          op, bytes, nonblocking ? Operation::Kind::collective_start : Operation::Kind::collective, 2);
      c.peer = root;
      if (op == CollectiveOp::allgatherv || op == CollectiveOp::reduce_scatter)
        c.counts_received.assign(ranks, bytes / 3);
      trace.add(r, c);
      trace.add(r, tagged(make(Operation::Kind::recv, (r + ranks - shift) % ranks, bytes), tag));
      if (nonblocking) trace.add(r, make(Operation::Kind::collective_complete, 0, 0, {}, 2));
      trace.add(r, make(Operation::Kind::send_complete, 0, 0, {}, 1));
    }
  }
  for (std::uint32_t r = 0; r < ranks; ++r) trace.add(r, finish());
}

inline constexpr Time kLatency = FixedLatency::kLatency;

/// Replays a job with technique "fixed-latency" (FixedLatency; replay_test.cpp registers it).
inline ReplayResult run(JobTrace& trace, const ReplayOptions& options = {}) {
  SwitchParameters parameters;
  parameters.technique = "fixed-latency";
  return replay(trace, parameters, options);
}

inline std::string error_of(JobTrace& trace, const ReplayOptions& options = {}) {
  try {
    run(trace, options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace hybrid
