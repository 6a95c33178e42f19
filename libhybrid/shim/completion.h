// Handlers of completion: which of the program's requests ended in this call, and with what match.
//
// All requests are looked up before the call: afterwards the handle is gone from the program's variable, and
// MPI may have given it to another thread's new request. When the program passes no statuses, the shim passes
// its own; MPICH's return codes are the same with and without.
#pragma once

#include <cstddef>
#include <type_traits>

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// The requests of a call as they were before it. Up to 16 requests need no memory; more use the thread's
/// scratch memory.
class RequestsBefore {
 public:
  RequestsBefore(Thread& thread, int count, const MPI_Request* requests);
  RequestsBefore(const RequestsBefore&) = delete;
  RequestsBefore& operator=(const RequestsBefore&) = delete;

  int count() const { return count_; }
  /// Returns request i, which has completed; nullptr when it is unknown.
  const Request* request(int i) const;
  MPI_Request handle(int i) const { return handles_[i]; }
  /// Returns the slot of a persistent request, which keeps its handle.
  RequestTable::Slot* persistent(int i) const;

 private:
  static constexpr int kSmall = 16;
  int count_;
  bool copies_;  // several threads: other threads may change the slots
  MPI_Request small_handles_[kSmall];
  alignas(Request) std::byte small_copies_[kSmall * sizeof(Request)];  // uninitialised unless copies_
  MPI_Request* handles_ = small_handles_;
  Request* copied_ = reinterpret_cast<Request*>(small_copies_);
};

/// Like OwnStatus, for calls with an array of statuses.
class OwnStatuses {
 public:
  OwnStatuses(Thread& thread, int count, MPI_Status*& statuses);
  const MPI_Status& operator[](int i) const { return used_[i]; }

 private:
  static constexpr int kSmall = 16;
  MPI_Status small_[kSmall];
  MPI_Status* used_ = nullptr;
};

/// Takes the oldest open request of a shared handle (SharedRequests::pop).
bool take_shared(MPI_Request handle, Request& request);

/// Records the end of a transfer.
void record_end(CallTime& time, const Request& request, const MPI_Status& status);
/// The same for a transfer that may have been cancelled.
void record_end_or_cancel(CallTime& time, const Request& request, const MPI_Status& status);

/// Records the completion of request i. Returns false when there is nothing to record: it is an inactive
/// persistent request, or not a transfer.
bool record_completion(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status);

/// The same after a call that failed with `result`: request i may have completed, may have ended without its
/// transfer, or may be open. `now`: the handles after the call.
bool record_failure(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status,
                    const MPI_Request* now, int result);

/// Records that the request of an open transfer was freed.
void record_freed(CallTime& time, const Request& request);

namespace handle {

/// `found_nothing` of waits.
constexpr bool never() { return false; }

/// Common part of all waits and tests. `Own` is the type of the statuses. After a successful call,
/// found_nothing() states whether it was an empty poll; if not, each(ended) calls ended(i, k) for every
/// request i that completed, where k is the index of its status.
template <class Own, class Real, class Statuses, class FoundNothing, class Each>
HYBRID_HOT int complete(Thread& thread, Real&& real, int count, MPI_Request* requests, Statuses& statuses,
                        FoundNothing&& found_nothing, Each&& each) {
  CallTime time(thread);
  const RequestsBefore before(thread, count, requests);
  const Own own(thread, count, statuses);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && found_nothing()) {
    time.record_poll();
    return result;
  }
  process().prediction.on_time(thread, time.begin());
  bool recorded = false;
  if (result == MPI_SUCCESS)
    each([&](int i, int k) { recorded |= record_completion(time, before, i, own[k]); });
  else if (std::is_same_v<Own, OwnStatus> || class_of(result) == MPI_ERR_IN_STATUS)
    each([&](int i, int k) { recorded |= record_failure(time, before, i, own[k], requests, result); });
  if (!recorded) time.record_call();
  return result;
}

