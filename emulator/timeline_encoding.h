// Encodings of timelines for ui.perfetto.dev: trace-event JSON, and TrackEvent protobuf, which is smaller and
// opens faster.
//
// A timeline has processes with threads (tracks). Slices of a track do not overlap, but may be nested.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"

namespace hybrid {

/// Names and values that belong to a slice.
using TimelineArguments = std::vector<std::pair<std::string_view, std::uint64_t>>;

class TimelineEncoding {
 public:
  virtual ~TimelineEncoding() = default;
  virtual void process(std::uint32_t process, std::string_view name) = 0;
  /// Requires: the process has a name.
  virtual void thread(std::uint32_t process, std::uint32_t thread, std::string_view name) = 0;
  /// Requires: the thread has a name. Slices of a thread come in the order of their begins, the outer one of
  /// two with the same begin first.
  virtual void slice(std::uint32_t process, std::uint32_t thread, Time from, Time until,
                     std::string_view name, const TimelineArguments& arguments) = 0;
  /// A stretch of time of a process that may overlap with any other; `id` differs from those of the others.
  /// The stretches of a process come in the order of their ends.
  virtual void stretch(std::uint32_t process, std::uint32_t thread, std::uint64_t id, Time from, Time until,
                       std::string_view name) = 0;
  /// Completes the file.
  virtual void end() = 0;
};

/// Protobuf for paths that end in .pftrace or .perfetto-trace, with times rounded down to nanoseconds;
/// otherwise JSON, with microseconds that have six decimals. Begins the file. `file` must outlive the
/// encoding.
std::unique_ptr<TimelineEncoding> make_timeline_encoding(std::string_view path, std::FILE* file);

}  // namespace hybrid
