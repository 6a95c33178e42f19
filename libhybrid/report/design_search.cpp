#include "libhybrid/report/design_search.h"

#include <utility>

namespace hybrid {

DesignSearch::DesignSearch(std::vector<std::size_t> sizes, DesignPoint start, std::size_t whole_space)
    : sizes_(std::move(sizes)), fixed_(sizes_.size()), at_(std::move(start)) {
  std::size_t points = 1;
  for (const std::size_t size : sizes_) {
    if (points > whole_space) return;
    points *= size;
  }
  if (points > whole_space) return;
  DesignPoint point(sizes_.size(), 0);
  for (std::size_t i = 0; i < points; ++i) {
    whole_.push_back(point);
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      if (++point[d] < sizes_[d]) break;
      point[d] = 0;
    }
  }
}

std::vector<DesignPoint> DesignSearch::line(DesignPoint point, std::size_t dimension) const {
  std::vector<DesignPoint> points;
  for (point[dimension] = 0; point[dimension] < sizes_[dimension]; ++point[dimension])
    points.push_back(point);
  return points;
}

std::vector<DesignPoint> DesignSearch::unknown(const std::vector<DesignPoint>& points) const {
  std::vector<DesignPoint> result;
  for (const DesignPoint& point : points)
    if (!times_.contains(point)) result.push_back(point);
  return result;
}

std::vector<DesignPoint> DesignSearch::wanted() {
  if (!times_.contains(at_)) return {at_};
  if (!whole_.empty()) return unknown(whole_);
  while (unchanged_ < sizes_.size()) {
    if (!fixed_[dimension_]) {
      const std::vector<DesignPoint> points = line(at_, dimension_);
      if (auto missing = unknown(points); !missing.empty()) return missing;
      const auto time = time_of(at_);
      // Only a shorter time is an improvement, or a first one.
      const DesignPoint* next = nullptr;
      std::optional<Time> least = time;
      for (const DesignPoint& point : points)
        if (const auto other = time_of(point); other && (!least || *other < *least)) {
          least = other;
          next = &point;
        }
      if (next != nullptr) {
        at_ = *next;
        unchanged_ = 0;
      }
    }
    dimension_ = (dimension_ + 1) % sizes_.size();
    ++unchanged_;
  }
  return {};
}

std::vector<DesignPoint> DesignSearch::around(const DesignPoint& point) const {
  std::vector<DesignPoint> result;
  for (std::size_t d = 0; d < sizes_.size(); ++d)
    for (DesignPoint& other : unknown(line(point, d))) result.push_back(std::move(other));
  return result;
}

void DesignSearch::learn(const DesignPoint& point, std::optional<Time> time) { times_[point] = time; }

void DesignSearch::fix(std::size_t dimension, const DesignPoint& point) {
  fixed_[dimension] = true;
  at_ = point;
  dimension_ = unchanged_ = 0;
}

std::optional<DesignPoint> DesignSearch::best() const {
  std::optional<DesignPoint> best;
  std::optional<Time> least = time_of(at_);
  if (least) best = at_;  // of several equal points the one with known lines
  for (const auto& [point, time] : times_) {
    bool allowed = time.has_value();
    for (std::size_t d = 0; d < fixed_.size(); ++d) allowed = allowed && (!fixed_[d] || point[d] == at_[d]);
    if (!allowed || (least && *time >= *least)) continue;
    least = time;
    best = point;
  }
  return best;
}

std::optional<Time> DesignSearch::time_of(const DesignPoint& point) const {
  const auto found = times_.find(point);
  return found == times_.end() ? std::nullopt : found->second;
}

}  // namespace hybrid
