#include "core/hints/cartesian.h"

#include <algorithm>

namespace hybrid {
namespace {

// The factorization of `nodes` into `count` descending factors with the smallest difference between the first
// and the last factor, then with the smallest sum.
class Balance {
 public:
  Balance(std::int64_t nodes, std::size_t count) : count_(count) { extend(nodes, nodes); }

  const std::vector<std::int64_t>& best() const { return best_; }

 private:
  void extend(std::int64_t left, std::int64_t most) {
    const std::size_t missing = count_ - factors_.size();
    if (missing == 1) {
      if (left > most) return;
      factors_.push_back(left);
      if (best_.empty() || is_better()) best_ = factors_;
      factors_.pop_back();
      return;
    }
    // The largest of the missing factors is at least their geometric mean.
    for (std::int64_t factor = std::min(left, most); factor >= 1; --factor) {
      if (left % factor != 0) continue;
      std::int64_t reach = 1;
      for (std::size_t i = 0; i < missing && reach < left; ++i) reach *= factor;
      if (reach < left) return;
      factors_.push_back(factor);
      extend(left / factor, factor);
      factors_.pop_back();
    }
  }

  bool is_better() const {
    const auto spread = [](const std::vector<std::int64_t>& f) { return f.front() - f.back(); };
    if (spread(factors_) != spread(best_)) return spread(factors_) < spread(best_);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += factors_[i] - best_[i];
    return sum < 0;
  }

  const std::size_t count_;
  std::vector<std::int64_t> factors_, best_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> create_dimensions(std::int64_t nodes,
                                                           std::vector<std::int64_t> sizes) {
  std::size_t missing = 0;
  std::int64_t left = nodes;
  for (const std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      ++missing;
    } else {
      if (left % size != 0) return std::nullopt;
      left /= size;
    }
  }
  if (nodes < 1) return std::nullopt;
  if (missing == 0) {
    if (left != 1) return std::nullopt;
    return sizes;
  }
  const Balance balance(left, missing);
  auto next = balance.best().begin();
  for (std::int64_t& size : sizes)
    if (size == 0) size = *next++;
  return sizes;
}

std::vector<std::int64_t> grid_coordinates(std::int64_t rank, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> coordinates(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0; rank /= sizes[d]) coordinates[d] = rank % sizes[d];
  return coordinates;
}

std::optional<std::int64_t> grid_rank(const std::vector<std::int64_t>& coordinates,
                                      const std::vector<std::int64_t>& sizes,
                                      const std::vector<bool>& wraps) {
  if (coordinates.size() != sizes.size()) return std::nullopt;
  std::int64_t rank = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::int64_t at = coordinates[d];
    if (wraps[d]) at = (at % sizes[d] + sizes[d]) % sizes[d];
    if (at < 0 || at >= sizes[d]) return std::nullopt;
    rank = rank * sizes[d] + at;
  }
  return rank;
}

}  // namespace hybrid
