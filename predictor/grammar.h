// A grammar of the stream, built as it comes: Sequitur (Nevill-Manning and Witten), as PYTHIA uses it to
// foretell MPI calls.
//
// Two symbols in a row that occur twice become a rule, and what occurs twice around rules becomes rules of
// rules: loops within loops are found without a limit to their length. No pair of symbols occurs twice in the
// grammar, and no rule is used but once (two invariants, kept after every send; where memory runs out, the
// second one and some pairs are given up).
//
// The stream is the expansion of the start rule. What is expected: the last symbol of the start rule, another
// place where the same symbol stands, the one of two known that more agrees before it, and what comes after
// it; at the end of a rule, what comes after another use of this rule. This path is followed as long as it is
// right. If the last symbol stands nowhere else, the last symbol within it is tried. A single destination
// expects something only as part of a rule: its successor came twice.
//
// Memory is bounded: when symbols or rules are used up, the stream's oldest symbol is forgotten, and with it
// the rules that nothing else uses.
//
// What defeats it: a program that varies a little each time. One stray send ends the rule that was being
// followed; it takes two sends to be back in one.
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

  /// The end of the stream as the grammar has it: what was not forgotten. For tests.
  std::vector<Port> text() const;
  /// How many rules there are beside the start rule, and symbols in all rules.
  std::size_t rules() const { return kRules - 1 - free_rules_; }
  std::size_t symbols() const { return kNodes - free_nodes_ - (kRules - free_rules_); }
  /// How many pairs of symbols stand in more than one place (without overlap), and how many rules are used
  /// other than they count or less than twice.
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
  // Symbols of a rule form a ring that its guard closes. `symbol`: a destination, or the rule.
  struct Node {
    Index prev = kNil, next = kNil;
    std::uint16_t symbol = 0;
    Index chain = kNil;  // the next node in the bucket of the pair that begins here
    Kind kind = Kind::free;
  };
  struct Rule {
    Index guard = kNil;  // of a free rule: the next free one
    std::uint16_t uses = 0;
    std::uint32_t length = 0;  // destinations that it stands for
    Index seen = kNil;         // the last use of it that something came after; may be gone
    Index in_rule = kNil;      // a use of it in another rule; may be gone
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
  std::array<Index, kSeen> seen_{};  // by destination: a node of a rule that is a terminal of it
  Index free_node_ = 0, free_rule_ = 0;
  std::size_t free_nodes_ = kNodes, free_rules_ = kRules;

  // What is expected, from path_at_ on; agreed_ sends in a row agree with it.
  std::array<std::uint16_t, 64> path_{};
  std::size_t path_at_ = 0, path_end_ = 0;
  std::uint32_t agreed_ = 0;
};

}  // namespace hybrid
