// Synthetic jobs for tests of the phase finder, streams of messages as in typical MPI programs, and their
// phases.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ostream>
#include <tuple>
#include <vector>

#include "core/connection.h"
#include "core/random.h"
#include "core/time.h"
#include "core/units.h"
#include "predictor/phases.h"

namespace hybrid {

// In the namespace of the types, so that GoogleTest uses them.
inline std::ostream& operator<<(std::ostream& out, Connection c) {
  return out << c.source << ">" << c.destination;
}
inline std::ostream& operator<<(std::ostream& out, const Phase& p) {
  return out << p.name << " " << to_string(p.begin) << "-" << to_string(p.end) << " occurrences "
             << p.occurrences << " messages " << p.messages << " set " << p.working_set.size() << " slots "
             << p.slots_needed;
}

}  // namespace hybrid

namespace hybrid::test_jobs {

struct Message {
  Time at;
  Connection connection;
  Bytes bytes = 0;
};

/// The connections of the messages in one step of a program, in order.
using Step = std::vector<Connection>;

/// Every rank of a periodic w x h grid to its four neighbours.
inline Step halo(std::uint32_t w, std::uint32_t h) {
  Step step;
  for (std::uint32_t direction = 0; direction < 4; ++direction)
    for (std::uint32_t y = 0; y < h; ++y)
      for (std::uint32_t x = 0; x < w; ++x) {
        const std::uint32_t nx = (x + (direction == 0 ? 1 : direction == 1 ? w - 1 : 0)) % w;
        const std::uint32_t ny = (y + (direction == 2 ? 1 : direction == 3 ? h - 1 : 0)) % h;
        step.push_back({y * w + x, ny * w + nx});
      }
  return step;
}

/// Every rank to rank + shift.
inline Step shift(std::uint32_t ranks, std::uint32_t by) {
  Step step;
  for (std::uint32_t r = 0; r < ranks; ++r) step.push_back({r, (r + by) % ranks});
  return step;
}

inline Step all_to_all(std::uint32_t ranks) {
  Step step;
  for (std::uint32_t by = 1; by < ranks; ++by)
    for (Connection c : shift(ranks, by)) step.push_back(c);
  return step;
}

/// Recursive doubling. Requires: `ranks` is a power of two.
inline Step all_reduce(std::uint32_t ranks) {
  Step step;
  for (std::uint32_t bit = 1; bit < ranks; bit <<= 1)
    for (std::uint32_t r = 0; r < ranks; ++r) step.push_back({r, r ^ bit});
  return step;
}

/// Binomial tree from rank 0.
inline Step broadcast(std::uint32_t ranks) {
  Step step;
  for (std::uint32_t bit = std::bit_floor(ranks - 1); bit > 0; bit >>= 1)
    for (std::uint32_t r = 0; r + bit < ranks; r += 2 * bit) step.push_back({r, r + bit});
  return step;
}

/// One plane of LU's lower (forward) or upper sweep: to the east and south, or to the west and north.
inline Step sweep(std::uint32_t w, std::uint32_t h, bool forward) {
  Step step;
  for (std::uint32_t y = 0; y < h; ++y)
    for (std::uint32_t x = 0; x < w; ++x) {
      const std::uint32_t r = y * w + x;
      if (forward && x + 1 < w) step.push_back({r, r + 1});
      if (forward && y + 1 < h) step.push_back({r, r + w});
      if (!forward && x > 0) step.push_back({r, r - 1});
      if (!forward && y > 0) step.push_back({r, r - w});
    }
  return step;
}

inline std::vector<Connection> set_of(std::initializer_list<Step> steps) {
  std::vector<Connection> set;
  for (const Step& step : steps) set.insert(set.end(), step.begin(), step.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

/// A sequence of steps.
class Job {
 public:
  /// Each of the `ranks` ports is delayed by a random constant of up to `lag`. `seed`: of all random choices.
  explicit Job(std::uint32_t ranks, Time lag = {}, std::uint64_t seed = 1) : ranks_(ranks), random_(seed) {
    for (std::uint32_t r = 0; r < ranks; ++r)
      lag_.push_back(
          picoseconds(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(lag.ps) + 1))));
  }
  /// Spreads the messages of `step` over `duration`.
  Job& run(const Step& step, Time duration, Bytes bytes = 1024) {
    for (std::size_t i = 0; i < step.size(); ++i) {
      const Time at = now_ + picoseconds(duration.ps * static_cast<std::int64_t>(i) /
                                         static_cast<std::int64_t>(step.size()));
      messages_.push_back({at + lag_[step[i].source], step[i], bytes});
    }
    now_ += duration;
    return *this;
  }
  Job& compute(Time duration) { return now_ += duration, *this; }
  Job& repeat(int times, const std::function<void(Job&, int)>& body) {
    for (int i = 0; i < times; ++i) body(*this, i);
    return *this;
  }
  /// Adds messages between random ports at random times: `per_thousand` for every thousand messages so far.
  Job& add_strays(std::uint32_t per_thousand) {
    const std::size_t count = messages_.size() * per_thousand / 1000;
    for (std::size_t i = 0; i < count; ++i) {
      const auto source = static_cast<Port>(random_.below(ranks_));
      const auto destination = static_cast<Port>((source + 1 + random_.below(ranks_ - 1)) % ranks_);
      const Time at =
          picoseconds(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(now_.ps))));
      messages_.push_back({at, {source, destination}, 64});
    }
    return *this;
  }
  Time now() const { return now_; }
  Random& random() { return random_; }
  /// In time order; at equal times by connection.
  std::vector<Message> messages() const {
    std::vector<Message> sorted = messages_;
    std::sort(sorted.begin(), sorted.end(), [](const Message& a, const Message& b) {
      return std::tie(a.at, a.connection) < std::tie(b.at, b.connection);
    });
    return sorted;
  }

 private:
  std::uint32_t ranks_;
  Random random_;
  std::vector<Time> lag_;
  std::vector<Message> messages_;
  Time now_{};
};

inline std::vector<Phase> phases_of(const std::vector<Message>& messages, std::uint32_t ranks) {
  PhaseFinder finder(ranks);
  for (const Message& m : messages) finder.send(m.at, m.connection, m.bytes);
  return finder.finish();
}
inline std::vector<Phase> phases_of(const Job& job, std::uint32_t ranks = 16) {
  return phases_of(job.messages(), ranks);
}

inline bool holds(const std::vector<Connection>& set, const std::vector<Connection>& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

/// The working set without its rare connections.
inline std::vector<Connection> frequent(const Phase& phase) {
  std::vector<Connection> set;
  std::set_difference(phase.working_set.begin(), phase.working_set.end(), phase.rare.begin(),
                      phase.rare.end(), std::back_inserter(set));
  return set;
}

}  // namespace hybrid::test_jobs
