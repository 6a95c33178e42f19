// Writes the steps of a thread as the events of an OTF2 location, in the form that
// emulator/replay/trace_names.h describes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libhybrid/recording/collective_writer.h"
#include "libhybrid/recording/location_output.h"
#include "libhybrid/recording/one_sided_writer.h"
#include "libhybrid/recording/point_to_point_writer.h"

namespace hybrid {

class LocationWriter {
 public:
  /// All references must outlive the writer. `open`: shared by the writers of the process's threads. Throws
  /// RunError if the location cannot be opened; so do the functions that write.
  LocationWriter(const RecordedLocation& location, TraceArchive& archive, OpenOperations& open);

  /// Appends a step that took from `begin` to `end`. Earlier times are replaced by the end of the previous
  /// step.
  void write(const JournalStep& step, Time begin, Time end);
  /// Ends the open regions (those in which the process died) and the location. Returns the last time.
  Time close();

  /// Transfers that are left out since their communicator, window or peer is not defined (lost with a full
  /// disk).
  std::uint64_t undefined() const { return output_.undefined(); }
  /// Receives that are written as cancelled since their message is not known.
  std::uint64_t unresolved() const { return point_to_point_.unresolved(); }

 private:
  void write_mark(const JournalRecord& record, Time at);
  void write_call(const JournalStep& step, Time begin, Time end);
  void write_begin(const JournalRecord& record, Time at);
  void write_end(const JournalRecord& record, Time begin, Time end);
  /// Attaches the compute time before `at` to the next event, if the location has compute times.
  void add_compute(Time at);
  /// The index into JobDefinitions::call_sites, if the site is defined.
  std::optional<std::uint32_t> call_site_of(const Event& event) const;
  void enter(OTF2_RegionRef region, Time at);
  void leave(OTF2_RegionRef region, Time at);
  void begin_phase(std::uint32_t region, Time at);
  void end_phase(std::uint32_t region, Time at);

  LocationOutput output_;
  PointToPointWriter point_to_point_;
  CollectiveWriter collectives_;
  OneSidedWriter one_sided_;
  bool begun_ = false;
  Time last_{};
  Time compute_since_{};                // begin of the compute time that is not written yet
  std::vector<OTF2_RegionRef> phases_;  // open, outermost first
};

}  // namespace hybrid
