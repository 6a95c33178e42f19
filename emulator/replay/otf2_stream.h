// Events of one location of an OTF2 archive, converted to operations.
//
// Compute time is the time between leaving one communication region and entering the next (regions of an MPI
// paradigm or named "MPI_..."), less the time that the measurement took (BufferFlush); or the value of
// kCompute. Some tools write communication events outside such regions: an event that starts an operation
// ends a stretch of compute time; before an event that completes one, the time since the last known instant
// was waiting.
//
// OTF2 records the match of a receive at its completion, but MPI matches receives as they are posted. A
// posted receive is therefore held back until its completion is read, but for at most kLookAhead operations,
// so that a receive that stays open throughout the job does not bring the whole trace into memory. While a
// receive is open that was handed out without its match, later ones are handed out without theirs, too: their
// matches would not count the message that the earlier one gets.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/otf2_definitions.h"

namespace hybrid {

/// Reads attribute `ref` of an event with one of OTF2's typed getters; false, and no change of `value`, if
/// the event does not have the attribute.
template <class Value, class Getter>
bool read_attribute(const OTF2_AttributeList* list, OTF2_AttributeRef ref, Getter getter, Value& value) {
  return ref != OTF2_UNDEFINED_ATTRIBUTE && list != nullptr &&
         OTF2_AttributeList_GetNumberOfElements(list) != 0 &&
         OTF2_AttributeList_TestAttributeByID(list, ref) && getter(list, ref, &value) == OTF2_SUCCESS;
}

/// Operations that are read and not yet handed out, numbered 0, 1, ... from the begin of the trace. Reuses
/// their memory.
class OperationQueue {
 public:
  struct Entry {
    Operation operation;
    bool open = false;  // held back: its collective or match is known at its completion only
    bool dropped = false;
  };
  bool empty() const { return head_ == tail_; }
  std::uint64_t size() const { return tail_ - head_; }
  /// Whether it was not handed out yet.
  bool holds(std::uint64_t number) const { return number >= head_ && number < tail_; }
  std::uint64_t tail() const { return tail_; }
  Entry& front() { return at(head_); }
  const Entry& front() const { return ring_[head_ & (ring_.size() - 1)]; }
  Entry& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }
  void pop() { ++head_; }
  /// Appends an entry with default values.
  Entry& push();

 private:
  std::vector<Entry> ring_ = std::vector<Entry>(64);
  std::uint64_t head_ = 0, tail_ = 0;
};

class Otf2Stream {
 public:
  /// A posted receive is handed out without its match when this many operations have been read after it.
  static constexpr std::uint64_t kLookAhead = 1024;

  Otf2Stream(const Otf2Definitions& definitions, std::uint32_t location);

  /// Callbacks for OTF2_Reader_RegisterEvtCallbacks; their user data is an Otf2Stream. A callback that finds
  /// a fault sets error() and interrupts the reading.
  static OTF2_EvtReaderCallbacks* callbacks();

  /// All events were read: drops the collectives that are still open and appends the finish operation.
  void end();

  OperationQueue& queue() { return queue_; }
  /// Whether the first operation of the queue can be handed out. Its match may still be unknown (kLookAhead).
  bool ready() const;
  /// Hands out the first operation. Requires: ready().
  void take(Operation& operation);
  const std::string& error() const { return error_; }
  std::uint64_t events() const { return events_; }
  /// Tick of the first event; 0 before it was read.
  OTF2_TimeStamp first_tick() const { return first_; }
  /// A rank's threads start with its main thread: the time from `rank_start` to this thread's first event is
  /// compute time.
  void add_start(OTF2_TimeStamp rank_start);

 private:
  friend struct Otf2Events;

  void event(OTF2_TimeStamp tick);
  /// `call_site`: of the region if it is a call, where the event has no attribute with it; 0: the region
  /// around it.
  void enter(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes,
             std::uint32_t call_site = 0);
  void leave(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes);
  void end_compute(OTF2_TimeStamp tick, const OTF2_AttributeList* attributes);
  void add_compute(Time time);
  /// Appends an operation, with the compute time so far.
  Operation& add(Operation::Kind kind, OTF2_TimeStamp tick);
  /// Appends an operation of a communication call. `waits`: it completes another one.
  Operation& communicate(Operation::Kind kind, OTF2_TimeStamp tick, bool waits);
  bool communicator(OTF2_CommRef ref, std::uint64_t position, std::uint32_t& index);
  bool window(OTF2_RmaWinRef ref, std::uint64_t position, std::uint32_t& index);
  bool peer(std::uint32_t communicator, std::uint32_t local, std::uint64_t position, std::uint32_t& world);
  /// The group that ranks of peers refer to; empty for MPI_COMM_SELF.
  const std::vector<std::uint32_t>& peers(std::uint32_t communicator);
  bool describe(Operation& operation, OTF2_CollectiveOp op, std::uint32_t communicator, std::uint32_t root,
                Bytes sent, Bytes received, const OTF2_AttributeList* attributes, std::uint64_t position);
  bool attach_counts(Operation& operation, std::uint64_t position);
  /// The last operation posts a receive.
  void add_post(std::uint64_t request);
  /// A posted receive was completed by `match`; nullptr: it was cancelled.
  void end_post(std::uint64_t request, const Operation* match);
  void add_count(bool sent, std::uint32_t peer, Bytes bytes);
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
  OTF2_TimeStamp mark_ = 0;                        // compute time counts from here
  OTF2_TimeStamp excluded_ = 0;                    // time since then that the measurement took
  OTF2_TimeStamp call_ = 0;                        // entry of the outermost communication region
  std::uint32_t depth_ = 0;                        // of communication regions
  std::uint32_t call_region_ = 0, call_site_ = 0;  // of the outermost communication region
  std::vector<std::uint32_t> around_;              // call sites of the other open regions
  Time compute_{};
  bool communicated_ = false;
  std::uint64_t region_calls_ = 0, synchronised_call_ = 0;  // one synchronisation per call
  std::vector<Count> counts_sent_, counts_received_;        // for the next collective
  std::unordered_map<std::uint64_t, std::uint64_t> open_;   // collectives: request -> number in the queue
  std::unordered_map<std::uint64_t, std::uint64_t> posts_;  // posted receives: the same
  std::unordered_set<std::uint64_t> unmatched_;             // handed out without a match, not completed
  std::unordered_map<std::uint32_t, bool> in_remote_;       // inter-communicator -> rank is in `remote`
};

}  // namespace hybrid
