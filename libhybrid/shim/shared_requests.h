// Requests that MPI completes as it makes them. MPICH has one handle for all of a kind (0x6C0000..): eager
// sends, receives from MPI_PROC_NULL. Which of its open requests a wait means cannot be told and does not
// matter: all are complete. They are taken in the order in which they were made. Knows no MPI type.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "libhybrid/shim/request_table.h"

namespace hybrid::shim {

/// Whether `handle` stands for many requests at a time.
constexpr bool is_shared(std::uint32_t handle) { return (handle & 0xFFFF'FFE0u) == 0x6C00'0000u; }

/// A queue of bounded length, for any number of threads (Vyukov's bounded queue). With one thread at a time
/// it uses no atomic read-modify-write.
class SharedRequests {  // NOLINT(clang-analyzer-optin.performance.Padding): head and tail on lines of their
                        // own
 public:
  static constexpr std::uint64_t kCapacity = 4096;

  /// `index`: which of the shared handles this is.
  SharedRequests(std::uint32_t index, bool concurrent);

  /// Takes `request` in and gives it its journal id; false when the queue is full.
  bool push(Request& request);
  /// The oldest; false when there is none, or when the thread that is just putting it in was stopped: nobody
  /// waits for it. A completion that is missed so is not told; the transfer is.
  bool pop(Request& request);
  /// Whether a request in the queue refers to `communicator`.
  bool uses(const Communicator& communicator) const;

 private:
  struct Cell {
    std::atomic<std::uint64_t> turn{0};
    std::atomic<const Communicator*> communicator{nullptr};  // of `request` while it is in the queue
    Request request;
  };
  bool claim(std::atomic<std::uint64_t>& position, std::uint64_t& at, std::uint64_t offset);

  std::unique_ptr<Cell[]> cells_;
  std::uint32_t first_id_;
  bool concurrent_;
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::atomic<std::uint64_t> head_{0};
};

/// The queues of all shared handles, each made when it is first needed.
class SharedRequestTable {
 public:
  ~SharedRequestTable();
  SharedRequestTable() = default;
  SharedRequestTable(const SharedRequestTable&) = delete;
  SharedRequestTable& operator=(const SharedRequestTable&) = delete;

  /// nullptr when memory is short.
  SharedRequests* queue(std::uint32_t handle, bool concurrent) noexcept;
  bool uses(const Communicator& communicator) const;

 private:
  std::array<std::atomic<SharedRequests*>, 32> queues_{};
};

}  // namespace hybrid::shim
