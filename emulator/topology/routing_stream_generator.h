// The circuit that makes a routing bit stream (I 3.4, figures 9 to 17), bit by bit. It consumes one bit of
// each address a clock, H clocks long, then one bit of the message a clock, and gives one bit of the output
// stream for each: a message bit, the routing bit stream, and the message behind it.
//
// The two address registers are one chain of cells, the source's turned round, least significant cell first,
// and the destination's behind it, most significant cell first. A comparator cell compares the bits of one
// significance: it passes a low carry on where its own carry is low and they match. So
//   no carry out          the bits lie above the pivot: each becomes two buffering bits;
//   carry out, none in    the pivot: the source's stays as it is, the destination's is dropped;
//   carry in              below the pivot: the source's is inverted.
// The memo loads the addresses at once, into a bank of H comparators through which the carry ripples; here
// the most significant bits come first and one comparator keeps its carry from clock to clock.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/topology/binary_fat_tree.h"
#include "emulator/topology/routing_stream.h"

namespace hybrid {

class RoutingStreamGenerator {
 public:
  /// For a tree of that height. Throws UserError for a height that no binary fat tree has.
  explicit RoutingStreamGenerator(std::uint32_t height);

  /// A clock of loading: the next bit of both addresses, most significant first. H of them fill the
  /// registers; the one after begins with new addresses.
  void load(bool source_bit, bool destination_bit);

  /// A clock of shifting: takes a bit of the message, gives the bit that leaves. The first is the message bit
  /// which tells a node that a stream begins (I 2.1): a 1, or a 0 where the addresses were equal and there is
  /// no way to lead.
  StreamBit shift(bool message_bit);

 private:
  /// A dual shift cell: a register of one bit, of two for buffering bits, of none where its bit is dropped.
  struct Cell {
    std::array<StreamBit, 2> stage{};
    std::uint8_t stages = 0;
    void set(StreamBit bit, std::uint8_t length);
    StreamBit shift(StreamBit in);
  };
  Cell& source_cell(std::uint32_t significance) { return cells_[1 + significance]; }
  Cell& destination_cell(std::uint32_t significance) { return cells_[2 * height_ - significance]; }

  std::uint32_t height_;
  std::uint32_t to_load_;                              // address bits that are still to come
  bool carry_ = false;                                 // of the comparator: the bits so far differ
  std::array<Cell, 2 * kMostTreeHeight + 1> cells_{};  // [0] holds the message bit; the stream leaves there
};

}  // namespace hybrid
