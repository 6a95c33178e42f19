// Common parts of the readers of request files: numbers of the file, each with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace hybrid {

/// A number and the offset of its first character.
struct PlacedNumber {
  std::uint64_t value = 0;
  std::size_t at = 0;
};

struct PlacedRequest {
  PlacedNumber source, destination, bytes;
};

struct PlacedRequests {
  std::optional<PlacedNumber> ports;
  std::vector<PlacedRequest> requests;
};

/// The text of a file; converts offsets to places and reports errors with their place.
class RequestText {
 public:
  RequestText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::string_view text() const { return text_; }
  /// Throws UserError "NAME:LINE:COLUMN: problem" with the suggestion `fix`.
  [[noreturn]] void fail(std::size_t at, const std::string& problem, const std::string& fix) const;
  /// "LINE:COLUMN".
  std::string place(std::size_t at) const;
  /// Parses a size such as "2K" at this place.
  PlacedNumber bytes(std::string_view word, std::size_t at) const;
  /// Throws UserError for a size of 0 in the file: only an absent size means not known.
  void require_bytes(const PlacedNumber& bytes) const;
  /// Returns the word prepared for a terminal: short, and without control characters.
  static std::string shown(std::string_view word);

 private:
  std::string_view text_;
  const std::string& name_;
};

PlacedRequests parse_json_requests(const RequestText& text);
PlacedRequests parse_csv_requests(const RequestText& text);

}  // namespace hybrid
