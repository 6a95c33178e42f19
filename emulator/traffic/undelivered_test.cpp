#include "emulator/traffic/undelivered.h"

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

std::string message_of(const SwitchParameters& p, std::uint64_t quiet_steps) {
  try {
    throw_undelivered("3 of 8 messages", p, nanoseconds(40), quiet_steps);
  } catch (const RunError& error) {
    return error.what();
  }
}

TEST(Undelivered, TheSuggestedFixFitsTheTechnique) {
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    SwitchParameters p;
    p.technique = technique;
    EXPECT_THAT(message_of(p, kStuckSteps),
                AllOf(HasSubstr("3 of 8 messages are not delivered by technique " + p.technique +
                                " (40ns of emulated time), and none has arrived in the last 67108864 steps"),
                      HasSubstr("smaller messages"), Not(HasSubstr("--"))));
    EXPECT_THAT(message_of(p, 0), AllOf(HasSubstr("3 of 8 messages cannot be delivered by technique"),
                                        HasSubstr("please report it"), Not(HasSubstr("--"))));
    p.preload = p.slots;
    EXPECT_EQ(message_of(p, 0).find("--technique hybrid") != std::string::npos, technique == "tdm");
  }
}

}  // namespace
}  // namespace hybrid
