#include "core/event_code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

std::vector<std::uint64_t> encoded(const std::vector<Event>& events) {
  EventEncoder encoder;
  std::vector<std::uint64_t> words(events.size() * kMostEventWords);
  std::uint64_t* end = words.data();
  for (const Event& event : events) end = encoder.encode(event, end);
  words.resize(static_cast<std::size_t>(end - words.data()));
  return words;
}

std::vector<Event> decoded(const std::vector<std::uint64_t>& words) {
  EventDecoder decoder(words);
  std::vector<Event> events;
  for (Event event; decoder.next(event);) events.push_back(event);
  return events;
}

void expect_same(const std::vector<Event>& events, const std::vector<Event>& expected) {
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    ASSERT_EQ(std::memcmp(&events[i], &expected[i], sizeof(Event)), 0) << i;
}

/// An event of a program with `calls` different calls, in any order.
Event any_event(Random& random, std::uint64_t calls, std::uint64_t begin) {
  const std::uint64_t call = random.below(calls);
  Event event;
  event.begin = begin;
  event.duration = static_cast<std::uint32_t>(random.below(kDurationMask + 1));
  event.call_site = static_cast<std::uint32_t>(call) & kMostCallSites;
  event.kind = static_cast<EventKind>(1 + call % 30);
  event.op = static_cast<std::uint8_t>(call / 7);
  event.communicator = static_cast<std::uint16_t>(call / 11);
  event.peer = static_cast<std::int32_t>(call % 3) - 2;
  event.tag = -static_cast<std::int32_t>(call % 5);
  event.bytes = static_cast<std::uint32_t>(call * 0x1234567);
  if (call % 2 == 0) event.request = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
  return event;
}

