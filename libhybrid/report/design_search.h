// DesignSearch: finds the point of a finite design space with the shortest time, with few evaluations.
//
// An evaluation is the emulation of a whole job: milliseconds to minutes, exact, and the same each time. So
// results are never evaluated twice, and no model is fitted to them. A space with few points is evaluated
// completely. In a larger one the search descends along the coordinates: all values of one dimension, the
// others fixed, then those of the next, until no dimension improves. The reasons for this and against
// successive halving: a part of a job is a poor sample of it (phases differ, predictors learn), so that
// nothing cheaper than an emulation could discard points early; a line of values can be evaluated in
// parallel; and the last round of lines is the sensitivity of the result to each dimension. The result is a
// point that no change of one dimension improves, not always the best of the space.
//
// The caller evaluates, so that the searches of several spaces can share threads and a budget:
//
//   DesignSearch search({5, 4}, {2, 0}, /*whole_space=*/12);
//   for (auto points = search.wanted(); !points.empty(); points = search.wanted())
//     for (const DesignPoint& point : points) search.learn(point, evaluate(point));
//   use(search.best());
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/time.h"

namespace hybrid {

/// For each dimension the index of a value.
using DesignPoint = std::vector<std::size_t>;

class DesignSearch {
 public:
  /// `sizes`: the number of values of each dimension, at least 1. A space with at most `whole_space` points
  /// is evaluated completely; in a larger one the search starts at `start`.
  DesignSearch(std::vector<std::size_t> sizes, DesignPoint start, std::size_t whole_space);

  /// The points whose times are needed next, the start first, then in lexicographic order along a line.
  /// Empty: the search is finished.
  std::vector<DesignPoint> wanted();
  /// `time`: nothing if the point is impossible.
  void learn(const DesignPoint& point, std::optional<Time> time);

  /// The unknown points that differ from `point` in one dimension, fixed ones included.
  std::vector<DesignPoint> around(const DesignPoint& point) const;

  /// Continues from the point `point`, with the value of `dimension` fixed.
  void fix(std::size_t dimension, const DesignPoint& point);

  /// The known point with the shortest time among those with the fixed values; of several the point that the
  /// search has reached, then the lexicographically first. Nothing if there is none. After a search was ended
  /// early: the best until then.
  std::optional<DesignPoint> best() const;
  /// The time of a point; nothing if it is unknown or impossible.
  std::optional<Time> time_of(const DesignPoint& point) const;

 private:
  /// The points that differ from `point` in `dimension` only, and `point` itself.
  std::vector<DesignPoint> line(DesignPoint point, std::size_t dimension) const;
  std::vector<DesignPoint> unknown(const std::vector<DesignPoint>& points) const;

  std::vector<std::size_t> sizes_;
  std::vector<bool> fixed_;
  std::vector<DesignPoint> whole_;  // all points, if they are evaluated completely
  DesignPoint at_;
  std::size_t dimension_ = 0, unchanged_ = 0;  // dimensions in a row without improvement
  std::map<DesignPoint, std::optional<Time>> times_;
};

}  // namespace hybrid
