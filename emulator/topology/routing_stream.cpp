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
  const bool climb = encoding == RoutingBitEncoding::trunk_branch;  // then each bit of the way up is a 1
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

}  // namespace hybrid