TEST(EventCode, ReturnsWhatItWasGiven) {
  Random random(testing::UnitTest::GetInstance()->random_seed());
  for (const std::uint64_t calls : {1, 3, 60, 100'000}) {
    std::vector<Event> events;
    std::uint64_t begin = random.below(~std::uint64_t{0});
    for (int i = 0; i < 2000; ++i) {
      // Mostly a little later, also earlier, and by any time.
      const std::uint64_t step = random.below(20);
      begin += step == 0   ? random.below(~std::uint64_t{0})
               : step == 1 ? std::uint64_t{0} - random.below(1000)
               : step == 2 ? random.below(std::uint64_t{1} << 36)
                           : random.below(100'000);
      events.push_back(any_event(random, calls, begin));
    }
    expect_same(decoded(encoded(events)), events);
  }
}

TEST(EventCode, TheLargestAndSmallestDifferences) {
  const auto largest = static_cast<std::uint64_t>(event_code::kLargestDifference);
  std::vector<Event> events;
  Random random(1);
  std::uint64_t begin = std::uint64_t{1} << 62;
  for (const std::uint64_t difference : {std::uint64_t{0}, largest, largest + 1, 0 - largest, 0 - largest - 1,
                                         std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    begin += difference;
    events.push_back(any_event(random, 1, begin));
  }
  expect_same(decoded(encoded(events)), events);
}

TEST(EventCode, ARepeatedCallTakesOneWordAndARequestAnother) {
  Random random(1);
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 8000; ++i) {
    events.push_back(any_event(random, 10, 5'000'000 + 300 * i));
    events.back().request = 0;
  }
  EXPECT_EQ(encoded(events).size(), 8000u + 10u * 3u);
  for (Event& event : events) event.request = 1 + static_cast<std::uint32_t>(random.below(1000));
  EXPECT_EQ(encoded(events).size(), 2u * 8000u + 10u * 2u);
  // More calls than templates.
  events.clear();
  for (std::uint64_t i = 0; i < 8000; ++i) events.push_back(any_event(random, 100, 5'000'000 + 300 * i));
  EXPECT_LE(encoded(events).size(), 4u * 8000u);
}

TEST(EventCode, EqualEventsShareWords) {
  Random random(1);
  Event call = any_event(random, 1, 1000);
  call.kind = EventKind::send;
  // The size of a loop of `repeats` calls after the first one.
  const auto words = [&](std::uint64_t repeats, std::uint64_t difference, std::uint32_t duration) {
    std::vector<Event> events(repeats + 1, call);
    for (std::uint64_t i = 0; i <= repeats; ++i) {
      events[i].begin += i * difference;
      events[i].duration = duration;
      events[i].request = 0;
    }
    expect_same(decoded(encoded(events)), events);
    return encoded(events).size() - 4;
  };
  EXPECT_EQ(words(700, 50, 0), 100u);
  EXPECT_EQ(words(701, 50, 0), 101u);
  EXPECT_EQ(words(700, event_code::kUntimed.most(), 0), 100u);
  EXPECT_EQ(words(400, event_code::kUntimed.most() + 1, 0), 200u);
  EXPECT_EQ(words(400, 1000, 500), 200u);
  EXPECT_EQ(words(400, 1000, 1 << 14), 400u) << "a duration that does not fit";
  EXPECT_EQ(words(400, 1 << 15, 0), 400u);
  EXPECT_EQ(words(400, 0, 0), 400u) << "events of one call";
}

TEST(EventCode, ValuesOfExtensionsAreNotTimes) {
  Random random(1);
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Event extension;
    extension.kind = EventKind::extension;
    extension.begin = i == 50 ? std::uint64_t{1} << 60 : 1'000 * i;
    events.push_back(extension);
    events.push_back(any_event(random, 1, (std::uint64_t{1} << 50) + 1'000'000 * i));
    events.back().kind = EventKind::send;
    events.back().request = 0;
  }
  expect_same(decoded(encoded(events)), events);
  EXPECT_EQ(encoded(events).size(), 200u + 2u * 3u + 2u * 2u) << "two templates, two jumps";
}

TEST(EventCode, RepeatsAmongOtherEvents) {
  Random random(testing::UnitTest::GetInstance()->random_seed());
  std::vector<Event> events;
  std::uint64_t begin = 1000;
  for (int run = 0; run < 2000; ++run) {
    Event event = any_event(random, 5, 0);
    for (std::uint64_t length = random.below(7); length != 0; --length) {
      begin += random.below(random.below(8) == 0 ? 1 << 15 : 300);
      event.begin = begin;
      event.duration = static_cast<std::uint32_t>(random.below(2) * random.below(1 << 15));
      event.request = random.below(4) == 0 ? 7 : 0;
      events.push_back(event);
    }
  }
  expect_same(decoded(encoded(events)), events);
}

TEST(EventCode, EveryPrefixOfARepetitionIsReadable) {
  // The block of a process that dies has the events up to the last one.
  Random random(1);
  EventEncoder encoder;
  std::vector<std::uint64_t> words(200);
  std::uint64_t* end = words.data();
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 100; ++i) {
    events.push_back(any_event(random, 1, 1000 + 10 * i));
    events.back().kind = EventKind::send;
    events.back().duration = i % 9 < 5 ? 0 : 3;
    events.back().request = 0;
    end = encoder.encode(events.back(), end);
    expect_same(decoded({words.data(), end}), events);
  }
}

TEST(EventCode, AnEventTakesAtMostSixWords) {
  Random random(2);
  EventEncoder encoder;
  std::uint64_t words[kMostEventWords];
  for (std::uint64_t i = 0; i < 1000; ++i)
    EXPECT_LE(encoder.encode(any_event(random, 100'000, i << 40), words), words + kMostEventWords);
}

TEST(EventCode, EndsAtWordsThatNoEncoderWrote) {
  Random random(testing::UnitTest::GetInstance()->random_seed());
  std::vector<Event> events(100);
  for (std::uint64_t i = 0; i < events.size(); ++i) events[i] = any_event(random, 20, i);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint64_t> words = encoded(events);
    words.resize(random.below(words.size()) + 1);
    words[random.below(words.size())] = random.below(~std::uint64_t{0});
    EXPECT_LE(decoded(words).size(), 7 * words.size());
  }
  EXPECT_TRUE(decoded({0, 1, 2, 3}).empty()) << "kEnd";
  EXPECT_TRUE(decoded({event_code::kIsTemplate | 5}).empty()) << "a template that does not exist";
  EXPECT_TRUE(decoded({event_code::kRepeats | 1 << event_code::kRepeatsAt}).empty()) << "of no event";
}

}  // namespace
}  // namespace hybrid
