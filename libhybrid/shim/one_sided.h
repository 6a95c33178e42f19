// Handlers of one-sided communication.
#pragma once

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// Target of a synchronisation without a single target.
inline constexpr int kNoTarget = MPI_PROC_NULL;

/// Record of a synchronisation. Its `communicator` is the window's id, as in all one-sided events.
inline Record sync_record(RmaSync what, std::uint32_t window) {
  return {EventKind::rma_sync, static_cast<std::uint8_t>(what), window};
}
/// Records the processes of the group of a post or start, before its event.
void record_members(Thread& thread, MPI_Group group);

inline Record window_record(EventKind kind, std::uint8_t op, const Window* window, int target,
                            std::uint64_t bytes) {
  if (window == nullptr) return {};
  return {kind, op, window->id, world_rank(window->communicator, target), 0, bytes, 0};
}

/// Notifies the predictor of a put or accumulate. A get sends nothing.
inline void predict_one_sided(Thread& thread, CallTime& time, const Record& record) {
  if (record.kind == EventKind::put || record.kind == EventKind::accumulate)
    process().prediction.on_send(thread, time.begin(), record.peer, record.bytes, 0);
}

namespace handle {

inline int transfer(Thread& thread, RealCall real, EventKind kind, MPI_Count count, MPI_Datatype datatype,
                    int target, MPI_Win win) {
  CallTime time(thread);
  const Record record = window_record(kind, 0, process().window(win), target, bytes_of(count, datatype));
  predict_one_sided(thread, time, record);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS)
    time.record(record);
  else
    time.record_call();
  return result;
}

// The request completes locally; the data have arrived after the next synchronisation.
inline int rtransfer(Thread& thread, RealCall real, EventKind kind, MPI_Count count, MPI_Datatype datatype,
                     int target, MPI_Win win, MPI_Request* request) {
  const int result = transfer(thread, real, kind, count, datatype, target, win);
  if (result == MPI_SUCCESS) remember(*request, {.active = true});
  return result;
}

// Two transfers: one to the target with the operand, and one back with the old value.
inline int get_accumulate(Thread& thread, RealCall real, AccumulateOp op, MPI_Count count,
                          MPI_Datatype datatype, MPI_Count result_count, MPI_Datatype result_datatype,
                          int target, MPI_Win win) {
  CallTime time(thread);
  const Window* const window = process().window(win);
  // With MPI_NO_OP there is no operand: count may be 0 and the datatype null.
  const Record there = window_record(EventKind::accumulate, static_cast<std::uint8_t>(op), window, target,
                                     bytes_of(count, datatype));
  const Record back =
      window_record(EventKind::get, 0, window, target, bytes_of(result_count, result_datatype));
  predict_one_sided(thread, time, there);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS) {
    time.record(there);
    time.record(back);
  } else {
    time.record_call();
  }
  return result;
}

inline int rget_accumulate(Thread& thread, RealCall real, MPI_Count count, MPI_Datatype datatype,
                           MPI_Count result_count, MPI_Datatype result_datatype, int target, MPI_Win win,
                           MPI_Request* request) {
  const int result = get_accumulate(thread, real, AccumulateOp::get_accumulate, count, datatype, result_count,
                                    result_datatype, target, win);
  if (result == MPI_SUCCESS) remember(*request, {.active = true});
  return result;
}

inline int sync(Thread& thread, RealCall real, RmaSync what, int target, MPI_Win win) {
  CallTime time(thread);
  const Record record =
      window_record(EventKind::rma_sync, static_cast<std::uint8_t>(what), process().window(win), target, 0);
  const int result = real();
  time.done();
  process().prediction.on_time(thread, time.begin());
  if (result == MPI_SUCCESS)
    time.record(record);
  else
    time.record_call();
  return result;
}

inline int win_test(Thread& thread, RealCall real, const int* flag, MPI_Win win) {
  CallTime time(thread);
  const Record record = window_record(EventKind::rma_sync, static_cast<std::uint8_t>(RmaSync::wait),
                                      process().window(win), kNoTarget, 0);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag != 0)
    time.record(record);
  else if (result == MPI_SUCCESS)
    time.record_poll();
  else
    time.record_call();
  return result;
}

inline int open_epoch(Thread& thread, RealCall real, RmaSync what, MPI_Group group, MPI_Win win) {
  CallTime time(thread);
  const Window* const window = process().window(win);
  const int result = real();
  time.done();
  process().prediction.on_time(thread, time.begin());
  if (result != MPI_SUCCESS || window == nullptr) {
    time.record_call();
    return result;
  }
  record_members(thread, group);
  time.record(sync_record(what, window->id));
  return result;
}

inline int win_create(Thread& thread, RealCall real, MPI_Comm comm, MPI_Win* win) {
  CallTime time(thread);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS) process().define_window(*win, comm);
  const Window* const made = result == MPI_SUCCESS ? process().window(*win) : nullptr;
  if (made != nullptr)
    time.record(sync_record(RmaSync::create, made->id));
  else
    time.record_call();
  return result;
}

// The window is looked up before the call: afterwards, another thread's window may have the handle. It is
// erased after the call, because the call may fail.
inline int win_free(Thread& thread, RealCall real, const MPI_Win* win) {
  CallTime time(thread);
  const auto handle = static_cast<std::uint32_t>(*win);
  const Window* const window = process().windows.find(handle);
  const std::uint32_t id = window == nullptr ? 0 : window->id;
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && window != nullptr) {
    time.record(sync_record(RmaSync::free, id));
    process().windows.erase(handle, window);
  } else {
    time.record_call();
  }
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
