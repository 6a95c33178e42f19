#include "core/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  std::string path(const std::string& name = "a.journal") const { return directory_ / name; }

  // Runs `body` in a child and returns its wait status. The child ends without destructors, as by a signal.
  template <typename Body>
  static int in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  const TemporaryDirectory directory_;
};

// Numbered events in a block: each is a new template of four words.
constexpr std::uint64_t kBlock = (JournalWriter::kBlockWords - kMostEventWords - 1) / 4 + 1;
constexpr std::uint64_t kBlockBytes = JournalWriter::kBlockWords * sizeof(std::uint64_t);
constexpr std::uint64_t kChecksums = 65536;                             // bytes of a segment's checksums
constexpr std::uint64_t kFirstBlock = 4096 + kBlockBytes + kChecksums;  // its place in the file

Event numbered(std::uint64_t n) {
  Event event;
  event.begin = n;
  event.duration = static_cast<std::uint32_t>(n * 7) & kDurationMask;
  event.kind = EventKind::send;
  event.op = 2;
  event.communicator = 3;
  event.peer = static_cast<std::int32_t>(n % 64);
  event.tag = static_cast<std::int32_t>(n % 1000);
  event.bytes = static_cast<std::uint32_t>(n * 3);
  event.request = static_cast<std::uint32_t>(n);
  return event;
}

std::vector<Event> events_of(const JournalReader& reader) {
  std::vector<Event> all;
  JournalEvents events = reader.events();
  for (Event event; events.next(event);) all.push_back(event);
  return all;
}

void expect_numbered(const JournalReader& reader, std::uint64_t count) {
  EXPECT_EQ(reader.size(), count);
  const std::vector<Event> events = events_of(reader);
  ASSERT_EQ(events.size(), count);
  for (std::uint64_t n = 0; n < count; ++n) {
    const Event expected = numbered(n);
    ASSERT_EQ(std::memcmp(&events[n], &expected, sizeof(Event)), 0) << "event " << n;
  }
}

TEST_F(Journal, ReadsAppendedEventsOfSeveralBlocks) {
  const std::uint64_t count = 2 * kBlock + 5;
  JournalHeader header;
  header.rank = 7;
  header.thread = 2;
  header.ticks_per_second = 123;
  {
    JournalWriter writer(path(), header);
    for (std::uint64_t n = 0; n < count; ++n) writer.append(numbered(n));
    writer.set_ticks_per_second(456);
  }
  const JournalReader reader(path());
  EXPECT_EQ(reader.header().rank, 7u);
  EXPECT_EQ(reader.header().thread, 2u);
  EXPECT_EQ(reader.header().ticks_per_second, 456u);
  EXPECT_EQ(reader.header().lost, 0u);
  expect_numbered(reader, count);
}

TEST_F(Journal, IsEmptyWithoutAppendedEvents) {
  {
    JournalWriter writer(path(), {});
  }
  const JournalReader reader(path());
  EXPECT_TRUE(events_of(reader).empty());
  EXPECT_FALSE(reader.complete());
}

TEST_F(Journal, IsCompleteOnlyIfFinishIsTheLastEvent) {
  Event finish;
  finish.kind = EventKind::finish;
  {
    JournalWriter writer(path(), {});
    writer.append(numbered(0));
    writer.append(finish);
  }
  EXPECT_TRUE(JournalReader(path()).complete());
  {
    JournalWriter writer(path("b.journal"), {});
    writer.append(finish);
    writer.append(numbered(0));
  }
  EXPECT_FALSE(JournalReader(path("b.journal")).complete());
}

TEST_F(Journal, IsPrivateAndNeverOverwritesAFileOrFollowsALink) {
  {
    JournalWriter writer(path(), {});
  }
  struct stat status{};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THROW(JournalWriter(path(), {}), RunError);
  fs::create_symlink(path("target"), path("link"));
  EXPECT_THROW(JournalWriter(path("link"), {}), RunError);
  EXPECT_FALSE(fs::exists(path("target")));
}

