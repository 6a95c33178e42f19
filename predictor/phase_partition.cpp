#include "predictor/phase_partition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "predictor/phase_cut.h"
#include "predictor/use_history.h"

namespace hybrid {

namespace {

using Timeline = UseHistory::Timeline;
using WindowSet = UseHistory::WindowSet;
using Stretch = PhasePartition::Stretch;
using Members = std::vector<std::uint32_t>;

// The price of establishing a connection, as a share of the job, and its minimum in windows.
constexpr double kPrice = 1.0 / 40;
constexpr double kPriceWindows = 4;
// Two stretches are alike if the similarity of their sets is at least this fraction of the similarity of the
// halves of either stretch.
constexpr double kAlike = 0.6;

WindowSet windows_between(std::size_t first, std::size_t last) {
  WindowSet set{};
  for (std::size_t w = first; w <= last; ++w) set[w / kWordBits] |= bit_of(w);
  return set;
}

std::uint32_t common_windows(const WindowSet& a, const WindowSet& b) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) n += static_cast<std::uint32_t>(std::popcount(a[i] & b[i]));
  return n;
}

std::uint32_t length(const Stretch& s) { return s.last - s.first + 1; }

// Ports change from one phase to the next at different times, so that the windows near a border contain both
// working sets. This many windows at each side of a border are ignored.
std::uint32_t margin(const Stretch& s) { return length(s) < 5 ? 0 : 1 + length(s) / 8; }

std::size_t common_members(const Members& a, const Members& b) {
  Members common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.size();
}

