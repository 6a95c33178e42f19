#include "emulator/topology/routing_stream_generator.h"

#include <fmt/format.h>

#include "core/error.h"

namespace hybrid {

RoutingStreamGenerator::RoutingStreamGenerator(std::uint32_t height) : height_(height), to_load_(height) {
  if (height < 1 || height > kMostTreeHeight)
    throw UserError(fmt::format("routing stream generator: a height of {}", height),
                    fmt::format("It must be 1 to {}.", kMostTreeHeight));
}

void RoutingStreamGenerator::load(bool source_bit, bool destination_bit) {
  if (to_load_ == 0) to_load_ = height_;
  const bool carry_in = to_load_ < height_ && carry_;
  carry_ = carry_in || source_bit != destination_bit;
  Cell& source = source_cell(--to_load_);
  Cell& destination = destination_cell(to_load_);
  if (!carry_) {
    source.set(StreamBit::buffering, 2);
    destination.set(StreamBit::buffering, 2);
  } else if (!carry_in) {
    source.set(stream_bit(source_bit), 1);
    destination.set(StreamBit::buffering, 0);
  } else {
    source.set(stream_bit(!source_bit), 1);
    destination.set(stream_bit(destination_bit), 1);
  }
  cells_[0].set(stream_bit(carry_), 1);
}

StreamBit RoutingStreamGenerator::shift(bool message_bit) {
  StreamBit bit = stream_bit(message_bit);
  for (std::uint32_t c = 2 * height_ + 1; c-- > 0;) bit = cells_[c].shift(bit);
  return bit;
}

void RoutingStreamGenerator::Cell::set(StreamBit bit, std::uint8_t length) {
  stage.fill(bit);
  stages = length;
}

StreamBit RoutingStreamGenerator::Cell::shift(StreamBit in) {
  if (stages == 0) return in;
  const StreamBit out = stage[stages - 1U];
  if (stages == 2) stage[1] = stage[0];
  stage[0] = in;
  return out;
}

}  // namespace hybrid
