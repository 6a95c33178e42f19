#include "emulator/scheduler/request_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "core/error.h"
#include "emulator/scheduler/request_text.h"

namespace hybrid {

std::string RequestText::place(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", line, before.size() - start + 1);
}

void RequestText::fail(std::size_t at, const std::string& problem, const std::string& fix) const {
  throw UserError(fmt::format("{}:{}: {}", name_, place(at), problem), fix);
}

PlacedNumber RequestText::bytes(std::string_view word, std::size_t at) const {
  PlacedNumber bytes{0, at};
  try {
    bytes.value = parse_bytes(word, "bytes");
  } catch (const UserError&) {
    fail(at,
         word.empty() ? "the bytes are missing after the comma"
                      : fmt::format("bytes: '{}' is not a size", shown(word)),
         "Give bytes: 128, 2K, 8KiB or 1.5M.");
  }
  require_bytes(bytes);
  return bytes;
}

void RequestText::require_bytes(const PlacedNumber& bytes) const {
  if (bytes.value == 0)
    fail(bytes.at, "a request of 0 bytes has no effect",
         "Give at least 1, or omit the bytes if they are not known.");
}

std::string RequestText::shown(std::string_view word) {
  constexpr std::size_t kMost = 40;
  std::string result(word.substr(0, kMost));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return word.size() > kMost ? result + "..." : result;
}

namespace {

std::uint32_t ports_of(const PlacedRequests& placed, const RequestText& text, std::uint32_t given) {
  if (placed.ports) {
    const auto [ports, at] = *placed.ports;
    if (ports < 2 || ports > kMostRequestPorts)
      text.fail(at, fmt::format("ports: {} is not a number of ports", ports),
                fmt::format("Give a number from 2 to {}.", kMostRequestPorts));
    if (given != 0 && given != ports)
      text.fail(at, fmt::format("the file is for {} ports, but {} were requested", ports, given),
                "Omit --nodes and --network, or give that number.");
    return static_cast<std::uint32_t>(ports);
  }
  if (given != 0) return given;
  std::uint64_t largest = 1;
  for (const PlacedRequest& r : placed.requests)
    for (const PlacedNumber& port : {r.source, r.destination}) {
      if (port.value >= kMostRequestPorts)
        text.fail(port.at, fmt::format("port {} is out of range", port.value),
                  fmt::format("Ports are numbers from 0 to {}.", kMostRequestPorts - 1));
      largest = std::max(largest, port.value);
    }
  return static_cast<std::uint32_t>(largest + 1);
}

}  // namespace

RequestSet parse_requests(std::string_view content, const std::string& name, std::uint32_t ports) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  const RequestText text(content, name);
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (content[first] == '{' || content[first] == '[');
  const PlacedRequests placed = json ? parse_json_requests(text) : parse_csv_requests(text);
  if (placed.requests.empty())
    text.fail(0, "the file contains no request",
              json ? R"(Write [[0, 1, 4096]] or {"ports": 8, "requests": [[0, 1, 4096]]}.)"
                   : "Write one request a line: source,destination,bytes");

  RequestSet set{ports_of(placed, text, ports), {}};
  set.requests.reserve(placed.requests.size());
  std::unordered_map<Connection, std::size_t> seen;
  Bytes sum = 0;
  for (const PlacedRequest& r : placed.requests) {
    for (const PlacedNumber& port : {r.source, r.destination})
      if (port.value >= set.ports)
        text.fail(port.at, fmt::format("there is no port {}: the last is {}", port.value, set.ports - 1),
                  "Ports count from 0; give a port of the switch, or more ports.");
    const Connection c{static_cast<Port>(r.source.value), static_cast<Port>(r.destination.value)};
    if (c.source == c.destination)
      text.fail(r.destination.at, fmt::format("port {} requests itself", c.source),
                "A connection leads to another port; remove the request.");
    if (const auto [earlier, is_new] = seen.emplace(c, r.source.at); !is_new)
      text.fail(r.source.at,
                fmt::format("{} -> {} is already requested at {}", c.source, c.destination,
                            text.place(earlier->second)),
                "Give each connection once, with all its bytes.");
    if (r.bytes.value > kLargestRequest)
      text.fail(r.bytes.at,
                r.bytes.value == kUnlimited ? "unlimited bytes are too many"
                                            : fmt::format("{} bytes are too many", r.bytes.value),
                fmt::format("Give at most {} a request.", format_bytes(kLargestRequest)));
    sum += r.bytes.value;
    if (sum > kLargestRequestSum)
      text.fail(r.bytes.at, "the requests have too many bytes in total",
                fmt::format("Give at most {} in total.", format_bytes(kLargestRequestSum)));
    set.requests.push_back({c, r.bytes.value});
  }
  return set;
}

