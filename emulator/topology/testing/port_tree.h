// A binary tree written independently of binary_fat_tree.h and routing_stream.h, from the memo's text alone:
// nodes connected by pointers, each with its ports in clockwise order; processors numbered by a traversal.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class PortTree {
 public:
  struct Node {
    /// Clockwise, with the trunk in the north: the left branch is in the east (left of a message from the
    /// north), the right one in the west.
    std::array<Node*, 3> around{};
    std::uint32_t height = 0;
    Port address = kNoPort;  // of a processor
  };
  static constexpr std::size_t kTrunk = 0, kLeft = 1, kRight = 2;

  explicit PortTree(std::uint32_t height) : root_(grow(height)) { visit(root_); }

  Node* root() { return root_; }
  Node* processor(Port address) { return processors_[address]; }
  std::size_t processors() const { return processors_.size(); }

  static std::size_t port_to(const Node* node, const Node* neighbour) {
    for (std::size_t p = 0; p < 3; ++p)
      if (node->around[p] == neighbour) return p;
    return 3;
  }

  /// Returns the neighbour to which the bit leads out of `node`, entered from `from` (null: through the
  /// root's trunk): 0 right, 1 left.
  static Node* next(const Node* node, const Node* from, bool bit) {
    // The next port clockwise after the port of entry is on the left.
    return node->around[(port_to(node, from) + (bit ? 1 : 2)) % 3];
  }

  /// Follows `bits`, one bit per node, from a node entered from `from`; returns where the last bit leads, or
  /// null if bits are left at a processor.
  static const Node* follow(const Node* from, const Node* node, const std::vector<bool>& bits) {
    for (const bool bit : bits) {
      if (node == nullptr || node->height == 0) return nullptr;  // bits left over
      const Node* to = next(node, from, bit);
      from = node;
      node = to;
    }
    return node;
  }

 private:
  Node* grow(std::uint32_t height) {
    Node* node = &nodes_.emplace_back();
    node->height = height;
    if (height == 0) return node;
    for (const std::size_t port : {kLeft, kRight}) {
      node->around[port] = grow(height - 1);
      node->around[port]->around[kTrunk] = node;
    }
    return node;
  }
  /// In order, the right branch first (I 3.2).
  void visit(Node* node) {
    if (node->height == 0) {
      node->address = static_cast<Port>(processors_.size());
      processors_.push_back(node);
      return;
    }
    visit(node->around[kRight]);
    visit(node->around[kLeft]);
  }

  std::deque<Node> nodes_;
  std::vector<Node*> processors_;
  Node* root_;
};

}  // namespace hybrid
