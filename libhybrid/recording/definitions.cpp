// Format: text, so that people can read it. The first line names the format. Each further line is a record:
// its kind and its fields, separated by tabs, and a checksum of it and all records before it. Tabs, newlines
// and backslashes inside a field are escaped. Lists of ranks are runs of consecutive ranks ("0-63 7 5-6"), so
// that MPI_COMM_WORLD is short in large jobs.
#include "libhybrid/recording/definitions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "core/file_size_signal.h"

namespace hybrid {

namespace {

constexpr std::string_view kFirstLine = "hybrid-definitions 5";

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return out;
}

// Runs of consecutive numbers. Negative ones are no part of a run.
template <typename Number>
std::string runs(std::span<const Number> numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    const bool may_run = static_cast<std::int64_t>(numbers[i]) >= 0;
    while (may_run && last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!out.empty()) out += ' ';
    out += std::to_string(numbers[i]);
    if (last > i) out.append(1, '-').append(std::to_string(numbers[last]));
    i = last + 1;
  }
  return out;
}

std::optional<Port> port_in(std::string_view text) {
  Port port = 0;
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (reason != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

// A line of a definitions file, read field by field. Errors name the file and the line.
class Record {
 public:
  Record(const std::string& path, std::size_t line, std::string_view text)
      : path_(path), line_(line), rest_(text) {}

  std::string_view field() {
    if (rest_.data() == nullptr) fail("a further field");
    const std::size_t tab = rest_.find('\t');
    const std::string_view text = rest_.substr(0, tab);
    rest_ = tab == std::string_view::npos ? std::string_view{} : rest_.substr(tab + 1);
    return text;
  }

  template <typename Number = std::uint32_t>
  Number number() {
    const std::string_view text = field();
    return take<Number>(text, text.data() + text.size());
  }
  std::uint32_t number(std::string_view text) const {
    return take<std::uint32_t>(text, text.data() + text.size());
  }

  std::vector<std::int32_t> ranks() {
    std::string_view text = field();
    std::vector<std::int32_t> out;
    while (!text.empty()) {
      const std::string_view run = text.substr(0, text.find(' '));
      text = run.size() == text.size() ? std::string_view{} : text.substr(run.size() + 1);
      const std::size_t dash = run.find('-', 1);  // a leading dash is a sign
      const auto first = take<std::int32_t>(run, run.data() + (dash == run.npos ? run.size() : dash));
      const auto last =
          dash == run.npos ? first : take<std::int32_t>(run.substr(dash + 1), run.data() + run.size());
      if (last < first || last - first > kLargestJob) fail("an ascending run of ranks");
      for (std::int32_t rank = first; rank <= last; ++rank) out.push_back(rank);
    }
    return out;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw UserError(path_ + ":" + std::to_string(line_) + ": expected " + expected,
                    "The file is damaged, or another version of libhybrid wrote it.");
  }

 private:
  static constexpr std::int32_t kLargestJob = 1 << 26;  // so that a damaged file cannot fill the memory

  template <typename Number>
  Number take(std::string_view text, const char* end) const {
    Number value{};
    const auto [stop, reason] = std::from_chars(text.data(), end, value);
    if (reason != std::errc{} || stop != end) fail("a number instead of \"" + std::string(text) + "\"");
    return value;
  }

  const std::string& path_;
  std::size_t line_;
  std::string_view rest_;
};

void read_record(Record& record, Definitions& definitions) {
  const std::string_view kind = record.field();
  if (kind == "property") {
    std::string name = unescaped(record.field());
    definitions.properties[std::move(name)] = unescaped(record.field());
  } else if (kind == "communicator") {
    auto& communicator = definitions.communicators[record.number()];
    communicator.members = record.ranks();
    communicator.remote = record.ranks();
    if (const std::string_view parent = record.field(); !parent.empty())
      communicator.origin.parent = record.number(parent);
    communicator.origin.call = unescaped(record.field());
  } else if (kind == "neighbors") {
    auto& communicator = definitions.communicators[record.number()];
    communicator.neighbors_out = record.ranks();
    communicator.neighbors_in = record.ranks();
  } else if (kind == "window") {
    const std::uint32_t id = record.number();
    definitions.windows[id] = record.number();
  } else if (kind == "region") {
    const std::uint32_t id = record.number();
    definitions.regions[id] = unescaped(record.field());
  } else if (kind == "call-site") {
    CallSiteAddress& site = definitions.call_sites[record.number()];
    site.address = record.number<std::uint64_t>();
    site.object = unescaped(record.field());
    site.symbol = unescaped(record.field());
    site.function = unescaped(record.field());
  } else {
    record.fail("property, communicator, neighbors, window, region or call-site instead of \"" +
                std::string(kind) + "\"");
  }
}

/// Removes the checksum from the end of a line. False if it is wrong.
bool take_checksum(std::string_view& line, std::uint32_t& chain) {
  const std::size_t tab = line.rfind('\t');
  const std::string_view record = line.substr(0, tab);
  if (tab == std::string_view::npos || with_checksum(record, chain) != line) return false;
  line = record;
  return true;
}

}  // namespace

std::string with_checksum(std::string_view record, std::uint32_t& chain) {
  chain = XXH32(record.data(), record.size(), chain);
  return fmt::format("{}\t{:08x}", record, chain);
}

std::string definitions_path(const std::string& directory, std::uint32_t rank) {
  return directory + "/rank-" + std::to_string(rank) + ".definitions";
}

std::string journal_path(const std::string& directory, std::uint32_t rank, std::uint32_t thread) {
  return directory + "/rank-" + std::to_string(rank) + "-thread-" + std::to_string(thread) + ".journal";
}

DefinitionWriter::DefinitionWriter(const std::string& path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) throw RunError("cannot create the definitions " + path + ": " + std::strerror(errno));
  write_line(kFirstLine);
}

