// Four ranks: every collective of MPI in every form, each in a region with the name of the function. The
// whole receive buffer is checked byte for byte.
#include "libhybrid/shim/testing/every_collective.h"

#include <mpi.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX's

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "libhybrid/hybrid.h"

namespace {

using namespace hybrid::shim::testing;

constexpr int kEverybody = kMembers;  // receiver of data that all ranks get
constexpr int kSlot = 16;             // elements (int) between blocks of different sizes
constexpr int kInt = sizeof(int);

int value(int round, int from, int to, int i) { return 1000 * (round + 1) + 200 * from + 20 * to + i; }

// Contents of a buffer.
class Image {
 public:
  Image() { bytes_.fill(0x5a); }
  template <class Value>
  void put(int byte, int count, Value&& value_of) {
    for (int i = 0; i < count; ++i) {
      const int element = value_of(i);
      std::memcpy(&bytes_[static_cast<std::size_t>(byte + i * kInt)], &element, sizeof element);
    }
  }
  void put_short(int byte, int count, int round, int from, int to) {
    for (int i = 0; i < count; ++i) {
      const auto element = static_cast<short>(value(round, from, to, i));
      std::memcpy(&bytes_[static_cast<std::size_t>(byte) + static_cast<std::size_t>(i) * sizeof element],
                  &element, sizeof element);
    }
  }
  void put(int byte, int count, int round, int from, int to) {
    put(byte, count, [&](int i) { return value(round, from, to, i); });
  }
  void put_pair(int byte, int round, int from, int to) {
    if (pair_is_short(from, to))
      put_short(byte, pair_count(from, to), round, from, to);
    else
      put(byte, pair_count(from, to), round, from, to);
  }
  char* data() { return bytes_.data(); }
  bool operator==(const Image&) const = default;

 private:
  std::array<char, 512> bytes_{};
};

// Buffers of one start: the send buffer, the receive buffer before and after.
struct Images {
  int round;
  Image out, before, after;
  bool defined = true;  // whether the receive buffer is defined
};

// Counts or displacements, as int or as MPI_Count and MPI_Aint, which are the same type in MPICH.
class Numbers {
 public:
  void add(int number) { narrow_.push_back(number), wide_.push_back(number); }
  operator const int*() const { return narrow_.data(); }
  operator const MPI_Count*() const { return wide_.data(); }

 private:
  std::vector<int> narrow_;
  std::vector<MPI_Count> wide_;
};

class EveryCollective {
 public:
  EveryCollective() {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me_, &comm_);
    MPI_Comm_rank(comm_, &me_);
    to_ = neighbors_out(me_), from_ = neighbors_in(me_);
    MPI_Dist_graph_create_adjacent(comm_, static_cast<int>(from_.size()), from_.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(to_.size()), to_.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph_);
    for (int q = 0; q < kMembers; ++q) everybody_.push_back(q);
  }
  ~EveryCollective() {
    MPI_Comm_free(&graph_);
    MPI_Comm_free(&comm_);
  }
  EveryCollective(const EveryCollective&) = delete;
  EveryCollective& operator=(const EveryCollective&) = delete;

  int failures() const { return failures_; }

  void rooted();
  void all_to_all();
  void reductions();
  void neighborhood();

 private:
  using Fill = std::function<void(Images&)>;

  // Runs one form, `starts` times; `prepare` makes the persistent request.
  template <class Prepare, class Start>
  void form(const char* name, const Fill& fill, int starts, Prepare&& prepare, Start&& start) {
    hybrid_phase_begin(name);
    prepare();
    for (int round = 0; round < starts; ++round) {
      Images images{round, {}, {}, {}};
      fill(images);
      out_ = images.out, in_ = images.before;
      if (start() != MPI_SUCCESS) fail(name, "an error");
      if (images.defined && in_ != images.after) fail(name, "the receive buffer is wrong");
      if (out_ != images.out) fail(name, "the send buffer changed");
    }
    hybrid_phase_end();
  }
  template <class Call>
  void blocking(const char* name, const Fill& fill, Call&& call) {
    form(name, fill, 1, [] {}, call);
  }
  template <class Call>
  void nonblocking(const char* name, const Fill& fill, Call&& call) {
    form(
        name, fill, 1, [] {},
        [&] {
          MPI_Request request = MPI_REQUEST_NULL;
          const int result = call(&request);
          return result == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
        });
  }
  template <class Call>
  void persistent(const char* name, const Fill& fill, Call&& call) {
    MPI_Request request = MPI_REQUEST_NULL;
    form(
        name, fill, kStarts, [&] { call(&request); },
        [&] {
          const int result = MPI_Start(&request);
          return result == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : result;
        });
    MPI_Request_free(&request);
  }
  void fail(const char* name, const char* what) {
    ++failures_;
    std::printf("rank %d of the communicator: %s: %s\n", me_, name, what);
  }