TEST_F(Journal, SurvivesSigkill) {
  // In the first block, at the ends of blocks, and after them.
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1000}, kBlock, kBlock + 1, 5 * kBlock, 5 * kBlock + 1000}) {
    const std::string file = path(std::to_string(count));
    const int status = in_child([&] {
      JournalWriter writer(file, {});
      for (std::uint64_t n = 0; n < count; ++n) writer.append(numbered(n));
      raise(SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
    const JournalReader reader(file);
    expect_numbered(reader, count);
    EXPECT_EQ(reader.damage(), "");
    EXPECT_FALSE(reader.complete());
  }
}

TEST_F(Journal, CountsEventsLostOnAFullDiskAndTheProgramContinues) {
  // A limit on file sizes simulates the full disk. It raises SIGXFSZ, which would end the program. The limit
  // is within the first block, and within the fourth.
  for (const std::uint64_t blocks : {0, 3}) {
    const std::string file = path(std::to_string(blocks));
    const int status = in_child([&] {
      const rlim_t room = kFirstBlock + blocks * kBlockBytes + 100;
      const rlimit limit{room, room};
      signal(SIGXFSZ, SIG_DFL);
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      JournalWriter writer(file, {});
      // The open block keeps what does not fit.
      for (std::uint64_t n = 0; n < (blocks + 1) * kBlock + 1000; ++n) writer.append(numbered(n));
      if (writer.lost() != 1000) _exit(3);
      writer.close();
    });
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    ASSERT_EQ(WEXITSTATUS(status), 0);
    const JournalReader reader(file);
    EXPECT_EQ(reader.header().lost, 1000u);
    EXPECT_EQ(reader.damage(), "");
    expect_numbered(reader, (blocks + 1) * kBlock);
  }
}

TEST_F(Journal, ThrowsIfThereIsNoRoomForTheHeader) {
  const int status = in_child([&] {
    const rlimit limit{100, 100};
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    try {
      JournalWriter writer(path(), {});
      _exit(3);
    } catch (const RunError&) {
      _exit(4);
    }
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST_F(Journal, IsNotTruncatedByTheEndOfAForkedChild) {
  JournalWriter writer(path(), {});
  writer.append(numbered(0));
  const int status = in_child([&] { writer.close(); });
  ASSERT_EQ(status, 0);
  // The parent's next events are after the end that the child knows.
  for (std::uint64_t n = 1; n < 1000; ++n) writer.append(numbered(n));
  writer.close();
  expect_numbered(JournalReader(path()), 1000);
}

TEST_F(Journal, CountsEventsAppendedAfterCloseAsLost) {
  JournalWriter writer(path(), {});
  writer.append(numbered(0));
  writer.close();
  writer.append(numbered(1));
  EXPECT_EQ(writer.lost(), 1u);
  expect_numbered(JournalReader(path()), 1);
}

TEST_F(Journal, WritesAnExtensionForWideValues) {
  const WideValues values{std::uint64_t{5} << 32 | 17, std::uint64_t{3} << 32 | 9, 70'000};
  {
    JournalWriter writer(path(), {});
    Event named = numbered(4);
    named.call_site = kMostCallSites;
    writer.append(named, values);
    writer.append(numbered(5), {100, 200, 3});
  }
  const JournalReader reader(path());
  const auto events = events_of(reader);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, EventKind::extension);
  const WideValues read = wide_values(events[1], &events[0]);
  EXPECT_EQ(read.bytes, values.bytes);
  EXPECT_EQ(read.duration, values.duration);
  EXPECT_EQ(read.communicator, values.communicator);
  EXPECT_EQ(events[1].peer, numbered(4).peer);
  EXPECT_EQ(events[1].call_site, kMostCallSites);
  EXPECT_EQ(wide_values(events[2], nullptr).bytes, 100u);
  EXPECT_EQ(wide_values(events[2], nullptr).duration, 200u);
}

TEST_F(Journal, ReadsADamagedFileUpToTheDamagedBlock) {
  const std::uint64_t count = 3 * kBlock + 9;
  {
    JournalWriter writer(path(), {});
    for (std::uint64_t n = 0; n < count; ++n) writer.append(numbered(n));
  }
  const auto damaged = [&](const std::string& name, std::uint64_t at) {
    fs::copy_file(path(), path(name));
    std::fstream file(path(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    return path(name);
  };
  const auto left_out = [&](std::uint64_t good) {
    return std::to_string(count - good) + " events are left out";
  };
  Random random(testing::UnitTest::GetInstance()->random_seed());
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t byte = i == 0 ? 4 * kBlockBytes - 1 : random.below(4 * kBlockBytes);
    SCOPED_TRACE(byte);
    const JournalReader reader(damaged(std::to_string(i), kFirstBlock + byte));
    const std::uint64_t good = byte / kBlockBytes * kBlock;
    expect_numbered(reader, good);
    EXPECT_NE(reader.damage().find(left_out(good)), std::string::npos) << reader.damage();
    EXPECT_FALSE(reader.complete());
  }
  const JournalReader checksum(damaged("checksum", 4096 + kBlockBytes + 8));
  expect_numbered(checksum, kBlock);
  const JournalReader number(damaged("number", offsetof(JournalHeader, events) + 2));
  EXPECT_NE(number.damage(), "");
  EXPECT_THROW(JournalReader(damaged("header", 20)), UserError);
  fs::resize_file(path(), kFirstBlock + 3 * kBlockBytes + 13);
  const JournalReader shorter(path());
  expect_numbered(shorter, count);  // the last block is the open block, too
  EXPECT_EQ(shorter.damage(), "");
  fs::resize_file(path(), kFirstBlock + 2 * kBlockBytes);
  const JournalReader truncated(path());
  expect_numbered(truncated, 2 * kBlock);
  EXPECT_NE(truncated.damage().find(left_out(2 * kBlock)), std::string::npos) << truncated.damage();
}

TEST_F(Journal, RejectsMissingShortAndForeignFiles) {
  EXPECT_THROW(JournalReader(path("missing")), UserError);
  std::ofstream(path("short")) << "HYBJRNL6";
  EXPECT_THROW(JournalReader(path("short")), UserError);
  std::ofstream(path("foreign")) << std::string(8192, 'x');
  EXPECT_THROW(JournalReader(path("foreign")), UserError);
  try {
    const JournalReader reader(path("foreign"));
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(path("foreign")), std::string::npos) << error.what();
  }
}

TEST_F(Journal, RepeatedEventsTakeOneWord) {
  constexpr std::uint64_t kCount = 100'000;
  const auto repeated = [](std::uint64_t n) {
    Event event = numbered(n % 10);
    event.begin = 1'000'000 + 300 * n;
    event.duration = static_cast<std::uint32_t>(n % 100);
    return event;
  };
  {
    JournalWriter writer(path(), {});
    for (std::uint64_t n = 0; n < kCount; ++n) writer.append(repeated(n));
  }
  EXPECT_LE(fs::file_size(path()), kFirstBlock + kCount * 2 * sizeof(std::uint64_t));
  const JournalReader reader(path());
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<Event> events = events_of(reader);
    ASSERT_EQ(events.size(), kCount);
    for (std::uint64_t n = 0; n < kCount; ++n) {
      const Event expected = repeated(n);
      ASSERT_EQ(std::memcmp(&events[n], &expected, sizeof(Event)), 0) << n;
    }
  }
}

}  // namespace
}  // namespace hybrid
