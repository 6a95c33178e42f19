// Handlers of the start of persistent and partitioned requests, and of matched probes.
#pragma once

#include "libhybrid/shim/collectives.h"
#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// Records the start of a persistent request.
inline void record_start(Thread& thread, CallTime& time, RequestTable::Slot& slot) {
  slot.request.active = true;
  slot.request.cancel_requested = false;
  if (slot.request.partitions != 0) {
    // The message is sent when its last partition is ready (pready).
    slot.partitions_left.store(slot.request.partitions, std::memory_order_relaxed);
    time.record_call();
    return;
  }
  if (slot.request.kind == RequestKind::collective) {
    record_collective(thread, time, EventKind::collective_start, collective_of(slot.request),
                      slot.counts.get(), slot.request.id);
    return;
  }
  record_begin(time, slot.request, kByStart);
}

namespace handle {

template <class Real>
int start(Thread& thread, Real&& real, MPI_Request* request) {
  CallTime time(thread);
  RequestTable::Slot* const slot = slot_of(*request);
  if (slot != nullptr && slot->request.kind == RequestKind::send && slot->request.partitions == 0)
    process().prediction.on_send(thread, time.begin(), slot->request.peer, slot->request.bytes,
                                 slot->request.tag);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && slot != nullptr)
    record_start(thread, time, *slot);
  else
    time.record_call();
  return result;
}

template <class Real>
int startall(Thread& thread, Real&& real, int count, MPI_Request* requests) {
  CallTime time(thread);
  for (int i = 0; i < count; ++i)
    if (const auto* slot = slot_of(requests[i]);
        slot != nullptr && slot->request.kind == RequestKind::send && slot->request.partitions == 0)
      process().prediction.on_send(thread, time.begin(), slot->request.peer, slot->request.bytes,
                                   slot->request.tag);
  const int result = real();
  time.done();
  bool recorded = false;
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) {
    RequestTable::Slot* const slot = slot_of(requests[i]);
    if (slot == nullptr) continue;
    record_start(thread, time, *slot);
    recorded = true;
  }
  if (!recorded) time.record_call();
  return result;
}

inline int pready(Thread& thread, RealCall real, MPI_Request request, int partitions) {
  CallTime time(thread);
  RequestTable::Slot* const slot = slot_of(request);
  // Threads mark partitions at the same time; the thread that marks the last one sends the message.
  const auto ready = static_cast<std::uint32_t>(partitions > 0 ? partitions : 0);
  const bool last = slot != nullptr && ready != 0 &&
                    slot->partitions_left.fetch_sub(ready, std::memory_order_acq_rel) == ready;
  if (last)
    process().prediction.on_send(thread, time.begin(), slot->request.peer, slot->request.bytes,
                                 slot->request.tag);
  const int result = real();
  time.done();
  if (last)
    record_begin(time, slot->request, kByPready);
  else
    time.record_call();
  return result;
}

/// Records a matched probe as a posted receive: MPI matches the message now, however late its receive is.
/// MPICH takes the handles of messages and requests from one pool, so they never coincide.
inline void record_matched(Thread& thread, CallTime& time, MPI_Message message, MPI_Comm comm,
                           const MPI_Status& status) {
  Request r;
  if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC) {
    r.kind = RequestKind::recv;
    r.active = true;
    r.communicator = process().communicator(comm);
    r.peer = world_rank(r.communicator, status.MPI_SOURCE);
    r.tag = status.MPI_TAG;
    r.bytes = received_bytes(status);
    const auto* const slot = process().requests.insert(static_cast<std::uint32_t>(message), r);
    if (slot != nullptr) {
      process().prediction.on_time(thread, time.begin());
      record_begin(time, slot->request);
      return;
    }
  }
  time.record_call();
}
/// Returns the request that record_matched stored; without a communicator when there is none.
inline Request request_of(MPI_Message message) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return {};
  RequestTable::Slot* const slot = process().requests.find(static_cast<std::uint32_t>(message));
  return slot == nullptr || !slot->request.active ? Request{} : slot->request;
}

inline int mprobe(Thread& thread, RealCall real, MPI_Comm comm, const MPI_Message* message,
                  MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS)
    record_matched(thread, time, *message, comm, own.get());
  else
    time.record_call();
  return result;
}

inline int improbe(Thread& thread, RealCall real, MPI_Comm comm, const int* flag, const MPI_Message* message,
                   MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS && *flag == 0)
    time.record_poll();
  else if (result == MPI_SUCCESS)
    record_matched(thread, time, *message, comm, own.get());
  else
    time.record_call();
  return result;
}

inline int mrecv(Thread& thread, RealCall real, MPI_Count count, MPI_Datatype datatype,
                 const MPI_Message* message, MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const Request matched = request_of(*message);  // before the call, which resets the handle
  const int result = real();
  time.done();
  process().prediction.on_time(thread, time.begin());
  if (!took_message(result))
    time.record_call();
  else if (matched.communicator == nullptr)  // MPI_MESSAGE_NO_PROC
    time.record(match_record(EventKind::recv, nullptr, own.get(), 0));
  else if (result == MPI_SUCCESS)
    time.record(match_record(EventKind::recv_complete, matched.communicator, own.get(), matched.id));
  else
    time.record(truncated_record(EventKind::recv_complete, matched.communicator, own.get(), matched.id,
                                 bytes_of(count, datatype)));
  return result;
}

inline int imrecv(Thread& thread, RealCall real, MPI_Count count, MPI_Datatype datatype,
                  const MPI_Message* message, MPI_Request* request) {
  const Request matched = request_of(*message);
  if (matched.communicator == nullptr) {
    Request r;
    r.kind = RequestKind::recv;
    r.tag = kAnyTag;
    if (!is_uncached_type(datatype)) r.bytes = bytes_of(count, datatype);
    return begin(thread, real, r, request);
  }
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  if (auto* const slot = remember(*request, matched); slot != nullptr) slot->request.id = matched.id;
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
