// Handlers of point-to-point transfers.
#pragma once

#include "libhybrid/shim/handlers.h"
#include "libhybrid/shim/mpi_library.h"

namespace hybrid::shim {

/// Arguments of one direction of a transfer.
struct HalfTransfer {
  MPI_Count count;
  MPI_Datatype datatype;
  int peer;
  int tag;
};

/// Journal id of a transfer that ends in the call that begins it, such as the send of a blocking sendrecv. No
/// slot has this id.
inline constexpr std::uint32_t kWithinCall = 0x7FFF'FFFF;

constexpr std::uint8_t code(SendMode mode) { return static_cast<std::uint8_t>(mode); }

/// Stores a new request of the program. Returns nullptr for shared handles, or when memory is short.
inline RequestTable::Slot* remember(MPI_Request request, const Request& what) {
  const auto handle = static_cast<std::uint32_t>(request);
  return request == MPI_REQUEST_NULL || is_shared(handle) ? nullptr : process().requests.insert(handle, what);
}
inline RequestTable::Slot* slot_of(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? nullptr : process().requests.find(static_cast<std::uint32_t>(request));
}

inline Record send_record(EventKind kind, const Request& r, std::uint32_t id) {
  return {kind, r.op, id_of(r.communicator), r.peer, r.tag, r.bytes, id};
}
inline Record post_record(const Request& r, std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                          std::uint32_t id) {
  return {EventKind::recv_post, 0, id_of(r.communicator), peer, tag, bytes, id};
}
inline Record match_record(EventKind kind, const Communicator* communicator, const MPI_Status& status,
                           std::uint32_t id) {
  return {kind,
          0,
          id_of(communicator),
          world_rank(communicator, status.MPI_SOURCE),
          status.MPI_TAG,
          received_bytes(status),
          id};
}

/// Records the begin of a transfer, by a nonblocking call (`by` 0), MPI_Start (kByStart) or MPI_Pready
/// (kByPready).
inline void record_begin(CallTime& time, const Request& r, std::uint8_t by = 0) {
  switch (r.kind) {
    case RequestKind::send: {
      Record record = send_record(EventKind::send_start, r, r.id);
      record.op |= by;
      time.record(record);
      break;
    }
    case RequestKind::recv: {
      Record record = post_record(r, r.peer, r.tag, r.bytes, r.id);
      record.op = by;
      time.record(record);
      break;
    }
    case RequestKind::sendrecv:
      time.record(send_record(EventKind::send_start, r, r.id));
      time.record(post_record(r, r.recv_peer, r.recv_tag, r.recv_bytes, second_half(r.id)));
      break;
    default:
      time.record_call();
      break;
  }
}

/// Converts one direction of a transfer to the journal's values.
HYBRID_HOT Request request_of(RequestKind kind, const HalfTransfer& half, MPI_Comm comm) {
  Request r;
  r.kind = kind;
  r.communicator = process().communicator(comm);
  r.peer = world_rank(r.communicator, half.peer);
  r.tag = half.tag;
  r.bytes = bytes_of(half.count, half.datatype);
  return r;
}

/// Like match_record, for a message that was longer than its receive. MPICH's status has no valid size then;
/// `room` is the size of the receive buffer.
inline Record truncated_record(EventKind kind, const Communicator* communicator, const MPI_Status& status,
                               std::uint32_t id, std::uint64_t room) {
  Record record = match_record(kind, communicator, status, id);
  record.bytes = room;
  return record;
}

/// Returns the error class of a call's result.
inline int class_of(int error) {
  int found = error;
  if (error != MPI_SUCCESS) mpi::Error_class(error, &found);
  return found;
}
/// Whether the call consumed its message. A message longer than its receive is an error, but it is consumed:
/// the next receive does not match it.
HYBRID_HOT bool took_message(int result) {
  return result == MPI_SUCCESS || class_of(result) == MPI_ERR_TRUNCATE;
}

/// Stores the request of a started nonblocking transfer and records the begin of the transfer.
void record_started(CallTime& time, MPI_Request request, Request& what);

namespace handle {

// Errors: a call that failed moved nothing, unless it consumed a message (took_message). It is recorded as a
// call without data; the program gets its return code.

/// Records a send to MPI_PROC_NULL that began at `begin` and returned `result`.
[[gnu::noinline]] inline void record_null_send(Thread& thread, Ticks begin, int result, SendMode mode,
                                               MPI_Count count, MPI_Datatype datatype, int tag, MPI_Comm comm,
                                               NullCall call) {
  CallTime time(thread, begin);
  time.done(MPI_PROC_NULL);
  if (result != MPI_SUCCESS) return time.record_call();
  Process& p = process();
  const Record record{EventKind::send,           code(mode), id_of(p.communicator(comm)), kNoPeer, tag,
                      bytes_of(count, datatype), 0};
  time.record(record);
  // Handles of derived types, and with threads those of communicators, may mean another object in the next
  // call, without an event in between.
  if (has_size_in_handle(static_cast<std::uint32_t>(datatype)) &&
      (comm == MPI_COMM_WORLD || !p.several_threads))
    thread.allow_again(call, record);
}

template <class Real>
HYBRID_HOT int send(Thread& thread, Real&& real, SendMode mode, MPI_Count count, MPI_Datatype datatype,
                    int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL && !thread.rules().cpu_clock) {
    const NullCall call{call_site(), static_cast<std::uint64_t>(count) << 2 | code(mode),
                        static_cast<std::uint64_t>(comm) << 32 | static_cast<std::uint32_t>(datatype), tag};
    const bool again = thread.may_record_again(call);
    const Ticks begin = ticks();
    const int result = real();
    if (!again || result != MPI_SUCCESS || !thread.record_again(begin)) [[unlikely]]
      record_null_send(thread, begin, result, mode, count, datatype, tag, comm, call);
    return result;
  }
  CallTime time(thread);
  Process& p = process();
  const Communicator* const communicator = p.communicator(comm);
  const Record record{
      EventKind::send,           code(mode), id_of(communicator), world_rank(communicator, dest), tag,
      bytes_of(count, datatype), 0};
  p.prediction.on_send(thread, time.begin(), record.peer, record.bytes, tag);
  const int result = real();
  time.done(dest);
  if (result == MPI_SUCCESS) [[likely]]
    time.record(record);
  else
    time.record_call();
  return result;
}

template <class Real>
HYBRID_HOT int recv(Thread& thread, Real&& real, const HalfTransfer& in, MPI_Comm comm, MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const int result = real();
  time.done(in.peer);
  process().prediction.on_time(thread, time.begin());
  if (result == MPI_SUCCESS) [[likely]]
    time.record(match_record(EventKind::recv, process().communicator(comm), own.get(), 0));
  else if (took_message(result))
    time.record(truncated_record(EventKind::recv, process().communicator(comm), own.get(), 0,
                                 bytes_of(in.count, in.datatype)));
  else
    time.record_call();
  return result;
}

inline int sendrecv(Thread& thread, RealCall real, const HalfTransfer& out, const HalfTransfer& in,
                    MPI_Comm comm, MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const Communicator* const communicator = process().communicator(comm);
  // Both directions at once: recorded as a started send, a receive, and the completion of the send.
  Request r;
  r.communicator = communicator;
  r.peer = world_rank(communicator, out.peer);
  r.tag = out.tag;
  r.bytes = bytes_of(out.count, out.datatype);
  process().prediction.on_send(thread, time.begin(), r.peer, r.bytes, r.tag);
  const int result = real();
  time.done();
  if (!took_message(result)) [[unlikely]] {
    time.record_call();
    return result;
  }
  time.record(send_record(EventKind::send_start, r, kWithinCall));
  time.record(result == MPI_SUCCESS ? match_record(EventKind::recv, communicator, own.get(), 0)
                                    : truncated_record(EventKind::recv, communicator, own.get(), 0,
                                                       bytes_of(in.count, in.datatype)));
  time.record(send_record(EventKind::send_complete, r, kWithinCall));
  return result;
}

/// Begins the nonblocking transfer `r`.
template <class Real>
HYBRID_HOT int begin(Thread& thread, Real&& real, Request& r, MPI_Request* request) {
  CallTime time(thread);
  r.active = true;
  if (r.kind != RequestKind::recv) process().prediction.on_send(thread, time.begin(), r.peer, r.bytes, r.tag);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS) [[likely]]
    record_started(time, *request, r);
  else
    time.record_call();
  return result;
}

