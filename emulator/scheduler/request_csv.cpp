// Requests as lines `source,destination[,bytes]`, with or without a line of these names, `#` beginning a
// comment.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "emulator/scheduler/request_text.h"

namespace hybrid {

namespace {

constexpr std::string_view kBlank = " \t\r\v\f";
constexpr std::string_view kForm = "Write one request a line: source,destination or source,destination,bytes";

struct Field {
  std::string_view text;
  std::size_t at = 0;
};

/// The fields of a line that begins at `start`, without the blanks around them.
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
              std::string(kForm) + ".");
  std::uint64_t value = 0;
  for (const char c : field.text) {
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > 0xffff'ffff)
      text.fail(field.at, fmt::format("'{}' is not the number of a port", RequestText::shown(field.text)),
                "No switch has so many.");
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
        text.fail(from + other, "fields are separated by commas", std::string(kForm) + ".");
      text.fail(from + line.size(), "the line ends where a destination was expected",
                std::string(kForm) + ".");
    }
    if (fields.size() > 3)
      text.fail(fields[3].at,
                fmt::format("'{}' follows a complete request", RequestText::shown(fields[3].text)),
                std::string(kForm) + ".");
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
