// Which of a program's calls sent a message, as far as a trace tells: the communicator and tag, or the
// collective. For predictors that go by call sites (Predictor::on_send).
#pragma once

#include <cstdint>

#include "core/event.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// A reply to a get comes from no call of its rank.
inline constexpr std::uint64_t kNoCallSite = 0;

constexpr std::uint64_t call_site(std::uint32_t communicator, std::int32_t tag) {
  return (std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(tag)) + 1;
}
inline std::uint64_t call_site(const Operation& op) { return call_site(op.communicator, op.tag); }
constexpr std::uint64_t call_site(CollectiveOp op) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(op);
}

}  // namespace hybrid
