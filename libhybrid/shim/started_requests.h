// Handlers of persistent and partitioned requests as they start, and of matched probes.
#pragma once

#include "libhybrid/shim/collectives.h"
#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// The events of a persistent request that was just started.
inline void record_start(Thread& thread, CallTime& time, RequestTable::Slot& slot) {
  slot.request.active = true;
  slot.request.cancel_requested = false;
  if (slot.request.partitions != 0) {
    // The message leaves when its last partition is ready (pready).
    slot.partitions_left.store(slot.request.partitions, std::memory_order_relaxed);
    time.record_call();
    return;
  }
  if (slot.request.kind == RequestKind::collective) {
    record_collective(thread, time, EventKind::collective_start, collective_of(slot.request),
                      slot.counts.get(), slot.request.id);
    return;
  }
  record_begin(time, slot.request);
}

namespace handle {

template <class Real>
int start(Thread& thread, Real&& real, MPI_Request* request) {
  CallTime time(thread);
  RequestTable::Slot* const slot = slot_of(*request);
  if (slot != nullptr && slot->request.kind == RequestKind::send && slot->request.partitions == 0)
    process().prediction.sending(thread, time.begin(), slot->request.peer, slot->request.bytes,
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
      process().prediction.sending(thread, time.begin(), slot->request.peer, slot->request.bytes,
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

template <class Real>
int pready(Thread& thread, Real&& real, MPI_Request request, int partitions) {
  CallTime time(thread);
  RequestTable::Slot* const slot = slot_of(request);
  // Threads mark partitions at the same time; the one that marks the last sends the message.
  const auto ready = static_cast<std::uint32_t>(partitions > 0 ? partitions : 0);
  const bool last = slot != nullptr && ready != 0 &&
                    slot->partitions_left.fetch_sub(ready, std::memory_order_acq_rel) == ready;
  if (last)
    process().prediction.sending(thread, time.begin(), slot->request.peer, slot->request.bytes,
                                 slot->request.tag);
  const int result = real();
  time.done();
  if (last)
    record_begin(time, slot->request);
  else
    time.record_call();
  return result;
}

/// The message that a probe matched; its receive has no communicator of its own.
inline void remember_message(MPI_Message message, MPI_Comm comm) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
  Request r;
  r.communicator = process().communicator(comm);
  process().messages.insert(static_cast<std::uint32_t>(message), r);
}
inline const Communicator* communicator_of(MPI_Message message) {
  const auto* slot = process().messages.find(static_cast<std::uint32_t>(message));
  return slot == nullptr ? nullptr : slot->request.communicator;
}

template <class Real>
int mprobe(Thread& thread, Real&& real, MPI_Comm comm, const MPI_Message* message) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) remember_message(*message, comm);
  return result;
}

template <class Real>
int improbe(Thread& thread, Real&& real, MPI_Comm comm, const int* flag, const MPI_Message* message) {
  const int result = poll(thread, real, flag);
  if (result == MPI_SUCCESS && *flag != 0) remember_message(*message, comm);
  return result;
}

template <class Real>
int mrecv(Thread& thread, Real&& real, const MPI_Message* message, MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const Communicator* const communicator = communicator_of(*message);  // the call takes the handle away
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS)
    time.record(match_record(EventKind::recv, communicator, own.get(), 0));
  else
    time.record_call();
  return result;
}

template <class Real>
int imrecv(Thread& thread, Real&& real, MPI_Count count, MPI_Datatype datatype, const MPI_Message* message,
           MPI_Request* request) {
  Request r;
  r.kind = RequestKind::recv;
  r.communicator = communicator_of(*message);
  r.peer = r.communicator == nullptr ? kNoPeer : kAnyPeer;  // MPI_MESSAGE_NO_PROC has none
  r.tag = kAnyTag;
  if (!is_unasked_type(datatype))
    r.bytes = bytes_of(count, datatype);  // of the buffer; the match tells the rest
  return begin(thread, real, r, request);
}

}  // namespace handle
}  // namespace hybrid::shim
