#include "libhybrid/recording/point_to_point_writer.h"

#include <vector>

#include "libhybrid/recording/trace_definitions.h"

namespace hybrid {

std::optional<ResolvedReceive> PointToPointWriter::message_of(const Event& event) {
  if (!is_unresolved(event)) return ResolvedReceive{event.peer, event.tag};
  const auto& resolved = output_.location().resolved;
  const std::size_t number = next_resolved_++;
  if (number < resolved.size() && resolved[number].source != kAnyPeer) return resolved[number];
  ++unresolved_;
  return std::nullopt;
}

void PointToPointWriter::write_send(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const bool blocking = event.kind == EventKind::send;
  const std::uint64_t request = output_.request_id(event);
  const auto peer = output_.peer_of(record);
  if (!blocking) output_.open().requests.open(request, {.written = peer.has_value()});
  if (!peer) return;
  OTF2_AttributeList* attributes = nullptr;
  if (const std::uint8_t mode = send_mode(event.op); mode != static_cast<std::uint8_t>(SendMode::standard)) {
    attributes = output_.attributes();
    output_.check(OTF2_AttributeList_AddUint8(attributes, trace_ids::send_mode, mode));
  }
  const OTF2_TimeStamp time = LocationOutput::stamp(at);
  const auto tag = static_cast<std::uint32_t>(event.tag);
  const std::uint64_t bytes = record.values.bytes;
  output_.check(blocking ? OTF2_EvtWriter_MpiSend(output_.writer(), attributes, time, peer->rank,
                                                  peer->communicator, tag, bytes)
                         : OTF2_EvtWriter_MpiIsend(output_.writer(), attributes, time, peer->rank,
                                                   peer->communicator, tag, bytes, request));
}

void PointToPointWriter::write_post(const JournalRecord& record, Time at) {
  const bool written = record.event->peer != kNoPeer;
  const std::uint64_t request = output_.request_id(*record.event);
  output_.open().requests.open(request, {.written = written});
  if (written)
    output_.check(
        OTF2_EvtWriter_MpiIrecvRequest(output_.writer(), nullptr, LocationOutput::stamp(at), request));
}

void PointToPointWriter::write_receive(const JournalRecord& record, Time at) {
  const auto peer = output_.peer_of(record);
  if (!peer) return;
  const auto tag = static_cast<std::uint32_t>(record.event->tag);
  complete_freed_before(*peer, tag, at);
  output_.check(OTF2_EvtWriter_MpiRecv(output_.writer(), nullptr, LocationOutput::stamp(at), peer->rank,
                                       peer->communicator, tag, record.values.bytes));
}

void PointToPointWriter::write_completion(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto message = event.kind == EventKind::recv_complete ? message_of(event) : std::nullopt;
  const auto request = output_.close_request(event);
  if (!request) return;
  const std::uint64_t id = request->first;
  const OTF2_TimeStamp time = LocationOutput::stamp(at);
  if (event.kind == EventKind::send_complete) {
    output_.check(OTF2_EvtWriter_MpiIsendComplete(output_.writer(), nullptr, time, id));
    return;
  }
  if (const auto peer = message ? output_.peer_of(record, message->source) : std::nullopt) {
    const auto tag = static_cast<std::uint32_t>(message->tag);
    complete_freed_before(*peer, tag, at);
    output_.check(OTF2_EvtWriter_MpiIrecv(output_.writer(), nullptr, time, peer->rank, peer->communicator,
                                          tag, record.values.bytes, id));
    return;
  }
  // Cancelled, or ended without a known message.
  output_.check(OTF2_EvtWriter_MpiRequestCancelled(output_.writer(), nullptr, time, id));
}

void PointToPointWriter::write_freed(const JournalRecord& record, Time at) {
  const auto message = message_of(*record.event);
  const auto request = output_.close_request(*record.event);
  if (!request) return;
  const auto peer = message ? output_.peer_of(record, message->source) : std::nullopt;
  if (peer) {
    output_.open().freed.push_back({request->first, record.values.bytes, peer->communicator, peer->rank,
                                    static_cast<std::uint32_t>(message->tag)});
    return;
  }
  output_.check(OTF2_EvtWriter_MpiRequestCancelled(output_.writer(), nullptr, LocationOutput::stamp(at),
                                                   request->first));
}

void PointToPointWriter::complete_all_freed(Time at) {
  for (const FreedReceive& freed : output_.open().freed) complete_freed(freed, at);
  output_.open().freed.clear();
}

// Messages of one sender and tag do not overtake each other. Before a receive gets its message, the freed
// receives of the same sender and tag, which were posted earlier, have got theirs.
void PointToPointWriter::complete_freed_before(const LocationOutput::Peer& peer, std::uint32_t tag, Time at) {
  std::erase_if(output_.open().freed, [&](const FreedReceive& freed) {
    if (freed.communicator != peer.communicator || freed.source != peer.rank || freed.tag != tag)
      return false;
    complete_freed(freed, at);
    return true;
  });
}

void PointToPointWriter::complete_freed(const FreedReceive& freed, Time at) {
  output_.check(OTF2_EvtWriter_MpiIrecv(output_.writer(), nullptr, LocationOutput::stamp(at), freed.source,
                                        freed.communicator, freed.tag, freed.bytes, freed.request));
}

}  // namespace hybrid
