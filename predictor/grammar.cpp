#include "predictor/grammar.h"

#include <algorithm>
#include <map>
#include <utility>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"

namespace hybrid {

namespace {

constexpr std::uint16_t kStart = 0;
// A send needs one symbol, and a new rule at most five, of which four become free at once.
constexpr std::size_t kSpareNodes = 32, kSpareRules = 8, kNodesOfRule = 5;

}  // namespace

Grammar::Grammar() {
  for (std::size_t n = 0; n < kNodes; ++n) nodes_[n].next = n + 1 < kNodes ? static_cast<Index>(n + 1) : kNil;
  for (std::size_t r = 0; r < kRules; ++r)
    rules_[r].guard = r + 1 < kRules ? static_cast<Index>(r + 1) : kNil;
  buckets_.fill(kNil);
  seen_.fill(kNil);
  new_rule();
}

Grammar::Index Grammar::new_node(Kind kind, std::uint16_t symbol) {
  const Index n = free_node_;
  free_node_ = nodes_[n].next;
  --free_nodes_;
  nodes_[n] = {kNil, kNil, symbol, kNil, kind};
  if (kind == Kind::use) ++rules_[symbol].uses;
  return n;
}

void Grammar::free_node(Index n) {
  nodes_[n] = {kNil, free_node_, 0, kNil, Kind::free};
  free_node_ = n;
  ++free_nodes_;
}

Grammar::Index Grammar::new_rule() {
  const Index rule = free_rule_;
  free_rule_ = rules_[rule].guard;
  --free_rules_;
  const Index guard = new_node(Kind::guard, rule);
  nodes_[guard].prev = nodes_[guard].next = guard;
  rules_[rule] = {guard, 0, 0, kNil, kNil, true};
  return rule;
}

// Requires: the rule has no symbols.
void Grammar::free_rule(Index rule) {
  free_node(rules_[rule].guard);
  rules_[rule] = {free_rule_, 0, 0, kNil, kNil, false};
  free_rule_ = rule;
  ++free_rules_;
}

std::size_t Grammar::bucket(Index n) const {
  const Node& a = nodes_[n];
  const Node& b = nodes_[a.next];
  const std::uint64_t pair = std::uint64_t{static_cast<std::uint16_t>(a.kind)} << 48 |
                             std::uint64_t{static_cast<std::uint16_t>(b.kind)} << 32 |
                             std::uint64_t{a.symbol} << 16 | b.symbol;
  return pair * 0x9E3779B97F4A7C15ULL >> 54;
}

Grammar::Index Grammar::find_pair(Index n) const {
  Index other = buckets_[bucket(n)];
  while (other != kNil && !(same(other, n) && same(nodes_[other].next, nodes_[n].next)))
    other = nodes_[other].chain;
  return other;
}

// Requires: the pair is not in the table.
void Grammar::enter_pair(Index n) {
  Index& head = buckets_[bucket(n)];
  nodes_[n].chain = head;
  head = n;
  if (nodes_[n].kind == Kind::use) rules_[nodes_[n].symbol].seen = n;
}

void Grammar::remove_pair(Index n) {
  if (!is_symbol(n) || nodes_[n].next == kNil || !is_symbol(nodes_[n].next)) return;
  Index* link = &buckets_[bucket(n)];
  while (*link != kNil && *link != n) link = &nodes_[*link].chain;
  if (*link != n) return;
  *link = nodes_[n].chain;
  nodes_[n].chain = kNil;
}

void Grammar::join(Index left, Index right) {
  if (nodes_[left].next != kNil) {
    remove_pair(left);
    // Of three equal symbols in a row only one pair is entered; enter the other one instead.
    const auto enter_of_three = [this](Index n) {
      const Index before = nodes_[n].prev, after = nodes_[n].next;
      return before != kNil && after != kNil && same(before, n) && same(n, after);
    };
    if (enter_of_three(right)) {
      const Index other = find_pair(right);
      if (other == nodes_[right].prev) remove_pair(other);
      if (other == kNil || other == nodes_[right].prev) enter_pair(right);
    }
    if (enter_of_three(left) && find_pair(nodes_[left].prev) == kNil) enter_pair(nodes_[left].prev);
  }
  nodes_[left].next = right;
  nodes_[right].prev = left;
}

void Grammar::insert_after(Index at, Index n) {
  join(n, nodes_[at].next);
  join(at, n);
}

void Grammar::remove(Index n) {
  join(nodes_[n].prev, nodes_[n].next);
  remove_pair(n);
  const Node node = nodes_[n];
  free_node(n);
  if (node.kind != Kind::use || --rules_[node.symbol].uses != 0) return;
  while (!is_guard(first(node.symbol))) remove(first(node.symbol));
  free_rule(node.symbol);
}

// Replaces the pair that begins at `n`, the full content of `rule`, by a use of the rule.
void Grammar::substitute(Index n, Index rule) {
  const Index before = nodes_[n].prev;
  const Index use = new_node(Kind::use, rule);
  remove(nodes_[before].next);
  remove(nodes_[before].next);
  insert_after(before, use);
  if (!check(before)) check(nodes_[before].next);
}

// Whether the pair that begins at `n` occurs elsewhere. If so, replaces both by a rule.
bool Grammar::check(Index n) {
  if (!is_symbol(n) || !is_symbol(nodes_[n].next)) return false;
  const Index other = find_pair(n);
  if (other == kNil) {
    enter_pair(n);
    return false;
  }
  if (other == n) return false;
  if (nodes_[other].next != n && nodes_[n].next != other) match(n, other);
  return true;
}

void Grammar::match(Index n, Index other) {
  Index rule;
  const Index end = nodes_[nodes_[other].next].next;
  if (is_guard(nodes_[other].prev) && is_guard(end) && nodes_[end].symbol != kStart) {
    rule = nodes_[nodes_[other].prev].symbol;
    substitute(n, rule);
  } else {
    if (free_rules_ == 0 || free_nodes_ < kNodesOfRule) return;
    rule = new_rule();
    for (const Index from : {n, nodes_[n].next}) {
      const Index copy = new_node(nodes_[from].kind, nodes_[from].symbol);
      insert_after(last(rule), copy);
      (nodes_[copy].kind == Kind::terminal ? seen_place(nodes_[copy].symbol)
                                           : rules_[nodes_[copy].symbol].in_rule) = copy;
    }
    rules_[rule].length = length(n) + length(nodes_[n].next);
    remove_pair(other);
    enter_pair(first(rule));
    substitute(other, rule);
    substitute(n, rule);
  }
  if (!rules_[rule].is_alive) return;
  const Index f = first(rule);
  if (nodes_[f].kind == Kind::use && rules_[nodes_[f].symbol].uses == 1) expand(f);
}

// Replaces `n`, the only use of its rule, by the symbols of the rule.
void Grammar::expand(Index n) {
  const Index before = nodes_[n].prev, after = nodes_[n].next, rule = nodes_[n].symbol;
  const Index f = first(rule), l = last(rule);
  join(before, f);
  remove_pair(n);
  join(l, after);
  free_rule(rule);
  free_node(n);
  if (is_symbol(l) && is_symbol(after) && find_pair(l) == kNil) enter_pair(l);
  if (is_symbol(before) && is_symbol(f) && find_pair(before) == kNil) enter_pair(before);
}

void Grammar::forget_oldest() {
  while ((free_nodes_ < kSpareNodes || free_rules_ < kSpareRules) && !is_guard(first(kStart)))
    remove(first(kStart));
}

void Grammar::learn(Port destination, std::uint8_t, std::uint64_t) {
  log_.push(destination);
  forget_oldest();
  insert_after(last(kStart), new_node(Kind::terminal, static_cast<std::uint16_t>(destination)));
  check(nodes_[last(kStart)].prev);
  if (path_at_ < path_end_ && path_[path_at_] == destination) {
    ++path_at_;
    agreed_ = std::min(agreed_ + 1, 0xFFFFu);
  } else {
    path_at_ = path_end_ = 0;
  }
  renew_path();
}

void Grammar::forget_position() {
  path_at_ = path_end_ = 0;
  forget_oldest();
  if (nodes_[last(kStart)].kind != Kind::separator) insert_after(last(kStart), new_node(Kind::separator, 0));
}

// The symbol after `n`, also beyond the end of its rule; kNil if unknown.
Grammar::Index Grammar::following(Index n) const {
  for (std::size_t depth = 0; depth < kMostDepth; ++depth) {
    const Index next = nodes_[n].next;
    if (is_symbol(next)) return next;
    if (!is_guard(next) || nodes_[next].symbol == kStart) return kNil;
    const Rule& rule = rules_[nodes_[next].symbol];
    n = is_use(rule.seen, nodes_[next].symbol) && is_symbol(nodes_[rule.seen].next) ? rule.seen
                                                                                    : rule.in_rule;
    if (!is_use(n, nodes_[next].symbol)) return kNil;
  }
  return kNil;
}

// The number of destinations before `n`, within its rule, that equal the sends before the send `before`.
std::size_t Grammar::agreement(Index n, std::uint32_t before) const {
  std::array<Index, kMostDepth> uses;
  std::size_t depth = 0, count = 0;
  while (count < kMostAgreement) {
    n = nodes_[n].prev;
    while (depth > 0 && is_guard(n)) n = nodes_[uses[--depth]].prev;
    while (nodes_[n].kind == Kind::use && depth < kMostDepth) {
      uses[depth++] = n;
      n = last(nodes_[n].symbol);
    }
    --before;
    if (nodes_[n].kind != Kind::terminal || !log_.has(before) || log_[before] != nodes_[n].symbol) break;
    ++count;
  }
  return count;
}

// The symbol after another occurrence of the symbol of `n`, which is at the end of the stream.
Grammar::Index Grammar::following_elsewhere(Index n) const {
  const Index symbol = nodes_[n].symbol;
  if (nodes_[n].kind == Kind::terminal) {
    const Index other = seen_[symbol % kSeen];
    return other != kNil && other != n && same(other, n) ? following(other) : kNil;
  }
  const std::uint32_t before = log_.count() - length(n);
  Index best = kNil;
  std::size_t most = 0;
  for (const Index other : {rules_[symbol].seen, rules_[symbol].in_rule}) {
    if (other == n || !is_use(other, symbol)) continue;
    const Index next = following(other);
    if (next == kNil) continue;
    const std::size_t agrees = agreement(other, before);
    if (best != kNil && agrees <= most) continue;
    best = next;
    most = agrees;
  }
  return best;
}

// Keeps the path while it is correct: the path contains the number of turns of a loop, which the last symbol
// may not. Replaces it if the last symbol is longer than the sends that agreed so far; near its end, a
// shorter symbol is enough.
void Grammar::renew_path() {
  const std::size_t left = path_end_ - path_at_;
  const std::uint32_t enough = left == 0 ? 1 : left < 8 ? 4 : left < 32 ? 16 : agreed_ + 1;
  // The longest symbol at the end of the stream that also occurs elsewhere.
  Index at = last(kStart), next = kNil;
  for (std::size_t depth = 0; depth < kMostDepth && is_symbol(at) && length(at) >= enough; ++depth) {
    next = following_elsewhere(at);
    if (next != kNil) break;
    if (nodes_[at].kind != Kind::use) return;
    at = last(nodes_[at].symbol);
  }
  if (next == kNil) return;
  agreed_ = length(at);
  path_at_ = path_end_ = 0;
  const std::size_t most = agreed_ < 16 ? 8 : path_.size();
  std::array<Index, kMostDepth> uses;  // uses of the rules being expanded
  std::size_t depth = 0;
  while (path_end_ < most) {
    while (nodes_[next].kind == Kind::use && depth < kMostDepth) {
      uses[depth++] = next;
      next = first(nodes_[next].symbol);
    }
    if (nodes_[next].kind != Kind::terminal) break;
    path_[path_end_++] = nodes_[next].symbol;
    while (depth > 0 && is_guard(nodes_[next].next)) next = uses[--depth];
    next = depth > 0 ? nodes_[next].next : following(next);
    if (next == kNil) break;
  }
}

std::size_t Grammar::expect(std::span<Expected> out) {
  const std::size_t count = std::min(out.size(), path_end_ - path_at_);
  const auto confidence = static_cast<std::uint8_t>(std::min(255u, 112 + 16 * agreed_));
  for (std::size_t i = 0; i < count; ++i)
    out[i] = {path_[path_at_ + i], confidence, static_cast<std::uint8_t>(i + 1)};
  return count;
}

std::vector<Port> Grammar::text() const {
  std::vector<Port> text;
  const auto append = [&](const auto& self, Index rule) -> void {
    for (Index n = first(rule); !is_guard(n); n = nodes_[n].next) {
      if (nodes_[n].kind == Kind::terminal) text.push_back(nodes_[n].symbol);
      if (nodes_[n].kind == Kind::use) self(self, nodes_[n].symbol);
    }
  };
  append(append, kStart);
  return text;
}

Grammar::Flaws Grammar::flaws() const {
  Flaws flaws;
  using Symbol = std::pair<Kind, std::uint16_t>;
  std::map<std::pair<Symbol, Symbol>, Index> pairs;
  std::map<Index, std::size_t> uses;
  const auto symbol = [this](Index n) { return Symbol{nodes_[n].kind, nodes_[n].symbol}; };
  for (Index rule = 0; rule < kRules; ++rule) {
    if (!rules_[rule].is_alive) continue;
    for (Index n = first(rule); !is_guard(n); n = nodes_[n].next) {
      if (nodes_[n].kind == Kind::use) ++uses[nodes_[n].symbol];
      if (!is_symbol(n) || !is_symbol(nodes_[n].next)) continue;
      const auto [found, is_new] = pairs.try_emplace({symbol(n), symbol(nodes_[n].next)}, n);
      if (!is_new && nodes_[found->second].next != n) ++flaws.pairs;
    }
  }
  for (Index rule = 1; rule < kRules; ++rule) {
    if (!rules_[rule].is_alive) continue;
    if (uses[rule] != rules_[rule].uses) ++flaws.counts;
    if (uses[rule] < 2) ++flaws.single_uses;
  }
  return flaws;
}

namespace {

const PredictorRegistration kGrammar{"grammar",
                                     "expects the next symbols of a grammar of the stream (Sequitur)",
                                     [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                       return std::make_unique<ForecastPredictor>(
                                           "grammar", shape, std::make_unique<Grammar>());
                                     },
                                     {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