// Jaccard similarity.
double similarity(const Members& a, const Members& b) {
  if (a.empty() && b.empty()) return 1;
  const std::size_t common = common_members(a, b);
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

// The minimum number of windows in which a member of a set is used, from the counts of all connections: a
// quarter of the median. The median is over uses, not over connections, so that a burst of many connections
// that are used once does not change it.
double least_use(const std::vector<std::uint32_t>& counts) {
  std::array<std::uint64_t, UseHistory::kWindows + 1> uses{};
  std::uint64_t all = 0;
  for (std::uint32_t n : counts) uses[n] += n, all += n;
  std::size_t usual = 0;
  for (std::uint64_t below = uses[0]; below * 2 < all;) below += uses[++usual];
  return static_cast<double>(usual) / 4;
}

class Partitioner {
 public:
  explicit Partitioner(const Timeline& timeline)
      : timeline_(timeline), strays_(find_strays(timeline)), shares_(cumulative_shares(timeline)) {}

  std::vector<Stretch> stretches() const {
    const double price = std::max(kPrice, kPriceWindows / static_cast<double>(timeline_.windows.size()));
    std::vector<Stretch> stretches;
    for (const auto& [first, last] : cheapest_cut(timeline_, strays_, shares_, price))
      stretches.push_back({first, last, 0});
    const auto shorter_than = [&](double least) {
      return [this, least](const Stretch& s) { return share(s) < least; };
    };
    // A burst over many destinations, each used once, has a different set in every window: a run.
    join_short_runs(stretches, shorter_than(price / 2));
    join_short_to_neighbours(stretches, shorter_than(price / 3));
    join_alike_neighbours(stretches);
    name_phases(stretches);
    while (join_loose_end(stretches, price)) name_phases(stretches);
    return stretches;
  }

 private:
  // The data for comparing stretches: the connections used steadily away from the borders, and the fraction
  // of them that is used in both halves.
  struct Profile {
    Members core;
    double stability = 1;
  };

  double share(const Stretch& s) const { return shares_[s.last + 1] - shares_[s.first]; }

  Profile profile(const Stretch& s) const {
    const std::uint32_t first = s.first == 0 ? 0 : s.first + margin(s);
    const std::uint32_t last = s.last + 1 == timeline_.windows.size() ? s.last : s.last - margin(s);
    const std::uint32_t middle = first + (last - first) / 2;
    const WindowSet early = windows_between(first, middle);
    const WindowSet late = windows_between(middle + 1, last);
    std::vector<std::uint32_t> used_early(timeline_.uses.size()), used(timeline_.uses.size());
    for (std::size_t u = 0; u < used.size(); ++u) {
      if (strays_[u]) continue;
      used_early[u] = common_windows(timeline_.uses[u].windows, early);
      used[u] = used_early[u] + common_windows(timeline_.uses[u].windows, late);
    }
    const double enough = least_use(used);
    Profile result;
    std::size_t both = 0;
    for (std::size_t u = 0; u < used.size(); ++u) {
      if (used[u] == 0 || used[u] <= enough) continue;
      result.core.push_back(static_cast<std::uint32_t>(u));
      both += used_early[u] != 0 && used[u] != used_early[u] ? 1 : 0;
    }
    if (first != last && !result.core.empty())
      result.stability = static_cast<double>(both) / static_cast<double>(result.core.size());
    return result;
  }

  // The similarity of two stretches; nullopt if they belong to different phases. If the halves of a stretch
  // differ (irregular traffic, one pass over all destinations), it may differ as much from the other stretch.
  static std::optional<double> alike(const Profile& a, const Profile& b) {
    const double s = similarity(a.core, b.core);
    if (s < kAlike * std::max(a.stability, b.stability)) return std::nullopt;
    return s;
  }

  static void join_with_next(std::vector<Stretch>& stretches, std::size_t i) {
    stretches[i].last = stretches[i + 1].last;
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }

  // Joins runs of short stretches: together they are one stretch without a stable set, such as the start of a
  // job.
  template <class IsShort>
  static void join_short_runs(std::vector<Stretch>& stretches, const IsShort& is_short) {
    std::vector<Stretch> joined;
    bool open = false;  // the last one of `joined` is a run of short stretches
    for (const Stretch& s : stretches) {
      if (open && is_short(s))
        joined.back().last = s.last;
      else
        joined.push_back(s);
      open = is_short(s);
    }
    stretches = std::move(joined);
  }

  template <class IsShort>
  void join_short_to_neighbours(std::vector<Stretch>& stretches, const IsShort& is_short) const {
    while (stretches.size() > 1) {
      const auto shortest =
          std::min_element(stretches.begin(), stretches.end(),
                           [&](const Stretch& a, const Stretch& b) { return share(a) < share(b); });
      if (!is_short(*shortest)) return;
      const auto i = static_cast<std::size_t>(shortest - stretches.begin());
      const Members core = profile(stretches[i]).core;
      const auto with = [&](std::size_t j) { return similarity(core, profile(stretches[j]).core); };
      const bool to_next = i == 0 || (i + 1 < stretches.size() && with(i + 1) > with(i - 1));
      join_with_next(stretches, to_next ? i : i - 1);
    }
  }

  void join_alike_neighbours(std::vector<Stretch>& stretches) const {
    std::vector<Profile> profiles;
    profiles.reserve(stretches.size());
    for (const Stretch& s : stretches) profiles.push_back(profile(s));
    for (;;) {
      std::size_t best = stretches.size();
      double best_similarity = -1;
      for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
        const auto similar = alike(profiles[i], profiles[i + 1]);
        if (similar && *similar > best_similarity) best = i, best_similarity = *similar;
      }
      if (best == stretches.size()) return;
      join_with_next(stretches, best);
      profiles.erase(profiles.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      profiles[best] = profile(stretches[best]);
    }
  }

  // Numbers the phases: each stretch is an occurrence of the phase of the most similar earlier stretch, or of
  // a new phase.
  void name_phases(std::vector<Stretch>& stretches) const {
    std::vector<Profile> profiles;
    std::uint32_t phases = 0;
    for (Stretch& s : stretches) {
      profiles.push_back(profile(s));
      s.phase = phases;
      double best = -1;
      for (std::size_t earlier = 0; earlier + 1 < profiles.size(); ++earlier) {
        const auto similar = alike(profiles.back(), profiles[earlier]);
        if (similar && *similar > best) s.phase = stretches[earlier].phase, best = *similar;
      }
      if (best < 0) ++phases;
    }
    for (std::size_t i = 0; i + 1 < stretches.size();) {
      if (stretches[i].phase == stretches[i + 1].phase)
        join_with_next(stretches, i);
      else
        ++i;
    }
  }

  Members cores_of(std::uint32_t phase, const std::vector<Stretch>& stretches) const {
    Members all;
    for (const Stretch& s : stretches) {
      if (s.phase != phase) continue;
      Members sum;
      const Members core = profile(s).core;
      std::set_union(all.begin(), all.end(), core.begin(), core.end(), std::back_inserter(sum));
      all = std::move(sum);
    }
    return all;
  }

  // Joins one loose end to a neighbour, and returns whether there was one. A loose end is a short stretch
  // - that occurs once, with a set that a neighbour contains, here or in another occurrence of its phase: a
  // loop
  //   that alternates between sets begins and ends with one of them alone, and a short stretch may be
  //   separated from a set that is used once;
  // - or with a set that only both neighbours contain together: ports change from one phase to the next at
  //   different times.
  bool join_loose_end(std::vector<Stretch>& stretches, double price) const {
    for (std::size_t i = 0; i < stretches.size() && stretches.size() > 1; ++i) {
      if (share(stretches[i]) > 2 * price) continue;
      const Members core = profile(stretches[i]).core;
      const auto contain = [&](const Members& set) {
        return common_members(core, set) * 5 >= core.size() * 4;
      };
      const bool is_last = i + 1 == stretches.size();
      const Members previous = i == 0 ? Members{} : cores_of(stretches[i - 1].phase, stretches);
      const Members next = is_last ? Members{} : cores_of(stretches[i + 1].phase, stretches);
      const bool in_previous = i > 0 && contain(previous), in_next = !is_last && contain(next);
      if (in_previous || in_next) {
        const auto is_occurrence = [&](const Stretch& s) { return s.phase == stretches[i].phase; };
        if (std::count_if(stretches.begin(), stretches.end(), is_occurrence) > 1) continue;
      } else {
        Members both;
        std::set_union(previous.begin(), previous.end(), next.begin(), next.end(), std::back_inserter(both));
        if (!contain(both)) continue;
      }
      join_with_next(stretches, i > 0 && (in_previous || !in_next) ? i - 1 : i);
      return true;
    }
    return false;
  }

  const Timeline& timeline_;
  const std::vector<bool> strays_;
  const std::vector<double> shares_;
};

// A typical connection has more than this many times the messages of a rare one.
constexpr double kRare = 8;

// The messages of each connection in the windows, by index of timeline.uses (PhasePartition::Member).
std::vector<double> messages_in(const Timeline& timeline, const WindowSet& windows) {
  std::vector<double> messages;
  messages.reserve(timeline.uses.size());
  for (const UseHistory::Use& use : timeline.uses)
    messages.push_back(static_cast<double>(use.messages) * common_windows(use.windows, windows) /
                       common_windows(use.windows, use.windows));
  return messages;
}

// By connection: whether it has messages, but few.
std::vector<bool> find_rare(const std::vector<double>& messages) {
  std::vector<double> largest_first = messages;
  std::sort(largest_first.begin(), largest_first.end(), std::greater<>());
  const double all = std::accumulate(largest_first.begin(), largest_first.end(), 0.0);
  double typical = 0, sum = 0;  // half of the messages are on connections with at least `typical`
  for (auto m = largest_first.begin(); sum * 2 < all; ++m) sum += typical = *m;
  std::vector<bool> rare;
  rare.reserve(messages.size());
  for (const double m : messages) rare.push_back(m != 0 && m * kRare < typical);
  return rare;
}

// The windows of one phase.
struct PhaseWindows {
  // Windows at one side of a border, and the phase at the other side.
  struct Border {
    WindowSet windows;
    std::uint32_t neighbour;
  };
  WindowSet all{}, inside{};  // inside: away from the borders
  std::vector<Border> borders;
};

std::vector<PhaseWindows> windows_of(const std::vector<Stretch>& stretches) {
  std::vector<PhaseWindows> phases;
  const auto add = [](WindowSet& to, const WindowSet& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] |= more[i];
  };
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& s = stretches[i];
    if (s.phase >= phases.size()) phases.resize(s.phase + 1);
    PhaseWindows& phase = phases[s.phase];
    std::uint32_t first = s.first, last = s.last;
    if (const std::uint32_t width = margin(s); width > 0) {
      if (i > 0) {
        first += width;
        phase.borders.push_back({windows_between(s.first, first - 1), stretches[i - 1].phase});
      }
      if (i + 1 < stretches.size()) {
        last -= width;
        phase.borders.push_back({windows_between(last + 1, s.last), stretches[i + 1].phase});
      }
    }
    add(phase.all, windows_between(s.first, s.last));
    add(phase.inside, windows_between(first, last));
  }
  return phases;
}

