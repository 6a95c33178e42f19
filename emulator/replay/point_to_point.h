// Point-to-point communication of a replayed job: sends, receives and their requests.
//
// - A blocking send returns when its last word has left; a synchronous one when it has arrived; a buffered
//   one at once.
// - A receive returns when the message that it matched when recorded has arrived. A receive whose match is
//   known when it is posted is matched then, as MPI does (MPI 4.0, 3.5): of two with the same sender, tag and
//   communicator, the one posted first gets the message sent first, whatever the order of their completion.
#pragma once

#include <cstdint>
#include <functional>

#include "core/pool.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_location.h"
#include "emulator/replay/job_messages.h"
#include "emulator/replay/message_matching.h"

namespace hybrid {

/// A nonblocking receive from its posting on. Its slot is released when its request is closed and its message
/// is known or cannot come.
struct PostedReceive {
  MessageHandle message;  // its message, once sent
  Waiter waiter;          // completes it: the request is closed
  bool requested = true;  // its request is open
  bool dropped = false;   // its message cannot come
};

class PointToPoint {
 public:
  PointToPoint(JobMessages& messages, JobEvents& events) : messages_(messages), events_(events) {}

  /// Sends a message that a receive will take. `sender` continues when the send returns.
  MessageHandle send(std::uint32_t phase, const ChannelKey& key, Bytes bytes, std::uint64_t site,
                     SendMode mode, const Waiter& sender);
  /// The same, with a request that complete_send(), cancel() or abandon() closes.
  MessageHandle start_send(std::uint32_t phase, const ChannelKey& key, Bytes bytes, std::uint64_t site,
                           SendMode mode);
  /// True if the send has returned; else `waiter` continues when it does.
  bool complete_send(MessageHandle send, const Waiter& waiter);
  void cancel(MessageHandle send);

  /// Receives the message of `key` with this number (Operation::order). True if it has arrived; else `waiter`
  /// continues when it does.
  bool receive(const ChannelKey& key, const Waiter& waiter, std::uint32_t order = 0);
  ReceiveHandle post(const ChannelKey& key, std::uint32_t order = 0);
  /// As receive(), for a posted one.
  bool complete_receive(ReceiveHandle receive, const Waiter& waiter);

  /// Closes a request that will not be completed. A posted receive takes its message all the same.
  void abandon(MessageHandle send);
  void abandon(ReceiveHandle receive);

  /// For a recording that lacks messages, when nothing can continue: completes receives without a message.
  /// These are all receives from ranks for which has_ended(rank), whose messages cannot come any more; if
  /// there are none, those of the first key with a receive that something waits for. Returns their number; 0
  /// if nothing waits for a receive.
  std::uint64_t drop_receives(const std::function<bool(std::uint32_t rank)>& has_ended);

 private:
  bool take(MessageHandle message, const Waiter& waiter);
  void match_due_receives(const ChannelKey& key);
  void match(ReceiveHandle receive, MessageHandle message);
  void drop(const Waiter& receive);
  bool is_awaited(const Waiter& receive) const;

  JobMessages& messages_;
  JobEvents& events_;
  MessageMatching matching_;
  Pool<PostedReceive> posted_;
};

}  // namespace hybrid
