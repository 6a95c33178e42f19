// Executes each algorithm symbolically (testing/collective_follow.h) and checks which contributions each rank
// has at the end.
#include "emulator/replay/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/testing/random_cases.h"
#include "emulator/replay/testing/collective_follow.h"

namespace hybrid {
namespace {

class Collective : public testing::TestWithParam<std::uint32_t> {
 protected:
  const std::uint32_t size = GetParam();
  const CollectiveAlgorithms algorithms;

  CollectiveCall call(CollectiveOp op, Bytes bytes, std::uint32_t root = 0) const {
    CollectiveCall c;
    c.op = op;
    c.size = size;
    c.bytes = bytes;
    c.root = root;
    return c;
  }
  bool suits(std::string_view name) const {
    return algorithms.named(name).suits(call(CollectiveOp::barrier, 8));
  }
};

// All sizes to 33; with sanitizers those around powers of two.
std::vector<std::uint32_t> sizes() {
  std::vector<std::uint32_t> all(33);
  std::iota(all.begin(), all.end(), 1U);
  if (random_cases(2) == 1) all = {1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 31};
  return all;
}
INSTANTIATE_TEST_SUITE_P(Sizes, Collective, testing::ValuesIn(sizes()));

TEST_P(Collective, NoRankLeavesABarrierBeforeTheLastOneHasCome) {
  Knowledge knows(size, std::vector<std::set<std::uint32_t>>(1));
  for (std::uint32_t r = 0; r < size; ++r) knows[r][0] = {r};
  const Meaning arrivals{
      [&](std::uint32_t rank, const Transfer&) { return knows[rank]; },
      [&](std::uint32_t rank, const Transfer&, const std::vector<std::set<std::uint32_t>>& data) {
        knows[rank][0].insert(data[0].begin(), data[0].end());
      }};
  play(job(algorithms, "barrier/dissemination", call(CollectiveOp::barrier, 0)), arrivals);
  for (std::uint32_t r = 0; r < size; ++r) EXPECT_EQ(knows[r][0], all_ranks(size));
}

TEST_P(Collective, ABroadcastGivesAllRanksTheWholeVector) {
  for (const std::string_view name :
       {"bcast/binomial", "bcast/scatter-recursive-doubling-allgather", "bcast/scatter-ring-allgather"}) {
    if (!suits(name)) continue;
    const std::uint32_t parts = name == "bcast/binomial" ? 1 : size;
    for (std::uint32_t root = 0; root < size; ++root)
      for (const Bytes bytes : {Bytes{1}, Bytes{7}, Bytes{size * 5 + 2}, Bytes{1 << 20}}) {
        Knowledge knows(size, std::vector<std::set<std::uint32_t>>(parts));
        // Empty parts are not sent.
        const Bytes part = (bytes + parts - 1) / parts;
        for (std::uint32_t b = 0; b < parts; ++b)
          for (std::uint32_t r = 0; r < size; ++r)
            if (r == root || part * b >= bytes) knows[r][b] = {0};
        const CollectiveTraffic traffic =
            play(job(algorithms, name, call(CollectiveOp::bcast, bytes, root)), blocks(knows, parts));
        if (name == "bcast/binomial") {
          EXPECT_EQ(traffic.messages, size - 1);
        }
        for (std::uint32_t r = 0; r < size; ++r)
          for (std::uint32_t b = 0; b < parts; ++b)
            ASSERT_FALSE(knows[r][b].empty()) << name << " root " << root << " rank " << r << " part " << b;
      }
  }
}

TEST_P(Collective, AReductionHasEveryContributionOnce) {
  const std::uint32_t power = std::bit_floor(size);
  for (const auto& [name, parts] :
       {std::pair{"reduce/binomial", 1u}, {"reduce/reduce-scatter-gather", power}})
    for (std::uint32_t root = 0; root < size; ++root)
      for (const Bytes bytes : {Bytes{8 * power}, Bytes{8 * power + 40}, Bytes{4097}}) {
        Knowledge knows(size, std::vector<std::set<std::uint32_t>>(parts));
        for (std::uint32_t r = 0; r < size; ++r)
          for (auto& b : knows[r]) b = {r};
        const CollectiveTraffic traffic =
            play(job(algorithms, name, call(CollectiveOp::reduce, bytes, root)), blocks(knows, parts));
        // Folding, halving, the root's place, gathering.
        const std::uint32_t rest = size - power, steps = static_cast<std::uint32_t>(std::countr_zero(power));
        const bool root_folded = root < 2 * rest && root % 2 == 1;
        EXPECT_EQ(traffic.messages, std::string_view(name) == "reduce/binomial"
                                        ? size - 1
                                        : rest + power * steps + (root_folded ? 1 : 0) + power - 1);
        for (std::uint32_t b = 0; b < parts; ++b)
          ASSERT_EQ(knows[root][b], all_ranks(size)) << name << " root " << root << " part " << b;
      }
}

TEST_P(Collective, AnAllreduceGivesTheWholeSumToAllRanks) {
  const std::uint32_t power = std::bit_floor(size);
  for (const auto& [name, parts] : {std::pair{"allreduce/recursive-doubling", 1u},
                                    {"allreduce/reduce-scatter-allgather", power},
                                    {"allreduce/ring", size}})
    for (const Bytes bytes : {Bytes{8 * size}, Bytes{8 * size + 24}, Bytes{4097}}) {
      Knowledge knows(size, std::vector<std::set<std::uint32_t>>(parts));
      for (std::uint32_t r = 0; r < size; ++r)
        for (auto& b : knows[r]) b = {r};
      const CollectiveTraffic traffic =
          play(job(algorithms, name, call(CollectiveOp::allreduce, bytes)), blocks(knows, parts));
      for (std::uint32_t r = 0; r < size; ++r)
        for (std::uint32_t b = 0; b < parts; ++b)
          ASSERT_EQ(knows[r][b], all_ranks(size)) << name << " rank " << r << " part " << b;
      const std::string_view algorithm = name;
      const bool even =
          algorithm == "allreduce/ring" || (size == power && algorithm != "allreduce/recursive-doubling");
      for (const Bytes sent : traffic.sent)
        if (even && bytes == 8 * size) {
          EXPECT_EQ(sent, 2 * (bytes - bytes / size)) << name;
        }
    }
}

TEST_P(Collective, AnAllgatherGivesEveryBlockToAllRanks) {
  // Some blocks are empty; with unit 10 000, some are longer than the pieces into which they are divided.
  std::vector<Bytes> counts(size);
  for (const auto& [v, unit] : {std::pair{false, 0u}, {true, 100u}, {true, 10'000u}})
    for (const std::string algorithm : {"recursive-doubling", "brucks", "ring"}) {
      const std::string name = (v ? "allgatherv/" : "allgather/") + algorithm;
      if (!suits(name)) continue;
      for (std::uint32_t r = 0; r < size; ++r) counts[r] = (r * 37) % 11 * unit;
      Knowledge knows(size, std::vector<std::set<std::uint32_t>>(size));
      for (std::uint32_t r = 0; r < size; ++r) knows[r][r] = {r};
      CollectiveCall c = call(v ? CollectiveOp::allgatherv : CollectiveOp::allgather, 100);
      if (v) c.counts_received = counts;
      const CollectiveTraffic traffic = play(job(algorithms, name, c), blocks(knows, size));
      const Bytes total = v ? std::accumulate(counts.begin(), counts.end(), Bytes{0}) : 100 * size;
      if (total == 0) continue;
      for (std::uint32_t r = 0; r < size; ++r)
        for (std::uint32_t b = 0; b < size; ++b)
          if (!v || counts[b] != 0) {
            ASSERT_EQ(knows[r][b], std::set<std::uint32_t>{b}) << name << " rank " << r;
          }
      // With any algorithm, each rank receives the blocks of the others exactly once.
      EXPECT_EQ(std::accumulate(traffic.sent.begin(), traffic.sent.end(), Bytes{0}), total * (size - 1))
          << name;
    }
}

TEST_P(Collective, GathersAndScattersMoveEveryBlockToAndFromTheRoot) {
  std::vector<Bytes> counts(size);
  std::iota(counts.begin(), counts.end(), 3);
  for (std::uint32_t root = 0; root < size; ++root) {
    for (const bool v : {false, true}) {
      Knowledge knows(size, std::vector<std::set<std::uint32_t>>(size));
      for (std::uint32_t r = 0; r < size; ++r) knows[r][r] = {r};
      Job gather = job(algorithms, v ? "gatherv/linear" : "gather/binomial",
                       call(v ? CollectiveOp::gatherv : CollectiveOp::gather, 64, root));
      for (CollectiveCall& c : gather.calls)
        if (v) c.bytes = counts[c.rank];
      if (v) gather.calls[root].counts_received = counts;
      EXPECT_EQ(play(gather, blocks(knows, size)).messages, size - 1);
      for (std::uint32_t b = 0; b < size; ++b) ASSERT_FALSE(knows[root][b].empty()) << "root " << root << v;

      Knowledge parts(size, std::vector<std::set<std::uint32_t>>(size));
      for (auto& b : parts[root]) b = {0};
      Job scatter = job(algorithms, v ? "scatterv/linear" : "scatter/binomial",
                        call(v ? CollectiveOp::scatterv : CollectiveOp::scatter, v ? 0 : 64, root));
      std::vector<std::vector<Bytes>> own(size, std::vector<Bytes>(size, 0));
      for (std::uint32_t r = 0; r < size && v; ++r) {
        own[r][r] = counts[r];
        scatter.calls[r].counts_received = own[r];
      }
      if (v) scatter.calls[root].counts_sent = counts;
      EXPECT_EQ(play(scatter, blocks(parts, size)).messages, size - 1);
      for (std::uint32_t r = 0; r < size; ++r) ASSERT_FALSE(parts[r][r].empty()) << "root " << root << v;
    }
  }
}

/// Appends to came[rank] the source of each block that the rank receives directly.
Meaning direct(std::vector<std::vector<std::uint32_t>>& came) {
  return {[](std::uint32_t rank, const Transfer& t) {
            return std::vector<std::set<std::uint32_t>>{{rank}, {t.first}};
          },
          [&came](std::uint32_t rank, const Transfer& t, const std::vector<std::set<std::uint32_t>>& data) {
            EXPECT_EQ(*data[0].begin(), t.peer);
            EXPECT_EQ(*data[1].begin(), rank) << "a block for another rank";
            came[rank].push_back(t.peer);
          }};
}

TEST_P(Collective, AnAlltoallBringsEveryBlockToItsRankOnce) {
  Random random(size);  // any seed: 0, 50 or 100 bytes for each pair
  std::vector<std::vector<Bytes>> sent(size, std::vector<Bytes>(size)), received = sent;
  for (std::uint32_t s = 0; s < size; ++s)
    for (std::uint32_t d = 0; d < size; ++d) received[d][s] = sent[s][d] = random.below(3) * 50;
  for (const std::string collective : {"alltoall", "alltoallv", "alltoallw", "alltoallv without sizes"})
    for (const std::string algorithm : {"scattered", "pairwise"}) {
      const bool sizes = collective == "alltoallv" || collective == "alltoallw";
      const CollectiveOp op = collective == "alltoall"    ? CollectiveOp::alltoall
                              : collective == "alltoallw" ? CollectiveOp::alltoallw
                                                          : CollectiveOp::alltoallv;
      Job j = job(algorithms, collective.substr(0, collective.find(' ')) + "/" + algorithm, call(op, 96));
      for (CollectiveCall& c : j.calls) {
        if (!sizes) continue;
        c.counts_sent = sent[c.rank];
        c.counts_received = received[c.rank];
      }
      std::vector<std::vector<std::uint32_t>> came(size);
      play(j, direct(came));
      for (std::uint32_t r = 0; r < size; ++r) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t s = 0; s < size; ++s)
          if (s != r && (!sizes || sent[s][r] != 0)) expected.push_back(s);
        EXPECT_THAT(came[r], testing::UnorderedElementsAreArray(expected)) << collective << algorithm;
      }
    }
}

// The trace has no sizes of a rank that neither sends nor receives.
TEST_P(Collective, AnAlltoallvExpectsNothingOfRanksWithoutData) {
  if (size == 1) return;
  const std::uint32_t last = size - 1;
  std::vector<Bytes> to_last(size), from_first(size);
  to_last[last] = from_first[0] = 100;
  for (const std::string collective : {"alltoallv", "alltoallw"})
    for (const std::string algorithm : {"scattered", "pairwise"}) {
      const CollectiveOp op = collective == "alltoallv" ? CollectiveOp::alltoallv : CollectiveOp::alltoallw;
      Job j = job(algorithms, collective + "/" + algorithm, call(op, 0));
      j.calls[0].bytes = 100;
      j.calls[0].counts_sent = to_last;
      j.calls[last].counts_received = from_first;
      std::vector<std::vector<std::uint32_t>> came(size);
      play(j, direct(came));
      for (std::uint32_t r = 0; r < size; ++r)
        EXPECT_EQ(came[r].size(), r == last ? 1u : 0u) << collective << algorithm;
    }
}

TEST_P(Collective, BrucksAlltoallBringsEveryBlockToItsRank) {
  // A block (source, destination) moves in round k if bit k of its distance is set.
  using Block = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::set<Block>> at(size);
  for (std::uint32_t s = 0; s < size; ++s)
    for (std::uint32_t d = 0; d < size; ++d) at[s].insert({s, d});
  const CollectiveAlgorithm& brucks = algorithms.named("alltoall/brucks");
  CollectiveCall c = call(CollectiveOp::alltoall, 10);
  for (std::uint32_t k = 0; k < brucks.rounds(c); ++k) {
    std::vector<std::set<Block>> after = at;
    for (c.rank = 0; c.rank < size; ++c.rank) {
      Round round;
      brucks.round(c, k, round);
      ASSERT_EQ(round.sends.size(), 1u);
      std::uint64_t moved = 0;
      for (const Block& block : at[c.rank])
        if (((block.second + size - block.first) % size >> k & 1) != 0) {
          after[c.rank].erase(block);
          after[round.sends[0].peer].insert(block);
          ++moved;
        }
      EXPECT_EQ(round.sends[0].bytes, 10 * moved);
    }
    at = std::move(after);
  }
  for (std::uint32_t d = 0; d < size; ++d) {
    EXPECT_EQ(at[d].size(), size);
    for (const Block& block : at[d]) EXPECT_EQ(block.second, d);
  }
  std::vector<std::vector<std::uint32_t>> ignored(size);
  play(job(algorithms, "alltoall/brucks", call(CollectiveOp::alltoall, 10)),
       {[](std::uint32_t, const Transfer&) { return std::vector<std::set<std::uint32_t>>{}; },
        [](std::uint32_t, const Transfer&, const std::vector<std::set<std::uint32_t>>&) {}});
}

TEST_P(Collective, AReduceScatterLeavesEachRankItsWholeSum) {
  std::vector<Bytes> counts(size);
  for (std::uint32_t r = 0; r < size; ++r) counts[r] = (r * 5) % 7 * 8;
  for (const bool given : {false, true})
    for (const std::string algorithm : {"recursive-halving", "pairwise", "recursive-doubling"}) {
      const std::string name = (given ? "reduce_scatter/" : "reduce_scatter_block/") + algorithm;
      if (!suits(name)) continue;
      CollectiveCall c = call(given ? CollectiveOp::reduce_scatter : CollectiveOp::reduce_scatter_block, 16);
      if (given) c.counts_received = counts;
      Knowledge knows(size, std::vector<std::set<std::uint32_t>>(size));
      for (std::uint32_t r = 0; r < size; ++r)
        for (auto& b : knows[r]) b = {r};
      Meaning meaning = blocks(knows, size);
      if (algorithm == "pairwise") {
        // Sends each rank its own contribution, from the input and not from what was combined.
        meaning.read = [](std::uint32_t rank, const Transfer&) {
          return std::vector<std::set<std::uint32_t>>{{rank}};
        };
      }
      play(job(algorithms, name, c), meaning);
      if (given && std::accumulate(counts.begin(), counts.end(), Bytes{0}) == 0) continue;
      for (std::uint32_t r = 0; r < size; ++r)
        if (!given || counts[r] != 0) {
          EXPECT_EQ(knows[r][r], all_ranks(size)) << name << " rank " << r;
        }
    }
}

TEST_P(Collective, AScanSumsTheRanksUpToEach) {
  for (const std::string name : {"scan", "exscan"}) {
    // Two vectors: the group's sum, which is sent, and the result, to which lower groups contribute.
    std::vector<std::set<std::uint32_t>> group(size), result(size);
    for (std::uint32_t r = 0; r < size; ++r) {
      group[r] = {r};
      if (name == "scan") result[r] = {r};
    }
    const Meaning meaning{
        [&](std::uint32_t rank, const Transfer&) {
          return std::vector<std::set<std::uint32_t>>{group[rank]};
        },
        [&](std::uint32_t rank, const Transfer& t, const std::vector<std::set<std::uint32_t>>& data) {
          for (const std::uint32_t contribution : data[0]) {
            EXPECT_TRUE(group[rank].insert(contribution).second);
            if (t.peer < rank) {
              EXPECT_TRUE(result[rank].insert(contribution).second);
            }
          }
        }};
    play(job(algorithms, name + "/recursive-doubling",
             call(name == "scan" ? CollectiveOp::scan : CollectiveOp::exscan, 8)),
         meaning);
    for (std::uint32_t r = 0; r < size; ++r)
      EXPECT_EQ(result[r], all_ranks(name == "scan" ? r + 1 : r)) << name << " rank " << r;
  }
}

TEST_P(Collective, NeighboursExchangeOverAnyGraph) {
  Random random(size);  // any seed: each edge with probability 1/3
  std::vector<std::vector<std::uint32_t>> out(size), in(size);
  std::vector<std::vector<Bytes>> sent(size), received(size);
  for (std::uint32_t s = 0; s < size; ++s)
    for (std::uint32_t d = 0; d < size; ++d)
      if (s != d && random.below(3) == 0) {
        out[s].push_back(d);
        in[d].push_back(s);
        sent[s].push_back(s * 100 + d);
        received[d].push_back(s * 100 + d);
      }
  Job j = job(algorithms, "neighbor_alltoallv/direct", call(CollectiveOp::neighbor_alltoallv, 0));
  for (CollectiveCall& c : j.calls) {
    c.neighbors_out = out[c.rank];
    c.neighbors_in = in[c.rank];
    c.counts_sent = sent[c.rank];
    c.counts_received = received[c.rank];
  }
  std::vector<std::vector<std::uint32_t>> came(size);
  play(j, {[](std::uint32_t, const Transfer&) { return std::vector<std::set<std::uint32_t>>{}; },
           [&](std::uint32_t rank, const Transfer& t, const std::vector<std::set<std::uint32_t>>&) {
             came[rank].push_back(t.peer);
           }});
  for (std::uint32_t r = 0; r < size; ++r) EXPECT_THAT(came[r], testing::UnorderedElementsAreArray(in[r]));
}

TEST_P(Collective, MpichsChoiceSuitsItsCall) {
  for (std::uint8_t op = 0; op <= static_cast<std::uint8_t>(CollectiveOp::neighbor_alltoallw); ++op)
    for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{300}, Bytes{20000}, Bytes{1 << 20}})
      for (const bool nonblocking : {false, true}) {
        CollectiveCall c = call(static_cast<CollectiveOp>(op), bytes);
        c.nonblocking = nonblocking;
        const std::string_view name = mpich_choice(c);
        EXPECT_EQ(name.substr(0, name.find('/')), name_of(c.op));
        EXPECT_TRUE(algorithms.named(name).suits(c));
      }
}

TEST(CollectiveChoice, FollowsMpichsTable) {
  const auto choice = [](CollectiveOp op, std::uint32_t size, Bytes bytes, bool nonblocking = false) {
    CollectiveCall c;
    c.op = op;
    c.size = size;
    c.bytes = bytes;
    c.nonblocking = nonblocking;
    return mpich_choice(c);
  };
  EXPECT_EQ(choice(CollectiveOp::bcast, 7, 1 << 20), "bcast/binomial");
  EXPECT_EQ(choice(CollectiveOp::bcast, 16, 12288), "bcast/binomial");
  EXPECT_EQ(choice(CollectiveOp::bcast, 16, 12288, true), "bcast/scatter-recursive-doubling-allgather");
  EXPECT_EQ(choice(CollectiveOp::bcast, 16, 12289), "bcast/scatter-recursive-doubling-allgather");
  EXPECT_EQ(choice(CollectiveOp::bcast, 16, 524289), "bcast/scatter-ring-allgather");
  EXPECT_EQ(choice(CollectiveOp::bcast, 12, 12289), "bcast/scatter-ring-allgather");
  EXPECT_EQ(choice(CollectiveOp::allreduce, 16, 8), "allreduce/recursive-doubling");
  EXPECT_EQ(choice(CollectiveOp::allreduce, 16, 120), "allreduce/recursive-doubling");  // 15 elements
  EXPECT_EQ(choice(CollectiveOp::allreduce, 16, 128), "allreduce/reduce-scatter-allgather");
  EXPECT_EQ(choice(CollectiveOp::allreduce, 16, 2048, true), "allreduce/recursive-doubling");
  EXPECT_EQ(choice(CollectiveOp::reduce, 16, 2048), "reduce/binomial");
  EXPECT_EQ(choice(CollectiveOp::reduce, 16, 2056), "reduce/reduce-scatter-gather");
  EXPECT_EQ(choice(CollectiveOp::allgather, 16, 32767), "allgather/recursive-doubling");
  EXPECT_EQ(choice(CollectiveOp::allgather, 16, 32768), "allgather/ring");
  EXPECT_EQ(choice(CollectiveOp::allgather, 10, 8191), "allgather/brucks");
  EXPECT_EQ(choice(CollectiveOp::allgather, 10, 8192), "allgather/ring");
  EXPECT_EQ(choice(CollectiveOp::alltoall, 7, 8), "alltoall/scattered");
  EXPECT_EQ(choice(CollectiveOp::alltoall, 8, 256), "alltoall/brucks");
  EXPECT_EQ(choice(CollectiveOp::alltoall, 8, 257), "alltoall/scattered");
  EXPECT_EQ(choice(CollectiveOp::alltoall, 8, 32769), "alltoall/pairwise");
  EXPECT_EQ(choice(CollectiveOp::reduce_scatter_block, 8, 65536), "reduce_scatter_block/pairwise");
}

TEST(CollectiveChoice, AnAlgorithmThatDoesNotSuitLeavesTheChoiceToMpich) {
  const CollectiveAlgorithms algorithms(
      std::map<std::string, std::string>{{"allgather", "recursive-doubling"}});
  CollectiveCall c;
  c.op = CollectiveOp::allgather;
  c.bytes = 1 << 20;
  c.size = 8;
  EXPECT_EQ(&algorithms.pick(c), &algorithms.named("allgather/recursive-doubling"));
  c.size = 9;
  EXPECT_EQ(&algorithms.pick(c), &algorithms.named("allgather/ring"));
}

}  // namespace
}  // namespace hybrid