  // Counts and places of pairs with `peers`, from or to this rank.
  Numbers pairs(const std::vector<int>& peers, bool sent) const {
    Numbers numbers;
    for (const int q : peers) numbers.add(sent ? pair_count(me_, q) : pair_count(q, me_));
    return numbers;
  }
  std::vector<MPI_Datatype> pair_types(const std::vector<int>& peers, bool sent) const {
    std::vector<MPI_Datatype> types;
    for (const int q : peers)
      types.push_back((sent ? pair_is_short(me_, q) : pair_is_short(q, me_)) ? MPI_SHORT : MPI_INT);
    return types;
  }
  static Numbers own_counts(const std::vector<int>& peers) {
    Numbers numbers;
    for (const int q : peers) numbers.add(own_count(q));
    return numbers;
  }
  static Numbers places(int each) {
    Numbers numbers;
    for (int q = 0; q < kMembers; ++q) numbers.add(q * each);
    return numbers;
  }
  int sum_until(int last, int round, int i) const {
    int sum = 0;
    for (int q = 0; q <= last; ++q) sum += value(round, q, kEverybody, i);
    return sum;
  }

  MPI_Comm comm_ = MPI_COMM_NULL, graph_ = MPI_COMM_NULL;
  int me_ = 0, failures_ = 0;
  std::vector<int> everybody_, to_, from_;
  Image out_, in_;
};

