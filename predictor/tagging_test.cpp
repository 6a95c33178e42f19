#include <gtest/gtest.h>

#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::list;
using test_steps::repeated;
using test_steps::score_of;

// A section `site` of a program with sends to `to`.
struct Program {
  std::vector<Port> sends;
  std::vector<std::uint64_t> sites;
  void section(std::uint64_t site, const std::vector<Port>& to) {
    for (Port d : to) {
      sends.push_back(d);
      sites.push_back(site);
    }
  }
};

TEST(Tagging, ExpectsTheSuccessorsOfTheLastUseOfTheTag) {
  const auto p = PredictorRegistration::make("tagging", PredictorShape{.destinations = 16, .capacity = 4});
  const auto send = [&p](Port d, std::uint64_t site) { return list(p->on_send({}, d, 8, site).request); };
  EXPECT_EQ(send(1, 77), (std::vector<Port>{1}));
  EXPECT_EQ(send(2, 77), (std::vector<Port>{2}));
  EXPECT_EQ(send(3, 77), (std::vector<Port>{3}));
  EXPECT_EQ(send(8, 78), (std::vector<Port>{8}));
  EXPECT_EQ(send(9, 78), (std::vector<Port>{9}));
  p->on_flush();
  EXPECT_EQ(send(1, 77), (std::vector<Port>{1, 2, 3, 8}));  // beyond the end of the section
  EXPECT_EQ(send(5, 77), (std::vector<Port>{5, 9})) << "5 instead of 2 is skipped; 3 and 8 are held";
  p->on_flush();
  EXPECT_EQ(send(8, 78), (std::vector<Port>{8, 9, 1, 5}));
}

// The same destinations in each section, in different orders: only the tag determines the next one.
TEST(Tagging, IsBestIfOnlyTheCallSiteDeterminesTheOrder) {
  Program program;
  std::uint64_t random = 12'345;
  for (int i = 0; i < 300; ++i) {
    random = random * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    const auto site = random >> 62;
    const std::vector<std::vector<Port>> orders{
        {0, 1, 2, 3, 4, 5}, {0, 5, 4, 3, 2, 1}, {0, 2, 4, 1, 3, 5}, {0, 3, 1, 5, 2, 4}};
    program.section(site + 1, orders[site]);
    program.section(9, {0});
  }
  const double tagging = score_of("tagging", program.sends, 2, 400, program.sites).hit_rate();
  EXPECT_GT(tagging, 0.8);
  EXPECT_LT(score_of("markov1", program.sends, 2, 400, program.sites).hit_rate(), tagging - 0.3);
}

TEST(Tagging, IsWeakOnAProgramOfOneCallSite) {
  const std::vector<Port> sends = repeated({0, 1, 2, 3, 4, 5}, 100);
  EXPECT_EQ(score_of("tagging", sends, 4).hits, 0u);
  EXPECT_GT(score_of("single-cycle", sends, 4).hit_rate(), 0.98);
}

}  // namespace
}  // namespace hybrid
