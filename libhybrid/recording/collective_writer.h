// Writes the collective operations of a location. Volumes follow the convention of OTF2 (that of Score-P,
// which its tools expect).
#pragma once

#include <cstdint>

#include "libhybrid/recording/location_output.h"

namespace hybrid {

class CollectiveWriter {
 public:
  explicit CollectiveWriter(LocationOutput& output) : output_(output) {}

  /// Begin and end of a blocking collective (EventKind::collective).
  void write_begin(Time at);
  void write_end(const JournalRecord& record, Time at);
  /// Start and completion of a nonblocking one (EventKind::collective_start and collective_complete).
  void write_start(const JournalRecord& record, Time at);
  void write_completion(const JournalRecord& record, Time at);

 private:
  using View = LocationOutput::View;
  void write_counts(const JournalRecord& record, const View& view, Time at);
  void write_count(OTF2_ParameterRef parameter, const View& view, std::int32_t peer, std::uint64_t bytes,
                   Time at);
  std::uint32_t root_of(const JournalRecord& record, const View& view) const;

  LocationOutput& output_;
};

}  // namespace hybrid
