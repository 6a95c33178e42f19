// Which technique and K suits a job, and why, in one sentence that its own numbers carry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/time.h"

namespace hybrid {

/// What the verdict looks at of one emulated technique.
struct Contender {
  std::string technique;
  std::uint32_t slots = 0;          // K; 0 where the technique has none
  Time time{};                      // of the job
  Time communication{}, compute{};  // means over ranks
  std::uint64_t messages = 0;       // through the switch
  std::uint64_t local_messages = 0;
  double hit_rate = 0;
  double utilisation = 0;
};

struct Verdict {
  std::string technique;    // "" where nothing crosses the switch
  std::uint32_t slots = 0;  // 0 where the technique has none
  std::string sentence;
};

/// Job times closer than this are a tie: the simplest of the tied is named.
inline constexpr double kTie = 0.01;

/// `slots_needed`: of the largest phase (0 unknown). The simplest of the tied best wins: wormhole before
/// circuit, tdm, hybrid, then the smaller K. The sentence compares with wormhole where it is among the
/// contenders, names the bottleneck where the choice hardly matters, and says when more slots than were tried
/// would hold the largest phase. An empty span gives an empty verdict.
Verdict judge(std::span<const Contender> contenders, std::uint32_t slots_needed);

}  // namespace hybrid
