// Events as 64-bit words. Programs repeat their calls: most events differ from an earlier one in their times
// and request only, and take one word, or two with a request, instead of the four of an Event; in a loop of
// equal calls, up to seven share a word.
//
//   bits  0-7   the template in which the rest of the event is stored: 64 + its number, with kRequest if the
//               next word is the event's request (else it is 0); or a control code
//   bits  8-29  duration
//   bits 30-63  begin, as the signed difference to that of the event before; of an extension, whose begin is
//               not a time, the value itself
//
// Control codes: kEnd (the word is 0): no further event. kTemplate: the event becomes a template; three words
// follow: bytes 8 to 31 of the event, with the template's number instead of the duration. kBegin: the word
// after it is the begin to which that of the next event refers; 0 at first. kRepeats: the word has up to
// seven events with the template of the event before it, duration 0 and no request, each as the difference of
// its begin (8 bits, not 0). kTimedRepeats: up to two, with differences (not 0) and durations of 14 bits. A
// loop of equal calls takes 1 to 4 bytes for each.
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
#include <optional>
#include <span>
#include <utility>

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

  bool is_extension() const { return static_cast<EventKind>(first >> 32 & 0xFF) == EventKind::extension; }
  bool operator==(const EventRest& other) const {
    return ((first ^ other.first) | (second ^ other.second) | (third ^ other.third)) == 0;
  }
};

namespace event_code {

enum Control : std::uint64_t { kEnd = 0, kTemplate = 1, kBegin = 2, kRepeats = 3, kTimedRepeats = 4 };
inline constexpr unsigned kTemplateBits = 6, kDurationAt = kTemplateBits + 2,
                          kDifferenceAt = kDurationAt + kDurationBits, kRequestAt = 32;
inline constexpr std::uint64_t kIsTemplate = std::uint64_t{1} << kTemplateBits, kRequest = 2 * kIsTemplate;
inline constexpr std::int64_t kLargestDifference = (std::int64_t{1} << (63 - kDifferenceAt)) - 1;
inline constexpr unsigned kRepeatsAt = 8;
/// How repeats are stored.
struct RepeatLayout {
  Control code;
  unsigned difference_bits, bits;
  constexpr std::uint64_t most() const { return (std::uint64_t{1} << difference_bits) - 1; }
};
inline constexpr RepeatLayout kUntimed{kRepeats, 8, 8}, kTimed{kTimedRepeats, 14, 28};

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
    is_repeatable_ = false;
    const bool is_time = !rest.is_extension();
    const auto difference = static_cast<std::int64_t>(begin - (is_time ? begin_ : 0));
    if (is_time) begin_ = begin;
    std::uint64_t times = static_cast<std::uint64_t>(difference) << kDifferenceAt | duration << kDurationAt;
    if (difference > kLargestDifference || difference < -kLargestDifference) [[unlikely]] {
      *to++ = kBegin;
      *to++ = begin;
      times = duration << kDurationAt;
    }
    const std::size_t set = set_of(rest);
    for (std::size_t number = set * kSetSize; number != (set + 1) * kSetSize; ++number)
      if (templates_[number] == rest) {
        if (number == last_ && request == 0 && is_time) {
          const auto later = static_cast<std::uint64_t>(difference);
          if (duration == 0 && later - 1 < kUntimed.most()) return repeat(kUntimed, later, to);
          if (((later - 1) | duration) < kTimed.most())
            return repeat(kTimed, later | duration << kTimed.difference_bits, to);
        }
        last_ = number;
        room_ = 0;
        *to = times | kIsTemplate | number | (request != 0 ? kRequest : 0);
        to[1] = request;
        return to + (request != 0 ? 2 : 1);
      }
    const std::size_t number = set * kSetSize + oldest_[set]++ % kSetSize;
    templates_[number] = rest;
    last_ = number;
    room_ = 0;
    *to++ = times | kTemplate;
    *to++ = rest.first | number;
    *to++ = rest.second;
    *to++ = rest.third | std::uint64_t{request} << kRequestAt;
    return to;
  }

  /// Allows encode_again() until the next event is encoded.
  void allow_again() { is_repeatable_ = true; }
  bool is_repeatable() const { return is_repeatable_; }
  /// Writes the last event with another begin to `to`, which is where the last event ended, if that takes
  /// few instructions. Returns the end, or nullptr. Requires: is_repeatable(), and the last event had
  /// duration 0 and no request.
  [[gnu::always_inline]] std::uint64_t* encode_again(std::uint64_t begin, std::uint64_t* to) {
    const std::uint64_t difference = begin - begin_;
    if (difference - 1 >= event_code::kUntimed.most()) return nullptr;
    begin_ = begin;
    return repeat(event_code::kUntimed, difference, to);
  }

 private:
  [[gnu::always_inline]] std::uint64_t* repeat(const event_code::RepeatLayout& layout, std::uint64_t repeated,
                                               std::uint64_t* to) {
    if (room_ < layout.bits || layout.code != repeats_) {
      repeats_ = layout.code;
      room_ = 64 - event_code::kRepeatsAt - layout.bits;
      *to = layout.code | repeated << event_code::kRepeatsAt;
      return to + 1;
    }
    to[-1] |= repeated << (64 - room_);  // one store: the word is complete whenever the process dies
    room_ -= layout.bits;
    return to;
  }

  std::uint64_t begin_ = 0;
  std::size_t last_ = event_code::kSets * event_code::kSetSize;  // template of the last event
  event_code::Control repeats_ = event_code::kEnd;               // of the last word, if it is one
  unsigned room_ = 0;                                            // bits for further repeats in the last word
  bool is_repeatable_ = false;
  std::array<std::uint8_t, event_code::kSets> oldest_{};
  event_code::Templates templates_{};
};

