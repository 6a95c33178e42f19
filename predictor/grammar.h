// Grammar: builds a grammar of the stream incrementally with Sequitur (Nevill-Manning and Witten), as PYTHIA
// does to predict MPI calls.
//
// A pair of symbols that occurs twice becomes a rule. Rules are symbols, too, so that nested loops are found
// without a limit on their length. Invariants after every send: no pair of symbols occurs twice in the
// grammar, and every rule is used at least twice. When memory runs out, the second invariant and some pairs
// are given up.
//
// The stream is the expansion of the start rule. Forecast: take the last symbol of the start rule, find
// another occurrence of it (of two known ones, the one with more equal destinations before it), and expect
// the symbols that follow there; at the end of a rule, the symbols that follow another use of this rule. This
// path is followed as long as it is correct. If the last symbol does not occur elsewhere, the last symbol of
// its rule is tried. A single destination is used only as part of a rule, when its successor has occurred
// twice.
//
// Memory is bounded: when no symbols or rules are left, the oldest symbol of the stream is forgotten, with
// the rules that only it uses.
//
// Weak on: programs that vary slightly in each iteration. One stray send ends the rule being followed; it
// takes two sends to find the next one.
//
// State: 39 KiB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "predictor/forecaster.h"
#include "predictor/send_log.h"

namespace hybrid {

class Grammar final : public Forecaster {
 public:
  Grammar();

  void learn(Port destination, std::uint8_t size_class, std::uint64_t site) override;
  std::size_t expect(std::span<Expected> out) override;
  void forget_position() override;
  std::size_t state_bytes() const override { return sizeof(*this); }

  // For tests:
  /// The part of the stream that was not forgotten.
  std::vector<Port> text() const;
  /// Number of rules without the start rule, and of symbols in all rules.
  std::size_t rules() const { return kRules - 1 - free_rules_; }
  std::size_t symbols() const { return kNodes - free_nodes_ - (kRules - free_rules_); }
  /// Number of violations of the invariants: pairs of symbols that occur more than once (without overlap),
  /// rules with a wrong use count, rules used less than twice.
  struct Flaws {
    std::size_t pairs = 0, counts = 0, single_uses = 0;
  };
  Flaws flaws() const;

 private:
  static constexpr std::size_t kNodes = 1920, kRules = 512, kBuckets = 1024, kSeen = 1024;
  static constexpr std::uint16_t kNil = 0xFFFF;
  static constexpr std::size_t kMostDepth = 16, kMostAgreement = 16;
  using Index = std::uint16_t;

  enum class Kind : std::uint16_t { free, terminal, use, guard, separator };
  // The symbols of a rule and its guard form a ring. `symbol`: a destination, or the number of the rule.
  struct Node {
    Index prev = kNil, next = kNil;
    std::uint16_t symbol = 0;
    Index chain = kNil;  // next node in the bucket of the pair that begins at this node
    Kind kind = Kind::free;
  };
  struct Rule {
    Index guard = kNil;  // for a free rule: the next free one
    std::uint16_t uses = 0;
    std::uint32_t length = 0;  // number of destinations in its expansion
    Index seen = kNil;         // the last use that has a successor; may be stale
    Index in_rule = kNil;      // a use in another rule; may be stale
    bool is_alive = false;
  };

  bool is_symbol(Index n) const { return nodes_[n].kind == Kind::terminal || nodes_[n].kind == Kind::use; }
  bool same(Index a, Index b) const {
    return is_symbol(a) && nodes_[a].kind == nodes_[b].kind && nodes_[a].symbol == nodes_[b].symbol;
  }
  Index first(Index rule) const { return nodes_[rules_[rule].guard].next; }
  Index last(Index rule) const { return nodes_[rules_[rule].guard].prev; }
  bool is_guard(Index n) const { return nodes_[n].kind == Kind::guard; }

  std::uint32_t length(Index n) const {
    return nodes_[n].kind == Kind::use ? rules_[nodes_[n].symbol].length : 1;
  }

  Index new_node(Kind kind, std::uint16_t symbol);
  void free_node(Index n);
  Index new_rule();
  void free_rule(Index rule);

  std::size_t bucket(Index n) const;
  Index find_pair(Index n) const;
  void enter_pair(Index n);
  void remove_pair(Index n);

  void join(Index left, Index right);
  void insert_after(Index at, Index n);
  void remove(Index n);
  void substitute(Index n, Index rule);
  bool check(Index n);
  void match(Index n, Index other);
  void expand(Index n);
  void forget_oldest();

  Index& seen_place(Port destination) { return seen_[destination % kSeen]; }
  bool is_use(Index n, Index rule) const {
    return n != kNil && nodes_[n].kind == Kind::use && nodes_[n].symbol == rule;
  }
  std::size_t agreement(Index n, std::uint32_t before) const;
  Index following_elsewhere(Index n) const;
  void renew_path();
  Index following(Index n) const;

  SendLog log_;
  std::array<Node, kNodes> nodes_{};
  std::array<Rule, kRules> rules_{};
  std::array<Index, kBuckets> buckets_{};
  std::array<Index, kSeen> seen_{};  // by destination: a terminal of this destination in a rule
  Index free_node_ = 0, free_rule_ = 0;
  std::size_t free_nodes_ = kNodes, free_rules_ = kRules;

  // The expected destinations, from path_at_ on; the last agreed_ sends agreed with it.
  std::array<std::uint16_t, 64> path_{};
  std::size_t path_at_ = 0, path_end_ = 0;
  std::uint32_t agreed_ = 0;
};

}  // namespace hybrid
