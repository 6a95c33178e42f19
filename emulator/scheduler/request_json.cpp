// JSON request sets: an array of requests, or an object with the array as "requests" and optionally "ports".
// A request is [source, destination], [source, destination, bytes] or an object with these names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/option.h"
#include "emulator/scheduler/request_text.h"

namespace hybrid {

namespace {

constexpr const char* kJsonForm = R"(Write [0, 1, 4096] or {"source": 0, "destination": 1, "bytes": 4096}.)";

/// Iterator over the text that records how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    if (read_ != nullptr) *read_ = at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** read_;
};

class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(const RequestText& text) : text_(text), read_(text.text().data()) {}

  PlacedRequests read() {
    const char* begin = text_.text().data();
    const char* end = begin + text_.text().size();
    nlohmann::json::sax_parse(CountingIterator(begin, &read_), CountingIterator(end, nullptr), this);
    return std::move(placed_);
  }

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return refuse(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    take({value, word_start()});
    return true;
  }
  bool number_float(number_float_t, const string_t& word) override {
    const bool whole = word.find_first_not_of("0123456789") == std::string::npos;
    text_.fail(word_start(),
               fmt::format("{} is {}", RequestText::shown(word), whole ? "too large" : "not a whole number"),
               kJsonForm);
  }
  bool string(string_t& value) override {
    const std::size_t at = string_start(value);
    if (!at_bytes())
      text_.fail(at, fmt::format("'{}' where {} was expected", RequestText::shown(value), expected()),
                 kJsonForm);
    take(text_.bytes(value, at));
    return true;
  }
  bool binary(binary_t&) override { return refuse("binary"); }

  bool start_object(std::size_t) override {
    if (inside_ == Inside::nothing) {
      inside_ = Inside::whole;
    } else if (inside_ == Inside::list) {
      begin_request(Inside::named);
    } else {
      refuse("{");
    }
    return true;
  }
  bool key(string_t& name) override {
    const std::size_t at = string_start(name);
    static const std::vector<std::string_view> kOfWhole{"ports", "requests"};
    static const std::vector<std::string_view> kOfRequest{"source", "destination", "bytes"};
    const auto& known = inside_ == Inside::whole ? kOfWhole : kOfRequest;
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string_view meant = closest_name(name, known);
      text_.fail(at,
                 fmt::format("unknown name \"{}\"; expected one of: {}", RequestText::shown(name),
                             fmt::join(known, ", ")),
                 meant.empty() ? "" : fmt::format("Did you mean \"{}\"?", meant));
    }
    field_ = static_cast<std::size_t>(found - known.begin());
    bool& given = inside_ == Inside::whole ? whole_given_[field_] : given_[field_];
    if (given) text_.fail(at, fmt::format("\"{}\" is given twice", name), "Give it once.");
    given = true;
    return true;
  }
  bool end_object() override {
    if (inside_ == Inside::named) return end_request();
    inside_ = Inside::end;
    if (!whole_given_[1])
      text_.fail(here(), "there is no \"requests\"", R"(Write {"requests": [[0, 1, 4096]]}.)");
    return true;
  }

  bool start_array(std::size_t) override {
    if (inside_ == Inside::nothing || (inside_ == Inside::whole && field_ == 1)) {
      in_whole_ = inside_ == Inside::whole;
      inside_ = Inside::list;
    } else if (inside_ == Inside::list) {
      begin_request(Inside::row);
    } else {
      refuse("[");
    }
    return true;
  }
  bool end_array() override {
    if (inside_ == Inside::row) return end_request();
    inside_ = in_whole_ ? Inside::whole : Inside::end;
    field_ = 2;
    return true;
  }

  bool parse_error(std::size_t, const std::string& word, const nlohmann::json::exception& error) override {
    const std::size_t at = here();
    const std::string_view said = error.what();
    if (inside_ == Inside::end && said.find("; expected end of input") != std::string_view::npos)
      text_.fail(at, "more text follows the complete JSON", "Write all requests into one array.");
    if (said.find("unexpected end of input") != std::string_view::npos)
      text_.fail(text_.text().size(), "the file ends inside its JSON", "Close all brackets and quotes.");
    text_.fail(at, fmt::format("'{}' is not valid JSON here", RequestText::shown(word)), kJsonForm);
  }

 private:
  enum class Inside { nothing, whole, list, row, named, end };

  std::size_t read_so_far() const { return static_cast<std::size_t>(read_ - text_.text().data()); }
  /// The last character that was read.
  std::size_t here() const { return read_so_far() == 0 ? 0 : read_so_far() - 1; }
  /// Offset of the number or word that was read last; after a number the parser has read one more character.
  std::size_t word_start() const {
    constexpr std::string_view kParts = "0123456789+-.eEtrufalsn";
    std::size_t at = read_so_far();
    if (at > 0 && kParts.find(text_.text()[at - 1]) == std::string_view::npos) --at;
    while (at > 0 && kParts.find(text_.text()[at - 1]) != std::string_view::npos) --at;
    return at;
  }
  /// Offset of the string that was read last; if it has escapes, of its last character instead.
  std::size_t string_start(std::string_view value) const {
    const std::size_t length = value.size() + 2;
    return read_so_far() >= length && text_.text()[read_so_far() - length] == '"' ? read_so_far() - length
                                                                                  : here();
  }

  bool at_bytes() const { return (inside_ == Inside::row || inside_ == Inside::named) && field_ == 2; }
  std::string_view expected() const {
    static constexpr std::array<std::string_view, 4> kFields{"the number of a port (source)",
                                                             "the number of a port (destination)",
                                                             "a number of bytes", "the end of the request"};
    switch (inside_) {
      case Inside::row:
      case Inside::named:
        return kFields[std::min<std::size_t>(field_, 3)];
      case Inside::list:
        return "a request";
      case Inside::whole:
        return field_ == 0 ? "a number of ports" : "an array of requests";
      default:
        return "an array of requests";
    }
  }
  bool refuse(std::string_view what) {
    const bool bracket = what == "[" || what == "{";
    text_.fail(bracket ? here() : word_start(), fmt::format("{} where {} was expected", what, expected()),
               kJsonForm);
  }

  void take(PlacedNumber number) {
    if (inside_ == Inside::whole && field_ == 0) {
      placed_.ports = number;
      return;
    }
    if ((inside_ != Inside::row && inside_ != Inside::named) || field_ > 2) {
      refuse(std::to_string(number.value));
      return;
    }
    if (field_ == 2) text_.require_bytes(number);
    (field_ == 0 ? request_.source : field_ == 1 ? request_.destination : request_.bytes) = number;
    if (inside_ == Inside::row) given_[field_++] = true;
  }
  void begin_request(Inside form) {
    inside_ = form;
    field_ = 0;
    given_ = {};
    request_ = {};
  }
  bool end_request() {
    if (!given_[0] || !given_[1])
      text_.fail(here(), fmt::format("the request has no {}", given_[0] ? "destination" : "source"),
                 kJsonForm);
    placed_.requests.push_back(request_);
    inside_ = Inside::list;
    return true;
  }

  const RequestText& text_;
  const char* read_;
  PlacedRequests placed_;
  Inside inside_ = Inside::nothing;
  bool in_whole_ = false;
  std::array<bool, 2> whole_given_{};
  std::size_t field_ = 0;  // in `inside_`: the next number's index, or the index of the last name
  std::array<bool, 3> given_{};
  PlacedRequest request_;
};

}  // namespace

PlacedRequests parse_json_requests(const RequestText& text) { return JsonReader(text).read(); }

}  // namespace hybrid
