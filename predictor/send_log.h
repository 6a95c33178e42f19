// SendLog: the last destinations of a stream of sends, by the number of the send. For forecasters of
// repetitions.
//
// Sends are numbered modulo 2^32. An older number may be mistaken for a recent one; the only effect is a
// wrong forecast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/connection.h"

namespace hybrid {

class SendLog {
 public:
  static constexpr std::uint32_t kLength = 4096;  // 8 KiB

  void push(Port destination) { log_[count_++ % kLength] = static_cast<std::uint16_t>(destination); }
  /// The number of the next send.
  std::uint32_t count() const { return count_; }
  /// Whether send `number` is in the log.
  bool has(std::uint32_t number) const { return count_ - number - 1 < kLength; }
  Port operator[](std::uint32_t number) const { return log_[number % kLength]; }

 private:
  std::array<std::uint16_t, kLength> log_{};
  std::uint32_t count_ = 0;
};

}  // namespace hybrid