DefinitionWriter::~DefinitionWriter() { close(); }

void DefinitionWriter::close() {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void DefinitionWriter::property(std::string_view name, std::string_view value) {
  write_record("property\t" + escaped(name) + "\t" + escaped(value));
}

void DefinitionWriter::communicator(std::uint32_t id, std::span<const std::int32_t> members,
                                    std::span<const std::int32_t> remote, const Origin& origin) {
  write_record("communicator\t" + std::to_string(id) + "\t" + runs(members) + "\t" + runs(remote) + "\t" +
               (origin.parent == Origin::kNoParent ? "" : std::to_string(origin.parent)) + "\t" +
               escaped(origin.call));
}

void DefinitionWriter::neighbors(std::uint32_t communicator, std::span<const std::int32_t> out,
                                 std::span<const std::int32_t> in) {
  write_record("neighbors\t" + std::to_string(communicator) + "\t" + runs(out) + "\t" + runs(in));
}

void DefinitionWriter::window(std::uint32_t id, std::uint32_t communicator) {
  write_record("window\t" + std::to_string(id) + "\t" + std::to_string(communicator));
}

void DefinitionWriter::region(std::uint32_t id, std::string_view name) {
  write_record("region\t" + std::to_string(id) + "\t" + escaped(name));
}

void DefinitionWriter::call_site(std::uint32_t id, const CallSiteAddress& site) {
  write_record("call-site\t" + std::to_string(id) + "\t" + std::to_string(site.address) + "\t" +
               escaped(site.object) + "\t" + escaped(site.symbol) + "\t" + escaped(site.function));
}

bool DefinitionWriter::has_unwritten() {
  const std::lock_guard lock(mutex_);
  return !unwritten_.empty();
}

void DefinitionWriter::write_record(std::string_view record) {
  const std::lock_guard lock(mutex_);
  write_line(with_checksum(record, chain_));
}

void DefinitionWriter::write_line(std::string_view line) {
  if (file_ < 0) return;
  const FileSizeSignalGuard guard;
  unwritten_.append(line).push_back('\n');
  ssize_t written = 0;
  do {
    written = ::pwrite(file_, unwritten_.data(), unwritten_.size(), static_cast<off_t>(length_));
  } while (written < 0 && errno == EINTR);
  // A full disk: the record is written again from its start with the next one. A part that is in the file
  // already has no newline; readers ignore it.
  if (written != static_cast<ssize_t>(unwritten_.size())) return;
  length_ += unwritten_.size();
  unwritten_.clear();
}

Definitions read_definitions(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(path + ": cannot open the definitions: " + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string_view rest = text;
  Definitions definitions;
  std::uint32_t chain = 0;
  for (std::size_t line = 1;; ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      if (line == 1)
        throw UserError(path + ": not a definitions file (its first line is not \"" +
                        std::string(kFirstLine) + "\")");
      return definitions;
    }
    std::string_view text_of_line = rest.substr(0, end);
    if (line == 1 && text_of_line != kFirstLine)
      throw UserError(path + ": not a definitions file (its first line is not \"" + std::string(kFirstLine) +
                      "\")");
    if (line > 1) {
      if (!take_checksum(text_of_line, chain))
        throw UserError(path + ":" + std::to_string(line) + ": the checksum of the line is wrong",
                        "The file is damaged.");
      Record record(path, line, text_of_line);
      read_record(record, definitions);
    }
    rest.remove_prefix(end + 1);
  }
}

std::string encode_ports(std::span<const Port> port_of_rank) { return runs(port_of_rank); }

std::vector<Port> decode_ports(std::string_view text, std::uint32_t ranks) {
  std::vector<Port> ports;
  while (!text.empty()) {
    const std::string_view run = text.substr(0, text.find(' '));
    text.remove_prefix(run.size() == text.size() ? run.size() : run.size() + 1);
    const std::size_t dash = run.find('-');
    const auto first = port_in(run.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : port_in(run.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= ranks - ports.size()) return {};
    for (Port port = *first; port <= *last; ++port) ports.push_back(port);
  }
  return ports;
}

}  // namespace hybrid
