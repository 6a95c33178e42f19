#include "libhybrid/live/host_messages.h"

#include <gtest/gtest.h>

#include <array>

#include "core/random.h"

namespace hybrid {
namespace {

using Buffer = std::array<std::byte, kLiveMessageBytes>;

TEST(HostMessage, DecodesEncodedCommands) {
  Random random(1);  // any seed: the values only have to differ
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kEntriesPerMessage}) {
    std::vector<TimedCommand> sent;
    sent.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      sent.push_back({Time{static_cast<std::int64_t>(random.bits() >> 1)},
                      static_cast<std::uint32_t>(random.bits()),
                      static_cast<CommandKind>(1 + random.below(4)), static_cast<Port>(random.bits())});
    Buffer buffer;
    const std::size_t length = encode(std::span<const TimedCommand>(sent), buffer);
    ASSERT_LE(length, kLiveMessageBytes);
    std::vector<TimedCommand> commands;
    std::vector<RowUpdate> rows;
    ASSERT_TRUE(decode(std::span(buffer).first(length), commands, rows));
    EXPECT_EQ(commands, sent);
    EXPECT_TRUE(rows.empty());
  }
}

TEST(HostMessage, DecodesEncodedRows) {
  const std::vector<RowUpdate> sent{{0x8000000000000001u, 5, 17, 2}, {0, ~std::uint64_t{0}, 0, 0}};
  Buffer buffer;
  const std::size_t length = encode(std::span<const RowUpdate>(sent), buffer);
  std::vector<TimedCommand> commands;
  std::vector<RowUpdate> rows;
  ASSERT_TRUE(decode(std::span(buffer).first(length), commands, rows));
  EXPECT_EQ(rows, sent);
  EXPECT_TRUE(commands.empty());
}

// Hosts may differ in byte order, so messages have the layout that the header documents.
TEST(HostMessage, LayoutIsTheDocumentedOne) {
  const std::vector<TimedCommand> sent{
      {Time{0x0102030405060708}, 0x0A0B0C0D, CommandKind::release, 0x11121314}};
  Buffer buffer;
  ASSERT_EQ(encode(std::span<const TimedCommand>(sent), buffer), 32u);
  const std::array<unsigned, 32> expected{'H',  'L',  1,    1,    1,    0,    0,    0,  //
                                          8,    7,    6,    5,    4,    3,    2,    1,  //
                                          0x0D, 0x0C, 0x0B, 0x0A, 0x14, 0x13, 0x12, 0x11,
                                          2,    0,    0,    0,    0,    0,    0,    0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned>(buffer[i]), expected[i]) << "byte " << i;
}

TEST(HostMessage, RejectsTruncatedAndForeignMessages) {
  const std::vector<TimedCommand> sent(3);
  Buffer good;
  const std::size_t length = encode(std::span<const TimedCommand>(sent), good);
  std::vector<TimedCommand> commands;
  std::vector<RowUpdate> rows;
  for (std::size_t cut = 0; cut < length; ++cut)
    EXPECT_FALSE(decode(std::span(good).first(cut), commands, rows)) << "cut at " << cut;
  EXPECT_FALSE(decode(std::span(good).first(length + 1), commands, rows));
  for (const std::size_t byte : {0u, 1u, 2u, 3u, 7u}) {  // magic, version, kind, count
    Buffer bad = good;
    bad[byte] ^= std::byte{0x40};
    EXPECT_FALSE(decode(std::span(bad).first(length), commands, rows)) << "byte " << byte;
  }
  EXPECT_TRUE(commands.empty());
  EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace hybrid
