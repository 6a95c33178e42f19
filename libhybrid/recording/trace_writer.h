// Turns a recording (definitions and journals) into an OTF2 archive: point-to-point with matching,
// collectives, one-sided, phases as regions, predictor decisions and facts of the run as attributes and
// properties.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hybrid {

struct TraceSummary {
  std::string anchor;                  // path of the archive's anchor file
  std::uint32_t ranks = 0;             // of the job
  std::vector<std::uint32_t> missing;  // ranks of the job that left no journal
  // Ranks whose journal does not end with EventKind::finish, unless a full disk swallowed what came last.
  std::vector<std::uint32_t> incomplete;
  std::vector<std::string> damaged;  // what is wrong with journals that cannot be read, and are left out
  std::uint64_t events = 0;
  std::uint64_t lost = 0;  // events that a full disk swallowed
};

/// For people: where the trace is, how much it holds, which ranks are missing or did not come to their end,
/// what was lost. Lines end with a newline.
std::string to_text(const TraceSummary& summary);

/// Writes DIR/trace.otf2 and what belongs to it into `output` (which exists; files in it are never
/// overwritten). Journals of processes that died are taken as far as they go, damaged ones left out. Throws
/// UserError when `recording` holds no recording, RunError when the archive cannot be written.
TraceSummary write_trace(const std::string& recording, const std::string& output);

}  // namespace hybrid
