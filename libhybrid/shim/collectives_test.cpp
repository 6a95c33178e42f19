// Every collective of functions.def, in every form: each start is recorded once, with the right operation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "libhybrid/shim/testing/every_collective.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

// The functions of the table with handlers of collectives.
std::vector<std::string> collectives_of_table() {
  std::ifstream table(HYBRID_SHIM_SOURCE_DIR "/functions.def");
  std::vector<std::string> names;
  for (std::string line; std::getline(table, line);) {
    const std::size_t at = line.find(" : ");
    if (line.empty() || line.front() == '#' || at == std::string::npos) continue;
    const std::string_view handler = std::string_view(line).substr(at + 3);
    if (!handler.starts_with("blocking(") && !handler.starts_with("nonblocking(") &&
        !handler.starts_with("persistent("))
      continue;
    std::istringstream left(line.substr(0, at));
    for (std::string name; left >> name;) {
      const bool large = name.back() == '+';
      if (large) name.pop_back();
      names.push_back(name);
      if (large) names.push_back(name + "_c");
    }
  }
  return names;
}

enum class Form { blocking, nonblocking, persistent };

// Form and operation of a function by MPI's naming: "MPI_Ialltoallw_c" is the nonblocking form of
// "alltoallw".
struct Named {
  Form form = Form::blocking;
  std::string operation;
};
Named by_name(const std::string& function) {
  Named named{Form::blocking, function.substr(4)};
  std::string& name = named.operation;
  const auto drop = [&](std::string_view suffix) {
    const bool has = name.ends_with(suffix);
    if (has) name.resize(name.size() - suffix.size());
    return has;
  };
  drop("_c");
  if (drop("_init")) {
    named.form = Form::persistent;
  } else if (name.front() == 'I') {
    named.form = Form::nonblocking;
    name.erase(0, 1);
  }
  name.front() = static_cast<char>(std::tolower(name.front()));
  return named;
}

// In the order of CollectiveOp.
constexpr std::array<std::string_view, 22> kOperations = {
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
};
static_assert(static_cast<std::size_t>(CollectiveOp::neighbor_alltoallw) + 1 == kOperations.size());

// The transfers of every_collective.cpp, by the convention of core/event.h, as lines of
// RecordedRun::transfers.
struct Moved {
  std::uint64_t bytes = 0;
  bool rooted = false;
  Lines by_peer;
};
Moved moved(std::string_view operation, int rank) {
  constexpr std::uint64_t kInt = 4, kShort = 2;
  Moved result;
  const auto line = [&](const char* direction, int peer, std::uint64_t bytes) {
    result.by_peer.push_back(std::string(direction) + " " + std::to_string(world_rank(peer)) + " " +
                             std::to_string(bytes));
  };
  const std::vector<int> everybody = {0, 1, 2, 3};
  const bool neighbors = operation.starts_with("neighbor_");
  const std::vector<int> out = neighbors ? neighbors_out(rank) : everybody;
  const std::vector<int> in = neighbors ? neighbors_in(rank) : everybody;
  if (neighbors) operation.remove_prefix(9);
  const auto own = [&](int r) { return kInt * static_cast<std::uint64_t>(own_count(r)); };
  const std::uint64_t block = kInt * kBlock, vector = kInt * kVector, all = own(0) + own(1) + own(2) + own(3);
  const auto is = [&](auto... names) { return ((operation == names) || ...); };

  result.rooted = is("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce");
  if (is("bcast", "reduce", "allreduce", "scan", "exscan")) result.bytes = vector;
  if (is("gather", "scatter", "allgather", "alltoall", "reduce_scatter_block")) result.bytes = block;
  if (neighbors && is("allgather", "alltoall")) {
    for (const int q : out) line("to", q, block);
    for (const int q : in) line("from", q, block);
  }
  if (is("gatherv")) {
    result.bytes = own(rank);
    for (int q = 0; rank == kRoot && q < kMembers; ++q) line("from", q, own(q));
  }
  if (is("scatterv") && rank == kRoot) {
    result.bytes = all;
    for (const int q : everybody) line("to", q, own(q));
  }
  if (is("allgatherv")) {
    result.bytes = neighbors ? own(rank) * out.size() : own(rank);
    for (const int q : neighbors ? out : std::vector<int>{}) line("to", q, own(rank));
    for (const int q : in) line("from", q, own(q));
  }
  if (is("reduce_scatter")) {
    result.bytes = all;
    for (const int q : everybody) line("from", q, own(q));
  }
  if (is("alltoallv", "alltoallw")) {
    const auto pair = [&](int from, int to) {
      return static_cast<std::uint64_t>(pair_count(from, to)) *
             (is("alltoallw") && pair_is_short(from, to) ? kShort : kInt);
    };
    for (const int q : out) {
      result.bytes += pair(rank, q);
      line("to", q, pair(rank, q));
    }
    for (const int q : in) line("from", q, pair(q, rank));
  }
  return result;
}