std::vector<std::vector<PhasePartition::Member>> working_sets(const Timeline& timeline,
                                                              const std::vector<Stretch>& stretches) {
  const std::vector<PhaseWindows> phases = windows_of(stretches);
  std::vector<std::vector<bool>> steady;  // by phase and connection: used away from the borders, not rarely
  for (const PhaseWindows& phase : phases) {
    const auto messages = messages_in(timeline, phase.inside);
    steady.push_back(find_rare(messages));
    for (std::size_t u = 0; u < messages.size(); ++u)
      steady.back()[u] = messages[u] != 0 && !steady.back()[u];
  }
  std::vector<std::vector<PhasePartition::Member>> sets;
  for (const PhaseWindows& phase : phases) {
    const std::vector<bool> rare = find_rare(messages_in(timeline, phase.all));
    auto& set = sets.emplace_back();
    for (std::uint32_t u = 0; u < timeline.uses.size(); ++u) {
      const auto used_in = [&](const WindowSet& w) {
        return common_windows(timeline.uses[u].windows, w) != 0;
      };
      if (used_in(phase.inside) ||
          std::any_of(phase.borders.begin(), phase.borders.end(), [&](const PhaseWindows::Border& border) {
            return used_in(border.windows) && !steady[border.neighbour][u];
          }))
        set.push_back({u, rare[u]});
    }
  }
  return sets;
}

}  // namespace

PhasePartition partition_into_phases(Timeline timeline) {
  PhasePartition result;
  if (timeline.windows.empty()) return result;
  drop_empty_windows(timeline);
  std::vector<std::size_t> window_of = widen_to_recurrence(timeline);
  const Timeline widened = join_windows(timeline, window_of);
  const Partitioner coarse(widened);
  result.stretches = coarse.stretches();
  move_borders(timeline, window_of, result.stretches);
  result.timeline = join_windows(timeline, window_of);
  result.members = working_sets(result.timeline, result.stretches);
  return result;
}

}  // namespace hybrid