// Name and arguments of a collective, expanded to all of its forms. The function's name is the name of the
// region.
#define RUN(how, function, fill, ...) \
  how(#function, fill, [&](auto... request) { return function(__VA_ARGS__, request...); })
#define RUN_PERSISTENT(function, fill, ...) \
  persistent(#function, fill,               \
             [&](MPI_Request* request) { return function(__VA_ARGS__, MPI_INFO_NULL, request); })
#define FORMS(Name, name, fill, ...)                \
  RUN(blocking, MPI_##Name, fill, __VA_ARGS__);     \
  RUN(nonblocking, MPI_I##name, fill, __VA_ARGS__); \
  RUN_PERSISTENT(MPI_##Name##_init, fill, __VA_ARGS__)
#define FORMS_AND_LARGE(Name, name, fill, ...)          \
  FORMS(Name, name, fill, __VA_ARGS__);                 \
  RUN(blocking, MPI_##Name##_c, fill, __VA_ARGS__);     \
  RUN(nonblocking, MPI_I##name##_c, fill, __VA_ARGS__); \
  RUN_PERSISTENT(MPI_##Name##_init_c, fill, __VA_ARGS__)

void EveryCollective::rooted() {
  const bool root = me_ == kRoot;
  char *const out = out_.data(), *const in = in_.data();
  const Numbers counts = own_counts(everybody_), slots = places(kSlot);

  FORMS(Barrier, barrier, [](Images&) {}, comm_);

  const Fill bcast = [&](Images& images) {
    images.after.put(0, kVector, images.round, kRoot, kEverybody);
    if (root) images.before = images.after;
  };
  FORMS_AND_LARGE(Bcast, bcast, bcast, in, kVector, MPI_INT, kRoot, comm_);

  const Fill gather = [&](Images& images) {
    images.out.put(0, kBlock, images.round, me_, kRoot);
    for (int q = 0; root && q < kMembers; ++q)
      images.after.put(q * kBlock * kInt, kBlock, images.round, q, kRoot);
  };
  FORMS_AND_LARGE(Gather, gather, gather, out, kBlock, MPI_INT, in, kBlock, MPI_INT, kRoot, comm_);

  const Fill gatherv = [&](Images& images) {
    images.out.put(0, own_count(me_), images.round, me_, kRoot);
    for (int q = 0; root && q < kMembers; ++q)
      images.after.put(q * kSlot * kInt, own_count(q), images.round, q, kRoot);
  };
  FORMS_AND_LARGE(Gatherv, gatherv, gatherv, out, own_count(me_), MPI_INT, in, counts, slots, MPI_INT, kRoot,
                  comm_);

  const Fill scatter = [&](Images& images) {
    for (int q = 0; root && q < kMembers; ++q)
      images.out.put(q * kBlock * kInt, kBlock, images.round, kRoot, q);
    images.after.put(0, kBlock, images.round, kRoot, me_);
  };
  FORMS_AND_LARGE(Scatter, scatter, scatter, out, kBlock, MPI_INT, in, kBlock, MPI_INT, kRoot, comm_);

  const Fill scatterv = [&](Images& images) {
    for (int q = 0; root && q < kMembers; ++q)
      images.out.put(q * kSlot * kInt, own_count(q), images.round, kRoot, q);
    images.after.put(0, own_count(me_), images.round, kRoot, me_);
  };
  FORMS_AND_LARGE(Scatterv, scatterv, scatterv, out, counts, slots, MPI_INT, in, own_count(me_), MPI_INT,
                  kRoot, comm_);
}

void EveryCollective::all_to_all() {
  char *const out = out_.data(), *const in = in_.data();
  const Numbers counts = own_counts(everybody_), slots = places(kSlot), slot_bytes = places(kSlot * kInt);
  const Numbers sent = pairs(everybody_, true), received = pairs(everybody_, false);
  const auto sent_types = pair_types(everybody_, true), received_types = pair_types(everybody_, false);

  const Fill allgather = [&](Images& images) {
    images.out.put(0, kBlock, images.round, me_, kEverybody);
    for (int q = 0; q < kMembers; ++q)
      images.after.put(q * kBlock * kInt, kBlock, images.round, q, kEverybody);
  };
  FORMS_AND_LARGE(Allgather, allgather, allgather, out, kBlock, MPI_INT, in, kBlock, MPI_INT, comm_);

  const Fill allgatherv = [&](Images& images) {
    images.out.put(0, own_count(me_), images.round, me_, kEverybody);
    for (int q = 0; q < kMembers; ++q)
      images.after.put(q * kSlot * kInt, own_count(q), images.round, q, kEverybody);
  };
  FORMS_AND_LARGE(Allgatherv, allgatherv, allgatherv, out, own_count(me_), MPI_INT, in, counts, slots,
                  MPI_INT, comm_);

  const Fill alltoall = [&](Images& images) {
    for (int q = 0; q < kMembers; ++q) {
      images.out.put(q * kBlock * kInt, kBlock, images.round, me_, q);
      images.after.put(q * kBlock * kInt, kBlock, images.round, q, me_);
    }
  };
  FORMS_AND_LARGE(Alltoall, alltoall, alltoall, out, kBlock, MPI_INT, in, kBlock, MPI_INT, comm_);

  const Fill alltoallv = [&](Images& images) {
    for (int q = 0; q < kMembers; ++q) {
      images.out.put(q * kSlot * kInt, pair_count(me_, q), images.round, me_, q);
      images.after.put(q * kSlot * kInt, pair_count(q, me_), images.round, q, me_);
    }
  };
  FORMS_AND_LARGE(Alltoallv, alltoallv, alltoallv, out, sent, slots, MPI_INT, in, received, slots, MPI_INT,
                  comm_);

  const Fill alltoallw = [&](Images& images) {
    for (int q = 0; q < kMembers; ++q) {
      images.out.put_pair(q * kSlot * kInt, images.round, me_, q);
      images.after.put_pair(q * kSlot * kInt, images.round, q, me_);
    }
  };
  FORMS_AND_LARGE(Alltoallw, alltoallw, alltoallw, out, sent, slot_bytes, sent_types.data(), in, received,
                  slot_bytes, received_types.data(), comm_);
}

void EveryCollective::reductions() {
  char *const out = out_.data(), *const in = in_.data();
  const Numbers counts = own_counts(everybody_);
  // The sum over the ranks up to `last`; `has`: whether this rank gets it.
  const auto sums = [&](int last, bool has) -> Fill {
    return [this, last, has](Images& images) {
      images.out.put(0, kVector, images.round, me_, kEverybody);
      if (has) images.after.put(0, kVector, [&](int i) { return sum_until(last, images.round, i); });
    };
  };
  FORMS_AND_LARGE(Reduce, reduce, sums(kMembers - 1, me_ == kRoot), out, in, kVector, MPI_INT, MPI_SUM, kRoot,
                  comm_);
  FORMS_AND_LARGE(Allreduce, allreduce, sums(kMembers - 1, true), out, in, kVector, MPI_INT, MPI_SUM, comm_);

  FORMS_AND_LARGE(Scan, scan, sums(me_, true), out, in, kVector, MPI_INT, MPI_SUM, comm_);
  const Fill exscan = [&](Images& images) {
    sums(me_ - 1, true)(images);
    images.defined = me_ != 0;
  };
  FORMS_AND_LARGE(Exscan, exscan, exscan, out, in, kVector, MPI_INT, MPI_SUM, comm_);

  // `all` elements; this rank gets `count` of them, starting with `first`.
  const auto scattered = [&](int all, int first, int count) -> Fill {
    return [this, all, first, count](Images& images) {
      images.out.put(0, all, images.round, me_, kEverybody);
      images.after.put(0, count, [&](int i) { return sum_until(kMembers - 1, images.round, first + i); });
    };
  };
  int all = 0, first = 0;
  for (int q = 0; q < kMembers; ++q) {
    if (q == me_) first = all;
    all += own_count(q);
  }
  FORMS_AND_LARGE(Reduce_scatter, reduce_scatter, scattered(all, first, own_count(me_)), out, in, counts,
                  MPI_INT, MPI_SUM, comm_);
  FORMS_AND_LARGE(Reduce_scatter_block, reduce_scatter_block,
                  scattered(kMembers * kBlock, me_ * kBlock, kBlock), out, in, kBlock, MPI_INT, MPI_SUM,
                  comm_);
}

void EveryCollective::neighborhood() {
  char *const out = out_.data(), *const in = in_.data();
  const Numbers counts = own_counts(from_), slots = places(kSlot), slot_bytes = places(kSlot * kInt);
  const Numbers sent = pairs(to_, true), received = pairs(from_, false);
  const auto sent_types = pair_types(to_, true), received_types = pair_types(from_, false);
  // Visit the neighbours that this rank sends to, and those that it receives from.
  const auto out_of = [&](auto&& put) {
    for (std::size_t i = 0; i < to_.size(); ++i) put(static_cast<int>(i), to_[i]);
  };
  const auto in_of = [&](auto&& put) {
    for (std::size_t i = 0; i < from_.size(); ++i) put(static_cast<int>(i), from_[i]);
  };

  const Fill allgather = [&](Images& images) {
    images.out.put(0, kBlock, images.round, me_, kEverybody);
    in_of([&](int i, int q) { images.after.put(i * kBlock * kInt, kBlock, images.round, q, kEverybody); });
  };
  FORMS_AND_LARGE(Neighbor_allgather, neighbor_allgather, allgather, out, kBlock, MPI_INT, in, kBlock,
                  MPI_INT, graph_);

  const Fill allgatherv = [&](Images& images) {
    images.out.put(0, own_count(me_), images.round, me_, kEverybody);
    in_of(
        [&](int i, int q) { images.after.put(i * kSlot * kInt, own_count(q), images.round, q, kEverybody); });
  };
  FORMS_AND_LARGE(Neighbor_allgatherv, neighbor_allgatherv, allgatherv, out, own_count(me_), MPI_INT, in,
                  counts, slots, MPI_INT, graph_);

  const Fill alltoall = [&](Images& images) {
    out_of([&](int i, int q) { images.out.put(i * kBlock * kInt, kBlock, images.round, me_, q); });
    in_of([&](int i, int q) { images.after.put(i * kBlock * kInt, kBlock, images.round, q, me_); });
  };
  FORMS_AND_LARGE(Neighbor_alltoall, neighbor_alltoall, alltoall, out, kBlock, MPI_INT, in, kBlock, MPI_INT,
                  graph_);

  const Fill alltoallv = [&](Images& images) {
    out_of([&](int i, int q) { images.out.put(i * kSlot * kInt, pair_count(me_, q), images.round, me_, q); });
    in_of(
        [&](int i, int q) { images.after.put(i * kSlot * kInt, pair_count(q, me_), images.round, q, me_); });
  };
  FORMS_AND_LARGE(Neighbor_alltoallv, neighbor_alltoallv, alltoallv, out, sent, slots, MPI_INT, in, received,
                  slots, MPI_INT, graph_);

  const Fill alltoallw = [&](Images& images) {
    out_of([&](int i, int q) { images.out.put_pair(i * kSlot * kInt, images.round, me_, q); });
    in_of([&](int i, int q) { images.after.put_pair(i * kSlot * kInt, images.round, q, me_); });
  };
  FORMS_AND_LARGE(Neighbor_alltoallw, neighbor_alltoallw, alltoallw, out, sent, slot_bytes, sent_types.data(),
                  in, received, slot_bytes, received_types.data(), graph_);
}

}  // namespace

int main(int argc, char** argv) {
  // The default algorithms of MPICH 4.0.2 do part of the work of persistent forms once for all starts.
  ::setenv("MPIR_CVAR_IGATHER_INTRA_ALGORITHM", "tsp_tree", 1);
  ::setenv("MPIR_CVAR_ISCATTER_INTRA_ALGORITHM", "tsp_tree", 1);
  ::setenv("MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM", "tsp_ring", 1);
  MPI_Init(&argc, &argv);
  int failures = 0;
  {
    EveryCollective collectives;
    collectives.rooted();
    collectives.all_to_all();
    collectives.reductions();
    collectives.neighborhood();
    failures = collectives.failures();
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
