// A barrier between the phases of a pattern (--phase-barrier; D 4.6.2: "random traffic is not mixed with
// ordered mesh traffic, but in its own phase"). Without it each node changes phase by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/traffic/pattern.h"

namespace hybrid {

/// The sends of a pattern with phases(): a node begins a phase when all messages of all earlier phases are
/// delivered. The phases of a node are counted: each change of Send::phase begins one.
class PhaseBarrier final : public Pattern {
 public:
  /// `pattern` and `rehearsal`: two new patterns of the same shape; the constructor consumes the second.
  PhaseBarrier(std::unique_ptr<Pattern> pattern, Pattern& rehearsal, std::uint32_t nodes)
      : pattern_(std::move(pattern)), nodes_(nodes) {
    std::vector<std::uint64_t> messages;  // by phase, of all nodes
    for (Port source = 0; source < nodes; ++source) {
      Node& node = nodes_[source];
      std::size_t phase = 0;
      for (std::uint64_t left = rehearsal.messages(source); left > 0; --left) {
        const Send send = rehearsal.next(source);
        if (node.phase != send.phase) ++phase;
        node.phase = send.phase;
        if (messages.size() <= phase) messages.resize(phase + 1);
        ++messages[phase];
      }
      node.left = pattern_->messages(source);
      node.phase = 0;
      draw(source);
    }
    std::uint64_t before = 0;
    for (const std::uint64_t of_phase : messages) {
      delivered_before_.push_back(before);
      before += of_phase;
    }
  }

  std::uint64_t messages(Port source) const override { return pattern_->messages(source); }
  Send next(Port source) override {
    const Send send = nodes_[source].next;
    draw(source);
    return send;
  }
  std::vector<std::string> phases() const override { return pattern_->phases(); }
  bool waits() const override { return true; }
  bool ready(Port source) const override {
    return pattern_->ready(source) && delivered_ >= delivered_before_[nodes_[source].count];
  }
  bool received(Port destination, std::uint64_t step) override {
    ++delivered_;
    bool others = pattern_->received(destination, step);
    for (; open_ + 1 < delivered_before_.size() && delivered_ >= delivered_before_[open_ + 1]; ++open_)
      others = true;
    return others;
  }
  std::optional<Known> known(std::uint64_t step) const override { return pattern_->known(step); }

 private:
  struct Node {
    Send next;
    std::uint64_t left = 0;   // not drawn yet
    std::uint32_t phase = 0;  // of `next`
    std::size_t count = 0;    // of phases before that of `next`
  };
  void draw(Port source) {
    Node& node = nodes_[source];
    if (node.left == 0) return;
    --node.left;
    node.next = pattern_->next(source);
    if (node.phase != node.next.phase) ++node.count;
    node.phase = node.next.phase;
  }

  std::unique_ptr<Pattern> pattern_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> delivered_before_;  // by phase: messages of all earlier ones
  std::uint64_t delivered_ = 0;
  std::size_t open_ = 0;  // the phase that nodes may send in
};

}  // namespace hybrid
