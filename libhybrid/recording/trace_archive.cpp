#include "libhybrid/recording/trace_archive.h"

#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "emulator/replay/otf2_reader.h"

namespace hybrid {

namespace {

constexpr const char* kName = "trace";

// Memory of the locations. The pool of libotf2 would collect 128 MiB per location before it writes; here,
// each full chunk is written.
using Chunks = std::vector<std::unique_ptr<char[]>>;
constexpr std::size_t kChunksHeld = 1;

void* allocate_chunk(void* /*archive*/, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t size) {
  if (*buffer == nullptr) *buffer = new Chunks;
  auto& chunks = *static_cast<Chunks*>(*buffer);
  if (chunks.size() == kChunksHeld) return nullptr;
  chunks.emplace_back(new (std::nothrow) char[size]);
  return chunks.back().get();
}

void free_chunks(void* /*archive*/, OTF2_FileType, OTF2_LocationRef, void** buffer, bool final) {
  auto* const chunks = static_cast<Chunks*>(*buffer);
  if (chunks == nullptr) return;
  chunks->clear();
  if (!final) return;
  delete chunks;
  *buffer = nullptr;
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

}  // namespace

TraceArchive::TraceArchive(const std::string& directory)
    : directory_(directory), anchor_(directory + "/" + kName + ".otf2") {
  std::error_code ignored;
  for (const char* ending : {".otf2", ".def", ""}) {
    const std::string path = directory + "/" + kName + ending;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
      throw UserError(path + ": exists already; a trace is never overwritten",
                      "Give another output directory, or move the old trace away.");
  }
  former_callback_ = OTF2_Error_RegisterCallback(keep_reason, this);
  archive_ =
      OTF2_Archive_Open(directory.c_str(), kName, OTF2_FILEMODE_WRITE, kChunk,
                        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  try {
    if (archive_ == nullptr) fail(reason_);
    // No post-flush callback: a flush of the writer is no event of the program.
    static constexpr OTF2_FlushCallbacks kFlush{flush, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    static constexpr OTF2_MemoryCallbacks kMemory{allocate_chunk, free_chunks};
    check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "libhybrid"));
    check(OTF2_Archive_OpenEvtFiles(archive_));
  } catch (...) {
    OTF2_Archive_Close(archive_);
    remove_files();
    OTF2_Error_RegisterCallback(former_callback_, nullptr);
    throw;
  }
}

TraceArchive::~TraceArchive() {
  if (archive_ != nullptr) {
    OTF2_Archive_Close(archive_);
    remove_files();
  }
  OTF2_Error_RegisterCallback(former_callback_, nullptr);
}

void TraceArchive::remove_files() const {
  // None of these existed before the constructor.
  std::error_code ignored;
  std::filesystem::remove(anchor_, ignored);
  std::filesystem::remove(directory_ + "/" + kName + ".def", ignored);
  std::filesystem::remove_all(directory_ + "/" + kName, ignored);
}

void TraceArchive::property(const std::string& name, const std::string& value) {
  if (!value.empty())  // libotf2 would remove the property
    check(OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true));
}

OTF2_EvtWriter* TraceArchive::open_location(std::uint64_t location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr) fail(reason_);
  return writer;
}

void TraceArchive::close_location(OTF2_EvtWriter* writer) {
  OTF2_LocationRef location = 0;
  std::uint64_t events = 0;
  check(OTF2_EvtWriter_GetLocationID(writer, &location));
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  locations_[location] = events;
}

std::uint32_t TraceArchive::group(const std::vector<std::int32_t>& members) {
  return groups_.try_emplace(members, static_cast<std::uint32_t>(groups_.size())).first->second;
}

std::vector<std::vector<std::int32_t>> TraceArchive::groups() const {
  std::vector<std::vector<std::int32_t>> all(groups_.size());
  for (const auto& [members, number] : groups_) all[number] = members;
  return all;
}

OTF2_GlobalDefWriter* TraceArchive::begin_definitions() {
  check(OTF2_Archive_CloseEvtFiles(archive_));
  // All locations use the global ids, so their local definitions are empty; but readers require the files.
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (const auto& [location, events] : locations_) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location);
    if (writer == nullptr) fail(reason_);
    check(OTF2_Archive_CloseDefWriter(archive_, writer));
  }
  check(OTF2_Archive_CloseDefFiles(archive_));
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (definitions_ == nullptr) fail(reason_);
  return definitions_;
}

OTF2_StringRef TraceArchive::string(std::string_view text) {
  const auto [entry, is_new] =
      strings_.try_emplace(std::string(text), static_cast<OTF2_StringRef>(strings_.size()));
  if (is_new) check(OTF2_GlobalDefWriter_WriteString(definitions_, entry->second, entry->first.c_str()));
  return entry->second;
}

void TraceArchive::close() {
  const OTF2_ErrorCode code = OTF2_Archive_Close(archive_);
  archive_ = nullptr;
  if (code != OTF2_SUCCESS) {
    remove_files();
    check(code);
  }
  // libotf2 does not report that a full disk lost the last writes.
  try {
    const Otf2Trace written(anchor_);
  } catch (const UserError&) {
    if (!is_full()) throw;
    remove_files();
    fail("what was written cannot be read");
  }
}

void TraceArchive::check(OTF2_ErrorCode code) const {
  if (code != OTF2_SUCCESS) fail(reason_.empty() ? OTF2_Error_GetDescription(code) : reason_);
}

bool TraceArchive::is_full() const {
  constexpr std::uintmax_t kLittle = std::uintmax_t{1} << 20;
  std::error_code unknown;
  return std::filesystem::space(std::filesystem::path(anchor_).parent_path(), unknown).available <= kLittle;
}

void TraceArchive::fail(const std::string& reason) const {
  throw RunError(anchor_ + ": the trace cannot be written: " +
                     (is_full() ? "the disk is full (" + reason + ")" : reason),
                 "The journals are kept: free space, then `hybrid recover` makes a trace of them.");
}

OTF2_ErrorCode TraceArchive::keep_reason(void* archive, const char* /*file*/, std::uint64_t /*line*/,
                                         const char* /*function*/, OTF2_ErrorCode code, const char* format,
                                         va_list arguments) {
  char text[512] = "";
  if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
  auto& reason = static_cast<TraceArchive*>(archive)->reason_;
  reason = OTF2_Error_GetDescription(code);
  if (text[0] != '\0') reason += std::string(" (") + text + ")";
  return code;
}

}  // namespace hybrid
