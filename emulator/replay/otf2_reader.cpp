#include "emulator/replay/otf2_reader.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/error.h"
#include "emulator/replay/trace_format.h"

#if defined(__SANITIZE_ADDRESS__)
#define HYBRID_LEAK_CHECKER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HYBRID_LEAK_CHECKER
#endif
#endif
#if defined(HYBRID_LEAK_CHECKER)
#include <sanitizer/lsan_interface.h>
#endif

namespace hybrid {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEventsAtOnce = 256;

/// Silent error handler for libotf2, which prints its errors without one.
class QuietErrors {
 public:
  QuietErrors() : before_(OTF2_Error_RegisterCallback(&quiet, nullptr)) {}
  ~QuietErrors() { OTF2_Error_RegisterCallback(before_, nullptr); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  static OTF2_ErrorCode quiet(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                              const char*, std::va_list) {
    return code;
  }
  OTF2_ErrorCallback before_;
};

/// Turns the leak checker off: libotf2 3.0 leaks memory when an archive cannot be opened.
class IgnoreLeaks {
#if defined(HYBRID_LEAK_CHECKER)
  __lsan::ScopedDisabler disabled_;
#endif
};

/// Whether the file has the "OTF2" of an anchor file within its first bytes.
bool looks_like_anchor(const std::string& path) {
  char start[16] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::string_view(start, sizeof start).find("OTF2") != std::string_view::npos;
}

/// Whether an anchor file contains its strings and as many properties as it states. libotf2 does not check
/// the number, and reads strings from beyond the file. Layout: 2 bytes of a buffer's mark (the second is its
/// byte order), "OTF2", the format (1 byte), 38 bytes of fixed fields, three strings; from format 2 on the
/// number of properties (4 bytes), a name and a value of each, and more that libotf2 checks.
bool has_all_properties(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{16} << 20, kFormat = 7, kStrings = 46;
  constexpr char kLittleEndian = 'B';
  std::ifstream file(path, std::ios::binary);
  std::string anchor(kMost, '\0');
  file.read(anchor.data(), static_cast<std::streamsize>(anchor.size()));
  anchor.resize(static_cast<std::size_t>(file.gcount()));
  std::size_t at = kStrings;
  const auto skip_strings = [&](std::uint64_t strings) {
    for (; strings != 0; --strings) {
      if (at >= anchor.size()) return false;
      at = anchor.find('\0', at);
      if (at == std::string::npos) return false;
      ++at;
    }
    return true;
  };
  if (anchor.size() == kMost || !skip_strings(3)) return false;
  if (anchor[kFormat] == 1) return true;
  constexpr std::size_t kNumber = 4;
  if (anchor.size() - at < kNumber) return false;
  std::uint64_t properties = 0;
  for (std::size_t i = 0; i < kNumber; ++i) {
    const std::size_t digit = anchor[1] == kLittleEndian ? kNumber - 1 - i : i;
    properties = properties << 8 | static_cast<unsigned char>(anchor[at + digit]);
  }
  at += kNumber;
  return skip_strings(2 * properties);
}

/// Raises the limit of open files: libotf2 keeps a file open for each location.
void allow_open_files(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Otf2Format final : public TraceFormat {
 public:
  bool recognises(const std::string& path) const override {
    return path.ends_with(".otf2") && !fs::is_directory(path);
  }
  std::string_view expected() const override {
    return "the anchor file of an OTF2 archive, which ends in .otf2";
  }
  std::unique_ptr<JobTrace> open(const std::string& path) const override {
    // A link to the anchor file alone: the other files of the archive are beside its target.
    const bool alone = fs::is_symlink(path) && !fs::exists(fs::path(path).replace_extension("def"));
    return std::make_unique<Otf2Trace>(alone ? fs::canonical(path).string() : path);
  }
};

const TraceFormatRegistration kOtf2{
    "otf2", "Open Trace Format 2: archives of libhybrid, Score-P, TAU, EZTrace",
    []() -> std::unique_ptr<TraceFormat> { return std::make_unique<Otf2Format>(); }};

}  // namespace

void Otf2Trace::Closer::operator()(OTF2_Reader* reader) const {
  const QuietErrors quiet;
  OTF2_Reader_Close(reader);
}

Otf2Trace::Otf2Trace(const std::string& anchor) : anchor_(anchor) {
  const QuietErrors quiet;
  std::error_code code;
  if (!fs::is_regular_file(anchor, code))
    throw code ? UserError(unreadable(anchor, code.value())) : UserError(anchor + ": not a file");
  if (fs::file_size(anchor, code) == 0)
    throw UserError(fmt::format("{}: the file is empty; expected the anchor file of an OTF2 archive", anchor),
                    "The recording ended before the archive was closed, or the copy failed.");
  if (std::ifstream file(anchor); !file)
    throw UserError(
        unreadable(anchor, errno),
        "The archive needs read permission: the anchor file, the .def file and the directory next to it.");
  if (looks_like_anchor(anchor)) {
    if (!has_all_properties(anchor))
      throw UserError(fmt::format("{}: damaged: the anchor file states more properties than it has", anchor),
                      "The archive is truncated or damaged; write or copy it again.");
    [[maybe_unused]] const IgnoreLeaks ignore;
    reader_.reset(OTF2_Reader_Open(anchor.c_str()));
  }
  if (reader_ == nullptr || OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()) != OTF2_SUCCESS)
    throw UserError(fmt::format("{}: not the anchor file of an OTF2 archive, or truncated", anchor),
                    "Expected the .otf2 file that Score-P, TAU, EZTrace or `hybrid run` wrote.");
  definitions_ = read_otf2_definitions(reader_.get(), anchor);
  open_locations();
}

std::string Otf2Trace::file_of(std::uint32_t location, std::string_view suffix) const {
  return fmt::format("{}/{}{}", anchor_.substr(0, anchor_.rfind('.')), definitions_.locations[location].ref,
                     suffix);
}

void Otf2Trace::open_locations() {
  OTF2_Reader* reader = reader_.get();
  const auto count = static_cast<std::uint32_t>(definitions_.locations.size());
  allow_open_files(count + 64);
  OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
  OTF2_Reader_GetFileSubstrate(reader, &substrate);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Otf2Definitions::Location& location = definitions_.locations[i];
    std::error_code code;
    if (substrate == OTF2_SUBSTRATE_POSIX && location.events != 0 && !fs::exists(file_of(i, ".evt"), code))
      throw UserError(fmt::format("{}: missing; it has the events of \"{}\" (rank {})", file_of(i, ".evt"),
                                  location.name, location.rank),
                      "Copy the whole archive: the anchor file, the .def file and the directory next to it.");
    OTF2_Reader_SelectLocation(reader, location.ref);
  }
  const bool local_definitions = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  if (count != 0 && OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
    throw UserError(fmt::format("{}: the archive's event files cannot be opened", anchor_),
                    "Copy the whole archive: the anchor file, the .def file and the directory next to it.");
  for (std::uint32_t i = 0; i < count; ++i) {
    const Otf2Definitions::Location& location = definitions_.locations[i];
    if (local_definitions) {
      // Mappings of a process's ids and clock corrections, which libotf2 applies to the events.
      if (OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location.ref); local != nullptr) {
        std::uint64_t read = 0;
        const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
        OTF2_Reader_CloseDefReader(reader, local);
        if (code != OTF2_SUCCESS)
          throw UserError(fmt::format("{}: truncated or damaged after record {} ({})", file_of(i, ".def"),
                                      read, OTF2_Error_GetDescription(code)),
                          "The archive is truncated or damaged; write or copy it again.");
      }
    }
    locations_.push_back({location.rank, location.name});
    inputs_.push_back(std::make_unique<Input>(Otf2Stream(definitions_, i)));
    events_.all += location.events;
  }
  if (local_definitions) OTF2_Reader_CloseDefFiles(reader);
}

