#include "emulator/topology/routing_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

std::vector<StreamBit> routing_stream(std::uint32_t height, Connection message, RoutingBitEncoding encoding,
                                      LastBufferingBit last) {
  const std::uint32_t t = turn_height(message);
  if (t == 0 || height > kMostTreeHeight || message.source >> height != 0 ||
      message.destination >> height != 0)
    throw UserError(
        fmt::format("routing stream: no message goes from {} to {} in a tree of height {}", message.source,
                    message.destination, height),
        fmt::format("Give two different processors of 0 to 2^height - 1, height up to {}.", kMostTreeHeight));
  const auto bit = [](Port address, std::uint32_t i) { return (address >> i & 1U) != 0; };
  const bool climb = encoding == RoutingBitEncoding::trunk_branch;  // then each bit of the path up is a 1
  const bool pivot = !climb && bit(message.source, t - 1);          // and the pivot a 0

  std::vector<StreamBit> stream;
  stream.reserve(2 * t + buffering_bits(height, t));
  for (std::uint32_t i = 0; i + 1 < t; ++i) stream.push_back(stream_bit(climb || !bit(message.source, i)));
  stream.push_back(stream_bit(pivot));
  stream.insert(stream.end(), buffering_bits(height, t), StreamBit::buffering);
  if (last == LastBufferingBit::repeats_pivot) stream.back() = stream_bit(pivot);
  for (std::uint32_t i = t - 1; i-- > 0;) stream.push_back(stream_bit(bit(message.destination, i)));
  return stream;
}

std::vector<StreamBit> without_buffering(std::span<const StreamBit> stream) {
  std::vector<StreamBit> bits;
  std::copy_if(stream.begin(), stream.end(), std::back_inserter(bits),
               [](StreamBit b) { return b != StreamBit::buffering; });
  return bits;
}

std::vector<StreamBit> reversed_and_inverted(std::span<const StreamBit> stream) {
  std::vector<StreamBit> back(stream.rbegin(), stream.rend());
  for (StreamBit& b : back)
    if (b != StreamBit::buffering) b = stream_bit(b == StreamBit::zero);
  return back;
}

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
