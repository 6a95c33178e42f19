// Converts a recording (definitions and journals) to an OTF2 archive: point-to-point operations with their
// matching, collectives, one-sided operations, phases as regions, and the decisions of predictors and facts
// of the run as attributes and properties.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hybrid {

struct TraceSummary {
  std::string anchor;                  // path of the anchor file
  std::uint32_t ranks = 0;             // of the job
  std::vector<std::uint32_t> missing;  // ranks without a journal
  // Ranks with a journal that does not end with EventKind::finish, unless a full disk lost its last events.
  std::vector<std::uint32_t> incomplete;
  std::vector<std::string> damaged;  // Recording::damaged
  std::uint64_t events = 0;
  std::uint64_t lost = 0;  // number of events that a full disk lost
};

using TraceProgress = std::function<void(std::uint64_t events, std::uint64_t all)>;

/// Text for people: the path and size of the trace, ranks that are missing or incomplete, damaged journals,
/// and lost events. Ends with a newline.
std::string to_text(const TraceSummary& summary);

/// Writes OUTPUT/trace.otf2 and its other files. The directory `output` must exist; its files are never
/// overwritten. Journals of processes that died are used up to their last event, damaged ones up to the
/// damage. Throws UserError if `recording` contains no recording, RunError if the archive cannot be written.
/// `progress`(events written, all events) is called now and then.
TraceSummary write_trace(const std::string& recording, const std::string& output,
                         const TraceProgress& progress = {});

}  // namespace hybrid
