#include "core/zeroed_array.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hybrid {
namespace {

TEST(ZeroedArray, IsZeroAndKeepsWrittenValues) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20}) {
    ZeroedArray<std::uint32_t> array(size);
    ASSERT_TRUE(array.allocated());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += array[i];
    EXPECT_EQ(sum, 0u);
    array[size - 1] = 7;
    const ZeroedArray<std::uint32_t> moved = std::move(array);
    EXPECT_EQ(moved[size - 1], 7u);
  }
}

TEST(ZeroedArray, AllocatesNothingIfEmpty) { EXPECT_FALSE(ZeroedArray<std::uint32_t>{}.allocated()); }

TEST(ZeroedArray, DoesNotTouchUnwrittenPages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t kPages = 64;
  ZeroedArray<std::uint8_t> array(kPages * page);
  array[5 * page + 1] = 1;
  std::vector<unsigned char> there(kPages);
  ASSERT_EQ(mincore(&array[0], kPages * page, there.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char one : there) resident += one & 1;
  EXPECT_EQ(there[5] & 1, 1);
  EXPECT_LT(resident, kPages / 2);
}

}  // namespace
}  // namespace hybrid
