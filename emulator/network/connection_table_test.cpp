#include "emulator/network/connection_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>

#include "core/random.h"

namespace hybrid {
namespace {

/// For a table (8 ports) and for rows that grow and shrink.
TEST(ConnectionNumbers, AgreeWithAMap) {
  for (const std::uint32_t ports : {8u, 512u, 513u, 4096u}) {
    ConnectionNumbers numbers(ports);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    Random random(ports);
    for (std::uint32_t step = 1; step <= 20'000; ++step) {
      const auto source = static_cast<std::uint32_t>(random.below(3));
      // For long periods only few destinations, so that rows become empty and fill again.
      const std::uint32_t most = step / 2'000 % 2 == 0 ? 4 : ports;
      const auto destination = static_cast<std::uint32_t>(random.below(most));
      const auto known = expected.find({source, destination});
      ASSERT_EQ(numbers.find(source, destination), known == expected.end() ? 0 : known->second);
      if (random.below(2) == 0) {
        numbers.number_of(source, destination) = step;
        expected[{source, destination}] = step;
      } else {
        numbers.erase(source, destination);
        expected.erase({source, destination});
      }
    }
    for (std::uint32_t source = 0; source < 3; ++source)
      for (std::uint32_t destination = 0; destination < ports; ++destination) {
        const auto known = expected.find({source, destination});
        ASSERT_EQ(numbers.find(source, destination), known == expected.end() ? 0 : known->second);
      }
  }
}

}  // namespace
}  // namespace hybrid
