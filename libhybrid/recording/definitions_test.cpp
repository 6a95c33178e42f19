#include "libhybrid/recording/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "libhybrid/recording/testing/recorded_process.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string reading_error(const std::string& path) {
  try {
    read_definitions(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "read";
}

TEST(Definitions, ReadsWrittenRecords) {
  const TemporaryDirectory directory;
  const std::string odd = "tabs\tand \\ and\nlines \\n \\t";
  const std::vector<std::int32_t> members{0, 1, 2, 9, 5, 4, 7, 8}, remote{3, 6}, edge{2, kNoPeer, 2};
  {
    DefinitionWriter writer(directory / "d");
    writer.property("arguments", odd);
    writer.property(odd, "");
    writer.communicator(4, members, remote);
    writer.communicator(5, remote, {}, {4, odd});
    writer.neighbors(5, edge, members);
    writer.window(2, 5);
    writer.region(0, odd);
    writer.call_site(1, {odd, 0xFFFF'8000'1234'5678, odd + odd, odd});
    writer.property("arguments", odd + "2");  // replaces the first value
  }
  const Definitions read = read_definitions(directory / "d");
  EXPECT_EQ(read.properties.at("arguments"), odd + "2");
  EXPECT_EQ(read.properties.at(odd), "");
  EXPECT_EQ(read.communicators.at(4).members, members);
  EXPECT_EQ(read.communicators.at(4).remote, remote);
  EXPECT_EQ(read.communicators.at(5).members, remote);
  EXPECT_THAT(read.communicators.at(5).remote, IsEmpty());
  EXPECT_EQ(read.communicators.at(4).origin, Origin{});
  EXPECT_EQ(read.communicators.at(5).origin, (Origin{4, odd}));
  EXPECT_EQ(read.communicators.at(5).neighbors_out, edge);
  EXPECT_EQ(read.communicators.at(5).neighbors_in, members);
  EXPECT_EQ(read.windows.at(2), 5u);
  EXPECT_EQ(read.regions.at(0), odd);
  EXPECT_EQ(read.call_sites.at(1), (CallSiteAddress{odd, 0xFFFF'8000'1234'5678, odd + odd, odd}));
}

TEST(Definitions, ALargeWorldIsAShortRecord) {
  const TemporaryDirectory directory;
  std::vector<std::int32_t> world(100'000);
  std::iota(world.begin(), world.end(), 0);
  {
    DefinitionWriter writer(directory / "d");
    writer.communicator(0, world);
  }
  EXPECT_LT(std::filesystem::file_size(directory / "d"), 100u);
  EXPECT_EQ(read_definitions(directory / "d").communicators.at(0).members, world);
}

TEST(Definitions, IgnoresATruncatedRecordAtTheEnd) {
  const TemporaryDirectory directory;
  {
    DefinitionWriter writer(directory / "d");
    writer.region(0, "whole");
    writer.region(1, "torn");
  }
  const auto size = std::filesystem::file_size(directory / "d");
  for (std::uintmax_t cut = 1; cut < 12; ++cut) {
    std::filesystem::resize_file(directory / "d", size - cut);
    const Definitions read = read_definitions(directory / "d");
    EXPECT_EQ(read.regions.size(), 1u) << cut;
    EXPECT_EQ(read.regions.at(0), "whole");
  }
}

TEST(Definitions, ErrorsNameTheDamagedLine) {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& line) {
    std::uint32_t chain = 0;
    std::ofstream file(directory / "d");
    file << "hybrid-definitions 5\n";
    for (const std::string& record : {std::string("region\t0\tx"), line})
      file << with_checksum(record, chain) << "\n";
    file.close();
    return reading_error(directory / "d");
  };
  EXPECT_THAT(with("window\t1\tx"), HasSubstr("d:3: expected a number instead of \"x\""));
  EXPECT_THAT(with("window\t1"), HasSubstr("d:3: expected a further field"));
  EXPECT_THAT(with("communicator\t1\t5-2\t"), HasSubstr("d:3: expected an ascending run"));
  EXPECT_THAT(with("communicator\t1\t0-2147483647\t"), HasSubstr("d:3: expected an ascending run"));
  EXPECT_THAT(with("communicator\t1\t0-3\t"), HasSubstr("d:3: expected a further field"));
  EXPECT_THAT(with("communicator\t1\t0-3\t\tx\t"), HasSubstr("d:3: expected a number instead of \"x\""));
  EXPECT_THAT(with("colour\t1"), HasSubstr("instead of \"colour\""));
  EXPECT_THAT(with("region\t-1\tx"), HasSubstr("d:3: expected a number"));
  EXPECT_THAT(with("call-site\t1\tx\ta\tb"), HasSubstr("d:3: expected a number instead of \"x\""));
  EXPECT_THAT(reading_error(directory / "missing"), HasSubstr("cannot open"));
  std::ofstream(directory / "foreign") << "BOTF2\n";
  EXPECT_THAT(reading_error(directory / "foreign"), HasSubstr("not a definitions file"));
  std::ofstream(directory / "empty") << "";
  EXPECT_THAT(reading_error(directory / "empty"), HasSubstr("not a definitions file"));
}

TEST(Definitions, EachChangeOfAByteIsFound) {
  const TemporaryDirectory directory;
  {
    DefinitionWriter writer(directory / "d");
    writer.property("ranks", "4");
    writer.communicator(2, std::vector<std::int32_t>{0, 1, 2, 3});
    writer.region(0, "phase");
  }
  std::ifstream file(directory / "d");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t i = 0; i + 1 < text.size(); ++i)  // without the last newline the record is not complete
    for (const char other : {static_cast<char>(text[i] ^ 1), '\n', '\t'}) {
      if (text[i] == other) continue;
      std::string changed = text;
      changed[i] = other;
      std::ofstream(directory / "changed") << changed;
      EXPECT_NE(reading_error(directory / "changed"), "read") << i;
    }
  // A missing record in the middle, too.
  std::string shorter = text;
  shorter.erase(text.find("communicator"), text.find("region") - text.find("communicator"));
  std::ofstream(directory / "changed") << shorter;
  EXPECT_THAT(reading_error(directory / "changed"),
              HasSubstr("changed:3: the checksum of the line is wrong"));
}

TEST(Definitions, FilesArePrivateAndNeverOverwritten) {
  const TemporaryDirectory directory;
  {
    const DefinitionWriter writer(directory / "d");
  }
  struct stat status{};
  ASSERT_EQ(stat((directory / "d").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THROW(DefinitionWriter(directory / "d"), RunError);
  std::filesystem::create_symlink(directory / "target", directory / "link");
  EXPECT_THROW(DefinitionWriter(directory / "link"), RunError);
}

TEST(Definitions, RecordsOfSeveralThreadsStayIntact) {
  const TemporaryDirectory directory;
  {
    DefinitionWriter writer(directory / "d");
    std::array<std::thread, 4> threads;
    for (std::uint32_t t = 0; t < threads.size(); ++t)
      threads[t] = std::thread([&writer, t] {
        for (std::uint32_t n = 0; n < 200; ++n) writer.region(t * 200 + n, std::string(n, 'a'));
      });
    for (std::thread& thread : threads) thread.join();
  }
  const Definitions read = read_definitions(directory / "d");
  ASSERT_EQ(read.regions.size(), 800u);
  for (const auto& [id, name] : read.regions) EXPECT_EQ(name.size(), id % 200);
}

TEST(Definitions, WritesRecordsAfterAFullDiskLater) {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);
    DefinitionWriter writer(directory / "d");
    rlimit limit{50, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    writer.region(0, std::string(60, 'x'));
    writer.region(1, "y");
    limit.rlim_cur = RLIM_INFINITY;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    writer.region(2, "z");
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0) << "the program ended";
  const Definitions read = read_definitions(directory / "d");
  EXPECT_EQ(read.regions.at(0), std::string(60, 'x'));
  EXPECT_EQ(read.regions.at(1), "y");
  EXPECT_EQ(read.regions.at(2), "z");
}

TEST(PortMap, IsShortForRanksInOrder) {
  std::vector<Port> ports(4096);
  for (Port p = 0; p < ports.size(); ++p) ports[p] = p;
  EXPECT_EQ(encode_ports(ports), "0-4095");
  EXPECT_EQ(decode_ports("0-4095", 4096), ports);
  EXPECT_THAT(decode_ports("0-2 7 3", 5), ElementsAre(0, 1, 2, 7, 3));
}

TEST(PortMap, DecodesEncodedPorts) {
  Random random(3);  // any seed: random ports that form runs of different lengths
  for (int round = 0; round < 200; ++round) {
    std::vector<Port> ports(1 + random.below(40));
    for (Port& port : ports) port = static_cast<Port>(random.below(8));
    EXPECT_EQ(decode_ports(encode_ports(ports), static_cast<std::uint32_t>(ports.size())), ports);
  }
}

TEST(PortMap, RejectsOtherText) {
  for (const char* text : {"x", "0-", "-3", "3-1", "0 x", "0-4294967295", "0  1", "0-4"})
    EXPECT_THAT(decode_ports(text, 4), IsEmpty()) << text;
}

}  // namespace
}  // namespace hybrid