template <class Real>
HYBRID_HOT int isend(Thread& thread, Real&& real, SendMode mode, MPI_Count count, MPI_Datatype datatype,
                     int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Request r = request_of(RequestKind::send, {count, datatype, dest, tag}, comm);
  r.op = code(mode);
  return begin(thread, real, r, request);
}

template <class Real>
HYBRID_HOT int irecv(Thread& thread, Real&& real, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  Request r = request_of(RequestKind::recv, {count, datatype, source, tag}, comm);
  return begin(thread, real, r, request);
}

inline int isendrecv(Thread& thread, RealCall real, const HalfTransfer& out, const HalfTransfer& in,
                     MPI_Comm comm, MPI_Request* request) {
  Request r = request_of(RequestKind::sendrecv, out, comm);
  r.recv_peer = world_rank(r.communicator, in.peer);
  r.recv_tag = in.tag;
  r.recv_bytes = bytes_of(in.count, in.datatype);
  return begin(thread, real, r, request);
}

/// Stores the persistent transfer that a call made.
inline void remember_persistent(MPI_Request request, Request r) {
  r.persistent = true;
  remember(request, r);
}

inline int send_init(Thread&, RealCall real, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest,
                     int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result != MPI_SUCCESS) return result;
  Request r = request_of(RequestKind::send, {count, datatype, dest, tag}, comm);
  r.op = code(mode);
  remember_persistent(*request, r);
  return result;
}

inline int recv_init(Thread&, RealCall real, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result == MPI_SUCCESS)
    remember_persistent(*request, request_of(RequestKind::recv, {count, datatype, source, tag}, comm));
  return result;
}

inline int psend_init(Thread&, RealCall real, int partitions, MPI_Count count, MPI_Datatype datatype,
                      int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result != MPI_SUCCESS) return result;
  Request r = request_of(RequestKind::send, {partitions * count, datatype, dest, tag}, comm);
  r.partitions = static_cast<std::uint32_t>(partitions);
  remember_persistent(*request, r);
  return result;
}

inline int precv_init(Thread& thread, RealCall real, int partitions, MPI_Count count, MPI_Datatype datatype,
                      int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return recv_init(thread, real, partitions * count, datatype, source, tag, comm, request);
}

}  // namespace handle
}  // namespace hybrid::shim
