#include "emulator/tdm/expected_destination.h"

#include <gtest/gtest.h>

#include <memory>

#include "emulator/predictor_shape.h"

namespace hybrid {
namespace {

/// A NIC, source 0, whose predictor expects nothing: its next destination is the last one.
class Nic {
 public:
  explicit Nic(double packet_plane) : Nic(parameters_with(packet_plane)) {}

  /// Sends `bytes` to `destination`, `gap` after the last message. Returns what the switch was informed of.
  Port send(Time gap, Port destination, Bytes bytes = 100) {
    now_ += gap;
    expected.note_send(now_, destination, bytes);
    expected.update(*predictor_, 0, destination);
    return expected.reported();
  }

  ExpectedDestination expected;

 private:
  static SwitchParameters parameters_with(double packet_plane) {
    SwitchParameters p;
    p.predictor = "none";
    p.packet_plane = packet_plane;
    p.reconfiguration = microseconds(1);
    return p;
  }
  explicit Nic(const SwitchParameters& p)
      : expected(p, 0.5, microseconds(10)),
        predictor_(PredictorRegistration::make(p.predictor, predictor_shape(p))) {}

  std::unique_ptr<Predictor> predictor_;
  Time now_{};
};

TEST(ExpectedDestination, FollowsTheNextOneWhileItIsOftenRight) {
  for (const double plane : {0.0, 0.1}) {
    Nic nic(plane);
    Port reported = kNoPort;
    for (int i = 0; i < 60; ++i) reported = nic.send(microseconds(2), static_cast<Port>(1 + i / 10 % 2));
    EXPECT_EQ(reported, 2U);
    EXPECT_EQ(nic.send(microseconds(2), 1), 1U);
  }
}

TEST(ExpectedDestination, IsUnknownWithoutAPlaneIfTheNextOneIsSeldomRight) {
  Nic nic(0);
  Port reported = 1;
  for (int i = 0; i < 60; ++i) reported = nic.send(nanoseconds(100), static_cast<Port>(1 + i % 3));
  EXPECT_EQ(reported, kNoPort);
}

TEST(ExpectedDestination, IsTheOneWithMostBytesIfMessagesFollowEachOtherTooFast) {
  Nic nic(0.1);
  for (int i = 0; i < 300; ++i) {
    const Port reported = nic.send(nanoseconds(100), static_cast<Port>(1 + i % 3), i % 3 == 1 ? 200 : 100);
    if (i > 100) {
      ASSERT_EQ(reported, 2U);
    }
  }
  // Another one must have so many more bytes that its circuit carries more in spite of the reconfiguration.
  for (int i = 0; i < 600; ++i)
    ASSERT_EQ(nic.send(nanoseconds(100), static_cast<Port>(1 + i % 3), i % 3 == 2 ? 210 : 200), 2U);
  Port reported = kNoPort;
  for (int i = 0; i < 600; ++i)
    reported = nic.send(nanoseconds(100), static_cast<Port>(1 + i % 3), i % 3 == 2 ? 300 : 200);
  EXPECT_EQ(reported, 3U);
}

TEST(ExpectedDestination, FindsTheLargestOfMoreDestinationsThanItRemembers) {
  Nic nic(0.1);
  Port reported = kNoPort;
  for (int i = 0; i < 2000; ++i)
    reported = nic.send(nanoseconds(50), i % 4 == 0 ? 7 : static_cast<Port>(100 + i % 99));
  EXPECT_EQ(reported, 7U);
}

TEST(ExpectedDestination, ForgetsAtAPhaseAndAfterAPause) {
  for (const bool phase : {true, false}) {
    Nic nic(0.1);
    for (int i = 0; i < 30; ++i)
      nic.send(nanoseconds(100), static_cast<Port>(1 + i % 3), i % 3 == 1 ? 200 : 100);
    EXPECT_EQ(nic.expected.reported(), 2U);
    if (phase) nic.expected.begin_phase();
    EXPECT_EQ(nic.send(phase ? nanoseconds(100) : microseconds(50), 4, 10), 4U);
  }
}

}  // namespace
}  // namespace hybrid