std::string Otf2Trace::property(std::string_view name) const {
  for (const auto& [fact, value] : definitions_.facts)
    if (fact == name) return value;
  return {};
}

void Otf2Trace::open_events(std::uint32_t location) {
  const Otf2Definitions::Location& definition = definitions_.locations[location];
  if (definition.events == 0) return;
  const QuietErrors quiet;
  Input& input = *inputs_[location];
  input.reader = OTF2_Reader_GetEvtReader(reader_.get(), definition.ref);
  if (input.reader == nullptr ||
      OTF2_Reader_RegisterEvtCallbacks(reader_.get(), input.reader, Otf2Stream::callbacks(), &input.stream) !=
          OTF2_SUCCESS)
    throw UserError(fmt::format("{}: cannot be read (rank {})", file_of(location, ".evt"), definition.rank),
                    "The file is truncated or damaged, or too many files are open (`ulimit -n`).");
}

void Otf2Trace::read_more(std::uint32_t location) {
  Input& input = *inputs_[location];
  const Otf2Definitions::Location& definition = definitions_.locations[location];
  std::uint64_t read = 0;
  OTF2_ErrorCode code = OTF2_SUCCESS;
  // Not beyond the end: libotf2 would read what follows as events.
  const std::uint64_t wanted = std::min(kEventsAtOnce, definition.events - input.events);
  if (input.reader != nullptr && wanted != 0) {
    const QuietErrors quiet;
    code = OTF2_Reader_ReadLocalEvents(reader_.get(), input.reader, wanted, &read);
    input.events += read;
    events_.read += read;
  }
  if (!input.stream.error().empty())
    throw UserError(
        fmt::format("{} (rank {}), {}", file_of(location, ".evt"), definition.rank, input.stream.error()),
        "The archive is damaged, or its writer broke the format.");
  if (code != OTF2_SUCCESS)
    throw UserError(
        fmt::format("{} (rank {}): damaged after event {} of {} ({})", file_of(location, ".evt"),
                    definition.rank, input.events, definition.events, OTF2_Error_GetDescription(code)),
        "The file is truncated or damaged; write or copy the archive again.");
  if (read != 0) return;
  if (input.events < definition.events)
    throw UserError(fmt::format("{} (rank {}): ends after event {} of {}", file_of(location, ".evt"),
                                definition.rank, input.events, definition.events),
                    "The file is truncated; write or copy the archive again.");
  input.ended = true;
  input.stream.end();
  if (input.reader != nullptr)
    OTF2_Reader_CloseEvtReader(reader_.get(), std::exchange(input.reader, nullptr));
}

void Otf2Trace::begin(std::uint32_t location) {
  Input& input = *inputs_[location];
  if (input.begun) return;
  input.begun = true;
  open_events(location);
  read_more(location);
  if (definitions_.locations[location].main) return;
  std::uint32_t main = location;
  while (!definitions_.locations[main].main) --main;
  begin(main);
  input.stream.add_start(inputs_[main]->stream.first_tick());
}

bool Otf2Trace::next(std::uint32_t location, Operation& operation) {
  begin(location);
  Input& input = *inputs_[location];
  OperationQueue& queue = input.stream.queue();
  for (;;) {
    while (!queue.empty() && queue.front().dropped) queue.pop();
    if (input.stream.ready()) {
      input.stream.take(operation);
      return true;
    }
    if (input.ended) return false;
    read_more(location);
  }
}

}  // namespace hybrid
