// Handlers of point-to-point transfers.
#pragma once

#include "libhybrid/shim/handlers.h"
#include "libhybrid/shim/mpi_library.h"

namespace hybrid::shim {

/// One direction of a sendrecv, as the program gives it.
struct HalfTransfer {
  MPI_Count count;
  MPI_Datatype datatype;
  int peer;
  int tag;
};

/// The journal id of a transfer that ends in the call that begins it: of a blocking sendrecv's send. No slot
/// has it.
inline constexpr std::uint32_t kWithinCall = 0x7FFF'FFFF;

constexpr std::uint8_t code(SendMode mode) { return static_cast<std::uint8_t>(mode); }

/// The program made a persistent `request`, or one that is no transfer.
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

/// The events of a transfer that begins: of a nonblocking call, or of MPI_Start.
inline void record_begin(CallTime& time, const Request& r) {
  switch (r.kind) {
    case RequestKind::send:
      time.record(send_record(EventKind::send_start, r, r.id));
      break;
    case RequestKind::recv:
      time.record(post_record(r, r.peer, r.tag, r.bytes, r.id));
      break;
    case RequestKind::sendrecv:
      time.record(send_record(EventKind::send_start, r, r.id));
      time.record(post_record(r, r.recv_peer, r.recv_tag, r.recv_bytes, second_half(r.id)));
      break;
    default:
      time.record_call();
      break;
  }
}

/// One direction of a transfer as the journal has it.
HYBRID_HOT Request request_of(RequestKind kind, const HalfTransfer& half, MPI_Comm comm) {
  Request r;
  r.kind = kind;
  r.communicator = process().communicator(comm);
  r.peer = world_rank(r.communicator, half.peer);
  r.tag = half.tag;
  r.bytes = bytes_of(half.count, half.datatype);
  return r;
}

/// The same of a message that was longer than its receive. MPICH tells no size that means anything.
inline Record cut_record(EventKind kind, const Communicator* communicator, const MPI_Status& status,
                         std::uint32_t id, std::uint64_t room) {
  Record record = match_record(kind, communicator, status, id);
  record.bytes = room;
  return record;
}

/// The class of what a call returned.
inline int class_of(int error) {
  int found = error;
  if (error != MPI_SUCCESS) mpi::Error_class(error, &found);
  return found;
}
/// The call took its message: a message longer than its receive is lost to the program, but it is not there
/// for the next receive either.
HYBRID_HOT bool took_message(int result) {
  return result == MPI_SUCCESS || class_of(result) == MPI_ERR_TRUNCATE;
}

/// A nonblocking transfer was started: remembers the request and writes the transfer's begin.
void record_started(CallTime& time, MPI_Request request, Request& what);

namespace handle {

// Errors below: a call that failed moved nothing, unless it took a message (took_message); the program has
// its return code, the journal a call.

template <class Real>
HYBRID_HOT int send(Thread& thread, Real&& real, SendMode mode, MPI_Count count, MPI_Datatype datatype,
                    int dest, int tag, MPI_Comm comm) {
  CallTime time(thread);
  Process& p = process();
  const Communicator* const communicator = p.communicator(comm);
  const Record record{
      EventKind::send,           code(mode), id_of(communicator), world_rank(communicator, dest), tag,
      bytes_of(count, datatype), 0};
  p.prediction.sending(thread, time.begin(), record.peer, record.bytes, tag);
  const int result = real();
  time.done();
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
  time.done();
  process().prediction.pass(thread, time.begin());
  if (result == MPI_SUCCESS) [[likely]]
    time.record(match_record(EventKind::recv, process().communicator(comm), own.get(), 0));
  else if (took_message(result))
    time.record(cut_record(EventKind::recv, process().communicator(comm), own.get(), 0,
                           bytes_of(in.count, in.datatype)));
  else
    time.record_call();
  return result;
}

template <class Real>
int sendrecv(Thread& thread, Real&& real, const HalfTransfer& out, const HalfTransfer& in, MPI_Comm comm,
             MPI_Status*& status) {
  CallTime time(thread);
  const OwnStatus own(status);
  const Communicator* const communicator = process().communicator(comm);
  // Both at once: as a started send, a receive, and the send's completion.
  Request r;
  r.communicator = communicator;
  r.peer = world_rank(communicator, out.peer);
  r.tag = out.tag;
  r.bytes = bytes_of(out.count, out.datatype);
  process().prediction.sending(thread, time.begin(), r.peer, r.bytes, r.tag);
  const int result = real();
  time.done();
  if (!took_message(result)) [[unlikely]] {
    time.record_call();
    return result;
  }
  time.record(send_record(EventKind::send_start, r, kWithinCall));
  time.record(result == MPI_SUCCESS
                  ? match_record(EventKind::recv, communicator, own.get(), 0)
                  : cut_record(EventKind::recv, communicator, own.get(), 0, bytes_of(in.count, in.datatype)));
  time.record(send_record(EventKind::send_complete, r, kWithinCall));
  return result;
}

/// A nonblocking transfer.
template <class Real>
HYBRID_HOT int begin(Thread& thread, Real&& real, Request& r, MPI_Request* request) {
  CallTime time(thread);
  r.active = true;
  if (r.kind != RequestKind::recv) process().prediction.sending(thread, time.begin(), r.peer, r.bytes, r.tag);
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

template <class Real>
int isendrecv(Thread& thread, Real&& real, const HalfTransfer& out, const HalfTransfer& in, MPI_Comm comm,
              MPI_Request* request) {
  Request r = request_of(RequestKind::sendrecv, out, comm);
  r.recv_peer = world_rank(r.communicator, in.peer);
  r.recv_tag = in.tag;
  r.recv_bytes = bytes_of(in.count, in.datatype);
  return begin(thread, real, r, request);
}

/// A persistent transfer that a call made.
inline void remember_persistent(MPI_Request request, Request r) {
  r.persistent = true;
  remember(request, r);
}

template <class Real>
int send_init(Thread&, Real&& real, SendMode mode, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result != MPI_SUCCESS) return result;
  Request r = request_of(RequestKind::send, {count, datatype, dest, tag}, comm);
  r.op = code(mode);
  remember_persistent(*request, r);
  return result;
}

template <class Real>
int recv_init(Thread&, Real&& real, MPI_Count count, MPI_Datatype datatype, int source, int tag,
              MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result == MPI_SUCCESS)
    remember_persistent(*request, request_of(RequestKind::recv, {count, datatype, source, tag}, comm));
  return result;
}

template <class Real>
int psend_init(Thread&, Real&& real, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
               int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = real();
  if (result != MPI_SUCCESS) return result;
  Request r = request_of(RequestKind::send, {partitions * count, datatype, dest, tag}, comm);
  r.partitions = static_cast<std::uint32_t>(partitions);
  remember_persistent(*request, r);
  return result;
}

template <class Real>
int precv_init(Thread& thread, Real&& real, int partitions, MPI_Count count, MPI_Datatype datatype,
               int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return recv_init(thread, real, partitions * count, datatype, source, tag, comm, request);
}

}  // namespace handle
}  // namespace hybrid::shim
