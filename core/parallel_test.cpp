#include "core/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <stdexcept>
#include <vector>

namespace hybrid {
namespace {

TEST(RunParallel, CallsEachIndexOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    std::vector<int> calls(100);
    run_parallel(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    EXPECT_THAT(calls, testing::Each(1)) << threads << " threads";
  }
  run_parallel(0, 4, [](std::size_t) { FAIL() << "nothing to do"; });
}

TEST(RunParallel, OneThreadWorksInOrder) {
  std::vector<std::size_t> order;
  run_parallel(5, 1, [&](std::size_t i) { order.push_back(i); });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(RunParallel, CallsOverlapOnSeveralThreads) {
  std::barrier together(3);  // each call waits for the two others: without three threads the test never ends
  run_parallel(3, 3, [&](std::size_t) { together.arrive_and_wait(); });
}

TEST(RunParallel, RethrowsTheFirstErrorAfterAllCalls) {
  std::array<bool, 4> called{};
  const auto work = [&](std::size_t i) {
    called[i] = true;
    if (i == 1 || i == 2) throw std::runtime_error(i == 1 ? "first" : "second");
  };
  EXPECT_THAT([&] { run_parallel(4, 2, work); },
              testing::ThrowsMessage<std::runtime_error>(testing::StrEq("first")));
  EXPECT_THAT(called, testing::Each(true));
}

}  // namespace
}  // namespace hybrid