class EventDecoder {
 public:
  EventDecoder() = default;
  explicit EventDecoder(std::span<const std::uint64_t> words) : rest_(words) {}

  /// Reads the next event. False at the end, and at words that no encoder wrote.
  bool next(Event& event) {
    using namespace event_code;
    while (repeats_ != 0 || !rest_.empty()) {
      if (repeats_ != 0) {
        const RepeatLayout& layout = is_timed_ ? kTimed : kUntimed;
        const std::uint64_t difference = repeats_ & layout.most();
        const std::uint64_t duration = is_timed_ ? repeats_ >> layout.difference_bits & layout.most() : 0;
        repeats_ >>= layout.bits;
        if (difference == 0 || last_ >= templates_.size()) break;
        begin_ += difference;
        event = event_of(begin_, duration, 0);
        return true;
      }
      const std::uint64_t word = rest_.front(), code = word & (2 * kRequest - 1);
      rest_ = rest_.subspan(1);
      if (code == kRepeats || code == kTimedRepeats) {
        repeats_ = word >> kRepeatsAt;
        is_timed_ = code == kTimedRepeats;
        continue;
      }
      if (code == kBegin && !rest_.empty()) {
        jump_ = rest_.front();
        rest_ = rest_.subspan(1);
        continue;
      }
      std::uint64_t request = 0;
      last_ = (code & ~kRequest) - kIsTemplate;
      if (code == kTemplate && rest_.size() >= 3) {
        last_ = rest_[0] & kDurationMask;
        request = rest_[2] >> kRequestAt;
        if (last_ >= templates_.size()) break;
        templates_[last_] = {rest_[0] & ~std::uint64_t{kDurationMask}, rest_[1],
                             rest_[2] & ((std::uint64_t{1} << kRequestAt) - 1)};
        rest_ = rest_.subspan(3);
      } else if ((code & kRequest) != 0) {
        if (rest_.empty()) break;
        request = rest_.front();
        rest_ = rest_.subspan(1);
      }
      if (last_ >= templates_.size() || templates_[last_].first == 0) break;
      const bool is_time = !templates_[last_].is_extension();
      const std::uint64_t begin =
          std::exchange(jump_, std::nullopt).value_or(is_time ? begin_ : 0) +
          static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> kDifferenceAt);
      if (is_time) begin_ = begin;
      event = event_of(begin, word >> kDurationAt & kDurationMask, request);
      return true;
    }
    rest_ = {};
    repeats_ = 0;
    return false;
  }

 private:
  Event event_of(std::uint64_t begin, std::uint64_t duration, std::uint64_t request) const {
    const EventRest& rest = templates_[last_];
    return std::bit_cast<Event>(std::array<std::uint64_t, 4>{begin, rest.first | duration, rest.second,
                                                             rest.third | request << event_code::kRequestAt});
  }

  std::span<const std::uint64_t> rest_;
  std::uint64_t begin_ = 0;
  std::optional<std::uint64_t> jump_;                              // of kBegin
  std::uint64_t last_ = event_code::kSets * event_code::kSetSize;  // template of the last event
  std::uint64_t repeats_ = 0;                                      // that follow in the last word
  bool is_timed_ = false;                                          // they have durations
  event_code::Templates templates_{};
};

}  // namespace hybrid