Lines expected(const Named& named, int rank) {
  const auto found = std::find(kOperations.begin(), kOperations.end(), named.operation);
  if (found == kOperations.end()) return {"no such operation: " + named.operation};
  const Moved what = moved(named.operation, rank);
  // The communicators of the program: 2, and 3 with the graph.
  const std::string text = "collective " + std::to_string(found - kOperations.begin()) + " " +
                           std::to_string(what.rooted ? world_rank(kRoot) : -1) + " " +
                           std::to_string(what.bytes) + " comm " +
                           (named.operation.starts_with("neighbor_") ? "3" : "2");
  Lines lines;
  for (int start = 0; start < (named.form == Form::persistent ? kStarts : 1); ++start) {
    lines.insert(lines.end(), what.by_peer.begin(), what.by_peer.end());
    if (named.form == Form::blocking)
      lines.push_back(text);
    else
      lines.insert(lines.end(), {"start " + text + " #", "end " + text + " #"});
  }
  return lines;
}

// The lines between begin and end of each region, without the numbers of requests. Start and end must have
// the same number.
std::map<std::string, Lines> by_region(const Lines& transfers) {
  std::map<std::string, Lines> regions;
  std::string inside, request;
  for (const std::string& line : transfers) {
    if (line.starts_with("begin ")) {
      EXPECT_EQ(inside, "");
      inside = line.substr(6);
      EXPECT_FALSE(regions.contains(inside)) << inside << " twice";
      regions[inside];
    } else if (line == "end " + inside) {
      inside.clear();
    } else {
      const std::size_t number = line.find('#');
      if (line.starts_with("start ")) request = line.substr(number);
      if (line.starts_with("end ")) {
        EXPECT_EQ(line.substr(number), request) << inside;
      }
      regions[inside].push_back(line.substr(0, number == std::string::npos ? number : number + 1));
    }
  }
  return regions;
}

TEST(Collectives, EachFormIsRecordedOncePerStart) {
  const std::vector<std::string> functions = collectives_of_table();
  // 22 operations, blocking, nonblocking and persistent, and their large-count forms, which barriers do not
  // have.
  ASSERT_EQ(functions.size(), 22u * 3 * 2 - 3);
  const RecordedRun run(kMembers, {program("shim_every_collective")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().out << run.outcome().err;
  EXPECT_EQ(run.outcome().out + run.outcome().err, "");
  for (int rank = 0; rank < kMembers; ++rank) {
    const auto world = static_cast<std::uint32_t>(world_rank(rank));
    EXPECT_TRUE(run.complete(world));
    auto recorded = by_region(run.transfers(world));
    for (const std::string& function : functions) {
      const auto region = recorded.find(function);
      ASSERT_NE(region, recorded.end()) << function << " is not executed by every_collective.cpp";
      EXPECT_THAT(region->second, ElementsAreArray(expected(by_name(function), rank)))
          << function << " on rank " << rank;
      recorded.erase(region);
    }
    EXPECT_THAT(recorded, IsEmpty()) << "nothing else";
  }
}

}  // namespace
}  // namespace hybrid::shim::testing
