// Events as 64-bit words. Programs repeat their calls: most events differ from an earlier one in their times
// and request only, and take one word, or two with a request, instead of the four of an Event.
//
//   bits  0-7   the template in which the rest of the event is stored: 64 + its number, with kRequest if the
//               next word is the event's request (else it is 0); or a control code
//   bits  8-29  duration
//   bits 30-63  begin, as the signed difference to that of the event before
//
// Control codes: kEnd (the word is 0): no further event. kTemplate: the event becomes a template; three words
// follow: bytes 8 to 31 of the event, with the template's number instead of the duration. kBegin: the word
// after it is the begin to which that of the next event refers; 0 at first.
//
//   EventEncoder encoder;
//   std::uint64_t* end = encoder.encode(event, words);  // at most kMostEventWords
//   EventDecoder decoder({words, end});
//   Event same;
//   decoder.next(same);
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/event.h"

namespace hybrid {

/// Words that an event takes at most.
inline constexpr std::size_t kMostEventWords = 6;

static_assert(std::endian::native == std::endian::little);  // bytes 8 to 11 of an Event: duration, call site

/// What an event has besides its times and request: bytes 8 to 27 with duration 0. The first word of a real
/// event is not 0, since its kind is not.
struct EventRest {
  std::uint64_t first = 0, second = 0, third = 0;

  EventRest() = default;
  EventRest(std::uint64_t a, std::uint64_t b, std::uint64_t c) : first(a), second(b), third(c) {}
  explicit EventRest(const Event& e)
      : EventRest(e.call_site, e.kind, e.op, e.communicator, e.peer, e.tag, e.bytes) {}
  /// From the members of an event. Members that were just stored must be read one by one: a wider load would
  /// wait for the stores.
  EventRest(std::uint32_t call_site, EventKind kind, std::uint8_t op, std::uint32_t communicator,
            std::int32_t peer, std::int32_t tag, std::uint64_t bytes)
      : first(std::uint64_t{call_site} << kDurationBits |
              std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | std::uint64_t{op} << 40 |
              std::uint64_t{communicator} << 48),
        second(static_cast<std::uint32_t>(peer) | std::uint64_t{static_cast<std::uint32_t>(tag)} << 32),
        third(bytes) {}

  bool operator==(const EventRest& other) const {
    return ((first ^ other.first) | (second ^ other.second) | (third ^ other.third)) == 0;
  }
};

namespace event_code {

enum Control : std::uint64_t { kEnd = 0, kTemplate = 1, kBegin = 2 };
inline constexpr unsigned kTemplateBits = 6, kDurationAt = kTemplateBits + 2,
                          kDifferenceAt = kDurationAt + kDurationBits, kRequestAt = 32;
inline constexpr std::uint64_t kIsTemplate = std::uint64_t{1} << kTemplateBits, kRequest = 2 * kIsTemplate;
inline constexpr std::int64_t kLargestDifference = (std::int64_t{1} << (63 - kDifferenceAt)) - 1;

using Templates = std::array<EventRest, std::size_t{1} << kTemplateBits>;

/// An event may be any of the templates of one set.
inline constexpr std::size_t kSetSize = 4, kSets = (std::size_t{1} << kTemplateBits) / kSetSize;
inline std::size_t set_of(const EventRest& rest) {
  // Odd constants with random bits; the highest bits of the sum depend on all bits of the words.
  return (rest.first * 0x9E3779B97F4A7C15u + rest.second * 0xC2B2AE3D27D4EB4Fu +
          rest.third * 0xD6E8FEB86659FD93u) >>
         (64 - std::bit_width(kSets - 1));
}

}  // namespace event_code

/// Its state is 1.5 KB: the templates.
class EventEncoder {
 public:
  /// Forgets all events.
  void restart() { *this = {}; }

  /// Writes the event to `to`, which has room for kMostEventWords. Returns the end of what it wrote.
  /// Precondition: the kind is not `none`.
  std::uint64_t* encode(const Event& e, std::uint64_t* to) {
    return encode(e.begin, e.duration, EventRest(e), e.request, to);
  }
  [[gnu::always_inline]] std::uint64_t* encode(std::uint64_t begin, std::uint64_t duration,
                                               const EventRest& rest, std::uint32_t request,
                                               std::uint64_t* to) {
    using namespace event_code;
    const auto difference = static_cast<std::int64_t>(begin - begin_);
    begin_ = begin;
    std::uint64_t times = static_cast<std::uint64_t>(difference) << kDifferenceAt | duration << kDurationAt;
    if (difference > kLargestDifference || difference < -kLargestDifference) [[unlikely]] {
      *to++ = kBegin;
      *to++ = begin;
      times = duration << kDurationAt;
    }
    const std::size_t set = set_of(rest);
    for (std::size_t number = set * kSetSize; number != (set + 1) * kSetSize; ++number)
      if (templates_[number] == rest) {
        *to = times | kIsTemplate | number | (request != 0 ? kRequest : 0);
        to[1] = request;
        return to + (request != 0 ? 2 : 1);
      }
    const std::size_t number = set * kSetSize + oldest_[set]++ % kSetSize;
    templates_[number] = rest;
    *to++ = times | kTemplate;
    *to++ = rest.first | number;
    *to++ = rest.second;
    *to++ = rest.third | std::uint64_t{request} << kRequestAt;
    return to;
  }

 private:
  std::array<std::uint8_t, event_code::kSets> oldest_{};
  std::uint64_t begin_ = 0;
  event_code::Templates templates_{};
};

class EventDecoder {
 public:
  EventDecoder() = default;
  explicit EventDecoder(std::span<const std::uint64_t> words) : rest_(words) {}

  /// Reads the next event. False at the end, and at words that no encoder wrote.
  bool next(Event& event) {
    using namespace event_code;
    while (!rest_.empty()) {
      const std::uint64_t word = rest_.front(), code = word & (2 * kRequest - 1);
      rest_ = rest_.subspan(1);
      if (code == kBegin && !rest_.empty()) {
        begin_ = rest_.front();
        rest_ = rest_.subspan(1);
        continue;
      }
      std::uint64_t number = (code & ~kRequest) - kIsTemplate, request = 0;
      if (code == kTemplate && rest_.size() >= 3) {
        number = rest_[0] & kDurationMask;
        request = rest_[2] >> kRequestAt;
        if (number >= templates_.size()) break;
        templates_[number] = {rest_[0] & ~std::uint64_t{kDurationMask}, rest_[1],
                              rest_[2] & ((std::uint64_t{1} << kRequestAt) - 1)};
        rest_ = rest_.subspan(3);
      } else if ((code & kRequest) != 0) {
        if (rest_.empty()) break;
        request = rest_.front();
        rest_ = rest_.subspan(1);
      }
      if (number >= templates_.size() || templates_[number].first == 0) break;
      begin_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> kDifferenceAt);
      const EventRest& rest = templates_[number];
      event = std::bit_cast<Event>(
          std::array<std::uint64_t, 4>{begin_, rest.first | (word >> kDurationAt & kDurationMask),
                                       rest.second, rest.third | request << kRequestAt});
      return true;
    }
    rest_ = {};
    return false;
  }

 private:
  std::span<const std::uint64_t> rest_;
  std::uint64_t begin_ = 0;
  event_code::Templates templates_{};
};

}  // namespace hybrid
