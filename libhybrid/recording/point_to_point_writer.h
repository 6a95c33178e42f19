// Writes the point-to-point operations of a location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "libhybrid/recording/location_output.h"

namespace hybrid {

class PointToPointWriter {
 public:
  explicit PointToPointWriter(LocationOutput& output) : output_(output) {}

  /// EventKind::send and send_start.
  void write_send(const JournalRecord& record, Time at);
  /// EventKind::recv_post.
  void write_post(const JournalRecord& record, Time at);
  /// EventKind::recv.
  void write_receive(const JournalRecord& record, Time at);
  /// EventKind::send_complete, recv_complete and cancelled.
  void write_completion(const JournalRecord& record, Time at);
  /// EventKind::recv_freed: a receive whose request the program frees.
  void write_freed(const JournalRecord& record, Time at);
  /// Completes all freed receives of the process: MPI_Finalize waits for them.
  void complete_all_freed(Time at);

  /// Receives that are written as cancelled because their message is not known.
  std::uint64_t unresolved() const { return unresolved_; }

 private:
  /// The message of a receive, from MPI or as it was resolved. nullopt, and counted: not known.
  std::optional<ResolvedReceive> message_of(const Event& event);
  void complete_freed_before(const LocationOutput::Peer& peer, std::uint32_t tag, Time at);
  void complete_freed(const FreedReceive& freed, Time at);

  LocationOutput& output_;
  std::size_t next_resolved_ = 0;
  std::uint64_t unresolved_ = 0;
};

}  // namespace hybrid
