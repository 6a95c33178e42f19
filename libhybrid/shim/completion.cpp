#include "libhybrid/shim/completion.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace hybrid::shim {

namespace {

// Grown to the largest call of the thread and kept. Calls do not nest (OutermostCall), so one each is enough.
template <class T>
T* scratch(int count) {
  thread_local std::vector<T> memory;
  if (memory.size() < static_cast<std::size_t>(count)) memory.resize(static_cast<std::size_t>(count));
  return memory.data();
}

}  // namespace

RequestsBefore::RequestsBefore(int count, const MPI_Request* requests)
    : count_(std::max(count, 0)), copies_(process().concurrent) {
  if (count_ > kSmall) handles_ = scratch<MPI_Request>(count_);
  std::copy_n(requests, count_, handles_);
  if (!copies_) return;
  if (count_ > kSmall) copied_ = scratch<Request>(count_);
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

OwnStatuses::OwnStatuses(int count, MPI_Status*& statuses) {
  if (statuses == MPI_STATUSES_IGNORE) statuses = count > kSmall ? scratch<MPI_Status>(count) : small_;
  used_ = statuses;
}

bool record_completion(CallTime& time, const RequestsBefore& requests, int i, const MPI_Status& status) {
  const Request* const known = requests.request(i);
  if (known == nullptr || !known->active) return false;
  const Request r = *known;
  if (r.persistent) requests.persistent(i)->request.active = false;
  if (r.cancel_requested && was_cancelled(status)) {
    Record record = send_record(EventKind::cancelled, r, r.id);
    time.record(record);
    return true;
  }
  switch (r.kind) {
    case RequestKind::send:
      time.record(send_record(EventKind::send_complete, r, r.id));
      return true;
    case RequestKind::recv:
      time.record(match_record(EventKind::recv_complete, r.communicator, status, r.id));
      return true;
    case RequestKind::sendrecv:
      time.record(match_record(EventKind::recv_complete, r.communicator, status, second_half(r.id)));
      time.record(send_record(EventKind::send_complete, r, r.id));
      return true;
    case RequestKind::collective:
      time.record(send_record(EventKind::collective_complete, r, r.id));
      return true;
    case RequestKind::other:
      break;
  }
  return false;
}

}  // namespace hybrid::shim
