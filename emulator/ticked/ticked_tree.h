// Reference model of wormhole over a fat tree, without runs, events or instants computed ahead: nodes and
// switches (ticked_tree_switches.h) are evaluated at every picosecond and move single words.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "emulator/ticked/script.h"
#include "emulator/ticked/ticked_tree_switches.h"

namespace hybrid {

class TickedTree {
 public:
  explicit TickedTree(const SwitchParameters& p)
      : p_(p),
        word_(p.word_time().ps),
        nic_(p.nic.delay().ps),
        path_(p.digital_fabric.delay().ps + p.one_way_wire().ps),
        room_(p.buffer == kUnlimited ? 1U << 30 : static_cast<std::size_t>(queue_sizes(p).worms / p.word)),
        nodes_(p.nodes),
        switches_(p, {std::max(word_, p.digital_fabric.cycle.ps), path_, p.scheduler.delay().ps}) {}

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
  using Word = TickedTreeSwitches::Word;
  struct Node {
    std::deque<std::pair<std::int64_t, Message>> waiting;
    std::int64_t pe_free = 0, link_free = 0;
    std::deque<Word> handing, queue;
  };

  void tick() {
    for (Port i = 0; i < p_.nodes; ++i) offer(i);
    switches_.free_ports(t_, [](std::int64_t at) { return at; });
    switches_.make_requests(t_);
    if (t_ % p_.scheduler.cycle.ps == 0) switches_.pass(t_);
    for (bool moved = true; moved;) {
      moved = false;
      for (Port i = 0; i < p_.nodes; ++i) {
        moved = pe_word(i) || moved;
        moved = link_word(i) || moved;
      }
      moved = switches_.move_words(t_, [this](const Word& word) {
        if (word.last) arriving_[t_ + path_ + nic_].push_back(word.message);
      }) || moved;
    }
    const auto found = arriving_.find(t_);
    if (found == arriving_.end()) return;
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
        n.handing.push_back({0, message.id, message.connection, payload == 0 && k + 1 == words,
                             k == 0 ? words : 0, made_by(p_, k, body)});
    }
  }
  bool pe_word(Port i) {
    Node& n = nodes_[i];
    if (n.handing.empty() || earliest_entry(p_, n.handing.front().made_by, n.pe_free) > t_ ||
        n.queue.size() >= room_)
      return false;
    Word word = n.handing.front();
    word.at = t_;
    n.queue.push_back(word);
    n.handing.pop_front();
    n.pe_free = next_payload(p_, word.made_by, n.pe_free, t_);
    if (word.last) outcomes_[word.message].injected = Time{t_};
    return true;
  }
  bool link_word(Port i) {
    Node& n = nodes_[i];
    if (n.link_free > t_ || n.queue.empty() || n.queue.front().at + nic_ > t_) return false;
    if (!switches_.has_place(t_, n.queue.front().connection)) return false;
    switches_.put(t_, n.queue.front());
    n.queue.pop_front();
    n.link_free = t_ + word_;
    return true;
  }

  SwitchParameters p_;
  std::int64_t word_, nic_, path_;
  std::size_t room_;
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<Node> nodes_;
  TickedTreeSwitches switches_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
};

}  // namespace hybrid
