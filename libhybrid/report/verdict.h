// The technique and number of slots that suit a job, with the reason in one sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time.h"
#include "libhybrid/report/comparison.h"

namespace hybrid {

/// A fraction in words: "3.4 %", "34 %", "less than 0.1 %", "0 %".
std::string in_percent(double fraction);

/// in_percent() has no number for a smaller fraction.
inline constexpr double kLeastShown = 0.0005;

/// The measures of an emulated technique that the verdict uses.
struct Contender {
  std::string technique;
  std::uint32_t slots = 0;          // K; 0 for a technique without slots
  Time time{};                      // of the job
  Time communication{}, compute{};  // means over ranks
  std::uint64_t messages = 0;       // through the switch
  std::uint64_t local_messages = 0;
  double hit_rate = 0;
  double utilisation = 0;
  std::optional<Time> network_wait;  // part of `communication`, if known
  std::string loss = {};             // largest_loss() of wait_division.h; "" if unknown
  double over_circuits = 1;          // share of the messages that travel over circuits
  /// Upper bound of the share of messages that find their circuit established and use it: a hit of hybrid may
  /// travel as worms, and a miss may wait for a circuit.
  double circuit_hits() const { return std::min(hit_rate, over_circuits); }
};

/// Whether `a` needs less hardware and control than `b`: wormhole before circuit, tdm and hybrid, then the
/// smaller K.
bool is_simpler(const Contender& a, const Contender& b);

/// Without the wait for the network.
Contender contender(const Measures& measures);
/// The techniques without bounds.
std::vector<Contender> contenders(const std::vector<TechniqueResult>& results);

struct Verdict {
  std::string technique;    // "" if no message crosses the switch
  std::uint32_t slots = 0;  // 0 for a technique without slots
  std::string sentence;
  bool tie = false;  // no technique differs by more than kTie
};

/// A sentence or technique with a capital letter at its begin: "Wormhole", "TDM with K = 4".
std::string capitalised(std::string text);

/// Job times with a relative difference of at most this are a tie: the simplest of these techniques is
/// picked.
inline constexpr double kTie = 0.01;

/// Picks the simplest of the fastest contenders: wormhole before circuit, tdm and hybrid, then the smaller K.
/// If wormhole is not among the fastest, the pick gains more than kTie against it.
/// `slots_needed`: by the largest phase (0: unknown). The sentence compares with wormhole if that is among
/// the contenders, names the bottleneck if the techniques hardly differ, gives the largest loss of the
/// technique that it compares the picked one with, and recommends more slots if the
/// largest phase needs more than were tried. If all contenders are of one technique, it compares with
/// `reference`, which cannot be picked (nullptr: with nothing). No contenders give an empty verdict.
Verdict judge(std::span<const Contender> contenders, std::uint32_t slots_needed,
              const Contender* reference = nullptr);

}  // namespace hybrid
