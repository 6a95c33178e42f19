#include "emulator/traffic/not_delivered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "emulator/network/technique.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string told(const SwitchParameters& p, std::uint64_t quiet_steps) {
  try {
    refuse_to_wait("3 of 8 messages", p, nanoseconds(40), quiet_steps);
  } catch (const RunError& error) {
    return error.what();
  }
}

TEST(NotDelivered, TheMendIsOneForTheTechnique) {
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    SwitchParameters p;
    p.technique = technique;
    EXPECT_THAT(told(p, kStalled),
                AllOf(HasSubstr("3 of 8 messages are still on their way by technique " + p.technique +
                                " (40ns of emulated time), and none has come in the last 67108864 steps"),
                      HasSubstr("smaller messages"), Not(HasSubstr("--"))));
    EXPECT_THAT(told(p, 0), AllOf(HasSubstr("3 of 8 messages cannot be delivered by technique"),
                                  HasSubstr("please report it"), Not(HasSubstr("--"))));
    p.preload = p.slots;
    EXPECT_EQ(told(p, 0).find("--technique hybrid") != std::string::npos, technique == "tdm");
  }
}

}  // namespace
}  // namespace hybrid
