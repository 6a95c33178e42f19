#include "emulator/presets/today.h"

#include <algorithm>

#include "emulator/fabric.h"

namespace hybrid {

namespace {

constexpr Time kAdapter = nanoseconds(300);
constexpr Time kFibre = nanoseconds(50);  // 10 m
constexpr Bytes kWord = 64;
constexpr Bytes kPacketBytes = 4096;
constexpr Bytes kBuffer = Bytes{1} << 20;  // per queue
constexpr std::int64_t kSlotWords = 200;

/// A component with a cycle of one word and the given delay, rounded up to whole cycles.
Clocked pipelined(Time word, Time delay) {
  return {word, static_cast<std::uint32_t>(next_edge(delay, word) / word)};
}

}  // namespace

SwitchParameters packet_switch(std::uint32_t nodes, BitRate rate, Time latency) {
  SwitchParameters p;
  p.nodes = nodes;
  p.link_rate = rate;
  p.word = p.flit = kWord;
  const Time word = p.word_time();
  p.word_generation = word;
  p.nic = pipelined(word, kAdapter);
  p.serialise = p.deserialise = Time{};  // part of the latencies of adapter and switch
  p.cable = kFibre;
  p.scheduler = {word, 1};
  p.digital_fabric = pipelined(word, latency - p.scheduler.delay());
  p.analog_fabric = {word, 0};
  p.worm_limit = kPacketBytes;
  p.worm_overhead_words = 1;
  p.buffer = kBuffer;
  p.slot_length = word * kSlotWords;
  use_our_policy(p);
  return p;
}

void use_fabric(SwitchParameters& p, Time command, Time switching, Time lock) {
  p.reconfiguration_command = command;
  p.reconfiguration_switching = switching;
  p.reconfiguration_lock = lock;
  p.slot_length = std::max(p.slot_length, least_slot_length(p));
  const Time slot = std::max(p.slot_length, p.reconfiguration_parts() * kSlotOfReconfigurations);
  p.predictor_timeout = std::max(p.predictor_timeout, slot * (std::int64_t{p.slots} + 1));
}

}  // namespace hybrid
