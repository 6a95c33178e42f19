#include "libhybrid/shim/completion.h"

#include <algorithm>
#include <memory>

namespace hybrid::shim {

namespace {

template <class T>
T* scratch(Thread& thread, Thread::Scratch purpose, int count) {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  return static_cast<T*>(thread.scratch(purpose, static_cast<std::size_t>(count) * sizeof(T)));
}

}  // namespace

RequestsBefore::RequestsBefore(Thread& thread, int count, const MPI_Request* requests)
    : count_(std::max(count, 0)), copies_(process().concurrent) {
  if (count_ > kSmall) handles_ = scratch<MPI_Request>(thread, Thread::Scratch::handles, count_);
  std::copy_n(requests, count_, handles_);
  if (!copies_) return;
  if (count_ > kSmall) copied_ = scratch<Request>(thread, Thread::Scratch::requests, count_);
  for (int i = 0; i < count_; ++i) {
    const auto* slot = slot_of(handles_[i]);
    std::construct_at(&copied_[i], slot == nullptr ? Request{} : slot->request);
  }
}

const Request* RequestsBefore::request(int i) const {
  if (i < 0 || i >= count_ || handles_[i] == MPI_REQUEST_NULL) return nullptr;
  if (copies_) return &copied_[i];
  const auto* slot = slot_of(handles_[i]);
  return slot == nullptr ? nullptr : &slot->request;
}

RequestTable::Slot* RequestsBefore::persistent(int i) const { return slot_of(handles_[i]); }

OwnStatuses::OwnStatuses(Thread& thread, int count, MPI_Status*& statuses) {
  if (statuses == MPI_STATUSES_IGNORE)
    statuses = count > kSmall ? scratch<MPI_Status>(thread, Thread::Scratch::statuses, count) : small_;
  used_ = statuses;
}

bool take_shared(MPI_Request handle, Request& request) {
  const auto number = static_cast<std::uint32_t>(handle);
  SharedRequests* const queue = process().shared_requests.queue(number, process().concurrent);
  return queue != nullptr && queue->pop(request);
}

void record_started(CallTime& time, MPI_Request request, Request& what) {
  const auto handle = static_cast<std::uint32_t>(request);
  if (!is_shared(handle)) {
    if (const auto* slot = remember(request, what); slot != nullptr)
      record_begin(time, slot->request);
    else
      time.record_call();
    return;
  }
  SharedRequests* const queue = process().shared_requests.queue(handle, process().concurrent);
  if (queue != nullptr && queue->push(what)) {
    record_begin(time, what);
    return;
  }
  // The queue is full. The transfer is complete already, so its completion is recorded at once.
  what.id = kWithinCall;
  record_begin(time, what);
  record_end(time, what, {});  // a send, or a receive from MPI_PROC_NULL: the status carries no information
}

void record_end(CallTime& time, const Request& r, const MPI_Status& status) {
  switch (r.kind) {
    case RequestKind::send:
      time.record(send_record(EventKind::send_complete, r, r.id));
      break;
    case RequestKind::recv:
      if (r.peer == kNoPeer)  // MPICH leaves the status of such a request unset
        time.record({EventKind::recv_complete, 0, id_of(r.communicator), kNoPeer, kAnyTag, 0, r.id});
      else
        time.record(match_record(EventKind::recv_complete, r.communicator, status, r.id));
      break;
    case RequestKind::sendrecv:
      // MPICH leaves the status of this request unset: of the match, only the posted values are known.
      time.record({EventKind::recv_complete, 0, id_of(r.communicator), r.recv_peer, r.recv_tag, r.recv_bytes,
                   second_half(r.id)});
      time.record(send_record(EventKind::send_complete, r, r.id));
      break;
    case RequestKind::collective:
      time.record(send_record(EventKind::collective_complete, r, r.id));
      break;
    case RequestKind::other:
      break;
  }
}

bool record_completion(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status) {
  if (is_shared(static_cast<std::uint32_t>(requests.handle(i)))) {
    Request r;
    if (!take_shared(requests.handle(i), r)) return false;
    record_end(time, r, status);
    return true;
  }
  const Request* const known = requests.request(i);
  if (known == nullptr || !known->active || known->kind == RequestKind::other) return false;
  const Request r = *known;
  if (r.persistent) requests.persistent(i)->request.active = false;
  record_end_or_cancel(time, r, status);
  return true;
}

void record_end_or_cancel(CallTime& time, const Request& r, const MPI_Status& status) {
  if (r.cancel_requested && was_cancelled(status))
    time.record(send_record(EventKind::cancelled, r, r.id));
  else
    record_end(time, r, status);
}

bool record_failure(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status,
                    const MPI_Request* now, int result) {
  if (i < 0 || i >= requests.count()) return false;
  const int error = class_of(result) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result;
  const int what = class_of(error);
  if (what == MPI_SUCCESS) return record_completion(time, requests, i, status);
  const Request* const known = requests.request(i);
  if (what == MPI_ERR_PENDING || known == nullptr || !known->active || known->kind == RequestKind::other)
    return false;
  const Request r = *known;
  if (!r.persistent && now[i] != MPI_REQUEST_NULL) return false;  // MPI rejected the call itself
  if (r.persistent) requests.persistent(i)->request.active = false;
  if (what == MPI_ERR_TRUNCATE && r.kind == RequestKind::recv)
    time.record(truncated_record(EventKind::recv_complete, r.communicator, status, r.id, r.bytes));
  else if (what == MPI_ERR_TRUNCATE)
    record_end(time, r, status);
  else
    time.record(send_record(EventKind::cancelled, r, r.id));
  return true;
}

void record_freed(CallTime& time, const Request& r) {
  Record what = post_record(r, r.peer, r.tag, r.bytes, r.id);
  if (r.kind == RequestKind::sendrecv)
    what = post_record(r, r.recv_peer, r.recv_tag, r.recv_bytes, second_half(r.id));
  else if (r.kind != RequestKind::recv)
    return time.record_call();
  // A request that was cancelled and freed without a completion call had no message.
  what.kind = r.cancel_requested ? EventKind::cancelled : EventKind::recv_freed;
  time.record(what);
}

}  // namespace hybrid::shim
