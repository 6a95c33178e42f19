#include "emulator/traffic/load_bound.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace hybrid {
namespace {

double bound(const std::string& name, std::uint32_t nodes) {
  return load_bound(*PatternRegistration::make(name, PatternShape{.nodes = nodes}), nodes);
}

TEST(LoadBound, IsTheMeanOverTheBusiestPort) {
  EXPECT_DOUBLE_EQ(bound("neighbor", 16), 1.0);
  EXPECT_DOUBLE_EQ(bound("all-to-all", 9), 1.0);
  EXPECT_DOUBLE_EQ(bound("scatter", 10), 0.1) << "one port sends all";
  EXPECT_DOUBLE_EQ(bound("ordered-mesh", 16), 0.75) << "4 x 4: 48 of 64 neighbours, 4 at the inner nodes";
  EXPECT_LT(bound("hotspot", 16), 0.3) << "one in four messages goes to one of 16 ports";
}

}  // namespace
}  // namespace hybrid
