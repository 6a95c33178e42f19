// A clocked block in lock step with its C++ model: a registration in any *_test.cpp file makes the tests
// LockStep.NAME and LockStep.NightlyNAME.
//
//   const LockStepBlock kNQueue{"NQueue", &compare_n_queue};
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace hybrid {

class LockStepBlock {
 public:
  /// Runs both sides for `clocks`. Fails the test at the first clock in which a signal differs.
  using Compare = void (*)(std::uint64_t clocks);

  LockStepBlock(const std::string& name, Compare compare) {
    add(name, compare, 50'000);
    add("Nightly" + name, compare, 10'000'000);
  }

 private:
  struct Run final : testing::Test {
    Run(Compare to_compare, std::uint64_t of_clocks) : compare(to_compare), clocks(of_clocks) {}
    void TestBody() override { compare(clocks); }
    Compare compare;
    std::uint64_t clocks;
  };
  static void add(const std::string& name, Compare compare, std::uint64_t clocks) {
    testing::RegisterTest("LockStep", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> testing::Test* { return new Run(compare, clocks); });
  }
};

}  // namespace hybrid
