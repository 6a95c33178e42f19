// Reference model of the worms in the switches of a fat tree, without runs, events or instants computed
// ahead: every switch is evaluated at every picosecond and moves single words, over a separate graph
// (emulator/topology/tree_check.h). It shares only the parameters with the emulator.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/topology/tree_graph.h"

namespace hybrid {

class TickedTreeSwitches {
 public:
  struct Word {
    std::int64_t at = 0;
    std::uint64_t message = 0;
    Connection connection;
    bool last = false;     // of its message
    std::size_t worm = 0;  // words of its worm, on the worm's first word
  };
  struct Fabric {
    std::int64_t spacing, path, setup;
  };

  TickedTreeSwitches(const SwitchParameters& p, Fabric fabric)
      : p_(p),
        graph_(p.tree),
        fabric_(fabric),
        wire_(p.one_way_wire().ps),
        room_(p.buffer == kUnlimited ? 1U << 30 : static_cast<std::size_t>(p.buffer / p.word)) {
    std::size_t switches = 0;
    for (std::uint32_t level = 0; level < graph_.levels(); ++level) switches += graph_.row(level).size();
    switches_.resize(switches);
    for (Switch& s : switches_) {
      s.inputs.resize(p.tree.down + p.tree.up);
      s.outputs.resize(p.tree.down + p.tree.up);
    }
  }

  /// Whether the node knows of a place for a word on connection `c`; put() takes the place.
  bool has_place(std::int64_t now, Connection c) { return first_queue(c).has_place(now, room_); }
  void put(std::int64_t now, Word word) {
    word.at = now + wire_;
    first_queue(word.connection).take(word);
  }

  /// Frees the ports of worms that have left, then makes the requests of worms that have arrived.
  void make_requests(std::int64_t now) {
    for (Switch& s : switches_)
      for (Input& input : s.inputs)
        if (input.busy && input.left == 0 && input.free == now) {
          input.busy = false;
          s.outputs[input.output].busy = false;
        }
    for (Switch& s : switches_)
      for (Input& input : s.inputs)
        for (auto& [key, q] : input.queues) {
          if (q.requested || q.words.empty() || q.words.front().worm == 0) continue;
          const std::size_t flit =
              std::min({static_cast<std::size_t>(p_.flit / p_.word), q.words.front().worm, room_});
          q.requested = q.words.size() >= flit && q.words[flit - 1].at <= now;
        }
  }

  /// Number of inputs of a level's switches at which a worm requests or holds an output.
  std::uint32_t inputs_with_worms(std::uint32_t level) const {
    std::uint32_t count = 0;
    for (const std::uint32_t at : graph_.row(level))
      for (const Input& input : switches_[at].inputs) {
        bool has_worm = input.busy;
        for (const auto& [key, q] : input.queues) has_worm = has_worm || q.requested;
        count += has_worm ? 1 : 0;
      }
    return count;
  }

  void pass(std::int64_t now) {
    for (std::uint32_t at = 0; at < switches_.size(); ++at) pass(now, at);
  }

  /// Moves words that can start now. Calls out(word) for each word that leaves the tree. Returns whether a
  /// word moved.
  template <class Out>
  bool move_words(std::int64_t now, Out&& out) {
    bool moved = false;
    for (std::uint32_t at = 0; at < switches_.size(); ++at)
      for (Input& input : switches_[at].inputs) moved = move_word(now, at, input, out) || moved;
    return moved;
  }

 private:
  struct Queue {
    std::deque<Word> words;
    std::size_t places_used = 0;       // as the sender knows
    std::deque<std::int64_t> credits;  // on their way to the sender
    bool requested = false;
    bool has_place(std::int64_t now, std::size_t room) {
      for (; !credits.empty() && credits.front() <= now; credits.pop_front()) --places_used;
      return places_used < room;
    }
    void take(const Word& word) {
      ++places_used;
      words.push_back(word);
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

  std::uint32_t output_of(std::uint32_t at, Port destination) const {
    if (const std::uint32_t port = graph_.down_port(at, destination); port != ~0U) return port;
    std::uint32_t digit = destination;
    for (std::uint32_t h = 0; h < graph_.at(at).level; ++h) digit /= p_.tree.up;
    return p_.tree.down + digit % p_.tree.up;
  }
  Queue& queue_for(std::uint32_t at, std::uint32_t input, Port destination) {
    return switches_[at].inputs[input].queues[p_.input_queues == "fifo" ? 0 : output_of(at, destination)];
  }
  Queue& first_queue(Connection c) {
    const std::uint32_t at = graph_.leaf(c.source);
    return queue_for(at, graph_.down_port(at, c.source), c.destination);
  }
  /// Destination of a word that leaves by `output`: a switch and its input, or a node.
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

  void pass(std::int64_t now, std::uint32_t at) {
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
          if (!q.requested || q.words.front().worm == 0 ||
              output_of(at, q.words.front().connection.destination) != o)
            continue;
          input.busy = s.outputs[o].busy = granted = true;
          input.output = o;
          input.left = q.words.front().worm;
          input.free = now + fabric_.setup;
          s.outputs[o].turn = (i + 1) % ports;
          break;
        }
      }
    }
    if (granted) s.first = (s.first + 1) % ports;
  }

  template <class Out>
  bool move_word(std::int64_t now, std::uint32_t at, Input& input, Out&& out) {
    if (!input.busy || input.left == 0 || input.free > now) return false;
    Queue& q = input.queues[p_.input_queues == "fifo" ? 0 : input.output];
    if (q.words.empty() || q.words.front().at > now) return false;
    Word word = q.words.front();
    const To to = across(at, input.output);
    if (to.node) {
      out(word);
    } else {
      Queue& next = queue_for(to.at, to.input, word.connection.destination);
      if (!next.has_place(now, room_)) return false;
      word.at = now + fabric_.path;
      next.take(word);
    }
    q.words.pop_front();
    q.credits.push_back(now + wire_);
    if (--input.left == 0) q.requested = false;
    input.free = now + fabric_.spacing;
    return true;
  }

  SwitchParameters p_;
  TreeGraph graph_;
  Fabric fabric_;
  std::int64_t wire_;
  std::size_t room_;
  std::vector<Switch> switches_;
};

}  // namespace hybrid
