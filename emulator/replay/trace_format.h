// Formats of recorded jobs. Adding one takes one new file, which registers a TraceFormat:
//
//   class CsvFormat final : public TraceFormat {
//    public:
//     bool recognises(const std::string& path) const override { return path.ends_with(".csv"); }
//     std::string_view expected() const override { return "a table of sends, which ends in .csv"; }
//     std::unique_ptr<JobTrace> open(const std::string& path) const override { ... }
//   };
//   const TraceFormatRegistration kCsv{"csv", "one line for each send", [] { ... make_unique<CsvFormat>();
//   }};
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/registry.h"
#include "emulator/replay/operation.h"

namespace hybrid {

class TraceFormat {
 public:
  static constexpr std::string_view kKind = "trace format";
  virtual ~TraceFormat() = default;
  /// Whether the file or directory at `path`, which exists, is a trace of this format, by its name or its
  /// first bytes. The trace may be damaged all the same.
  virtual bool recognises(const std::string& path) const = 0;
  /// What such a trace is, for error messages: "the anchor file of an OTF2 archive, which ends in .otf2".
  virtual std::string_view expected() const = 0;
  /// Requires: recognises(path). Throws UserError, naming file and place, for a trace that is damaged.
  virtual std::unique_ptr<JobTrace> open(const std::string& path) const = 0;
};

using TraceFormatRegistration = Registration<TraceFormat>;

/// Opens the trace at `path`, or the only trace in the directory at `path`, by the first registered format
/// (by name) that recognises it. Throws UserError for a path that does not exist, for one that no format
/// recognises (naming the formats), for a directory with several traces, and for a damaged trace.
std::unique_ptr<JobTrace> open_trace(const std::string& path);

}  // namespace hybrid
