// Reference model of the worms in the switches of a fat tree, without runs, events or instants computed
// ahead: every switch is evaluated at every picosecond and moves single words, over a separate graph
// (emulator/topology/tree_check.h). It shares only the parameters with the emulator.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/ticked/worm_words.h"
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
    MadeBy made_by = MadeBy::pe;
  };
  struct Fabric {
    std::int64_t spacing, path, setup;
  };

  TickedTreeSwitches(const SwitchParameters& p, Fabric fabric)
      : p_(p),
        graph_(p.tree),
        fabric_(fabric),
        wire_(p.one_way_wire().ps),
        room_(p.buffer == kUnlimited ? 1U << 30 : static_cast<std::size_t>(queue_sizes(p).input / p.word)) {
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

  /// Frees the ports of worms that have left or, with look-ahead, are known to leave soon. start_at(at)
  /// returns the first start of a word at or after `at` that is known to be possible; -1: none.
  template <class StartAt>
  void free_ports(std::int64_t now, StartAt&& start_at) {
    const std::int64_t lookahead = p_.worm_lookahead ? p_.scheduler.delay().ps : 0;
    for (std::uint32_t at = 0; at < switches_.size(); ++at)
      for (Input& input : switches_[at].inputs) {
        if (!input.busy || (lookahead == 0 && !input.worms.empty())) continue;
        const std::int64_t end = known_end(now, at, input, start_at);
        if (end < 0 || end - lookahead > now) continue;
        input.busy = false;
        switches_[at].outputs[input.output].busy = false;
        if (across(at, input.output).node) departed_.emplace_back(input.source, input.payload);
      }
  }
  /// Makes the requests of worms that have arrived.
  void make_requests(std::int64_t now) {
    for (Switch& s : switches_)
      for (Input& input : s.inputs)
        for (auto& [key, q] : input.queues) {
          if (q.requested || q.words.size() <= q.granted_words) continue;
          const std::size_t flit =
              std::min({static_cast<std::size_t>(p_.flit / p_.word), q.head().worm, room_});
          q.requested =
              q.words.size() >= q.granted_words + flit && q.words[q.granted_words + flit - 1].at <= now;
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

  /// Sources and words of payload of the worms that left the tree at this instant.
  std::vector<std::pair<Port, std::uint64_t>> take_departed() { return std::exchange(departed_, {}); }

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
    std::size_t granted_words = 0;     // at the front: words of granted worms
    bool requested = false;
    std::size_t places(std::int64_t now, std::size_t room) {
      for (; !credits.empty() && credits.front() <= now; credits.pop_front()) --places_used;
      return room - places_used;
    }
    bool has_place(std::int64_t now, std::size_t room) { return places(now, room) > 0; }
    const Word& head() const { return words[granted_words]; }  // of the first worm that is not granted
    void take(const Word& word) {
      ++places_used;
      words.push_back(word);
    }
  };
  struct GrantedWorm {
    std::uint32_t output = 0;
    std::size_t left = 0;
    std::int64_t from = 0;  // earliest start
  };
  struct Input {
    std::map<std::uint32_t, Queue> queues;  // by output; fifo: one
    std::deque<GrantedWorm> worms;          // more than one only with look-ahead
    bool busy = false;
    std::uint32_t output = 0;   // of the last worm that was granted
    Port source = 0;            // also
    std::uint64_t payload = 0;  // also, words
    std::int64_t free = 0;      // end of the last word that left
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

  Queue& queue_of(Input& input, std::uint32_t output) {
    return input.queues[p_.input_queues == "fifo" ? 0 : output];
  }
  /// The end of the last worm granted to `input`; -1: not known yet. All words must be there, and a place for
  /// each in the next queue.
  template <class StartAt>
  std::int64_t known_end(std::int64_t now, std::uint32_t at, Input& input, StartAt&& start_at) {
    std::int64_t end = input.free;
    std::map<const Queue*, std::size_t> next;  // by queue: its next word
    for (const GrantedWorm& worm : input.worms) {
      const Queue& q = queue_of(input, worm.output);
      std::size_t& k = next[&q];
      for (std::size_t left = worm.left; left > 0; --left, ++k) {
        if (k >= q.words.size() || q.words[k].at > now) return -1;
        end = start_at(std::max({end, worm.from, now}));
        if (end < 0) return -1;
        end += fabric_.spacing;
      }
    }
    if (input.worms.empty()) return end;
    const To to = across(at, input.output);
    if (to.node) return end;
    // Earlier worms of this and other inputs use places of the same queue.
    std::map<const Queue*, std::size_t> wanted;
    for (Input& other : switches_[at].inputs) {
      std::map<const Queue*, std::size_t> k;
      for (const GrantedWorm& worm : other.worms) {
        const Queue& q = queue_of(other, worm.output);
        std::size_t& first = k[&q];
        if (worm.output == input.output)
          wanted[&queue_for(to.at, to.input, q.words[first].connection.destination)] += worm.left;
        first += worm.left;
      }
    }
    const Queue& last = queue_of(input, input.output);
    Queue& ahead = queue_for(to.at, to.input, last.words[last.granted_words - 1].connection.destination);
    return ahead.places(now, room_) >= wanted[&ahead] ? end : -1;
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
          if (!q.requested || output_of(at, q.head().connection.destination) != o) continue;
          input.busy = s.outputs[o].busy = granted = true;
          input.output = o;
          input.source = q.head().connection.source;
          input.payload = q.head().worm - p_.worm_overhead_words;
          input.worms.push_back({o, q.head().worm, now + fabric_.setup});
          q.requested = false;
          q.granted_words += q.head().worm;
          s.outputs[o].turn = (i + 1) % ports;
          break;
        }
      }
    }
    if (granted) s.first = (s.first + 1) % ports;
  }

  template <class Out>
  bool move_word(std::int64_t now, std::uint32_t at, Input& input, Out&& out) {
    if (input.worms.empty() || input.free > now) return false;
    GrantedWorm& worm = input.worms.front();
    if (worm.from > now) return false;
    Queue& q = queue_of(input, worm.output);
    if (q.words.empty() || q.words.front().at > now) return false;
    Word word = q.words.front();
    const To to = across(at, worm.output);
    if (to.node) {
      out(word);
    } else {
      Queue& next = queue_for(to.at, to.input, word.connection.destination);
      if (!next.has_place(now, room_)) return false;
      word.at = now + fabric_.path;
      next.take(word);
    }
    q.words.pop_front();
    --q.granted_words;
    q.credits.push_back(now + wire_);
    if (--worm.left == 0) input.worms.pop_front();
    input.free = now + fabric_.spacing;
    return true;
  }

  SwitchParameters p_;
  TreeGraph graph_;
  Fabric fabric_;
  std::int64_t wire_;
  std::size_t room_;
  std::vector<Switch> switches_;
  std::vector<std::pair<Port, std::uint64_t>> departed_;
};

}  // namespace hybrid
