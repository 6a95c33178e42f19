#include "libhybrid/recording/recording.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/journal.h"

namespace hybrid {

namespace {

// A file "rank-12.definitions" or "rank-12-thread-3.journal".
struct RecordingFile {
  std::uint32_t rank = 0;
  std::optional<std::uint32_t> thread;
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (reason != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<RecordingFile> parse_name(std::string_view name) {
  RecordingFile file;
  if (!take(name, "rank-") || !take_number(name, file.rank)) return std::nullopt;
  if (name == ".definitions") return file;
  std::uint32_t thread = 0;
  if (!take(name, "-thread-") || !take_number(name, thread) || name != ".journal") return std::nullopt;
  file.thread = thread;
  return file;
}

struct DirectoryListing {
  std::set<std::uint32_t> defined;                             // ranks with definitions
  std::set<std::pair<std::uint32_t, std::uint32_t>> journals;  // rank, thread
};

DirectoryListing list(const std::string& directory) {
  DirectoryListing listing;
  std::error_code reason;
  for (std::filesystem::directory_iterator entry(directory, reason), end; !reason && entry != end;
       entry.increment(reason)) {
    const auto file = parse_name(entry->path().filename().native());
    if (!file) continue;
    if (file->thread)
      listing.journals.emplace(file->rank, *file->thread);
    else
      listing.defined.insert(file->rank);
  }
  if (reason) throw UserError(directory + ": cannot read the directory: " + reason.message());
  return listing;
}

// False if the process died after it made the file and before it wrote the header.
bool has_header(const std::string& path) {
  char magic[sizeof JournalHeader::kMagic] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::any_of(std::begin(magic), std::end(magic), [](char c) { return c != 0; });
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// True also for a file that cannot be read, so that merging it gives the error.
bool has_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  return !file || (std::getline(file, line) && !file.eof());
}

}  // namespace

bool is_recording(const std::string& directory) {
  std::error_code reason;
  if (!std::filesystem::is_directory(directory, reason)) return false;
  const DirectoryListing listing = list(directory);
  const auto has_content = [](const std::string& path) {
    std::error_code unknown;
    return std::filesystem::file_size(path, unknown) != 0 || unknown;
  };
  for (const std::uint32_t rank : listing.defined)
    if (has_content(definitions_path(directory, rank))) return true;
  for (const auto& [rank, thread] : listing.journals)
    if (has_content(journal_path(directory, rank, thread))) return true;
  return false;
}

Recording open_recording(const std::string& directory) {
  DirectoryListing listing = list(directory);
  const bool any = !listing.defined.empty();
  // Files without a complete line: the disk was full before the first record, or the file is truncated.
  std::erase_if(listing.defined,
                [&](std::uint32_t rank) { return !has_line(definitions_path(directory, rank)); });
  if (any && listing.defined.empty())
    throw RunError(directory + ": nothing is recorded: the disk was full when the job began",
                   "Free space, or give another directory with --output (HYBRID_OUTPUT).");
  if (listing.defined.empty())
    throw UserError(directory + ": contains no recording (no rank-R.definitions)",
                    "Give the directory in which a job under libhybrid recorded its journals.");
  Recording recording;
  recording.directory = directory;
  recording.definitions =
      merge_definitions(directory, {listing.defined.begin(), listing.defined.end()}, &recording.damaged);
  std::set<std::uint32_t> recorded, ended;  // ranks with journals; those whose journals are complete
  const auto& processes = recording.definitions.processes;
  for (const auto& [rank, thread] : listing.journals) {
    // A process writes its definitions before its journals: a journal without definitions cannot be
    // interpreted.
    const auto process =
        std::lower_bound(processes.begin(), processes.end(), rank,
                         [](const ProcessDefinitions& p, std::uint32_t wanted) { return p.rank < wanted; });
    if (process == processes.end() || process->rank != rank) continue;
    std::string path = journal_path(directory, rank, thread);
    if (!has_header(path)) continue;
    try {
      const JournalReader journal(path);
      if (!journal.damage().empty()) recording.damaged.push_back(journal.damage());
      if (journal.complete()) ended.insert(rank);
    } catch (const UserError& error) {
      recording.damaged.push_back(first_line(error.what()) + ": the journal is left out");
      continue;
    }
    recorded.insert(rank);
    recording.threads.push_back(
        {static_cast<std::uint32_t>(process - processes.begin()), thread, std::move(path)});
  }
  // A process writes this property after the end of its journals.
  const auto finalized = [](const ProcessDefinitions& p) { return p.properties.contains(kFinalized); };
  if (std::ranges::any_of(processes, finalized))
    for (const ProcessDefinitions& process : processes)
      if (ended.contains(process.rank) && !finalized(process))
        recording.damaged.push_back(definitions_path(directory, process.rank) +
                                    ": its last records are missing");
  if (recording.threads.empty() && !recording.damaged.empty())
    throw UserError(
        recording.damaged.front(),
        "No journal of this recording can be read. Another version of libhybrid may have written it.");
  for (std::uint32_t rank = 0; rank < recording.definitions.ranks; ++rank)
    if (!recorded.contains(rank)) recording.missing.push_back(rank);
  return recording;
}

}  // namespace hybrid
