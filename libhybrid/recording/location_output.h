// Event writer of one OTF2 location (a thread), with the translation of the process's ids to those of the
// archive. The writers of point-to-point, collective and one-sided operations share it.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/time.h"
#include "libhybrid/recording/job_definitions.h"
#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/matching.h"
#include "libhybrid/recording/trace_archive.h"
#include "libhybrid/recording/unresolved_receives.h"

namespace hybrid {

/// A thread of the recording, and its place in the job.
struct RecordedLocation {
  const JobDefinitions& job;
  const ProcessDefinitions& process;
  std::uint32_t thread = 0;
  std::uint32_t threads = 1;                    // of the process; thread numbers are below this
  bool has_compute = false;                     // compute times are written to each call (--clock cpu)
  std::span<const ResolvedReceive> resolved{};  // of the thread's unresolved receives; may be empty
};

/// A request that is written to the trace and not completed.
struct WrittenRequest {
  bool written = false;  // false: no transfer (MPI_PROC_NULL), so no completion is written
  // Of a collective, for its completion event:
  std::uint8_t op = 0;
  std::uint32_t communicator = 0, root = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
};

/// A receive with a freed request, whose message may not have arrived yet.
struct FreedReceive {
  std::uint64_t request = 0, bytes = 0;
  std::uint32_t communicator = 0, source = 0, tag = 0;
};

/// Operations that a process has begun and not ended. All threads of the process share them.
struct OpenOperations {
  OpenRequests<WrittenRequest> requests;
  /// The group of the last MPI_Win_start or MPI_Win_post, by window; complete and wait have the same group.
  std::unordered_map<std::uint32_t, OTF2_GroupRef> started, posted;
  std::vector<FreedReceive> freed;
};

class LocationOutput {
 public:
  using View = ProcessDefinitions::CommunicatorView;
  struct Peer {
    std::uint32_t communicator = 0, rank = 0;
  };

  /// All references must outlive the object. Throws RunError if the location cannot be opened; so do all
  /// functions that write.
  LocationOutput(const RecordedLocation& location, TraceArchive& archive, OpenOperations& open);
  ~LocationOutput() { OTF2_AttributeList_Delete(attributes_); }
  LocationOutput(const LocationOutput&) = delete;
  LocationOutput& operator=(const LocationOutput&) = delete;

  const RecordedLocation& location() const { return location_; }
  TraceArchive& archive() { return archive_; }
  OpenOperations& open() { return open_; }
  OTF2_EvtWriter* writer() { return writer_; }
  /// The attributes of the next event that is written with this list.
  OTF2_AttributeList* attributes() { return attributes_; }

  static OTF2_TimeStamp stamp(Time at) { return static_cast<OTF2_TimeStamp>(at.ps); }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) archive_.check(code);
  }
  void write_parameter(OTF2_ParameterRef parameter, std::uint64_t value, Time at) {
    check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, attributes_, stamp(at), parameter, value));
  }

  /// Id of a request that this thread starts.
  std::uint64_t request_id(const Event& event) const {
    return OpenRequests<WrittenRequest>::id(location_.thread, event.request);
  }
  /// Ends the request of a completion. nullopt: none is open, or it is not written.
  std::optional<std::pair<std::uint64_t, WrittenRequest>> close_request(const Event& event);

  // The following count an id that is not defined (its definition was lost with a full disk).
  void count_undefined() { ++undefined_; }
  std::uint64_t undefined() const { return undefined_; }
  /// The communicator of an event. nullptr, and counted: not defined.
  const View* view_of(const JournalRecord& record);
  /// A world rank as a peer on the event's communicator. nullopt: MPI_PROC_NULL, or not defined (counted).
  std::optional<Peer> peer_of(const JournalRecord& record, std::int32_t world_rank);
  std::optional<Peer> peer_of(const JournalRecord& record) { return peer_of(record, record.event->peer); }
  /// nullopt, and counted: not defined.
  std::optional<std::uint32_t> rank_of_peer(std::int32_t world_rank, const View& view);

 private:
  RecordedLocation location_;
  TraceArchive& archive_;
  OpenOperations& open_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  std::uint64_t undefined_ = 0;
};

}  // namespace hybrid
