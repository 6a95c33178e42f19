// Results of completed loops (HYBRID_AFTER, HYBRID_ENTRY): values after the last turn, and tables that a loop
// fills.
#include <algorithm>
#include <utility>

#include "core/hints/evaluation.h"

namespace hybrid {

// Iterates over the turns of a loop. Saves the values known outside of the loop, and restores them at the
// end.
class HintEvaluator::Turns {
 public:
  Turns(HintEvaluator& evaluator, const hybrid_loop& loop)
      : at_(evaluator), loop_(loop), depth_(at_.running_.size()), now_(at_.now_), next_(loop.variable_count) {
    at_.running_.push_back({loop.first_variable, loop.variable_count, true});
    if (at_.saved_.size() <= depth_)
      at_.saved_.push_back({std::vector<std::optional<std::int64_t>>(at_.known_.size()),
                            std::vector<std::uint64_t>(at_.marked_.size())});
    swap_known();
    for (std::uint32_t i = 0; i < loop.variable_count; ++i)
      before_.push_back(at_.variables_[loop.first_variable + i]);
    if (at_.count_turn()) step(&hybrid_variable::first);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() {
    std::copy(before_.begin(), before_.end(), variables());
    swap_known();
    at_.now_ = now_;
    at_.running_.pop_back();
  }

  // Whether there is another turn; nullopt if that is unknown or the limit of turns is reached.
  std::optional<bool> has_next() {
    if (loop_.condition == HYBRID_NONE || !at_.count_turn()) return std::nullopt;
    const auto condition = at_.visit(loop_.condition);
    if (!condition) return std::nullopt;
    return *condition != 0;
  }
  void step() { step(&hybrid_variable::next); }
  // Whether no variable of an enclosing loop has been used.
  bool is_closed() const { return at_.running_.back().closed; }

 private:
  std::vector<std::optional<std::int64_t>>::iterator variables() const {
    return at_.variables_.begin() + loop_.first_variable;
  }
  void step(std::uint32_t hybrid_variable::* expression) {
    for (std::uint32_t i = 0; i < loop_.variable_count; ++i)
      next_[i] = at_.visit(at_.unit_.variables[loop_.first_variable + i].*expression);
    std::copy(next_.begin(), next_.end(), variables());
    at_.now_ = ++at_.clock_;
  }
  void swap_known() {
    std::swap(at_.known_, at_.saved_[depth_].first);
    std::swap(at_.marked_, at_.saved_[depth_].second);
    at_.now_ = ++at_.clock_;
  }

  HintEvaluator& at_;
  const hybrid_loop& loop_;
  const std::size_t depth_;
  const std::uint64_t now_;
  std::vector<std::optional<std::int64_t>> before_, next_;
};

std::optional<std::int64_t> HintEvaluator::variable(std::uint32_t node, std::uint32_t variable) {
  for (auto loop = running_.rbegin(); loop != running_.rend(); ++loop) {
    if (variable - loop->first < loop->count) break;
    loop->closed = false;
  }
  return variables_[variable] ? variables_[variable] : unknown(node);
}

std::optional<std::int64_t> HintEvaluator::after(std::uint32_t node) {
  if (const auto kept = results_.find(node); kept != results_.end())
    return kept->second ? kept->second : unknown(node);
  const hybrid_node& n = unit_.nodes[node];
  Turns turns(*this, unit_.loops[static_cast<std::size_t>(hint_value(n))]);
  std::optional<bool> more = turns.has_next();
  for (; more && *more; more = turns.has_next()) turns.step();
  const auto result = more ? visit(n.a) : std::nullopt;
  if (turns.is_closed()) results_[node] = result;
  return more ? result : unknown(node);
}

std::optional<std::int64_t> HintEvaluator::entry(std::uint32_t node) {
  const hybrid_node& n = unit_.nodes[node];
  const auto place = visit(n.a);
  if (!place) return std::nullopt;
  const auto loop = static_cast<std::uint32_t>(hint_value(n));
  const auto find = [&](const Table& table) {
    const auto entry = table.find(*place);
    return entry == table.end() ? std::nullopt : entry->second;
  };
  if (const auto kept = tables_.find({loop, n.b, n.c}); kept != tables_.end()) {
    const auto entry = find(kept->second);
    return entry ? entry : unknown(node);
  }
  Turns turns(*this, unit_.loops[loop]);
  Table table;
  std::optional<bool> more = turns.has_next();
  for (; more && *more; turns.step(), more = turns.has_next()) {
    const auto written = visit(n.b);
    if (!written) more.reset();
    if (!more) break;
    if (*written >= 0) table[*written] = visit(n.c);
  }
  if (!more) table.clear();  // all entries are unknown
  const auto entry = find(table);
  if (turns.is_closed()) tables_[{loop, n.b, n.c}] = std::move(table);
  return entry ? entry : unknown(node);
}

}  // namespace hybrid
