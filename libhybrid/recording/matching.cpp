#include "libhybrid/recording/matching.h"

namespace hybrid {

namespace {

std::optional<std::uint32_t> communicator_of(const ProcessDefinitions& process, const JournalRecord& record) {
  const auto view = process.communicators.find(record.values.communicator);
  if (record.event->peer < 0 || view == process.communicators.end()) return std::nullopt;
  return view->second.id;
}

std::optional<MessageKey> message_to(const ProcessDefinitions& process, const JournalRecord& record) {
  const Event& event = *record.event;
  if (event.tag == kAnyTag) return std::nullopt;
  const auto communicator = communicator_of(process, record);
  if (!communicator) return std::nullopt;
  return MessageKey{*communicator, event.peer, static_cast<std::int32_t>(process.rank), event.tag};
}

}  // namespace

std::optional<MessageKey> sent_message(const ProcessDefinitions& process, const JournalRecord& record) {
  const Event& event = *record.event;
  if (event.kind != EventKind::send && event.kind != EventKind::send_start) return std::nullopt;
  const auto communicator = communicator_of(process, record);
  if (!communicator) return std::nullopt;
  return MessageKey{*communicator, static_cast<std::int32_t>(process.rank), event.peer, event.tag};
}

std::optional<MessageKey> received_message(const ProcessDefinitions& process, const JournalRecord& record) {
  const EventKind kind = record.event->kind;
  if (kind != EventKind::recv && kind != EventKind::recv_complete) return std::nullopt;
  return message_to(process, record);
}

std::optional<MessageKey> freed_message(const ProcessDefinitions& process, const JournalRecord& record) {
  if (record.event->kind != EventKind::recv_freed) return std::nullopt;
  return message_to(process, record);
}

std::optional<Time> MessageQueue::pop(const MessageKey& key) {
  const auto queue = queues_.find(key);
  if (queue == queues_.end()) return std::nullopt;
  const Time at = queue->second.front();
  queue->second.pop_front();
  if (queue->second.empty()) queues_.erase(queue);
  return at;
}

}  // namespace hybrid
