#include "clang_plugin/pass/phase_choice.h"

#include <algorithm>

namespace hybrid::pass {

PhaseChoice::PhaseChoice(const std::vector<DirectivePhase>& phases) : phases_(phases) {
  for (uint32_t i = 0; i < phases.size(); ++i) {
    if (!phases[i].is_loop) continue;
    loops_.try_emplace(i);
    const uint32_t parent = phases[i].parent;
    (parent == HYBRID_NONE ? functions_[phases[i].function] : loops_[parent]).loops.push_back(i);
  }
}

void PhaseChoice::add_call(const std::string& function, const std::vector<uint32_t>& loops,
                           const std::vector<bool>& known) {
  calls_[function].push_back({loops, known});
}

void PhaseChoice::add_send(const std::string& function, const std::string& what,
                           const std::set<uint32_t>& loops) {
  const auto add = [&](Group& group) {
    group.all.insert(what);
    if (std::none_of(group.loops.begin(), group.loops.end(),
                     [&](uint32_t loop) { return loops.contains(loop); }))
      group.own.insert(what);
  };
  for (const uint32_t loop : loops) add(loops_[loop]);
  if (const auto found = functions_.find(function); found != functions_.end()) add(found->second);
}

bool PhaseChoice::is_known_from(uint32_t loop, uint32_t around) const {
  const auto calls = calls_.find(phases_[loop].function);
  if (calls == calls_.end()) return false;
  return std::any_of(calls->second.begin(), calls->second.end(), [&](const PlacedCall& call) {
    const auto at = std::find(call.loops.begin(), call.loops.end(), loop);
    if (at == call.loops.end() || call.known.empty()) return false;
    const auto place = [&](auto found) { return static_cast<size_t>(found - call.loops.begin()); };
    /* The function comes after all loops: its index is found if `around` is none of them. */
    const size_t outer = place(std::find(call.loops.begin(), call.loops.end(), around));
    return call.known[place(at)] && !call.known[outer];
  });
}

void PhaseChoice::choose_in(const Group& group, uint32_t around) {
  if (group.loops.empty()) return;
  Sends all = group.own;
  for (const uint32_t loop : group.loops) all.insert(loops_[loop].all.begin(), loops_[loop].all.end());
  const bool one_has_all =
      group.own == all || std::any_of(group.loops.begin(), group.loops.end(),
                                      [&](uint32_t loop) { return loops_[loop].all == all; });
  /* A function without MPI calls of its own is no phase. */
  const bool nothing_around =
      around == HYBRID_NONE && !calls_.contains(phases_[group.loops.front()].function);
  for (const uint32_t loop : group.loops) {
    if (loops_[loop].all.empty()) continue;
    const bool is_phase = !one_has_all || nothing_around || is_known_from(loop, around);
    if (is_phase) chosen_.insert(loop);
    choose_in(loops_[loop], is_phase ? loop : around);
  }
}

std::set<uint32_t> PhaseChoice::choose() {
  for (const auto& [function, group] : functions_) choose_in(group, HYBRID_NONE);
  return chosen_;
}

namespace {

/* Writes an expression as text. Loops are identified by their contents, not by their numbers. */
class Writer {
 public:
  explicit Writer(const Note& note) : note_(note) {}

  void write(Node node) {
    if (node == HYBRID_NONE) {
      text_ += '.';
      return;
    }
    const auto [known, fresh] = places_.try_emplace(node, places_.size());
    text_ += '(' + std::to_string(known->second);
    if (fresh) {
      const hybrid_node& n = note_.nodes[node];
      text_ += ' ' + std::to_string(n.op) + ' ';
      if (n.op == HYBRID_VARIABLE) {
        const auto number = static_cast<size_t>(value_of(n));
        write(note_.variables[number].first);
        write(note_.variables[number].next);
        write(note_.loops[note_.variable_loop[number]].condition);
      } else {
        text_ += std::to_string(n.value_low) + ' ' + std::to_string(n.value_high) + ' ';
        write(n.a);
        names_a_string(n.op) ? void(text_ += std::to_string(n.b)) : (write(n.b), write(n.c));
      }
    }
    text_ += ')';
  }

  std::string take() { return std::move(text_); }

 private:
  const Note& note_;
  std::map<Node, size_t> places_;
  std::string text_;
};

}  // namespace

std::string communication_of(const Note& note, const hybrid_site& site) {
  Writer writer(note);
  for (const Node node : {site.communicator, site.peer, site.guard}) writer.write(node);
  return writer.take();
}

}  // namespace hybrid::pass
