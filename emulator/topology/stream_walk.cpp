#include "emulator/topology/stream_walk.h"

#include <algorithm>

namespace hybrid {

namespace {

/// A node of the path, and the port by which the stream enters it. Its output register holds what the next
/// node sees a clock later.
class BitSerialNode {
 public:
  BitSerialNode(RoutingBitEncoding encoding, NodePort entered, std::uint32_t turning_waits)
      : encoding_(encoding), entered_(entered), turning_waits_(turning_waits) {}

  bool clock(bool in) {
    switch (state_) {
      case State::quiet:
        if (in) state_ = State::routes;
        return false;
      case State::routes:
        left_ = exit_port(encoding_, entered_, in);
        if (entered_ != NodePort::trunk && left_ != NodePort::trunk) waits_ = turning_waits_;
        return connect_after_waiting();
      case State::waits:
        --waits_;
        return connect_after_waiting();
      case State::connected:
        break;
    }
    return in;
  }

  bool connected() const { return state_ == State::connected; }
  NodePort entered() const { return entered_; }
  NodePort left() const { return left_; }

 private:
  enum class State : std::uint8_t { quiet, routes, waits, connected };

  /// The message bit leaves with the last bit that the node removes.
  bool connect_after_waiting() {
    state_ = waits_ > 0 ? State::waits : State::connected;
    return connected();
  }

  RoutingBitEncoding encoding_;
  NodePort entered_, left_ = NodePort::trunk;
  std::uint32_t turning_waits_, waits_ = 0;
  State state_ = State::quiet;
};

NodePort port_of_child(TreeNode child) { return child % 2 == 0 ? NodePort::right : NodePort::left; }

}  // namespace

std::vector<bool> wire_bits(std::span<const StreamBit> stream, Buffering buffering, Random& open_values) {
  std::vector<bool> bits;
  bits.reserve(stream.size() + 1);
  if (buffering == Buffering::prefix)
    bits.assign(static_cast<std::size_t>(std::count(stream.begin(), stream.end(), StreamBit::buffering)),
                false);
  bits.push_back(true);
  for (const StreamBit bit : stream)
    if (bit != StreamBit::buffering)
      bits.push_back(bit == StreamBit::one);
    else if (buffering == Buffering::mid_stream)
      bits.push_back(open_values.below(2) == 1);
  return bits;
}

StreamWalk walk_stream(std::uint32_t height, Port source, const std::vector<bool>& bits,
                       RoutingBitEncoding encoding, Buffering buffering) {
  StreamWalk walk;
  std::vector<BitSerialNode> nodes;
  std::vector<bool> wire{false};  // wire[i] is what node i sees
  const auto enter = [&](TreeNode node, NodePort port) {
    const auto h = height + 1 - static_cast<std::uint32_t>(std::bit_width(node));
    nodes.emplace_back(encoding, port, buffering == Buffering::mid_stream ? buffering_bits(height, h) : 0);
    walk.nodes.push_back({.node = node, .entered = port});
    wire.push_back(false);
  };
  const TreeNode first_processor = TreeNode{1} << height, start = first_processor + source;
  enter(start / 2, port_of_child(start));
  // At most 2 H nodes, two clocks each, and a wait of 4 H; all of it may begin with the last bit.
  const std::size_t end = bits.size() + std::size_t{8} * height;
  for (std::uint32_t clock = 0; clock < end; ++clock) {
    wire[0] = clock < bits.size() && bits[clock];
    for (std::size_t i = nodes.size(); i-- > 0;) wire[i + 1] = nodes[i].clock(wire[i]);
    if (!nodes.back().connected()) continue;
    NodePassage& passage = walk.nodes.back();
    passage.left = nodes.back().left();
    passage.leaves = clock;
    const TreeNode node = passage.node;
    if (passage.left == NodePort::trunk && node != kTreeRoot) {
      enter(node / 2, port_of_child(node));
      continue;
    }
    const TreeNode child = 2 * node + (passage.left == NodePort::left ? 1 : 0);
    if (passage.left != NodePort::trunk && child < first_processor) {
      enter(child, NodePort::trunk);
      continue;
    }
    walk.arrives = clock + 1;
    if (passage.left != NodePort::trunk) walk.processor = child - first_processor;
    return walk;
  }
  return walk;
}

}  // namespace hybrid
