// For tests: wormhole over a fat tree, written without runs, events or certainty ahead: every switch looks at
// every picosecond and moves single words, over a graph of its own (tree_check_for_test.h). It shares with
// the emulator the parameters and nothing else.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "emulator/scheduler/tree_check_for_test.h"
#include "emulator/switching/switching_harness.h"

namespace hybrid {

class TickedTree {
 public:
  explicit TickedTree(const SwitchParameters& p)
      : p_(p),
        graph_(p.tree),
        word_(p.word_time().ps),
        spacing_(std::max(word_, p.digital_fabric.cycle.ps)),
        nic_(p.nic.delay().ps),
        wire_(p.one_way_wire().ps),
        room_(p.buffer == kUnlimited ? 1U << 30 : static_cast<std::size_t>(p.buffer / p.word)),
        nodes_(p.nodes) {
    std::size_t switches = 0;
    for (std::uint32_t level = 0; level < graph_.levels(); ++level) switches += graph_.row(level).size();
    switches_.resize(switches);
    for (Switch& s : switches_) {
      s.inputs.resize(p.tree.down + p.tree.up);
      s.outputs.resize(p.tree.down + p.tree.up);
    }
  }

  std::vector<Outcome> run(const std::vector<Action>& script, std::int64_t give_up) {
    std::size_t messages = 0, next = 0;
    for (const Action& a : script) messages += a.what == Action::What::send ? 1 : 0;
    outcomes_.resize(messages);
    for (t_ = 0; delivered_ < messages && t_ <= give_up; ++t_) {
      for (; next < script.size() && script[next].at.ps == t_; ++next)
        if (script[next].what == Action::What::send)
          nodes_[script[next].message.connection.source].waiting.emplace_back(t_, script[next].message);
      tick();
    }
    return outcomes_;
  }

 private:
  struct Word {
    std::int64_t at = 0;
    std::uint64_t message = 0;
    Port destination = 0;
    bool last = false;
    std::size_t worm = 0;  // words of its worm, on the worm's first word
  };
  struct Queue {
    std::deque<Word> words;
    std::size_t places_used = 0;       // as the sender knows
    std::deque<std::int64_t> credits;  // on their way to the sender
    bool asked = false;
    bool has_place(std::int64_t now, std::size_t room) {
      for (; !credits.empty() && credits.front() <= now; credits.pop_front()) --places_used;
      return places_used < room;
    }
  };
  struct Input {
    std::map<std::uint32_t, Queue> queues;  // by output; fifo: one
    bool busy = false;
    std::uint32_t output = 0;
    std::size_t left = 0;
    std::int64_t free = 0;
  };
  struct Output {
    bool busy = false;
    std::uint32_t turn = 0;
  };
  struct Switch {
    std::vector<Input> inputs;  // down, then up
    std::vector<Output> outputs;
    std::uint32_t first = 0;
  };
  struct Node {
    std::deque<std::pair<std::int64_t, Message>> waiting;
    std::int64_t pe_free = 0, link_free = 0;
    std::deque<Word> handing, queue;
  };

  std::uint32_t output_of(std::uint32_t at, Port destination) const {
    if (const std::uint32_t port = graph_.down_port(at, destination); port != ~0U) return port;
    std::uint32_t digit = destination;
    for (std::uint32_t h = 0; h < graph_.at(at).level; ++h) digit /= p_.tree.up;
    return p_.tree.down + digit % p_.tree.up;
  }
  Queue& queue_for(std::uint32_t at, std::uint32_t input, Port destination) {
    return switches_[at].inputs[input].queues[p_.input_queues == "fifo" ? 0 : output_of(at, destination)];
  }
  /// Where a word goes that leaves by `output`: a switch and its input; or its node.
  struct To {
    bool node;
    std::uint32_t at, input;
  };
  To across(std::uint32_t at, std::uint32_t output) const {
    const auto& s = graph_.at(at);
    if (output >= p_.tree.down) {
      const auto wire = s.up[output - p_.tree.down];
      return {false, wire.to, wire.port};
    }
    const auto wire = s.down[output];
    return {s.level == 0, wire.to, p_.tree.down + wire.port};
  }

  void tick() {
    for (Port i = 0; i < p_.nodes; ++i) offer(i);
    for (Switch& s : switches_)
      for (Input& input : s.inputs)
        if (input.busy && input.left == 0 && input.free == t_) {
          input.busy = false;
          s.outputs[input.output].busy = false;
        }
    for (std::uint32_t at = 0; at < switches_.size(); ++at) ask(at);
    if (t_ % p_.scheduler.cycle.ps == 0)
      for (std::uint32_t at = 0; at < switches_.size(); ++at) pass(at);
    for (bool moved = true; moved;) {
      moved = false;
      for (Port i = 0; i < p_.nodes; ++i) {
        moved = pe_word(i) || moved;
        moved = link_word(i) || moved;
      }
      for (std::uint32_t at = 0; at < switches_.size(); ++at)
        for (Input& input : switches_[at].inputs) moved = fabric_word(at, input) || moved;
    }
    for (auto found = arriving_.find(t_); found != arriving_.end(); found = arriving_.end())
      for (const std::uint64_t id : found->second) {
        outcomes_[id].delivered = Time{t_};
        ++delivered_;
      }
  }

