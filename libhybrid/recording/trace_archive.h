// An OTF2 archive that is written. All use of libotf2 for files, strings and errors is here.
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
  /// Makes DIRECTORY/trace.otf2 and its other files. Throws UserError if one of them exists, RunError if they
  /// cannot be made.
  explicit TraceArchive(const std::string& directory);
  /// Removes the files unless the archive was closed, since an incomplete trace could be mistaken for a
  /// complete one.
  ~TraceArchive();
  TraceArchive(const TraceArchive&) = delete;
  TraceArchive& operator=(const TraceArchive&) = delete;

  const std::string& anchor() const { return anchor_; }

  /// Writes a fact to the anchor file. `name`: capitals, digits and underscores.
  void property(const std::string& name, const std::string& value);

  /// Several locations may be open at a time; each takes kChunk bytes of memory.
  static constexpr std::uint64_t kChunk = std::uint64_t{256} * 1024;
  OTF2_EvtWriter* open_location(std::uint64_t location);
  void close_location(OTF2_EvtWriter* writer);
  /// The closed locations, with their numbers of events.
  const std::map<OTF2_LocationRef, std::uint64_t>& locations() const { return locations_; }

  /// The number of a group that an event refers to and that no communicator has. `members`: world ranks in
  /// order; equal members have the same number.
  std::uint32_t group(const std::vector<std::int32_t>& members);
  /// The members of the groups, by number.
  std::vector<std::vector<std::int32_t>> groups() const;

  /// Begins the definitions. Requires: all locations are closed.
  OTF2_GlobalDefWriter* begin_definitions();
  /// The id of a string, which is defined at its first use. To be called after begin_definitions() and before
  /// close().
  OTF2_StringRef string(std::string_view text);

  /// Completes the archive. Throws RunError, also if the disk is full.
  void close();

  /// Throws RunError with the error message of libotf2 unless `code` is OTF2_SUCCESS.
  void check(OTF2_ErrorCode code) const;

 private:
  static OTF2_ErrorCode keep_reason(void* archive, const char* file, std::uint64_t line, const char* function,
                                    OTF2_ErrorCode code, const char* format, va_list arguments);
  void remove_files() const;
  bool is_full() const;  // the disk
  [[noreturn]] void fail(const std::string& reason) const;

  std::string directory_, anchor_;
  OTF2_ErrorCallback former_callback_ = nullptr;
  std::string reason_;  // message of libotf2's last error
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  std::map<OTF2_LocationRef, std::uint64_t> locations_;
  std::map<std::vector<std::int32_t>, std::uint32_t> groups_;
};

}  // namespace hybrid
