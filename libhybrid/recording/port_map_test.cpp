#include "libhybrid/recording/port_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PortMap, IsShortForRanksInOrder) {
  std::vector<Port> ports(4096);
  for (Port p = 0; p < ports.size(); ++p) ports[p] = p;
  EXPECT_EQ(encode_ports(ports), "0-4095");
  EXPECT_EQ(decode_ports("0-4095", 4096), ports);
  EXPECT_THAT(decode_ports("0-2 7 3", 5), ElementsAre(0, 1, 2, 7, 3));
}

TEST(PortMap, ComesBackWhateverThePlacement) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Port> ports(1 + random.below(40));
    for (Port& port : ports) port = static_cast<Port>(random.below(8));
    EXPECT_EQ(decode_ports(encode_ports(ports), static_cast<std::uint32_t>(ports.size())), ports);
  }
}

TEST(PortMap, DamagedOnesAreNone) {
  for (const char* text : {"x", "0-", "-3", "3-1", "0 x", "0-4294967295", "0  1", "0-4"})
    EXPECT_THAT(decode_ports(text, 4), IsEmpty()) << text;
}

}  // namespace
}  // namespace hybrid
