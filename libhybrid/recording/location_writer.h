// Writes what one thread did as the events of one OTF2 location, in the form that
// emulator/replay/trace_names.h lays down.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/time.h"
#include "libhybrid/recording/collective_volume.h"
#include "libhybrid/recording/job_definitions.h"
#include "libhybrid/recording/journal_calls.h"
#include "libhybrid/recording/open_requests.h"
#include "libhybrid/recording/trace_archive.h"
#include "libhybrid/recording/untold_matches.h"

namespace hybrid {

/// A request under way, as its completion needs it.
struct WrittenRequest {
  bool written = false;  // false: nothing was transferred (MPI_PROC_NULL), so nothing completes
  // Of a collective, which OTF2 tells at completion:
  std::uint8_t op = 0;
  std::uint32_t communicator = 0, root = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
};

/// A receive whose request was freed.
struct FreedReceive {
  std::uint64_t request = 0, bytes = 0;
  std::uint32_t communicator = 0, source = 0, tag = 0;
};

/// What a process has open, whichever of its threads opened it.
struct OpenOfProcess {
  OpenRequests<WrittenRequest> requests;
  /// The group of the last start, or post, by window: complete and wait are told without.
  std::unordered_map<std::uint32_t, OTF2_GroupRef> started, posted;
  /// Receives that nobody waits for, whose messages are not known to have come.
  std::vector<FreedReceive> freed;
};

class LocationWriter {
 public:
  struct Place {
    const JobDefinitions& job;
    const ProcessDefinitions& process;
    std::uint32_t thread = 0;
    std::uint32_t threads = 1;            // journals are numbered below this
    bool compute_told = false;            // compute time is given with each call (--clock cpu)
    std::span<const FoundMatch> found{};  // of the thread's untold receives, as far as they were looked for
  };
  LocationWriter(const Place& place, TraceArchive& archive, OpenOfProcess& open);
  ~LocationWriter();
  LocationWriter(const LocationWriter&) = delete;
  LocationWriter& operator=(const LocationWriter&) = delete;

  /// Appends a step that took from `begin` to `end`; times before the last step's end are taken as that.
  void write(const JournalStep& step, Time begin, Time end);
  /// Ends the regions that are open (the process died in them) and the location. Returns its last time.
  Time close();

  /// Transfers left out because their communicator, window or peer is not defined (a full disk took it).
  std::uint64_t undefined() const { return undefined_; }
  /// Receives written as cancelled because nobody told which message they got.
  std::uint64_t untold() const { return untold_; }

 private:
  using View = ProcessDefinitions::CommunicatorView;
  struct Peer {
    std::uint32_t communicator = 0, rank = 0;
  };
  struct Window {
    std::uint32_t id = 0;
    View communicator;
  };
  /// One-sided operations under way on a window, by target.
  using Epoch = std::unordered_map<std::uint32_t, std::vector<std::uint64_t>>;

  void write_mark(const JournalRecord& record, Time at);
  void write_call(const JournalStep& step, Time begin, Time end);
  void write_begin(const JournalRecord& record, Time at);
  void write_end(const JournalRecord& record, Time begin, Time end);

  /// What the receive got, as MPI told it or as it was found; nullopt, and counted: not known.
  std::optional<FoundMatch> match_of(const Event& event);
  void write_send(const JournalRecord& record, Time at);
  void write_recv(const JournalRecord& record, Time at);
  void write_completion(const JournalRecord& record, Time at);
  void write_freed(const JournalRecord& record, Time at);
  void write_freed_ends(Time at);
  void write_freed_before(const Peer& peer, std::uint32_t tag, Time at);
  void write_freed_end(const FreedReceive& freed, Time at);
  void write_collective_start(const JournalRecord& record, Time at);
  void write_collective_end(const JournalRecord& record, Time at);
  void write_counts(const JournalRecord& record, const View& view, Time at);
  void write_count(OTF2_ParameterRef parameter, const View& view, std::int32_t peer, std::uint64_t bytes,
                   Time at);
  void write_one_sided(const JournalRecord& record, Time at);
  void write_rma_sync(const JournalRecord& record, Time begin, Time end);
  OTF2_GroupRef epoch_group(const JournalRecord& record, const Window& window);
  void complete_one_sided(const Window& window, std::optional<std::uint32_t> target, Time at);
  void write_parameter(OTF2_ParameterRef parameter, std::uint64_t value, Time at);

  /// Attaches the compute time up to `at` to the next event, where that is told.
  void tell_compute(Time at);
  void enter(OTF2_RegionRef region, Time at);
  void leave(OTF2_RegionRef region, Time at);
  void begin_phase(std::uint32_t region, Time at);
  void end_phase(std::uint32_t region, Time at);

  /// nullptr, and counted: not defined.
  const View* view_of(const JournalRecord& record);
  /// nullopt: MPI_PROC_NULL, or not defined (counted).
  std::optional<Peer> peer_of(const JournalRecord& record) { return peer_of(record, record.event->peer); }
  std::optional<Peer> peer_of(const JournalRecord& record, std::int32_t world_rank);
  std::optional<std::uint32_t> rank_of_peer(std::int32_t world_rank, const View& view);
  std::optional<Window> window_of(const JournalRecord& record);
  std::uint32_t root_of(const JournalRecord& record, const View& view);
  CollectiveVolume volume_of(const JournalRecord& record, const View& view) const;
  static OTF2_TimeStamp stamp(Time at) { return static_cast<OTF2_TimeStamp>(at.ps); }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) archive_.check(code);
  }

  Place place_;
  TraceArchive& archive_;
  OpenOfProcess& open_;
  OpenRequests<WrittenRequest>& requests_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  bool begun_ = false, in_call_ = false;
  Time last_{};
  Time compute_since_{};                // the last time from which compute time is told
  std::vector<OTF2_RegionRef> phases_;  // open, outermost first
  std::unordered_map<std::uint32_t, Epoch> epochs_;
  std::uint64_t one_sided_ = 0;  // matching id of the last one-sided operation
  std::uint64_t undefined_ = 0;
  std::uint64_t untold_ = 0;
  std::size_t next_found_ = 0;
};

}  // namespace hybrid