RequestSet read_requests(const std::string& path, std::uint32_t ports) {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError("requests: '" + path + "' is a directory", "Name a file of requests, JSON or CSV.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError("requests: " + unreadable(path, errno), "Name a file of requests, JSON or CSV.");
  if (const auto size = std::filesystem::file_size(path, error); !error && size > kMost)
    throw UserError(fmt::format("requests: '{}' has {} bytes", path, size),
                    fmt::format("Give a file of at most {}.", format_bytes(kMost)));
  if (std::filesystem::is_regular_file(path, error)) {
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    return parse_requests(content, path, ports);
  }
  // A pipe or a device may be endless.
  constexpr std::size_t kMostPiped = std::size_t{1} << 28, kPiece = std::size_t{1} << 16;
  std::string content;
  while (file) {
    const std::size_t before = content.size();
    content.resize(before + kPiece);
    file.read(content.data() + before, kPiece);
    content.resize(before + static_cast<std::size_t>(file.gcount()));
    if (content.size() > kMostPiped)
      throw UserError(fmt::format("requests: '{}' is not a regular file and contains more than {}", path,
                                  format_bytes(kMostPiped)),
                      "Name a file of requests, JSON or CSV.");
  }
  return parse_requests(content, path, ports);
}

// CSV: lines `source,destination[,bytes]`, optionally after a line of these names; `#` begins a comment.

namespace {

constexpr std::string_view kBlank = " \t\r\v\f";
constexpr std::string_view kLineForm =
    "Write one request a line: source,destination or source,destination,bytes";

struct Field {
  std::string_view text;
  std::size_t at = 0;
};

/// Returns the fields of a line that begins at offset `start`, without surrounding blanks.
std::vector<Field> fields_of(std::string_view line, std::size_t start) {
  std::vector<Field> fields;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    std::string_view field = line.substr(from, comma - from);
    const std::size_t blank = std::min(field.find_first_not_of(kBlank), field.size());
    const std::size_t last = field.find_last_not_of(kBlank);
    field = blank == field.size() ? std::string_view{} : field.substr(blank, last + 1 - blank);
    fields.push_back({field, start + from + blank});
    from = comma + 1;
  }
  return fields;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

PlacedNumber port_of(const RequestText& text, const Field& field, std::string_view what) {
  if (!all_digits(field.text))
    text.fail(field.at,
              field.text.empty()
                  ? fmt::format("the {} is missing", what)
                  : fmt::format("'{}' is not the number of a port", RequestText::shown(field.text)),
              std::string(kLineForm) + ".");
  std::uint64_t value = 0;
  for (const char c : field.text) {
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > 0xffff'ffff)
      text.fail(field.at, fmt::format("'{}' is not the number of a port", RequestText::shown(field.text)),
                "No switch has so many ports.");
  }
  return {value, field.at};
}

}  // namespace

PlacedRequests parse_csv_requests(const RequestText& text) {
  PlacedRequests placed;
  bool first = true;
  const std::string_view all = text.text();
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\n', start), all.size());
    std::string_view line = all.substr(start, end - start);
    line = line.substr(0, line.find('#'));
    const std::size_t from = start;
    start = end + 1;
    if (line.find_first_not_of(kBlank) == std::string_view::npos) continue;
    const std::vector<Field> fields = fields_of(line, from);
    if (fields.size() < 2) {
      const std::size_t other = line.find_first_of(";\t");
      if (other != std::string_view::npos)
        text.fail(from + other, "fields are separated by commas", std::string(kLineForm) + ".");
      text.fail(from + line.size(), "the line ends where a destination was expected",
                std::string(kLineForm) + ".");
    }
    if (fields.size() > 3)
      text.fail(fields[3].at,
                fmt::format("'{}' follows a complete request", RequestText::shown(fields[3].text)),
                std::string(kLineForm) + ".");
    const bool names = first && same_word(fields[0].text, "source") &&
                       same_word(fields[1].text, "destination") &&
                       (fields.size() < 3 || same_word(fields[2].text, "bytes"));
    first = false;
    if (names) continue;
    PlacedRequest request{
        port_of(text, fields[0], "source"), port_of(text, fields[1], "destination"), {0, from + line.size()}};
    if (fields.size() == 3) request.bytes = text.bytes(fields[2].text, fields[2].at);
    placed.requests.push_back(request);
  }
  return placed;
}

}  // namespace hybrid
