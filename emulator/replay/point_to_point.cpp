#include "emulator/replay/point_to_point.h"

#include <algorithm>
#include <vector>

namespace hybrid {

MessageHandle PointToPoint::send(std::uint32_t phase, const ChannelKey& key, Bytes bytes, std::uint64_t site,
                                 SendMode mode, const Waiter& sender) {
  JobMessage message;
  message.key = key;
  message.bytes = bytes;
  message.sender = sender;
  message.phase = phase;
  message.mode = mode;
  message.unreceived = true;
  const MessageHandle handle = messages_.send(message, site);
  const Waiter receiver = matching_.add_message(key, handle);
  if (const ReceiveHandle* posted = std::get_if<ReceiveHandle>(&receiver))
    match(*posted, handle);
  else
    messages_[handle].receiver = receiver;
  return handle;
}

MessageHandle PointToPoint::start_send(std::uint32_t phase, const ChannelKey& key, Bytes bytes,
                                       std::uint64_t site, SendMode mode) {
  const MessageHandle handle = send(phase, key, bytes, site, mode, {});
  messages_[handle].requested = true;
  return handle;
}

bool PointToPoint::complete_send(MessageHandle send, const Waiter& waiter) {
  JobMessage& message = messages_[send];
  const bool returned = message.mode == SendMode::synchronous
                            ? message.delivered
                            : message.injected || message.mode == SendMode::buffered;
  if (!returned) message.sender = waiter;
  abandon(send);
  return returned;
}

void PointToPoint::cancel(MessageHandle send) {
  if (matching_.withdraw(messages_[send].key, send)) messages_[send].unreceived = false;
  abandon(send);
}

void PointToPoint::abandon(MessageHandle send) {
  messages_[send].requested = false;
  messages_.settle(send);
}

bool PointToPoint::receive(const ChannelKey& key, const Waiter& waiter, std::uint32_t order) {
  const MessageHandle message = matching_.add_receive(key, waiter, order);
  if (order != 0) match_due_receives(key);
  return message && take(message, waiter);
}

/// Receives that waited for the turn of another thread's.
void PointToPoint::match_due_receives(const ChannelKey& key) {
  while (const auto due = matching_.next_due(key)) {
    if (!due->message) continue;
    if (const ReceiveHandle* posted = std::get_if<ReceiveHandle>(&due->receive))
      match(*posted, due->message);
    else if (take(due->message, due->receive))
      events_.wake(due->receive);
  }
}

/// `waiter` receives a message that is not in the matching any more.
bool PointToPoint::take(MessageHandle handle, const Waiter& waiter) {
  JobMessage& message = messages_[handle];
  if (!message.delivered) {
    message.receiver = waiter;
    return false;
  }
  message.unreceived = false;
  messages_.settle(handle);
  return true;
}

ReceiveHandle PointToPoint::post(const ChannelKey& key, std::uint32_t order) {
  const ReceiveHandle handle = posted_.acquire_handle();
  posted_[handle].message = matching_.add_receive(key, handle, order);
  if (order != 0) match_due_receives(key);
  return handle;
}

/// A posted receive gets its message.
void PointToPoint::match(ReceiveHandle receive, MessageHandle message) {
  PostedReceive& posted = posted_[receive];
  if (posted.requested) {
    posted.message = message;
    return;
  }
  if (is_any(posted.waiter)) {
    if (take(message, posted.waiter)) events_.wake(posted.waiter);
  } else {  // abandoned
    messages_[message].unreceived = false;
    messages_.settle(message);
  }
  posted_.release(receive);
}

bool PointToPoint::complete_receive(ReceiveHandle receive, const Waiter& waiter) {
  PostedReceive& posted = posted_[receive];
  posted.requested = false;
  if (!posted.message && !posted.dropped) {
    posted.waiter = waiter;
    return false;
  }
  posted_.release(receive);
  return posted.dropped || take(posted.message, waiter);
}

void PointToPoint::abandon(ReceiveHandle receive) {
  PostedReceive& posted = posted_[receive];
  posted.requested = false;
  if (!posted.message && !posted.dropped) return;
  if (posted.message) {
    messages_[posted.message].unreceived = false;
    messages_.settle(posted.message);
  }
  posted_.release(receive);
}

bool PointToPoint::is_awaited(const Waiter& receive) const {
  const ReceiveHandle* posted = std::get_if<ReceiveHandle>(&receive);
  return posted == nullptr || is_any(posted_[*posted].waiter);
}

void PointToPoint::drop(const Waiter& receive) {
  const ReceiveHandle* handle = std::get_if<ReceiveHandle>(&receive);
  if (handle == nullptr) return events_.wake(receive);
  PostedReceive& posted = posted_[*handle];
  posted.dropped = true;
  if (posted.requested) return;
  events_.wake(posted.waiter);
  posted_.release(*handle);
}

std::uint64_t PointToPoint::drop_receives(const std::function<bool(std::uint32_t rank)>& has_ended) {
  using Queued = MessageMatching::QueuedReceive;
  const std::vector<Queued> queued = matching_.queued_receives();
  const auto first =
      std::find_if(queued.begin(), queued.end(), [this](const Queued& q) { return is_awaited(q.receive); });
  if (first == queued.end()) return 0;
  const auto ended = [&](const Queued& q) { return has_ended(q.key.source); };
  const bool any = std::any_of(queued.begin(), queued.end(), ended);
  std::uint64_t dropped = 0;
  for (const Queued& q : queued) {
    if (any ? !ended(q) : q.key != first->key) continue;
    ++dropped;
    matching_.drop_receives(q.key);
    drop(q.receive);
  }
  return dropped;
}

}  // namespace hybrid
