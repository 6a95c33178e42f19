// What the shim knows of the program's open requests, by MPI handle (an integer in MPICH). Knows no MPI type.
//
// MPI libraries hand request handles out of pools that never shrink, so the handles ever seen are no more
// than the most requests ever open at a time: a handle keeps its slot for good, nothing is ever deleted or
// moved, and a request needs no allocation once its handle was seen before. Any thread may insert and look up
// at any time without a lock; of one request, the program itself must order what its threads do.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/event.h"

namespace hybrid::shim {

struct Communicator;

/// What a collective with sizes by peer moves: (world rank, bytes) pairs.
struct PeerBytes {
  std::int32_t peer = kNoPeer;
  std::uint64_t bytes = 0;
};
struct PeerCounts {
  std::vector<PeerBytes> sent, received;
};

enum class RequestKind : std::uint8_t {
  other,  // not a transfer of ours: generalised requests, file operations, one-sided, communicator
          // duplication
  send,
  recv,
  sendrecv,  // one request for both
  collective,
};

struct Request {
  RequestKind kind = RequestKind::other;
  bool persistent = false;
  bool active = false;            // started and not completed; only persistent ones are ever inactive
  bool cancel_requested = false;  // the status says whether it succeeded
  std::uint8_t op = 0;            // SendMode or CollectiveOp
  std::uint32_t id = 0;           // in the journal
  std::uint32_t partitions = 0;   // of a partitioned send; 0: it is not one
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

  /// The slot of `handle`, or nullptr when it was never inserted.
  Slot* find(std::uint32_t handle) const;

  /// The handle means `request` from now on; gives the request its journal id, which differs from those that
  /// the slot had lately: a request may be freed while its transfer goes on. nullptr when memory is short.
  Slot* insert(std::uint32_t handle, const Request& request) noexcept;

  /// Whether an open request refers to `communicator`.
  bool uses(const Communicator& communicator) const;

 private:
  // Blocks of 1024, 2048, 4096, ... slots; a handle is in the first block that had room near its home.
  static constexpr std::size_t kBlocks = 20;
  static constexpr std::size_t kFirst = 1024;
  static constexpr std::size_t kWindow = 16;  // slots looked at in one block
  static std::size_t block_size(std::size_t block) { return kFirst << block; }
  static std::size_t home(std::uint32_t handle, std::size_t block) {
    return static_cast<std::size_t>(handle * std::uint64_t{0x9E3779B97F4A7C15u} >> 32) &
           (block_size(block) - 1);
  }
  Slot* block(std::size_t index) noexcept;

  std::array<std::atomic<Slot*>, kBlocks> blocks_{};
};

}  // namespace hybrid::shim
