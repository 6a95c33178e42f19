// Symbolic execution of a collective: a network that delivers in order, ranks that perform their rounds, and
// the set of contributions that each rank has. Independent of the replay's driver.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "emulator/replay/collective.h"

namespace hybrid {

/// Data of a transfer, and their effect on the receiver.
struct Meaning {
  /// Snapshot of the transfer's data in the sender's state before the round.
  std::function<std::vector<std::set<std::uint32_t>>(std::uint32_t rank, const Transfer&)> read;
  std::function<void(std::uint32_t rank, const Transfer&, const std::vector<std::set<std::uint32_t>>&)> write;
};

struct Job {
  std::vector<CollectiveCall> calls;  // by rank
  const CollectiveAlgorithm* algorithm;
};

struct CollectiveTraffic {
  std::vector<Bytes> sent;
  std::uint64_t messages = 0;
};

/// Runs all ranks. Fails the test on a deadlock, on different sizes at sender and receiver, on a message
/// without a receive, and on a message of a rank to itself.
inline CollectiveTraffic play(const Job& job, const Meaning& meaning) {
  struct InFlight {
    Transfer transfer;
    std::vector<std::set<std::uint32_t>> data;
  };
  const auto ranks = static_cast<std::uint32_t>(job.calls.size());
  std::vector<std::vector<std::deque<InFlight>>> wires(ranks, std::vector<std::deque<InFlight>>(ranks));
  struct State {
    std::uint32_t next = 0, rounds = 0;
    bool open = false;
    Round round;
    std::vector<bool> got;
  };
  std::vector<State> states(ranks);
  CollectiveTraffic traffic{std::vector<Bytes>(ranks), 0};
  for (std::uint32_t r = 0; r < ranks; ++r) states[r].rounds = job.algorithm->rounds(job.calls[r]);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      State& s = states[r];
      if (!s.open) {
        if (s.next == s.rounds) continue;
        s.round.clear();
        job.algorithm->round(job.calls[r], s.next++, s.round);
        s.got.assign(s.round.receives.size(), false);
        s.open = progress = true;
        for (const Transfer& t : s.round.sends) {
          EXPECT_LT(t.peer, ranks);
          EXPECT_NE(t.peer, r);
          wires[r][t.peer].push_back({t, meaning.read(r, t)});
          traffic.sent[r] += t.bytes;
          ++traffic.messages;
        }
      }
      bool all = true;
      for (std::size_t i = 0; i < s.round.receives.size(); ++i) {
        if (s.got[i]) continue;
        const Transfer& t = s.round.receives[i];
        auto& wire = wires[t.peer][r];
        if (wire.empty()) {
          all = false;
          continue;
        }
        EXPECT_EQ(wire.front().transfer.bytes, t.bytes) << "from " << t.peer << " to " << r;
        meaning.write(r, t, wire.front().data);
        wire.pop_front();
        s.got[i] = progress = true;
      }
      if (all) {
        s.open = false;
        progress = true;
      }
    }
    bool done = true;
    for (const State& s : states) done = done && !s.open && s.next == s.rounds;
    if (done) break;
  }
  for (std::uint32_t r = 0; r < ranks; ++r) {
    EXPECT_EQ(states[r].next, states[r].rounds) << "rank " << r << " is stuck";
    EXPECT_FALSE(states[r].open) << "rank " << r << " is stuck in round " << states[r].next;
    for (const auto& wire : wires[r])
      EXPECT_TRUE(wire.empty()) << "a message of rank " << r << " is never received";
  }
  return traffic;
}

/// knows[rank][block]: the ranks that have contributed to the rank's copy of a block.
using Knowledge = std::vector<std::vector<std::set<std::uint32_t>>>;

/// Data that are moved or combined: each contribution is added once; or a copy with more contributions
/// replaces the rank's copy.
inline Meaning blocks(Knowledge& knows, std::uint32_t count) {
  return {[&knows, count](std::uint32_t rank, const Transfer& t) {
            std::vector<std::set<std::uint32_t>> data;
            for (std::uint32_t i = 0; i < t.count; ++i) data.push_back(knows[rank][(t.first + i) % count]);
            return data;
          },
          [&knows, count](std::uint32_t rank, const Transfer& t,
                          const std::vector<std::set<std::uint32_t>>& data) {
            ASSERT_EQ(data.size(), t.count);
            for (std::uint32_t i = 0; i < t.count; ++i) {
              std::set<std::uint32_t>& mine = knows[rank][(t.first + i) % count];
              std::vector<std::uint32_t> common;
              std::set_intersection(mine.begin(), mine.end(), data[i].begin(), data[i].end(),
                                    std::back_inserter(common));
              if (common.empty()) {
                mine.insert(data[i].begin(), data[i].end());
              } else {
                EXPECT_TRUE(std::includes(data[i].begin(), data[i].end(), mine.begin(), mine.end()))
                    << "rank " << rank << " would count a contribution twice";
                mine = data[i];
              }
            }
          }};
}

inline Job job(const CollectiveAlgorithms& algorithms, std::string_view name, CollectiveCall call) {
  Job result{{}, &algorithms.named(name)};
  for (std::uint32_t r = 0; r < call.size; ++r) {
    call.rank = r;
    result.calls.push_back(call);
  }
  return result;
}

inline std::set<std::uint32_t> all_ranks(std::uint32_t size) {
  std::set<std::uint32_t> all;
  for (std::uint32_t r = 0; r < size; ++r) all.insert(r);
  return all;
}

}  // namespace hybrid
