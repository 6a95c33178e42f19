// Inspectors from the compiler to the recording: procedures whose peers have no expression, in one program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

using wrappers_test::here;
using wrappers_test::kBin;
using wrappers_test::kSilence;
using wrappers_test::record;
using wrappers_test::write;

// Each procedure is a phase. Its peers are read through pointers, from containers, or computed in memory.
// `opaque` is in another file.
const char kProcedures[] = R"x(
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#define PROCEDURE extern "C" __attribute__((noinline)) void

struct Node { int peer; Node* next; };
struct Domain {
  int count, index, zero;
  int* peers;
  MPI_Comm comm;
  void (*pack)(Domain*);
  Node* list;
  std::vector<int> vector;
  Domain* self;
  MPI_Request* persistent;
};
extern "C" void opaque(Domain*);
extern "C" void set_peer(int*);

static int rank, size, sum;
static MPI_Request requests[16];
static int pending, payload, got[16];

static void begin() { pending = 0; }
// All messages of the procedure have arrived.
static void end(int messages) {
  for (int i = 0; i < messages; ++i) {
    MPI_Status status;
    MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    sum += got[i];
  }
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
static std::map<int, int> by_number;
#define SEND(peer, comm) MPI_Isend(&payload, 1, MPI_INT, peer, 7, comm, &requests[pending++])

PROCEDURE heap(Domain* d) {
  MPI_Request own[8];
  for (int i = 0; i < d->count; ++i)
    MPI_Isend(&payload, 1, MPI_INT, d->peers[i], 7, MPI_COMM_WORLD, &own[i]);
  MPI_Waitall(d->count, own, MPI_STATUSES_IGNORE);
  begin();
  end(d->count);
}
PROCEDURE called_by_pointer(Domain* d) {
  begin();
  d->pack(d);
  for (int i = 0; i < d->count; ++i) SEND(d->peers[i], MPI_COMM_WORLD);
  end(d->count);
}
PROCEDURE container(Domain& d) {
  begin();
  for (int peer : d.vector) SEND(peer, MPI_COMM_WORLD);
  end(static_cast<int>(d.vector.size()));
}
PROCEDURE linked(Domain* d) {
  begin();
  for (const Node* node = d->list; node; node = node->next) SEND(node->peer, MPI_COMM_WORLD);
  end(d->count);
}
// The loop's variable is in memory.
PROCEDURE counted_in_memory(Domain* d) {
  begin();
  for (d->index = 0; d->index < d->count; ++d->index) SEND(d->peers[d->index], MPI_COMM_WORLD);
  end(d->count);
}
// The procedure fills its own table, and one in the program's memory.
PROCEDURE own_table(Domain* d) {
  int to[8], n = 0;
  begin();
  for (int i = 0; i < d->count; ++i) if (d->peers[i] != rank) to[n++] = d->peers[i];
  for (int i = 0; i < n; ++i) d->peers[n - 1 - i] = to[i];
  for (int i = 0; i < n; ++i) SEND(d->peers[i], MPI_COMM_WORLD);
  end(n);
}
PROCEDURE allocated_table(Domain* d) {
  std::vector<int> to;
  begin();
  for (int i = 0; i < d->count; ++i) to.push_back(d->peers[i]);
  for (int peer : to) SEND(peer, MPI_COMM_WORLD);
  end(d->count);
}
// A function of the library finds the next element of the map: what is stored in the vectors is known only after that loop.
PROCEDURE sorted(Domain* d, int ranks) {
  std::vector<std::vector<long>> to(ranks);
  begin();
  for (const auto& [number, peer] : by_number) to[peer].push_back(number);
  for (int i = 0; i < ranks; ++i) if (!to[i].empty()) SEND(i, MPI_COMM_WORLD);
  end(d->count);
}
PROCEDURE wrapped(Domain*, int peer) {
  begin();
  if (peer >= 0) SEND(peer, MPI_COMM_WORLD);
  end(1);
}
PROCEDURE by_communicator(Domain* d) {
  begin();
  int me, all;
  MPI_Comm_rank(d->comm, &me);
  MPI_Comm_size(d->comm, &all);
  SEND((me + d->count - 1) % all, d->comm);
  MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, d->comm, MPI_STATUS_IGNORE);
  sum += got[0];
  end(0);
}
// The number of peers comes with a message.
PROCEDURE received(Domain* d) {
  int by = 0;
  begin();
  MPI_Sendrecv(&d->count, 1, MPI_INT, (rank + 1) % size, 3, &by, 1, MPI_INT, (rank + size - 1) % size, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SEND((rank + by) % size, MPI_COMM_WORLD);
  end(1);
}
// Code that is not visible changes the peer after the inspection, which is therefore wrong.
PROCEDURE changed(Domain* d) {
  begin();
  set_peer(&d->peers[0]);
  SEND(d->peers[0], MPI_COMM_WORLD);
  end(1);
}
// When the procedure begins, the pointer, the divisor and the end of the loop are not valid yet.
PROCEDURE not_yet(Domain* d) {
  begin();
  opaque(d);
  while (d->self->index < 4) ++d->self->index;
  SEND((rank + 12 / d->zero + d->self->count) % size, MPI_COMM_WORLD);
  end(1);
}
// The peers are known when the loops begin: the first is read through a variable, the second is in memory.
PROCEDURE known_before_loops(Domain* d) {
  begin();
  struct { int by, turns; } own;
  set_peer(&own.by);
  own.turns = d->count;
  d->index = own.by % size;
  for (int i = 0; i < own.turns; ++i) SEND((rank + own.by + i) % size, MPI_COMM_WORLD);
  end(d->count);
  set_peer(&d->zero);
  int* peers = d->peers;
  if (d->zero > 100) peers = &d->count;
  for (int i = 0; i < own.turns; ++i) SEND(peers[i], MPI_COMM_WORLD);
  end(d->count);
}
// Locals that are also read through pointers, of which parts overlap, and of three bytes.
PROCEDURE alias(Domain* d) {
  int own[2] = {0, 1}, *place = &own[1], by;
  set_peer(&by);
  for (int i = 0; i < 2; ++i) {
    begin();
    *place = by * 0 + d->count + i - 1;
    SEND((rank + own[1]) % size, MPI_COMM_WORLD);
    end(1);
  }
}
union Parts { struct { char c; int i; } first; struct { int x, y; } second; };
PROCEDURE parts(Domain* d) {
  Parts own;
  own.second.x = d->count * 256 - 256;
  set_peer(&own.second.y);
  for (int i = 0; i < 2; ++i) {
    begin();
    SEND((rank + (own.second.x >> 8)) % size, MPI_COMM_WORLD);
    own.second.x += 256;
    end(1);
  }
}
struct Three { unsigned char byte[3]; };
__attribute__((noinline)) static Three three(int value) { return {{static_cast<unsigned char>(value), 1, 2}}; }
PROCEDURE three_bytes(Domain* d) {
  Three all[4];
  begin();
  for (int i = 3; i >= 0; --i) all[i] = three(d->count + i - 1);
  SEND((rank + all[0].byte[0]) % size, MPI_COMM_WORLD);
  end(1);
}
PROCEDURE caught(Domain* d) {
  int by = 1;
  begin();
  try {
    if (d->count % 2 == 0) throw 1;
  } catch (int) {
    by = 2;
  }
  SEND((rank + by + d->index * 0) % size, MPI_COMM_WORLD);
  end(1);
}

// Takes more steps than an inspection may.
PROCEDURE long_search(Domain* d) {
  int at = 0;
  begin();
  for (int i = 0; i < 1000000; ++i) at += d->peers[i & 1] == d->index * i;
  SEND(d->peers[at & 1], MPI_COMM_WORLD);
  end(1);
}

// The same, after a message that the inspector reports.
PROCEDURE search_after_send(Domain* d) {
  int at = 0;
  begin();
  SEND(d->peers[0], MPI_COMM_WORLD);
  for (int i = 0; i < 1000000; ++i) at += d->peers[i & 1] == d->index * i;
  SEND(d->peers[at & 1], MPI_COMM_WORLD);
  end(2);
}

PROCEDURE caught_in_loop(Domain* d) {
  int by = 1;
  begin();
  for (int i = 0; i < 2; ++i) {
    try {
      if (d->count % 2 == i) throw 1;
      by = 1;
    } catch (int) {
      by = 2;
    }
    SEND((rank + by) % size, MPI_COMM_WORLD);
  }
  end(2);
}
PROCEDURE aborting(Domain* d) {
  begin();
  if (!d->self) abort();
  SEND(d->self->peers[0], MPI_COMM_WORLD);
  end(1);
}

// Requests that the main program created have the peers.
PROCEDURE starts_all(Domain* d) {
  begin();
  MPI_Startall(d->count, d->persistent);
  end(d->count);
  MPI_Waitall(d->count, d->persistent, MPI_STATUSES_IGNORE);
}
PROCEDURE starts_some(Domain* d, int none) {
  begin();
  MPI_Startall(none, d->persistent);
  MPI_Start(&d->persistent[1]);
  end(1);
  MPI_Wait(&d->persistent[1], MPI_STATUS_IGNORE);
}

// A receive that began before the procedure brings the peer, and one at an address in a datatype.
static int partner = 1, offset = 1;
static MPI_Request early[2];
static MPI_Datatype at_offset;
extern "C" __attribute__((noinline)) void begin_early(int* value) {
  MPI_Irecv(&partner, 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &early[0]);
  MPI_Isend(value, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD, &early[1]);
}
PROCEDURE completed() {
  begin();
  MPI_Waitall(2, early, MPI_STATUSES_IGNORE);
  SEND((rank + partner) % size, MPI_COMM_WORLD);
  end(1);
}
PROCEDURE anywhere() {
  begin();
  MPI_Bcast(MPI_BOTTOM, 1, at_offset, 0, MPI_COMM_WORLD);
  SEND((rank + offset) % size, MPI_COMM_WORLD);
  end(1);
}

static void pack(Domain* d) { payload = d->count + rank; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  payload = rank + 1;
  Domain* d = new Domain{2, 0, 0, static_cast<int*>(malloc(8 * sizeof(int))), MPI_COMM_NULL, pack, nullptr, {}, nullptr, new MPI_Request[2]};
  for (int i = 0; i < 2; ++i) {
    d->peers[i] = (rank + 1 + i) % size;
    d->vector.push_back(d->peers[i]);
    by_number[10 * i] = d->peers[i];
    d->list = new Node{d->peers[i], d->list};
    MPI_Send_init(&payload, 1, MPI_INT, d->peers[i], 7, MPI_COMM_WORLD, &d->persistent[i]);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &d->comm);
  int one = 1, two = 2;
  MPI_Aint place;
  MPI_Datatype integer = MPI_INT;
  MPI_Get_address(&offset, &place);
  MPI_Type_create_struct(1, &one, &place, &integer, &at_offset);
  MPI_Type_commit(&at_offset);
  for (int round = 0; round < 3; ++round) {
    heap(d);
    called_by_pointer(d);
    container(*d);
    linked(d);
    counted_in_memory(d);
    own_table(d);
    allocated_table(d);
    sorted(d, size);
    wrapped(d, d->peers[1]);
    by_communicator(d);
    received(d);
    for (int i = 0; i < 2; ++i) d->peers[i] = (rank + 1 + i) % size;
    d->self = reinterpret_cast<Domain*>(8), d->zero = 0;
    not_yet(d);
    d->self = d;
    aborting(d);
    starts_all(d);
    starts_some(d, 0);
    known_before_loops(d);
    alias(d);
    parts(d);
    three_bytes(d);
    caught(d);
    caught_in_loop(d);
    for (int i = 0; i < 2; ++i) long_search(d), search_after_send(d);
    changed(d);
    for (int i = 0; i < 2; ++i) d->peers[i] = (rank + 1 + i) % size;
    partner = 1;
    begin_early(&two);
    completed();
    offset = rank == 0 ? 2 : 1;
    anywhere();
  }
  for (const Node* node = d->list; node; node = node->next)
    MPI_Send(&payload, 1, MPI_INT, node->peer, 9, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", all);
  MPI_Finalize();
  return 0;
}
)x";

const char kOpaque[] = R"x(
#include <stdlib.h>
struct Domain;
struct Head { int count, index, zero; int* peers; };
extern void opaque(struct Domain*);
static struct Head other;
void set_peer(int* peer) { if (*peer < 0 || *peer > 8) *peer = 1; *peer = *peer % 2 ? *peer - 1 : *peer + 1; }
void opaque(struct Domain* d) {
  int* table = malloc(4 * sizeof *table);
  other = *(struct Head*)d;
  other.peers = table;
  other.index = 0;
  ((struct Head*)d)->zero = 12;
  *(struct Head**)((char*)d + SELF) = &other;
}
)x";

