// The N x N vectors of the RTL for one pass over a slot: bit u * N + v is (u,v).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// Access to a vector of N x N bits of a Verilated block. Verilator stores bit 0 first, in words of the host.
/// N is a multiple of 8.
template <Port kPorts>
class SlotBits {
 public:
  static constexpr std::size_t kBytes = kPorts / 8;

  template <class Bits>
  static unsigned char* row(Bits& bits, Port u) {
    return reinterpret_cast<unsigned char*>(&bits) + u * kBytes;
  }
  template <class Bits>
  static void set(Bits& bits, Port u, Port v) {
    row(bits, u)[v / 8] |= static_cast<unsigned char>(1U << (v % 8));
  }
  template <class Bits>
  static bool test(Bits& bits, Port u, Port v) {
    return (row(bits, u)[v / 8] >> (v % 8) & 1) != 0;
  }

  /// Sets R, B*, B^(s), a and b of `block` for the pass. The ports from `in.inputs.size()` on are never
  /// requested, so that the rotating priority passes over them.
  template <class Block>
  static void set_pass(Block& block, const SchedulingPass& in) {
    std::memset(&block->request, 0, sizeof block->request);
    std::memset(&block->established, 0, sizeof block->established);
    std::memset(&block->slot, 0, sizeof block->slot);
    for_each_port(in.inputs.words(), [&](Port u) {
      const std::span<const Word> open = in.open.row(u);
      std::memcpy(row(block->request, u), open.data(), std::min(open.size_bytes(), kBytes));
    });
    for_each_port(in.slot.inputs().words(), [&](Port u) {
      const Port v = in.slot.destination_of(u);
      set(block->slot, u, v);
      set(block->established, u, v);
      if (!in.to_release.test(u)) set(block->request, u, v);
    });
    block->a = static_cast<unsigned char>(in.priority.input);
    block->b = static_cast<unsigned char>(in.priority.output);
  }

  /// Calls `visit(v)` for the ones of row u of `bits`, ascending.
  template <class Bits, class Visit>
  static void for_each(Bits& bits, Port u, Visit&& visit) {
    std::array<Word, (kPorts + kWordBits - 1) / kWordBits> words{};
    std::memcpy(words.data(), row(bits, u), kBytes);
    for_each_port(words, visit);
  }
};

}  // namespace hybrid
