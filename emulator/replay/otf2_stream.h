// One location of an OTF2 archive, its events turned into operations.
//
// Compute time is the time between leaving one communication region and entering the next (regions of an MPI
// paradigm or named "MPI_..."), less what the measurement itself took (BufferFlush), or what kCompute says.
// Events that stand outside any such region, as some tools write them: what starts something ends a stretch
// of compute time there; what completes something was waited for since the last known instant.
//
// OTF2 tells which message a receive got where it completes, and MPI matches receives as they were posted: a
// posted receive waits here for its completion, but not for ever (kLookAhead), so that a receive which stays
// open throughout the job does not pull the trace into memory.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/otf2_definitions.h"

namespace hybrid {

/// Reads attribute `ref` of an event with one of OTF2's typed getters; false (and no change) where the
/// archive or the event has none.
template <class Value, class Getter>
bool read_attribute(const OTF2_AttributeList* list, OTF2_AttributeRef ref, Getter getter, Value& value) {
  return ref != OTF2_UNDEFINED_ATTRIBUTE && list != nullptr &&
         OTF2_AttributeList_GetNumberOfElements(list) != 0 &&
         OTF2_AttributeList_TestAttributeByID(list, ref) && getter(list, ref, &value) == OTF2_SUCCESS;
}

/// Operations on their way from the archive to the replay; reuses their storage. Numbered 0, 1, ... forever.
class OperationQueue {
 public:
  struct Entry {
    Operation operation;
    bool open = false;  // not to be handed out yet: collective or match is known at its completion only
    bool dropped = false;
  };
  bool empty() const { return head_ == tail_; }
  std::uint64_t size() const { return tail_ - head_; }
  /// It was not taken yet.
  bool holds(std::uint64_t number) const { return number >= head_ && number < tail_; }
  std::uint64_t tail() const { return tail_; }
  Entry& front() { return at(head_); }
  Entry& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }
  void pop() { ++head_; }
  /// A cleared entry at the end.
  Entry& push();

 private:
  std::vector<Entry> ring_ = std::vector<Entry>(64);
  std::uint64_t head_ = 0, tail_ = 0;
};

class Otf2Stream {
 public:
  /// So many operations after a receive was posted it is handed out without its match.
  static constexpr std::uint64_t kLookAhead = 1024;

  Otf2Stream(const Otf2Definitions& definitions, std::uint32_t location);

  /// The callbacks for OTF2_Reader_RegisterEvtCallbacks; their user data is a stream. A callback that finds
  /// something wrong sets error() and interrupts the reading.
  static OTF2_EvtReaderCallbacks* callbacks();

  /// Nothing more comes: operations left open are dropped, the finish operation is added.
  void end();

  OperationQueue& queue() { return queue_; }
  /// Whether the first in the queue can be handed out: all of it is known, or will not be in time.
  bool ready();
  const std::string& error() const { return error_; }
  std::uint64_t events() const { return events_; }
  /// First event's tick; 0 before it was read.
  OTF2_TimeStamp first_tick() const { return first_; }
  /// Threads of a rank start when its main thread did: what passed until this one's first event is compute
  /// time.
  void started(OTF2_TimeStamp rank_start);

 private:
  friend struct Otf2Events;

  void event(OTF2_TimeStamp tick);
  void enter(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes);
  void leave(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes);
  void end_compute(OTF2_TimeStamp tick, const OTF2_AttributeList* attributes);
  void computed(Time by);
  /// A new operation that takes the compute time so far.
  Operation& add(Operation::Kind kind, OTF2_TimeStamp tick);
  /// The same for one inside a communication call; `waits`: it completes something.
  Operation& communicate(Operation::Kind kind, OTF2_TimeStamp tick, bool waits);
  bool communicator(OTF2_CommRef ref, std::uint64_t position, std::uint32_t& index);
  bool window(OTF2_RmaWinRef ref, std::uint64_t position, std::uint32_t& index);
  bool peer(std::uint32_t communicator, std::uint32_t local, std::uint64_t position, std::uint32_t& world);
  /// Members of the group that `local` ranks of peers belong to; empty for MPI_COMM_SELF.
  const std::vector<std::uint32_t>& peers(std::uint32_t communicator);
  bool describe(Operation& operation, OTF2_CollectiveOp op, std::uint32_t communicator, std::uint32_t root,
                Bytes sent, Bytes received, const OTF2_AttributeList* attributes, std::uint64_t position);
  bool attach_counts(Operation& operation, std::uint64_t position);
  void posted(std::uint64_t request);
  /// A posted receive ended, with this match (none: cancelled).
  void matched(std::uint64_t request, const Operation* match);
  void count(bool sent, std::uint32_t peer, Bytes bytes);
  bool synchronise(OTF2_RmaWinRef window, std::uint32_t remote, RmaSync sync, OTF2_TimeStamp tick,
                   std::uint64_t position, const OTF2_AttributeList* attributes,
                   OTF2_GroupRef group = OTF2_UNDEFINED_GROUP);
  bool fail(std::uint64_t position, const std::string& what);

  struct Count {
    std::uint32_t peer;
    Bytes bytes;
  };

  const Otf2Definitions& definitions_;
  const std::uint32_t rank_;
  const bool main_;
  OperationQueue queue_;
  std::string error_;
  std::uint64_t events_ = 0;
  OTF2_TimeStamp first_ = 0, last_ = 0;
  OTF2_TimeStamp mark_ = 0;      // compute time counts from here
  OTF2_TimeStamp excluded_ = 0;  // of which spent by the measurement
  OTF2_TimeStamp call_ = 0;      // entry of the outermost communication region
  std::uint32_t depth_ = 0;      // of communication regions
  Time compute_{};
  bool communicated_ = false;
  std::uint64_t region_calls_ = 0, synchronised_call_ = 0;  // one synchronisation a call
  std::vector<Count> counts_sent_, counts_received_;        // for the next collective
  std::unordered_map<std::uint64_t, std::uint64_t> open_;   // request -> number in the queue
  std::unordered_map<std::uint64_t, std::uint64_t> posts_;  // likewise of receives
  std::unordered_map<std::uint32_t, bool> in_remote_;       // inter-communicator -> this rank is in `remote`
};

}  // namespace hybrid
