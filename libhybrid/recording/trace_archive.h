// An OTF2 archive being written: the one place that talks to libotf2 about files, strings and errors.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hybrid {

class TraceArchive {
 public:
  /// Makes DIRECTORY/trace.otf2 and what belongs to it. Throws UserError when any of it exists, RunError when
  /// it cannot be made.
  explicit TraceArchive(const std::string& directory);
  /// An archive that was not closed is removed: half a trace would pass for a whole one.
  ~TraceArchive();
  TraceArchive(const TraceArchive&) = delete;
  TraceArchive& operator=(const TraceArchive&) = delete;

  const std::string& anchor() const { return anchor_; }

  /// A fact in the anchor file. `name`: capitals, digits, underscores.
  void property(const std::string& name, const std::string& value);

  /// Event writers of locations may be open side by side; each holds a chunk of memory of kChunk bytes.
  static constexpr std::uint64_t kChunk = std::uint64_t{256} * 1024;
  OTF2_EvtWriter* open_location(std::uint64_t location);
  void close_location(OTF2_EvtWriter* writer);
  /// The locations written so far, with their numbers of events.
  const std::map<OTF2_LocationRef, std::uint64_t>& locations() const { return locations_; }

  /// The number of a group that an event names and no communicator has: world ranks, in order. The same
  /// members have one number.
  std::uint32_t group(const std::vector<std::int32_t>& members);
  /// By number.
  std::vector<std::vector<std::int32_t>> groups() const;

  /// All locations are closed: definitions can be written.
  OTF2_GlobalDefWriter* begin_definitions();
  /// The id of a string, which is defined at its first use. Between begin_definitions and close.
  OTF2_StringRef string(std::string_view text);

  void close();

  /// Throws RunError with libotf2's reason unless `code` says success.
  void check(OTF2_ErrorCode code) const;

 private:
  static OTF2_ErrorCode keep_reason(void* archive, const char* file, std::uint64_t line, const char* function,
                                    OTF2_ErrorCode code, const char* format, va_list arguments);
  void remove_files() const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string directory_, anchor_;
  OTF2_ErrorCallback former_callback_ = nullptr;
  std::string reason_;  // of libotf2's last error, in its words
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  std::map<OTF2_LocationRef, std::uint64_t> locations_;
  std::map<std::vector<std::int32_t>, std::uint32_t> groups_;
};

}  // namespace hybrid
