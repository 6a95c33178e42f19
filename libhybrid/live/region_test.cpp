#include "libhybrid/live/region.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "core/error.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/testing/shared_memory.h"

namespace hybrid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::uint32_t> kRanks{4, 5, 6};
const std::vector<Port> kPorts{0, 0, 0, 0, 70, 7, 70};

LiveMapping make() { return LiveMapping::create({kRanks, kPorts, 71, 1}); }

TEST(LiveMapping, IsPrivateAndHasARandomName) {
  const LiveMapping a = make(), b = make();
  EXPECT_EQ(a.name().size(), std::string("/hybrid-").size() + 32);
  EXPECT_NE(a.name(), b.name());
  struct stat status{};
  ASSERT_EQ(stat(("/dev/shm" + a.name()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(LiveMapping, EveryRankSeesTheSameMemory) {
  LiveMapping first = make();
  const LiveMapping other = LiveMapping::open(first.name());
  first.unlink();
  LiveRegion& region = *other.region();
  EXPECT_THAT(region.row_ports(), ElementsAre(7, 70));
  EXPECT_EQ(region.rank(0).world_rank, 4u);
  EXPECT_EQ(region.rank(0).row, 1u);
  EXPECT_EQ(region.rank(1).row, 0u);
  EXPECT_EQ(region.rank(2).row, 1u);

  // Only the clients of a row's port see a store of the service, in the second word of a row, too.
  region.row(1)[1].store(bit_of(70));
  LiveClient at_70(first.region(), 2), at_7(first.region(), 1);
  EXPECT_TRUE(at_70.established(70));
  EXPECT_FALSE(at_70.established(6));
  EXPECT_FALSE(at_7.established(70));
  at_70.request(70);
  at_70.preload(5);
  EXPECT_EQ(region.rank(2).changes.load(), 2u);
  EXPECT_EQ(region.requested(2)[1].load(), bit_of(70));
  EXPECT_EQ(region.preloads(2)[0].load(), 5u);
  EXPECT_EQ(region.requested(1)[1].load(), 0u);
}

TEST(LiveMapping, LeavesNothingBehind) {
  const auto before = shared_memory_objects();
  {
    LiveMapping unlinked = make();
    EXPECT_EQ(shared_memory_objects().size(), before.size() + 1);
    unlinked.unlink();
    EXPECT_EQ(shared_memory_objects(), before);
    const LiveMapping forgotten = make();
  }
  EXPECT_EQ(shared_memory_objects(), before);
}

TEST(LiveMapping, RejectsForeignObjects) {
  const auto error_of = [](const std::string& name) -> std::string {
    try {
      LiveMapping::open(name);
    } catch (const RunError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of("/hybrid-absent"), HasSubstr("cannot be opened"));

  const std::string name = "/hybrid-test-" + std::to_string(getpid());
  const auto with = [&](mode_t mode, const std::string& content) {
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT_GE(file, 0);
    EXPECT_EQ(fchmod(file, mode), 0);
    EXPECT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    close(file);
    const std::string error = error_of(name);
    shm_unlink(name.c_str());
    return error;
  };
  LiveMapping good = make();
  const std::string bytes(reinterpret_cast<const char*>(good.region()), good.region()->bytes);
  EXPECT_EQ(with(0600, bytes), "no error");
  EXPECT_THAT(with(0644, bytes), HasSubstr("not a live scheduler's memory of this user"));
  EXPECT_THAT(with(0600, "short"), HasSubstr("not a live scheduler's memory of this user"));
  EXPECT_THAT(with(0600, bytes.substr(0, bytes.size() - 1)), HasSubstr("another version"));
  std::string other_version = bytes;
  other_version[7] = '9';
  EXPECT_THAT(with(0600, other_version), HasSubstr("another version"));
}

TEST(LiveClient, CountsHitsAndMisses) {
  LiveMapping mapping = make();
  LiveClient client(mapping.region(), 0);
  mapping.region()->row(1)[0].store(bit_of(3));
  EXPECT_TRUE(client.count_send(3));
  EXPECT_FALSE(client.count_send(4));
  EXPECT_TRUE(client.count_send(3));
  EXPECT_EQ(mapping.region()->rank(0).hits.load(), 2u);
  EXPECT_EQ(mapping.region()->rank(0).misses.load(), 1u);
  EXPECT_FALSE(LiveClient().active());
  EXPECT_TRUE(client.active());
}

TEST(LiveClient, RepeatedCommandsChangeNothing) {
  LiveMapping mapping = make();
  LiveRank& rank = mapping.region()->rank(0);
  LiveClient client(mapping.region(), 0);
  for (int i = 0; i < 1000; ++i) client.request(1);
  EXPECT_EQ(rank.requests.load(), 1000u);
  EXPECT_EQ(rank.changes.load(), 1u);
  client.release(2);  // was not requested
  EXPECT_EQ(rank.changes.load(), 1u);
  for (int i = 0; i < 1000; ++i) client.preload(70);
  EXPECT_EQ(rank.preload_length.load(), 1u);
  EXPECT_EQ(rank.changes.load(), 2u);
  client.flush();
  EXPECT_EQ(rank.preload_length.load(), 0u);
  for (std::uint32_t w = 0; w < mapping.region()->row_words; ++w) {
    EXPECT_EQ(mapping.region()->requested(0)[w].load(), 0u);
    EXPECT_EQ(mapping.region()->preloaded(0)[w].load(), 0u);
  }
}

}  // namespace
}  // namespace hybrid
