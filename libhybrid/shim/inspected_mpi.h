// What inspectors learn of MPI (libhybrid/shim/inspection.h): only of communicators that the recording knows,
// and with arguments that were checked before. Wrong values, which speculation may compute, never reach MPI.
#pragma once

#include "libhybrid/shim/inspection.h"

namespace hybrid::shim {

/// Precondition of all calls: a recording has begun.
class RecordedMpi final : public InspectedMpi {
 public:
  std::optional<std::int32_t> answer(std::uint32_t what, std::span<const std::int32_t> arguments) override;
  std::int32_t world_rank(std::int32_t communicator, std::int32_t peer) override;
};

}  // namespace hybrid::shim
