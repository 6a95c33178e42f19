#include "emulator/replay/message_matching.h"

#include <algorithm>

namespace hybrid {

std::uint32_t MessageMatching::meet(const ChannelKey& key, std::uint32_t handle, bool receive) {
  const auto [found, fresh] = channels_.try_emplace(key);
  Channel& channel = found->second;
  if (!fresh && channel.receives != receive) {
    const std::uint32_t node = channel.head, waiting = nodes_[node].handle;
    channel.head = nodes_[node].next;
    release(node);
    if (channel.head == kNone) channels_.erase(found);
    return waiting;
  }
  std::uint32_t node = free_;
  if (node == kNone) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  nodes_[node] = {handle, kNone};
  channel.receives = receive;
  (channel.head == kNone ? channel.head : nodes_[channel.tail].next) = node;
  channel.tail = node;
  return kNone;
}

void MessageMatching::release(std::uint32_t node) {
  nodes_[node].next = free_;
  free_ = node;
}

bool MessageMatching::withdraw(const ChannelKey& key, std::uint32_t message) {
  const auto found = channels_.find(key);
  if (found == channels_.end() || found->second.receives) return false;
  Channel& channel = found->second;
  std::uint32_t before = kNone;
  for (std::uint32_t node = channel.head; node != kNone; before = node, node = nodes_[node].next) {
    if (nodes_[node].handle != message) continue;
    (before == kNone ? channel.head : nodes_[before].next) = nodes_[node].next;
    if (channel.tail == node) channel.tail = before;
    release(node);
    if (channel.head == kNone) channels_.erase(found);
    return true;
  }
  return false;
}

std::vector<MessageMatching::Waiting> MessageMatching::waiting_receives() const {
  std::vector<const std::pair<const ChannelKey, Channel>*> waiting;
  for (const auto& entry : channels_)
    if (entry.second.receives) waiting.push_back(&entry);
  std::sort(waiting.begin(), waiting.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::vector<Waiting> result;
  for (const auto* entry : waiting)
    for (std::uint32_t node = entry->second.head; node != kNone; node = nodes_[node].next)
      result.push_back({entry->first, nodes_[node].handle});
  return result;
}

void MessageMatching::drop_receives(const ChannelKey& key) {
  const auto found = channels_.find(key);
  if (found == channels_.end() || !found->second.receives) return;
  for (std::uint32_t node = found->second.head; node != kNone;) {
    const std::uint32_t next = nodes_[node].next;
    release(node);
    node = next;
  }
  channels_.erase(found);
}

}  // namespace hybrid
