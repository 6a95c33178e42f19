#include "emulator/replay/message_matching.h"

#include <algorithm>
#include <utility>

namespace hybrid {

Waiter MessageMatching::add_message(const ChannelKey& key, MessageHandle message) {
  return match_or_append(key, {message, {}, kNone}, false).receive;
}

MessageHandle MessageMatching::add_receive(const ChannelKey& key, const Waiter& receive,
                                           std::uint32_t number) {
  if (number != 0) {
    Numbered& numbered = numbered_[key];
    if (number != numbered.next) {
      numbered.held.emplace(number, receive);
      return {};
    }
    ++numbered.next;
  }
  return match_or_append(key, {{}, receive, kNone}, true).message;
}

std::optional<MessageMatching::Due> MessageMatching::next_due(const ChannelKey& key) {
  const auto found = numbered_.find(key);
  if (found == numbered_.end()) return {};
  Numbered& numbered = found->second;
  const auto first = numbered.held.find(numbered.next);
  if (first == numbered.held.end()) return {};
  const Waiter receive = first->second;
  numbered.held.erase(first);
  ++numbered.next;
  return Due{receive, add_receive(key, receive)};
}

MessageMatching::Node MessageMatching::match_or_append(const ChannelKey& key, const Node& node,
                                                       bool receive) {
  const auto [found, fresh] = channels_.try_emplace(key);
  Channel& channel = found->second;
  if (fresh || channel.receives == receive) {
    channel.receives = receive;
    append(channel, node);
    return {};
  }
  const std::uint32_t first = channel.head;
  channel.head = nodes_[first].next;
  nodes_.release(first);
  if (channel.head == kNone) channels_.erase(found);
  return nodes_[first];
}

void MessageMatching::append(Channel& channel, const Node& node) {
  const std::uint32_t index = nodes_.acquire(node);
  (channel.head == kNone ? channel.head : nodes_[channel.tail].next) = index;
  channel.tail = index;
}

bool MessageMatching::withdraw(const ChannelKey& key, MessageHandle message) {
  const auto found = channels_.find(key);
  if (found == channels_.end() || found->second.receives) return false;
  Channel& channel = found->second;
  std::uint32_t before = kNone;
  for (std::uint32_t node = channel.head; node != kNone; before = std::exchange(node, nodes_[node].next)) {
    if (nodes_[node].message != message) continue;
    (before == kNone ? channel.head : nodes_[before].next) = nodes_[node].next;
    if (channel.tail == node) channel.tail = before;
    nodes_.release(node);
    if (channel.head == kNone) channels_.erase(found);
    return true;
  }
  return false;
}

std::vector<MessageMatching::QueuedReceive> MessageMatching::queued_receives() const {
  std::vector<const Channels::value_type*> queues;
  for (const auto& entry : channels_)
    if (entry.second.receives) queues.push_back(&entry);
  std::sort(queues.begin(), queues.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::vector<QueuedReceive> result;
  for (const auto* entry : queues)
    for (std::uint32_t node = entry->second.head; node != kNone; node = nodes_[node].next)
      result.push_back({entry->first, nodes_[node].receive});
  return result;
}

void MessageMatching::drop_receives(const ChannelKey& key) {
  const auto found = channels_.find(key);
  if (found == channels_.end() || !found->second.receives) return;
  for (std::uint32_t node = found->second.head; node != kNone;) {
    nodes_.release(node);
    node = nodes_[node].next;
  }
  channels_.erase(found);
}

}  // namespace hybrid