class Inspectors : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Optimisation, Inspectors, testing::Values("-O0", "-O2"),
                         [](const auto& level) { return level.index == 0 ? "O0" : "O2"; });

TEST_P(Inspectors, ComputeThePeersOfProceduresWithoutAnEffectOnTheProgram) {
  const std::string level(GetParam()), name = "inspected" + level;
  write("procedures.cpp", kProcedures);
  write("opaque.c", kOpaque);
  const std::string self = " -DSELF=" + std::to_string(12 + 4 + 8 + 8 + 8 + 8 + 24);
  ASSERT_EQ(here("clang-19 -c -O1 opaque.c" + self), kSilence);
  ASSERT_EQ(here(kBin + "hybridcxx -g " + level + " procedures.cpp opaque.o -o " + name), kSilence);
  ASSERT_EQ(here(kBin + "hybridcxx -fno-hybrid " + level + " procedures.cpp opaque.o -o plain" + level),
            kSilence);
  const std::string mpiexec = "[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n 4 ";
  const auto plain = here(mpiexec + "./plain" + level);
  ASSERT_EQ(plain.first, 0) << plain.second;
  EXPECT_EQ(here(mpiexec + "./" + name), plain) << "without the library";
  EXPECT_EQ(here(mpiexec +
                 "-genv LD_PRELOAD " HYBRID_TEST_LIBRARY
                 " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT " +
                 name + "_of_4 ./" + name),
            plain)
      << "with it";

  const auto json = nlohmann::json::parse(
      here(kBin + "hybrid hints " + name + " --check " + name + "_of_4 --json -").second);
  // Of a procedure and its loops.
  struct Score {
    std::uint64_t hinted = 0, right = 0, messages = 0, over_hinted = 0;
  };
  std::map<std::string, Score> scores;
  for (const auto& phase : json["check"]["phases"]) {
    const std::string phase_name = phase["phase"];
    Score& score = scores[phase_name.substr(0, phase_name.find(':'))];
    score.hinted += phase["hinted"].get<std::uint64_t>();
    score.right += phase["hinted_and_used"].get<std::uint64_t>();
    score.messages += phase["messages"].get<std::uint64_t>();
    score.over_hinted += phase["messages_over_hinted"].get<std::uint64_t>();
  }
  for (const char* procedure :
       {"heap", "called_by_pointer", "container", "linked", "counted_in_memory", "own_table",
        "allocated_table", "sorted", "wrapped", "by_communicator", "aborting", "known_before_loops", "alias",
        "parts", "three_bytes", "starts_all", "starts_some", "main"}) {
    const Score& score = scores[procedure];
    EXPECT_GT(score.messages, 0u) << procedure;
    EXPECT_EQ(score.over_hinted, score.messages) << procedure;
    EXPECT_EQ(score.right, score.hinted) << procedure;
  }
  EXPECT_LT(scores["received"].over_hinted, scores["received"].messages)
      << "it is not known before the message";
  EXPECT_EQ(scores["changed"].over_hinted, 0u) << "the hint is wrong, and harmless";

  const std::string report = here(kBin + "hybrid replay " + name + "_of_4 --technique wormhole").second;
  EXPECT_THAT(report, testing::ContainsRegex("2[3-7][ \n]+inspectors[ \n]+dropped"))
      << "on each rank those of changed(), caught() and, after three inspections, long_search(), "
         "search_after_send() and not_yet(); of anywhere() on three; and of completed() where the "
         "message had not arrived";
  EXPECT_EQ(scores["long_search"].hinted, 0u);
  EXPECT_GT(scores["search_after_send"].hinted, 0u);
  scores.erase("long_search");
  scores.erase("search_after_send");

  // A hint is wrong only if it is speculative.
  std::map<std::string, std::string> classes;
  for (const auto& unit : json["units"])
    for (const auto& site : unit["sites"])
      if (site["kind"] == "send") classes[site["function"]] = site["class"];
  for (const auto& [procedure, score] : scores) {
    const std::string& kind = classes[procedure];
    if (kind != "inspected" && kind != "static") continue;
    EXPECT_EQ(score.right, score.hinted) << procedure;
    EXPECT_EQ(score.over_hinted, score.messages) << procedure;
  }
  EXPECT_EQ(classes["caught"], "speculative") << "a slice contains no exceptions";
  EXPECT_EQ(classes["caught_in_loop"], "speculative");
  EXPECT_EQ(classes["heap"], "inspected");
  EXPECT_EQ(classes["container"], "speculative")
      << "a request is an integer of MPICH: it may be in the vector";
  EXPECT_EQ(classes["called_by_pointer"], "speculative") << "the function may change the table";
  EXPECT_EQ(classes["changed"], "speculative");
  EXPECT_EQ(classes["received"], "dynamic");
  EXPECT_EQ(classes["completed"], "speculative");
  EXPECT_EQ(classes["anywhere"], "speculative");
}

}  // namespace
}  // namespace hybrid
