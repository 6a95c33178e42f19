#include "core/hints/told_connections.h"

#include <gtest/gtest.h>

#include <random>

namespace hybrid {
namespace {

TEST(ToldConnections, AreRunsOfRanksByPhase) {
  EXPECT_EQ(encode_told({{"ring", {1}}, {"all to all", {0, 1, 2, 7}}, {"none", {}}}),
            "0-2,7 all to all\n none\n1 ring\n");
  EXPECT_EQ(encode_told({}), "");
  EXPECT_EQ(encode_told({{"two\nlines", {3}}}), "3 two lines\n");
}

TEST(ToldConnections, ComeBackAsTheyWere) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    ToldConnections told;
    for (int phase = 0; phase < round % 4; ++phase) {
      auto& ranks = told["phase " + std::to_string(phase)];
      for (unsigned i = random() % 20; i > 0; --i) ranks.insert(random() % 40);
    }
    EXPECT_EQ(decode_told(encode_told(told), 40), told) << encode_told(told);
  }
}

TEST(ToldConnections, OtherTextsAreRefused) {
  for (const char* text : {"ring", "1 ring", "1ring\n", "x ring\n", "1, ring\n", "1- ring\n", "3-1 ring\n",
                           "4 ring\n", "0-4 ring\n", "-1 ring\n", "1,,2 ring\n", "99999999999 ring\n", "\n"})
    EXPECT_FALSE(decode_told(text, 4)) << text;
}

}  // namespace
}  // namespace hybrid
