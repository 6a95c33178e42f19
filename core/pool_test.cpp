#include "core/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(Pool, ReusesTheSlotReleasedLastFirst) {
  Pool<int> pool;
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(pool.acquire(), i);
  pool.release(1);
  pool.release(3);
  pool.release(0);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.acquire(), 0u);
  EXPECT_EQ(pool.acquire(), 3u);
  pool.release(2);
  EXPECT_EQ(pool.acquire(), 2u);
  EXPECT_EQ(pool.acquire(), 1u);
  EXPECT_EQ(pool.acquire(), 4u) << "all others are in use";
  EXPECT_EQ(pool.size(), 5u);
  EXPECT_EQ(pool.slots(), 5u);
}

TEST(Pool, AcquireSetsTheValueOfNewAndReusedSlots) {
  Pool<std::string> pool;
  const std::uint32_t index = pool.acquire("first");
  EXPECT_EQ(pool[index], "first");
  pool.release(index);
  EXPECT_EQ(pool.acquire(), index);
  EXPECT_EQ(pool[index], "");
  pool.release(index);
  EXPECT_EQ(pool.acquire("second"), index);
  EXPECT_EQ(pool[index], "second");
}

TEST(Pool, AReusedSlotCanKeepItsValueAndMemory) {
  Pool<std::vector<int>> pool;
  const std::uint32_t index = pool.acquire_as_left(100u, 7);
  EXPECT_EQ(pool[index], std::vector<int>(100, 7));
  const int* const data = pool[index].data();
  pool[index].clear();
  pool.release(index);
  EXPECT_EQ(pool.acquire_as_left(100u, 7), index);
  EXPECT_TRUE(pool[index].empty()) << "the arguments are for a new slot";
  pool[index].resize(50);
  EXPECT_EQ(pool[index].data(), data);
}

TEST(Pool, ReuseNeverMakesASlot) {
  Pool<int> pool;
  EXPECT_EQ(pool.reuse(), Pool<int>::kNone);
  EXPECT_TRUE(pool.empty());
  pool.release(pool.acquire(5));
  EXPECT_EQ(pool.reuse(), 0u);
  EXPECT_EQ(pool[0], 5);
  EXPECT_EQ(pool.reuse(), Pool<int>::kNone);
  EXPECT_EQ(pool.slots(), 1u);
}

TEST(Pool, InADequeReferencesStayValid) {
  Pool<int, std::deque<int>> pool;
  int& first = pool[pool.acquire(1)];
  for (int i = 0; i < 10000; ++i) pool.acquire(i);
  first = 2;
  EXPECT_EQ(pool[0], 2);
}

TEST(Pool, HoldsTypesThatCannotBeCopied) {
  Pool<std::unique_ptr<int>> pool;
  const std::uint32_t index = pool.acquire(std::make_unique<int>(3));
  EXPECT_EQ(*pool[index], 3);
  pool.release(index);
  EXPECT_EQ(pool.acquire(), index);
  EXPECT_EQ(pool[index], nullptr);
}

TEST(Pool, HandlesOfAPoolAreItsIndices) {
  Pool<std::string> pool;
  EXPECT_FALSE(PoolHandle<std::string>{});
  const PoolHandle<std::string> first = pool.acquire_handle("first"), second = pool.acquire_handle("second");
  EXPECT_TRUE(first);
  EXPECT_NE(first, second);
  EXPECT_EQ(first.index, 0u);
  EXPECT_EQ(pool[first] + pool[second], "firstsecond");
  pool.release(first);
  EXPECT_EQ(pool.acquire_handle("third"), first);
}

TEST(Pool, AgreesWithAMapFromIndexToValue) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Pool<std::uint64_t> pool;
    std::map<std::uint32_t, std::uint64_t> reference;
    std::size_t most = 0;
    for (int step = 0; step < 2000; ++step) {
      if (reference.empty() || random.below(2) == 0) {
        const std::uint64_t value = random.below(1000);
        ASSERT_TRUE(reference.emplace(pool.acquire(value), value).second) << "in use already";
      } else {
        const auto any =
            std::next(reference.begin(), static_cast<std::ptrdiff_t>(random.below(reference.size())));
        pool.release(any->first);
        reference.erase(any);
      }
      most = std::max(most, reference.size());
      ASSERT_EQ(pool.size(), reference.size());
      ASSERT_EQ(pool.slots(), most);
      for (const auto& [index, value] : reference) ASSERT_EQ(pool[index], value);
    }
  }
}

}  // namespace
}  // namespace hybrid
