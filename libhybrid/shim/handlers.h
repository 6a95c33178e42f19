// What the handlers share. A handler runs the real call of the program between its bookkeeping; it changes
// neither the call's arguments as the program sees them nor its result.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libhybrid/live/live_job.h"
#include "libhybrid/shim/datatypes.h"
#include "libhybrid/shim/process.h"

/// For handlers of calls that may take only nanoseconds: the arguments stay in registers.
#define HYBRID_HOT [[gnu::always_inline]] inline

namespace hybrid::shim {

/// When a call began and ended. Made at its begin; `done` at its end.
class CallTime {
 public:
  explicit CallTime(Thread& thread) : thread_(thread), begin_(thread.enter()) {}
  void done() {
    end_ = ticks();
    if (process().live_carries) [[unlikely]]
      process().live->progress();
  }
  Ticks begin() const { return begin_; }
  Ticks end() const { return end_; }
  void record(const Record& record) { thread_.record(record, begin_, end_); }
  /// Time in MPI that moves no data of the program.
  void record_call() {
    process().prediction.pass(thread_, begin_);
    thread_.record({.kind = EventKind::call}, begin_, end_);
  }
  void record_poll() {
    process().prediction.pass(thread_, begin_);
    thread_.poll(begin_, end_);
  }

 private:
  Thread& thread_;
  Ticks begin_;
  Ticks end_ = 0;
};

// A handler looks up before the call what it is to record. MPI must not be asked then about what the program
// names: if that is wrong, MPI runs the program's error handler, which must hear of it from the program's
// call alone. Where something would have to be asked, the wrapper makes the call first, as one that moves
// nothing, and the handler then records at once what it did: for the first transfer on a communicator, or of
// a datatype, that was made where the library does not see it.
inline bool is_unasked_comm(MPI_Comm comm) {
  const auto handle = static_cast<std::uint32_t>(comm);
  return comm != MPI_COMM_WORLD && !is_no_object(handle) && process().communicators.find(handle) == nullptr;
}
inline bool is_unasked_type(MPI_Datatype datatype) { return !is_size_known(datatype); }
/// One datatype for each of the `number` peers of a communicator that is known.
template <class Number>
bool any_unasked_type(const MPI_Datatype* datatypes, MPI_Comm comm, Number&& number) {
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(comm));
  if (datatypes == nullptr || known == nullptr) return false;
  for (std::size_t i = 0; i < number(*known); ++i)
    if (is_unasked_type(datatypes[i])) return true;
  return false;
}

inline std::uint32_t id_of(const Communicator* communicator) {
  return communicator == nullptr ? 0 : communicator->id;
}
inline std::int32_t world_rank(const Communicator* communicator, int local) {
  return communicator == nullptr ? kNoPeer : communicator->world_rank(local);
}

/// What a status says of a receive's match. MPICH keeps the size in bytes, and the lowest bit of its high
/// word for cancellation.
inline std::uint64_t received_bytes(const MPI_Status& status) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1) << 32 |
         static_cast<std::uint32_t>(status.count_lo);
}
inline bool was_cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

/// A place for the match where the program wants none. `status` is what the real call gets.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status*& status) {
    if (status == MPI_STATUS_IGNORE) status = &own_;
    used_ = status;
  }
  /// Of the one request, of `count`, that a call completes.
  OwnStatus(Thread& /*thread*/, int /*count*/, MPI_Status*& status) : OwnStatus(status) {}
  const MPI_Status& get() const { return *used_; }
  const MPI_Status& operator[](int) const { return *used_; }

 private:
  MPI_Status own_;
  MPI_Status* used_ = nullptr;
};

namespace handle {

template <class Real>
int call(Thread& thread, Real&& real) {
  CallTime time(thread);
  const int result = real();
  time.done();
  time.record_call();
  return result;
}

/// Asks whether something is there, and takes nothing.
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
