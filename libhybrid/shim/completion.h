// Handlers of completion: which of the program's requests ended in this call, and with what match.
//
// A handle that completes is gone from the program's variable after the call, and MPI may have given it to
// another thread's new request by then: everything is looked up before. Where the program takes no statuses,
// MPI gets ours; MPICH's return codes are the same with and without.
#pragma once

#include <cstddef>

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// The requests of one call as they were before it. Small calls need no memory, larger ones use the thread's.
class RequestsBefore {
 public:
  RequestsBefore(int count, const MPI_Request* requests);
  RequestsBefore(const RequestsBefore&) = delete;
  RequestsBefore& operator=(const RequestsBefore&) = delete;

  int count() const { return count_; }
  /// What was known of request i, which has completed; nullptr for none.
  const Request* request(int i) const;
  MPI_Request handle(int i) const { return handles_[i]; }
  /// The slot of a persistent request, whose handle stays.
  RequestTable::Slot* persistent(int i) const;

 private:
  static constexpr int kSmall = 16;
  int count_;
  bool copies_;  // several threads: the slots may change under us
  MPI_Request small_handles_[kSmall];
  alignas(Request) std::byte small_copies_[kSmall * sizeof(Request)];  // not filled where not needed
  MPI_Request* handles_ = small_handles_;
  Request* copied_ = reinterpret_cast<Request*>(small_copies_);
};

/// Statuses for a call that takes an array of them.
class OwnStatuses {
 public:
  OwnStatuses(int count, MPI_Status*& statuses);
  const MPI_Status& operator[](int i) const { return used_[i]; }

 private:
  static constexpr int kSmall = 16;
  MPI_Status small_[kSmall];
  MPI_Status* used_ = nullptr;
};

/// The oldest open request of a shared handle (shared_requests.h); false when there is none.
bool take_shared(MPI_Request handle, Request& request);

/// Writes the end of a transfer.
void record_end(CallTime& time, const Request& request, const MPI_Status& status);

/// Writes the completion of one request; false when it is nothing that the journal tells: an inactive
/// persistent request, or not a transfer.
bool record_completion(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status);

namespace handle {

template <class Real>
HYBRID_HOT int wait(Thread& thread, Real&& real, MPI_Request* request, MPI_Status*& status) {
  CallTime time(thread);
  const RequestsBefore before(1, request);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  process().prediction.pass(thread, time.begin());
  if (result != MPI_SUCCESS || !record_completion(time, before, 0, own.get())) time.record_call();
  return result;
}

template <class Real>
int waitall(Thread& thread, Real&& real, int count, MPI_Request* requests, MPI_Status*& statuses) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatuses own(count, statuses);
  const int result = real();
  time.done();
  process().prediction.pass(thread, time.begin());
  bool recorded = false;
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i)
    recorded |= record_completion(time, before, i, own[i]);
  if (!recorded) time.record_call();
  return result;
}

template <class Real>
int waitany(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* index,
            MPI_Status*& status) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  process().prediction.pass(thread, time.begin());
  if (result != MPI_SUCCESS || *index == MPI_UNDEFINED || !record_completion(time, before, *index, own.get()))
    time.record_call();
  return result;
}

template <class Real>
int waitsome(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* done,
             const int* indices, MPI_Status*& statuses) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatuses own(count, statuses);
  const int result = real();
  time.done();
  process().prediction.pass(thread, time.begin());
  bool recorded = false;
  for (int i = 0; result == MPI_SUCCESS && *done != MPI_UNDEFINED && i < *done; ++i)
    recorded |= record_completion(time, before, indices[i], own[i]);
  if (!recorded) time.record_call();
  return result;
}

template <class Real>
HYBRID_HOT int test(Thread& thread, Real&& real, MPI_Request* request, const int* flag, MPI_Status*& status) {
  CallTime time(thread);
  const RequestsBefore before(1, request);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0)
    time.record_poll();
  else if (result != MPI_SUCCESS || !record_completion(time, before, 0, own.get()))
    time.record_call();
  return result;
}

template <class Real>
int testall(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* flag,
            MPI_Status*& statuses) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatuses own(count, statuses);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0) {
    time.record_poll();
    return result;
  }
  bool recorded = false;
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i)
    recorded |= record_completion(time, before, i, own[i]);
  if (!recorded) time.record_call();
  return result;
}

template <class Real>
int testany(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* index, const int* flag,
            MPI_Status*& status) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0)
    time.record_poll();
  else if (result != MPI_SUCCESS || *index == MPI_UNDEFINED ||
           !record_completion(time, before, *index, own.get()))
    time.record_call();
  return result;
}

template <class Real>
int testsome(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* done,
             const int* indices, MPI_Status*& statuses) {
  CallTime time(thread);
  const RequestsBefore before(count, requests);
  const OwnStatuses own(count, statuses);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *done == 0) {
    time.record_poll();
    return result;
  }
  bool recorded = false;
  for (int i = 0; result == MPI_SUCCESS && *done != MPI_UNDEFINED && i < *done; ++i)
    recorded |= record_completion(time, before, indices[i], own[i]);
  if (!recorded) time.record_call();
  return result;
}

// Completes nothing: the request stays until a wait or a test takes it.
template <class Real>
int request_get_status(Thread& thread, Real&& real, const int* flag) {
  CallTime time(thread);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0)
    time.record_poll();
  else
    time.record_call();
  return result;
}

// The transfer of an active request goes on, and nobody will ever wait for it: the journal has its begin
// only.
template <class Real>
int request_free(Thread&, Real&& real, MPI_Request* request) {
  if (Request dropped; is_shared(static_cast<std::uint32_t>(*request))) take_shared(*request, dropped);
  if (RequestTable::Slot* const slot = slot_of(*request); slot != nullptr) slot->request.active = false;
  return real();
}

template <class Real>
int cancel(Thread& thread, Real&& real, MPI_Request* request) {
  if (RequestTable::Slot* const slot = slot_of(*request); slot != nullptr)
    slot->request.cancel_requested = true;
  return call(thread, real);
}

/// A request that is no transfer of ours, so that its handle does not mean an old one.
template <class Real>
int other_request(Thread& thread, Real&& real, MPI_Request* request) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) remember(*request, {.active = true});
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
