// This process's recording: what its threads share. There is at most one, from the first of MPI_Init,
// MPI_Init_thread and MPI_Session_init to the last of MPI_Finalize and MPI_Session_finalize.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libhybrid/options/job_options.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/shim/communicator_table.h"
#include "libhybrid/shim/compiled_hints.h"
#include "libhybrid/shim/online_prediction.h"
#include "libhybrid/shim/request_table.h"
#include "libhybrid/shim/shared_requests.h"
#include "libhybrid/shim/thread.h"

namespace hybrid {
class LiveJob;
}  // namespace hybrid

namespace hybrid::shim {

class MpiHostLink;

struct Window {
  std::uint32_t id = 0;
  const Communicator* communicator = nullptr;
};

class Process {
 public:
  Process();
  ~Process();

  // Set before recording begins, then only read.
  JobOptions options;
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::string recording_directory;
  MPI_Comm own_comm = MPI_COMM_NULL;  // for what the shim itself sends
  MPI_Group world = MPI_GROUP_NULL;   // world rank of a process: its rank in this group
  bool concurrent = false;            // MPI_THREAD_MULTIPLE
  bool has_world_model = false;       // MPI_Init, not only sessions
  RecordingRules rules;
  ClockSample clock_start;
  std::uint64_t realtime_start = 0;  // CLOCK_REALTIME at clock_start
  std::unique_ptr<MpiHostLink> link;
  std::unique_ptr<LiveJob> live;
  bool live_carries = false;

  std::unique_ptr<DefinitionWriter> definitions;
  CommunicatorTable communicators;
  HandleTable<Window> windows;
  RequestTable requests;
  SharedRequestTable shared_requests;
  OnlinePrediction prediction;
  CompiledHints compiled;
  DatatypeSizes datatypes;  // of those whose handles do not tell their sizes

  /// Defines MPI_COMM_WORLD and MPI_COMM_SELF, which the definitions always have.
  void define_world();
  /// The communicator behind a handle; asks MPI and defines it the first time. nullptr: MPI_COMM_NULL, or
  /// memory is short.
  const Communicator* communicator(MPI_Comm comm);
  /// What makes a communicator by a call on all of `parent`. To be asked once for each such call, whether it
  /// makes one here or not.
  Origin next_origin(MPI_Comm parent) noexcept;
  /// Defines a communicator that was just created.
  void define_communicator(MPI_Comm comm, const Origin& origin = {}) noexcept;
  /// Defines `made` with the members of `comm`.
  void define_duplicate(MPI_Comm comm, MPI_Comm made, const Origin& origin) noexcept;
  void define_window(MPI_Win win, MPI_Comm comm) noexcept;
  const Window* window(MPI_Win win);
  /// Id of a phase's name.
  std::uint32_t region(const char* name);

  /// A journal for the calling thread: one that an ended thread left, or a new one.
  Thread* adopt_thread();
  /// The calling thread ends: its phases do, and its journal is another's to take.
  void leave_thread(Thread* thread) noexcept;
  /// Writes the last events of all threads and closes their journals; the sum of events lost.
  std::uint64_t finish_threads();
  /// Of all ranks, once the recording has ended: what they lost and could not write down either.
  std::uint64_t untold_loss = 0;
  /// Calls of threads that got no journal.
  std::uint64_t unrecorded_calls() const { return unrecorded_calls_.load(std::memory_order_relaxed); }

 private:
  void add_communicator(MPI_Comm comm, std::unique_ptr<Communicator> known, const Origin& origin);

  std::mutex threads_mutex_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> idle_threads_;
  bool finished_ = false;  // the journals are closed
  std::atomic<bool> no_more_journals_{false};
  std::atomic<std::uint64_t> unrecorded_calls_{0};
  std::atomic<std::uint32_t> next_communicator_{kSelfCommunicator + 1};
  std::atomic<std::uint32_t> next_window_{0};
  std::mutex regions_mutex_;
  std::map<std::string, std::uint32_t, std::less<>> regions_;
};

/// Ends the phases that the calling thread is in (hints.cpp).
void end_open_phases(Thread& thread) noexcept;

/// Reads the compiler's hints of all that is loaded (compiled_marks.cpp). Once `begun` is set.
void load_compiled_hints(Process& process) noexcept;

/// The compiled phases that the calling thread is in already begin now that something is recorded.
void begin_early_phases() noexcept;

/// The recording, null before it begins and after it ends.
extern std::atomic<Process*> recording;
/// The same, kept after its end, when nothing comes into it any more: a call may be under way that ended it
/// from its error handler, and threads end when they like.
extern std::atomic<Process*> begun;

namespace detail {
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* current_thread;
Thread* join_recording() noexcept;
}  // namespace detail

/// The calling thread's part of the recording; null when nothing is recorded.
[[gnu::always_inline]] inline Thread* recording_thread() {
  if (recording.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
    return nullptr;
  Thread* const thread = detail::current_thread;
  if (thread == nullptr) [[unlikely]]
    return detail::join_recording();
  return thread;
}

/// Once something is recorded.
inline Process& process() { return *begun.load(std::memory_order_relaxed); }

}  // namespace hybrid::shim
