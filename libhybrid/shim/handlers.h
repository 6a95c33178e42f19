// Basics of all handlers. A handler makes the program's real call and records it. It changes neither the
// arguments that the program sees nor the result.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstdint>

#include "libhybrid/live/live_job.h"
#include "libhybrid/shim/datatypes.h"
#include "libhybrid/shim/interposition.h"
#include "libhybrid/shim/process.h"

/// For handlers of calls that take only nanoseconds: the arguments stay in registers.
#define HYBRID_HOT [[gnu::always_inline]] inline

namespace hybrid::shim {

/// Begin and end of a call. Construct it at the begin; call done() at the end.
class CallTime {
 public:
  explicit CallTime(Thread& thread) : CallTime(thread, ticks()) {}
  /// Of a call that began at `begin`.
  CallTime(Thread& thread, Ticks begin) : thread_(thread), begin_(thread.enter(call_site(), begin)) {}
  /// `peer`: MPI_PROC_NULL for a transfer that does nothing. Its time is less than that of reading the clock,
  /// and is recorded as 0.
  void done(int peer = 0) {
    end_ = peer == MPI_PROC_NULL ? begin_ : thread_.leave();
    if (process().live_carries) [[unlikely]]
      process().live->progress();
  }
  Ticks begin() const { return begin_; }
  Ticks end() const { return end_; }
  HYBRID_HOT void record(const Record& record) { thread_.record(record, begin_, end_); }
  /// Records a call that moves no data of the program.
  HYBRID_HOT void record_call() { record_call(thread_, begin_, end_); }
  /// Records a poll that found nothing.
  void record_poll() {
    process().prediction.on_time(thread_, begin_);
    thread_.poll(begin_, end_);
  }

 private:
  // Not a member of an object, which would then be in memory.
  [[gnu::noinline]] static void record_call(Thread& thread, Ticks begin, Ticks end) {
    process().prediction.on_time(thread, begin);
    thread.record({.kind = EventKind::call}, begin, end);
  }

  Thread& thread_;
  Ticks begin_;
  Ticks end_ = 0;
};

// A handler looks up the communicator and the datatype before the call. It must not query MPI for them then:
// if an argument is invalid, MPI runs the program's error handler, which must be caused by the program's own
// call only. When one of them is not cached (the first transfer on a communicator, or of a datatype, that was
// made without a wrapped call), the generated wrapper therefore makes the real call first and records it as a
// call without data; the handler then queries MPI and records the transfer.
inline bool is_uncached_comm(MPI_Comm comm) {
  const auto handle = static_cast<std::uint32_t>(comm);
  return comm != MPI_COMM_WORLD && !is_no_object(handle) && process().communicators.find(handle) == nullptr;
}
inline bool is_uncached_type(MPI_Datatype datatype) { return !is_size_known(datatype); }
/// The same for an array of datatypes, one for each of the `number` peers of a cached communicator.
template <class Number>
bool any_uncached_type(const MPI_Datatype* datatypes, MPI_Comm comm, Number&& number) {
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(comm));
  if (datatypes == nullptr || known == nullptr) return false;
  for (std::size_t i = 0; i < number(*known); ++i)
    if (is_uncached_type(datatypes[i])) return true;
  return false;
}

inline std::uint32_t id_of(const Communicator* communicator) {
  return communicator == nullptr ? 0 : communicator->id;
}
inline std::int32_t world_rank(const Communicator* communicator, int local) {
  return communicator == nullptr ? kNoPeer : communicator->world_rank(local);
}

/// Returns the received bytes of a status. MPICH stores the size in bytes, with the cancellation flag in the
/// lowest bit of the high word.
inline std::uint64_t received_bytes(const MPI_Status& status) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1) << 32 |
         static_cast<std::uint32_t>(status.count_lo);
}
inline bool was_cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

/// A status for calls where the program passes MPI_STATUS_IGNORE. Sets `status` to the one for the real call.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status*& status) {
    if (status == MPI_STATUS_IGNORE) status = &own_;
    used_ = status;
  }
  /// Status of the one request that a call on `count` requests completes.
  OwnStatus(Thread& /*thread*/, int /*count*/, MPI_Status*& status) : OwnStatus(status) {}
  const MPI_Status& get() const { return *used_; }
  const MPI_Status& operator[](int) const { return *used_; }

 private:
  MPI_Status own_;
  MPI_Status* used_ = nullptr;
};

/// The program's real call, for handlers whose cost is small beside the call's: they are compiled once, not
/// once per MPI function. A reference: the callable must outlive it.
class RealCall {
 public:
  template <std::invocable Call>
  RealCall(const Call& call)  // NOLINT(google-explicit-constructor): handlers are called with the callable
      : callable_(&call),
        invoke_([](const void* callable) { return (*static_cast<const Call*>(callable))(); }) {}
  int operator()() const { return invoke_(callable_); }

 private:
  const void* callable_;
  int (*invoke_)(const void*);
};

namespace handle {

/// A call that moves no data.
inline int call(Thread& thread, RealCall real) {
  CallTime time(thread);
  const int result = real();
  time.done();
  time.record_call();
  return result;
}

/// A call that checks for a message or completion and takes nothing.
template <class Real>
int poll(Thread& thread, Real&& real, const int* flag) {
  CallTime time(thread);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0)
    time.record_poll();
  else
    time.record_call();
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
