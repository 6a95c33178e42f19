#include "predictor/phase_cut.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace hybrid {

namespace {

// The number of connections used in windows first .. last, for all intervals at once. The unused connections
// of an interval are easier to count: the interval is inside one of the connection's gaps (runs of windows
// without use). Each gap is counted at (begin, end), and an interval sums the gaps that begin no later and
// end no earlier.
class WorkingSetSizes {
 public:
  WorkingSetSizes(const UseHistory::Timeline& timeline, const std::vector<bool>& strays)
      : windows_(timeline.windows.size()), unused_(windows_ * windows_) {
    for (std::size_t u = 0; u < timeline.uses.size(); ++u) {
      if (strays[u]) continue;
      ++connections_;
      std::size_t gap = 0;
      for_each_port(timeline.uses[u].windows, [&](std::size_t w) {
        if (w > gap) ++at(gap, w - 1);
        gap = w + 1;
      });
      if (gap < windows_) ++at(gap, windows_ - 1);
    }
    for (std::size_t first = 0; first < windows_; ++first)
      for (std::size_t last = windows_ - 1; last-- > 0;) at(first, last) += at(first, last + 1);
    for (std::size_t first = 1; first < windows_; ++first)
      for (std::size_t last = 0; last < windows_; ++last) at(first, last) += at(first - 1, last);
  }
  double operator()(std::size_t first, std::size_t last) const {
    return static_cast<double>(connections_ - unused_[first * windows_ + last]);
  }

 private:
  std::uint32_t& at(std::size_t first, std::size_t last) { return unused_[first * windows_ + last]; }

  std::size_t windows_;
  std::uint32_t connections_ = 0;
  std::vector<std::uint32_t> unused_;
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> cheapest_cut(const UseHistory::Timeline& timeline,
                                                                  const std::vector<bool>& strays,
                                                                  const std::vector<double>& shares,
                                                                  double price) {
  const std::size_t windows = timeline.windows.size();
  const WorkingSetSizes size(timeline, strays);
  // cost[w]: cost of the best cut of windows 0 .. w-1; its last stretch begins at begin[w].
  std::vector<double> cost(windows + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(windows + 1);
  cost[0] = 0;
  for (std::size_t end = 1; end <= windows; ++end) {
    for (std::size_t first = 0; first < end; ++first) {
      const double total = cost[first] + size(first, end - 1) * (shares[end] - shares[first] + price);
      if (total < cost[end] * (1 - 1e-12)) {  // rounding errors cause no cut
        cost[end] = total;
        begin[end] = first;
      }
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cut;
  for (std::size_t end = windows; end > 0; end = begin[end])
    cut.emplace_back(static_cast<std::uint32_t>(begin[end]), static_cast<std::uint32_t>(end - 1));
  std::reverse(cut.begin(), cut.end());
  return cut;
}

}  // namespace hybrid
