// Open requests of the program, by MPI handle (an integer in MPICH). Knows no MPI type.
//
// RequestTable holds the requests that have a handle of their own, SharedRequestTable those that MPI
// completes at once and gives a shared handle. Any thread may insert and look up at any time without a lock;
// the program must order what its threads do with one request.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/event.h"

namespace hybrid::shim {

struct Communicator;

/// One peer's share of a collective: world rank and bytes.
struct PeerBytes {
  std::int32_t peer = kNoPeer;
  std::uint64_t bytes = 0;
};
/// Sizes by peer of a collective.
struct PeerCounts {
  std::vector<PeerBytes> sent, received;
};

enum class RequestKind : std::uint8_t {
  other,  // not recorded as a transfer: generalised requests, file operations, one-sided, communicator
          // duplication
  send,
  recv,
  sendrecv,  // one request for both
  collective,
};

/// Values of one request, as the journal needs them.
struct Request {
  RequestKind kind = RequestKind::other;
  bool persistent = false;
  bool active = false;            // started and not completed; only persistent ones are ever inactive
  bool cancel_requested = false;  // the status shows whether it succeeded
  std::uint8_t op = 0;            // SendMode or CollectiveOp
  std::uint32_t id = 0;           // in the journal
  std::uint32_t partitions = 0;   // of a partitioned send; 0: not partitioned
  std::int32_t peer = kNoPeer;    // world rank: of the send, of the posted receive, the collective's root
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  const Communicator* communicator = nullptr;
  // The receiving half of a sendrecv.
  std::int32_t recv_peer = kNoPeer;
  std::int32_t recv_tag = 0;
  std::uint64_t recv_bytes = 0;
};

/// The journal's id of a sendrecv's receiving half.
constexpr std::uint32_t second_half(std::uint32_t id) { return id | 0x8000'0000u; }

/// Handle -> request, for requests with a handle of their own.
///
/// MPI libraries take request handles from pools that never shrink: the number of handles ever seen is at
/// most the largest number of requests open at a time. A handle therefore keeps its slot; no slot is deleted
/// or moved, and a known handle needs no allocation.
class RequestTable {
 public:
  struct Slot {
    std::atomic<std::uint32_t> handle{0};
    std::uint32_t number = 0;  // of the slot, from 1
    std::uint32_t uses = 0;
    std::atomic<std::uint32_t> partitions_left{0};
    Request request;
    std::unique_ptr<const PeerCounts> counts;  // of a persistent collective with sizes by peer
  };

  RequestTable();
  ~RequestTable();
  RequestTable(const RequestTable&) = delete;
  RequestTable& operator=(const RequestTable&) = delete;

  /// Returns the slot of `handle`, or nullptr when it was never inserted.
  Slot* find(std::uint32_t handle) const;

  /// Stores `request` under `handle` and gives it its journal id. The id differs from the slot's recent ids,
  /// because a request may be freed while its transfer continues. Returns nullptr when memory is short.
  Slot* insert(std::uint32_t handle, const Request& request) noexcept;

  /// Whether a stored request refers to `communicator`.
  bool uses(const Communicator& communicator) const;

 private:
  // Blocks of 1024, 2048, 4096, ... slots; a handle is in the first block that had a free slot near its home.
  static constexpr std::size_t kBlocks = 20;
  static constexpr std::size_t kFirst = 1024;
  static constexpr std::size_t kWindow = 16;  // slots probed in one block
  static std::size_t block_size(std::size_t block) { return kFirst << block; }
  static std::size_t home(std::uint32_t handle, std::size_t block) {
    return static_cast<std::size_t>(handle * std::uint64_t{0x9E3779B97F4A7C15u} >> 32) &
           (block_size(block) - 1);
  }
  Slot* block(std::size_t index) noexcept;

  std::array<std::atomic<Slot*>, kBlocks> blocks_{};
};

/// Whether `handle` is shared by many requests. MPICH has one handle for all requests of a kind (0x6C0000..)
/// that it completes as it makes them: eager sends, receives from MPI_PROC_NULL. Which of its requests a wait
/// completes is unknown and has no effect, since all are complete; the shim takes them in order of creation.
constexpr bool is_shared(std::uint32_t handle) { return (handle & 0xFFFF'FFE0u) == 0x6C00'0000u; }

/// Bounded queue of the open requests of one shared handle, for any number of threads (Vyukov's bounded
/// queue). With `concurrent` false it uses no atomic read-modify-write. A thread that needs a cell in which
/// another one was preempted yields its core until that one has continued. If that takes about a second,
/// once, the other thread is taken for killed, and no thread waits in this queue any more.
class SharedRequests {  // NOLINT(clang-analyzer-optin.performance.Padding): separate lines for head and tail
 public:
  static constexpr std::uint64_t kCapacity = 4096;

  /// `index`: number of the shared handle.
  SharedRequests(std::uint32_t index, bool concurrent);

  /// Appends `request` and gives it its journal id. Returns false when the queue is full, or blocked by a
  /// killed thread.
  bool push(Request& request);
  /// Takes the oldest request. Returns false when there is none, or when a killed thread blocks the queue:
  /// such a completion is not recorded; the transfer is.
  bool pop(Request& request);
  /// Whether a request in the queue refers to `communicator`.
  bool uses(const Communicator& communicator) const;

 private:
  struct Cell {
    std::atomic<std::uint64_t> turn{0};
    std::atomic<const Communicator*> communicator{nullptr};  // of `request` while it is in the queue
    Request request;
  };
  static constexpr int kMostYields = 1'000'000;
  bool claim(std::atomic<std::uint64_t>& position, const std::atomic<std::uint64_t>& other, std::uint64_t& at,
             std::uint64_t offset);

  std::unique_ptr<Cell[]> cells_;
  std::uint32_t first_id_;
  bool concurrent_;
  std::atomic<bool> waits_{true};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::atomic<std::uint64_t> head_{0};
};

/// The queues of all shared handles, each created at its first use.
class SharedRequestTable {
 public:
  ~SharedRequestTable();
  SharedRequestTable() = default;
  SharedRequestTable(const SharedRequestTable&) = delete;
  SharedRequestTable& operator=(const SharedRequestTable&) = delete;

  /// Returns nullptr when memory is short.
  SharedRequests* queue(std::uint32_t handle, bool concurrent) noexcept;
  bool uses(const Communicator& communicator) const;

 private:
  std::array<std::atomic<SharedRequests*>, 32> queues_{};
};

}  // namespace hybrid::shim