  void offer(Port i) {
    Node& n = nodes_[i];
    if (!n.handing.empty() || n.waiting.empty()) return;
    const auto [sent, message] = n.waiting.front();
    if (t_ != std::max(n.pe_free, sent + p_.word_generation.ps)) return;
    n.waiting.pop_front();
    n.pe_free = t_;
    std::size_t payload = std::max<std::size_t>(1, (message.bytes + p_.word - 1) / p_.word);
    while (payload > 0) {
      const std::size_t body = std::min<std::size_t>(payload, p_.worm_limit / p_.word);
      const std::size_t words = body + p_.worm_overhead_words;
      payload -= body;
      for (std::size_t k = 0; k < words; ++k)
        n.handing.push_back({0, message.id, message.connection.destination, payload == 0 && k + 1 == words,
                             k == 0 ? words : 0});
    }
  }
  void ask(std::uint32_t at) {
    for (Input& input : switches_[at].inputs)
      for (auto& [key, q] : input.queues) {
        if (q.asked || q.words.empty() || q.words.front().worm == 0) continue;
        const std::size_t flit =
            std::min({static_cast<std::size_t>(p_.flit / p_.word), q.words.front().worm, room_});
        q.asked = q.words.size() >= flit && q.words[flit - 1].at <= t_;
      }
  }
  void pass(std::uint32_t at) {
    Switch& s = switches_[at];
    const auto ports = static_cast<std::uint32_t>(graph_.levels() == 1 ? p_.tree.down : s.inputs.size());
    bool granted = false;
    for (std::uint32_t k = 0; k < ports; ++k) {
      const std::uint32_t o = (s.first + k) % ports;
      for (std::uint32_t m = 0; m < ports && !s.outputs[o].busy; ++m) {
        const std::uint32_t i = (s.outputs[o].turn + m) % ports;
        Input& input = s.inputs[i];
        if (input.busy) continue;
        for (auto& [key, q] : input.queues) {
          if (!q.asked || q.words.front().worm == 0 || output_of(at, q.words.front().destination) != o)
            continue;
          input.busy = s.outputs[o].busy = granted = true;
          input.output = o;
          input.left = q.words.front().worm;
          input.free = t_ + p_.scheduler.delay().ps;
          s.outputs[o].turn = (i + 1) % ports;
          break;
        }
      }
    }
    if (granted) s.first = (s.first + 1) % ports;
  }

  bool pe_word(Port i) {
    Node& n = nodes_[i];
    if (n.handing.empty() || n.pe_free > t_ || n.queue.size() >= room_) return false;
    Word word = n.handing.front();
    word.at = t_;
    n.queue.push_back(word);
    n.handing.pop_front();
    n.pe_free = t_ + p_.word_generation.ps;
    if (word.last) outcomes_[word.message].injected = Time{t_};
    return true;
  }
  bool link_word(Port i) {
    Node& n = nodes_[i];
    if (n.link_free > t_ || n.queue.empty() || n.queue.front().at + nic_ > t_) return false;
    const std::uint32_t at = graph_.leaf(i);
    Queue& q = queue_for(at, graph_.down_port(at, i), n.queue.front().destination);
    if (!q.has_place(t_, room_)) return false;
    ++q.places_used;
    q.words.push_back(n.queue.front());
    q.words.back().at = t_ + wire_;
    n.queue.pop_front();
    n.link_free = t_ + word_;
    return true;
  }
  bool fabric_word(std::uint32_t at, Input& input) {
    if (!input.busy || input.left == 0 || input.free > t_) return false;
    Queue& q = input.queues[p_.input_queues == "fifo" ? 0 : input.output];
    if (q.words.empty() || q.words.front().at > t_) return false;
    Word word = q.words.front();
    const To to = across(at, input.output);
    const std::int64_t fabric = p_.digital_fabric.delay().ps + wire_;
    if (!to.node) {
      Queue& next = queue_for(to.at, to.input, word.destination);
      if (!next.has_place(t_, room_)) return false;
      ++next.places_used;
      next.words.push_back(word);
      next.words.back().at = t_ + fabric;
    } else if (word.last) {
      arriving_[t_ + fabric + nic_].push_back(word.message);
    }
    q.words.pop_front();
    q.credits.push_back(t_ + wire_);
    if (--input.left == 0) q.asked = false;
    input.free = t_ + spacing_;
    return true;
  }

  SwitchParameters p_;
  TreeGraph graph_;
  std::int64_t word_, spacing_, nic_, wire_;
  std::size_t room_;
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<Node> nodes_;
  std::vector<Switch> switches_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
};

}  // namespace hybrid
