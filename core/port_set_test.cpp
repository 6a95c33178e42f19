#include "core/port_set.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(PortSet, BehavesLikeAStandardSet) {
  for (std::size_t ports :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{200}}) {
    Random random(ports);
    PortSet set(ports);
    std::set<std::uint32_t> model;
    EXPECT_EQ(set.size(), ports);
    EXPECT_EQ(set.words().size(), (ports + 63) / 64);
    for (int i = 0; i < 3'000; ++i) {
      const auto port = static_cast<std::uint32_t>(random.below(ports));
      ASSERT_EQ(set.test(port), model.contains(port));
      if (random.below(2) == 0) {
        set.set(port);
        model.insert(port);
      } else {
        set.reset(port);
        model.erase(port);
      }
      if (random.below(400) == 0) {
        set.clear();
        model.clear();
      }
      ASSERT_EQ(set.count(), model.size());
      ASSERT_EQ(set.any(), !model.empty());
      std::vector<std::uint32_t> visited;
      for_each_port(std::as_const(set).words(), [&](std::uint32_t p) { visited.push_back(p); });
      ASSERT_EQ(visited, std::vector<std::uint32_t>(model.begin(), model.end())) << "ascending";
    }
  }
}

TEST(PortSet, HasNoBitBeyondItsSize) {
  PortSet set(70);
  for (std::size_t p = 0; p < 70; ++p) set.set(p);
  EXPECT_EQ(set.words()[1], (Word{1} << 6) - 1);
}

TEST(PortSet, ComparesBySizeAndMembers) {
  PortSet a(10), b(10);
  a.set(3);
  EXPECT_FALSE(a == b);
  b.set(3);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(PortSet(10) == PortSet(11));
  EXPECT_EQ(PortSet(), PortSet(0));
  EXPECT_FALSE(PortSet().any());
}

TEST(BitMatrix, BehavesLikeAStandardSet) {
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {5, 64}, {64, 65}, {3, 130}}) {
    Random random(rows * columns);
    BitMatrix matrix(rows, columns);
    std::set<std::pair<std::size_t, std::size_t>> model;
    EXPECT_EQ(matrix.rows(), rows);
    EXPECT_EQ(matrix.columns(), columns);
    for (int i = 0; i < 3'000; ++i) {
      const std::size_t row = random.below(rows), column = random.below(columns);
      ASSERT_EQ(matrix.test(row, column), model.contains({row, column}));
      if (random.below(2) == 0) {
        matrix.set(row, column);
        model.insert({row, column});
      } else {
        matrix.reset(row, column);
        model.erase({row, column});
      }
      ASSERT_EQ(matrix.count(), model.size());
    }
    std::set<std::pair<std::size_t, std::size_t>> visited;
    for (std::size_t r = 0; r < rows; ++r)
      for_each_port(std::as_const(matrix).row(r), [&](std::uint32_t c) { visited.insert({r, c}); });
    EXPECT_EQ(visited, model) << "row by row";
    BitMatrix copy = matrix;
    EXPECT_EQ(copy, matrix);
    copy.clear();
    EXPECT_EQ(copy.count(), 0u);
    EXPECT_EQ(copy == matrix, model.empty());
  }
}

TEST(BitMatrix, GivesItsRowsAsWords) {
  BitMatrix matrix(2, 70);
  matrix.row(1)[1] = 0b10;
  EXPECT_TRUE(matrix.test(1, 65));
  EXPECT_FALSE(matrix.test(0, 65));
  EXPECT_EQ(matrix.row(0).size(), 2u);
}

TEST(Words, AreCounted) {
  static_assert(words_for(0) == 0 && words_for(1) == 1 && words_for(64) == 1 && words_for(65) == 2);
  static_assert(bit_of(0) == 1 && bit_of(63) == Word{1} << 63 && bit_of(64) == 1);
}

}  // namespace
}  // namespace hybrid
