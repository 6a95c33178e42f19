#include "libhybrid/recording/location_output.h"

#include "libhybrid/recording/trace_definitions.h"

namespace hybrid {

LocationOutput::LocationOutput(const RecordedLocation& location, TraceArchive& archive, OpenOperations& open)
    : location_(location),
      archive_(archive),
      open_(open),
      writer_(archive.open_location(trace_ids::location(location.process.rank, location.thread))),
      attributes_(OTF2_AttributeList_New()) {}

std::optional<std::pair<std::uint64_t, WrittenRequest>> LocationOutput::close_request(const Event& event) {
  auto request = open_.requests.close(location_.thread, event.request, location_.threads);
  if (request && !request->second.written) request.reset();
  return request;
}

const LocationOutput::View* LocationOutput::view_of(const JournalRecord& record) {
  const auto found = location_.process.communicators.find(record.values.communicator);
  if (found != location_.process.communicators.end()) return &found->second;
  ++undefined_;
  return nullptr;
}

std::optional<LocationOutput::Peer> LocationOutput::peer_of(const JournalRecord& record,
                                                            std::int32_t world_rank) {
  if (world_rank == kNoPeer) return std::nullopt;
  const View* view = view_of(record);
  if (view == nullptr) return std::nullopt;
  const auto rank = rank_of_peer(world_rank, *view);
  if (!rank) return std::nullopt;
  return Peer{view->id, *rank};
}

std::optional<std::uint32_t> LocationOutput::rank_of_peer(std::int32_t world_rank, const View& view) {
  const auto rank = location_.job.peer_rank(location_.process, view, world_rank);
  if (!rank) ++undefined_;
  return rank;
}

}  // namespace hybrid
