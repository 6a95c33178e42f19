#include "emulator/scheduler/demand_bound.h"

#include <algorithm>
#include <vector>

namespace hybrid {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPicosecondsPerByteAndBit = 8'000'000'000'000;  // 8 bits a byte, 10^12 ps a second

/// One port's requests, on its side.
struct Line {
  std::vector<Bytes> sizes;  // ascending; then
  std::vector<Wide> up_to;   // the sum of the k smallest
};

class Bound {
 public:
  explicit Bound(const DemandProblem& problem) : problem_(problem), packets_(packet_rate(problem)) {
    lines_.resize(2 * std::size_t{problem.set.ports});
    for (const Request& r : problem.set.requests) {
      if (r.bytes == 0) continue;
      lines_[r.connection.source].sizes.push_back(r.bytes);
      lines_[problem.set.ports + r.connection.destination].sizes.push_back(r.bytes);
    }
    std::erase_if(lines_, [](const Line& line) { return line.sizes.empty(); });
    for (Line& line : lines_) {
      std::sort(line.sizes.begin(), line.sizes.end());
      line.up_to.push_back(0);
      for (const Bytes size : line.sizes) line.up_to.push_back(line.up_to.back() + size);
    }
  }

  Time smallest() const {
    std::int64_t too_short = -1, enough = 1;
    while (!possible(enough)) {
      too_short = enough;
      enough *= 2;
    }
    if (possible(0)) return {};
    while (enough - too_short > 1) {
      const std::int64_t middle = too_short + (enough - too_short) / 2;
      (possible(middle) ? enough : too_short) = middle;
    }
    return {enough};
  }

 private:
  bool possible(std::int64_t time) const {
    const Wide by_packets = Wide{static_cast<std::uint64_t>(time)} * packets_;
    std::uint64_t most = 0;  // connections of the fabric that some port needs
    for (const Line& line : lines_) most = std::max(most, circuits(line, by_packets));
    for (const Line& line : lines_) {
      const std::uint64_t own = circuits(line, by_packets);
      if (own == 0) continue;  // the packet network carries all of it
      const Wide still =
          Wide{problem_.partial ? own : most} * static_cast<std::uint64_t>(problem_.reconfiguration.ps);
      if (still > static_cast<std::uint64_t>(time)) return false;
      const Wide by_fabric = (static_cast<std::uint64_t>(time) - still) * problem_.link_rate;
      if (line.up_to.back() * kPicosecondsPerByteAndBit > by_fabric + by_packets) return false;
    }
    return true;
  }

  /// How many of the line's requests the packet network cannot carry whole: the largest ones.
  static std::uint64_t circuits(const Line& line, Wide by_packets) {
    const auto past =
        std::upper_bound(line.up_to.begin(), line.up_to.end(), by_packets,
                         [](Wide bits, Wide sum) { return bits < sum * kPicosecondsPerByteAndBit; });
    return static_cast<std::uint64_t>(line.up_to.end() - past);
  }

  const DemandProblem& problem_;
  BitRate packets_;
  std::vector<Line> lines_;  // of both sides, those with requests
};

}  // namespace

Time drain_bound(const DemandProblem& problem) {
  check(problem);
  return Bound(problem).smallest();
}

}  // namespace hybrid