// `each` arguments of complete(), by the outputs of the call.
inline auto single() {
  return [](auto&& ended) { ended(0, 0); };
}
inline auto all_of(int count) {
  return [count](auto&& ended) {
    for (int i = 0; i < count; ++i) ended(i, i);
  };
}
inline auto any_of(const int* index) {
  return [index](auto&& ended) {
    if (*index != MPI_UNDEFINED) ended(*index, 0);
  };
}
inline auto some_of(const int* done, const int* indices) {
  return [done, indices](auto&& ended) {
    for (int k = 0; *done != MPI_UNDEFINED && k < *done; ++k) ended(indices[k], k);
  };
}

template <class Real>
HYBRID_HOT int wait(Thread& thread, Real&& real, MPI_Request* request, MPI_Status*& status) {
  return complete<OwnStatus>(thread, real, 1, request, status, never, single());
}

template <class Real>
int waitall(Thread& thread, Real&& real, int count, MPI_Request* requests, MPI_Status*& statuses) {
  return complete<OwnStatuses>(thread, real, count, requests, statuses, never, all_of(count));
}

template <class Real>
int waitany(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* index,
            MPI_Status*& status) {
  return complete<OwnStatus>(thread, real, count, requests, status, never, any_of(index));
}

template <class Real>
int waitsome(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* done,
             const int* indices, MPI_Status*& statuses) {
  return complete<OwnStatuses>(thread, real, count, requests, statuses, never, some_of(done, indices));
}

template <class Real>
HYBRID_HOT int test(Thread& thread, Real&& real, MPI_Request* request, const int* flag, MPI_Status*& status) {
  return complete<OwnStatus>(thread, real, 1, request, status, [flag] { return *flag == 0; }, single());
}

template <class Real>
int testall(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* flag,
            MPI_Status*& statuses) {
  return complete<OwnStatuses>(
      thread, real, count, requests, statuses, [flag] { return *flag == 0; }, all_of(count));
}

template <class Real>
int testany(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* index, const int* flag,
            MPI_Status*& status) {
  return complete<OwnStatus>(
      thread, real, count, requests, status, [flag] { return *flag == 0; }, any_of(index));
}

template <class Real>
int testsome(Thread& thread, Real&& real, int count, MPI_Request* requests, const int* done,
             const int* indices, MPI_Status*& statuses) {
  return complete<OwnStatuses>(
      thread, real, count, requests, statuses, [done] { return *done == 0; }, some_of(done, indices));
}

// The transfer of an active request continues, and no wait completes it: of a send, only the begin is
// recorded.
inline int request_free(Thread& thread, RealCall real, MPI_Request* request) {
  if (Request dropped; is_shared(static_cast<std::uint32_t>(*request))) take_shared(*request, dropped);
  RequestTable::Slot* const slot = slot_of(*request);
  if (slot == nullptr || !slot->request.active) return real();
  const Request freed = slot->request;
  slot->request.active = false;
  CallTime time(thread);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS)
    record_freed(time, freed);
  else
    time.record_call();
  return result;
}

/// Records the completion of a request that this call finds complete; a later wait or free records nothing.
inline int request_get_status(Thread& thread, RealCall real, MPI_Request request, const int* flag,
                              MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0) {
    time.record_poll();
    return result;
  }
  RequestTable::Slot* const slot = slot_of(request);
  if (result != MPI_SUCCESS || slot == nullptr || !slot->request.active ||
      slot->request.kind == RequestKind::other) {
    time.record_call();
    return result;
  }
  process().prediction.on_time(thread, time.begin());
  slot->request.active = false;
  record_end_or_cancel(time, slot->request, own.get());
  return result;
}

inline int cancel(Thread& thread, RealCall real, MPI_Request* request) {
  if (RequestTable::Slot* const slot = slot_of(*request); slot != nullptr)
    slot->request.cancel_requested = true;
  return call(thread, real);
}

/// A call that makes a request that is no transfer. The request is stored so that its handle does not refer
/// to an older one.
inline int other_request(Thread& thread, RealCall real, MPI_Request* request) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) remember(*request, {.active = true});
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
