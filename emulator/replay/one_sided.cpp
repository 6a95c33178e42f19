#include "emulator/replay/one_sided.h"

namespace hybrid {

void OneSided::access(const Caller& caller, const Operation& operation) {
  ++accesses_[caller.rank][operation.window].outstanding;
  JobMessage message;
  message.key = {caller.rank, operation.peer, 0};
  message.bytes = operation.bytes;
  message.phase = caller.phase;
  message.window = operation.window;
  message.purpose =
      operation.kind == Operation::Kind::get ? JobMessage::Purpose::get_request : JobMessage::Purpose::put;
  messages_.send(message, prediction_context(operation));
}

void OneSided::deliver(MessageHandle handle) {
  const JobMessage& message = messages_[handle];
  switch (message.purpose) {
    case JobMessage::Purpose::matched:
      return;
    case JobMessage::Purpose::put:
      return end_access(message.key.source, message.window);
    case JobMessage::Purpose::get_reply:
      return end_access(message.key.destination, message.window);
    case JobMessage::Purpose::get_request: {
      JobMessage reply;
      reply.key = {message.key.destination, message.key.source, 0};
      reply.bytes = message.bytes;
      reply.phase = message.phase;
      reply.window = message.window;
      reply.purpose = JobMessage::Purpose::get_reply;
      messages_.send(reply, kNoPredictionContext);
    }
  }
}

void OneSided::end_access(std::uint32_t rank, std::uint32_t window) {
  Accesses& accesses = accesses_[rank][window];
  if (--accesses.outstanding != 0) return;
  for (const LocationHandle waiter : accesses.waiters) events_.wake(waiter);
  accesses.waiters.clear();
}

void OneSided::send_notices(const Caller& caller, const Operation& operation) {
  const bool complete = operation.sync == RmaSync::complete;
  for (const std::uint32_t member : operation.group)
    point_to_point_.send(caller.phase, {caller.rank, member, ChannelKey::epoch(operation.window, complete)},
                         0, prediction_context(operation), SendMode::standard, {});
}

/// Waits for one notice after the other; the last one to arrive decides, whatever their order.
bool OneSided::receive_notices(const Caller& caller, JobLocation& location) {
  const Operation& operation = location.operation;
  const bool complete = operation.sync == RmaSync::wait;
  while (location.notices < operation.group.size()) {
    const std::uint32_t member = operation.group[location.notices++];
    if (!point_to_point_.receive({member, caller.rank, ChannelKey::epoch(operation.window, complete)},
                                 caller.location))
      return false;
  }
  return true;
}

bool OneSided::synchronise(const Caller& caller, JobLocation& location) {
  Operation& operation = location.operation;
  switch (operation.sync) {
    case RmaSync::post:
      send_notices(caller, operation);
      return true;
    case RmaSync::start:
    case RmaSync::wait:
      return receive_notices(caller, location);
    case RmaSync::lock:
    case RmaSync::lock_all:
    case RmaSync::create:
    case RmaSync::free:
      return true;
    default:
      break;
  }
  if (location.in_barrier) return true;
  Accesses& accesses = accesses_[caller.rank][operation.window];
  if (accesses.outstanding != 0) {
    accesses.waiters.push_back(caller.location);
    return false;
  }
  if (operation.sync == RmaSync::complete) send_notices(caller, operation);
  if (operation.sync != RmaSync::fence) return true;
  location.in_barrier = true;
  operation.collective = CollectiveOp::barrier;
  operation.bytes = 0;
  return collectives_.wait(collectives_.begin(caller, operation), caller.location);
}

}  // namespace hybrid
