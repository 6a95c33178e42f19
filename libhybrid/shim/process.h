// The recording of this process: what its threads share. There is at most one, from the first of MPI_Init,
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
#include "libhybrid/shim/compiled_hints.h"
#include "libhybrid/shim/handle_table.h"
#include "libhybrid/shim/online_prediction.h"
#include "libhybrid/shim/request_table.h"
#include "libhybrid/shim/thread.h"

namespace hybrid {
class LiveJob;
}  // namespace hybrid

namespace hybrid::shim {

class MpiHostLink;

/// A window for one-sided communication.
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
  MPI_Comm own_comm = MPI_COMM_NULL;  // for the shim's own messages
  MPI_Group world = MPI_GROUP_NULL;   // world rank of a process: its rank in this group
  bool concurrent = false;            // MPI_THREAD_MULTIPLE
  bool several_threads = false;       // or MPI_THREAD_SERIALIZED
  bool has_world_model = false;       // MPI_Init, not only sessions
  RecordingRules rules;
  ClockSample clock_start;
  std::uint64_t realtime_start = 0;  // CLOCK_REALTIME at clock_start
  std::unique_ptr<MpiHostLink> link;
  std::unique_ptr<LiveJob> live;

  std::unique_ptr<DefinitionWriter> definitions;
  std::unique_ptr<CallSites> call_sites;
  CommunicatorTable communicators;
  HandleTable<Window> windows;
  RequestTable requests;
  SharedRequestTable shared_requests;
  bool live_carries = false;
  OnlinePrediction prediction;  // next to what else every call reads
  CompiledHints compiled;
  DatatypeSizes datatypes;  // of the handles that do not contain the size

  /// Defines MPI_COMM_WORLD and MPI_COMM_SELF, which all definitions contain.
  void define_world();
  /// Returns the communicator of a handle; the first time, queries MPI and defines it. nullptr for
  /// MPI_COMM_NULL, or when memory is short.
  const Communicator* communicator(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD) return world_communicator_;
    const Communicator* const known = communicators.find(static_cast<std::uint32_t>(comm));
    return known != nullptr ? known : first_use(comm);
  }
  /// Returns the origin of a communicator that is created by a call collective over `parent`. Must be called
  /// once for each such call, also when no communicator results on this rank.
  Origin next_origin(MPI_Comm parent) noexcept;
  /// Defines a communicator that was just created.
  void define_communicator(MPI_Comm comm, const Origin& origin = {}) noexcept;
  /// Defines `made`, a duplicate of `comm`.
  void define_duplicate(MPI_Comm comm, MPI_Comm made, const Origin& origin) noexcept;
  void define_window(MPI_Win win, MPI_Comm comm) noexcept;
  const Window* window(MPI_Win win);
  /// Returns the id of a phase's name. Throws std::exception when memory is short.
  std::uint32_t region(const char* name);

  /// Returns a journal for the calling thread: that of an ended thread, or a new one.
  Thread* adopt_thread();
  /// Ends the phases of the calling thread, which ends, and releases its journal for another thread.
  void leave_thread(Thread* thread) noexcept;
  /// Writes the last events of all threads and closes their journals. Returns the number of lost events.
  std::uint64_t finish_threads();
  /// Lost events of all ranks that are not in their definitions either. Valid after the end of the recording.
  std::uint64_t unreported_loss = 0;
  /// Number of calls of threads that have no journal.
  std::uint64_t unrecorded_calls() const { return unrecorded_calls_.load(std::memory_order_relaxed); }

 private:
  [[gnu::cold]] const Communicator* first_use(MPI_Comm comm);
  void add_communicator(MPI_Comm comm, std::unique_ptr<Communicator> known, const Origin& origin);

  const Communicator* world_communicator_ = nullptr;  // also in communicators
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

/// The recording; nullptr before it begins and after it ends.
extern std::atomic<Process*> recording;
/// The recording, kept after its end, when it takes no more events: the call that ended it from its error
/// handler may still run, and threads may end later.
extern std::atomic<Process*> latest_recording;

namespace detail {
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* current_thread;
Thread* join_recording() noexcept;
}  // namespace detail

/// Returns the calling thread's part of the recording; nullptr when nothing is recorded.
[[gnu::always_inline]] inline Thread* recording_thread() {
  if (recording.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
    return nullptr;
  Thread* const thread = detail::current_thread;
  if (thread == nullptr) [[unlikely]]
    return detail::join_recording();
  return thread;
}

/// The latest recording. Precondition: a recording has begun.
inline Process& process() { return *latest_recording.load(std::memory_order_relaxed); }

}  // namespace hybrid::shim
