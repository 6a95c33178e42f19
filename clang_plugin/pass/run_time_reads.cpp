#include "clang_plugin/pass/run_time_reads.h"

#include <algorithm>

namespace hybrid::pass {

using namespace llvm;

const std::set<std::string>& RunTimeReads::reached_from(const std::string& function) {
  const auto [entry, fresh] = reached_.try_emplace(function);
  std::set<std::string>& reached = entry->second;
  if (!fresh) return reached;
  std::vector<std::string> pending{function};
  while (!pending.empty()) {
    const std::string name = pending.back();
    pending.pop_back();
    if (!reached.insert(name).second) continue;
    if (const auto found = calls_.find(name); found != calls_.end())
      pending.insert(pending.end(), found->second.begin(), found->second.end());
  }
  return reached;
}

bool RunTimeReads::runs_within_itself(const std::string& function) {
  const auto called = calls_.find(function);
  return called != calls_.end() &&
         std::any_of(called->second.begin(), called->second.end(),
                     [&](const std::string& callee) { return reached_from(callee).contains(function); });
}

std::string RunTimeReads::changed_since(const Instruction& begin, Node node,
                                        const Symbolic::RunTimeValue& value, const CallBase& call) {
  const Writers writers{value.writers, value.shared, value.late};
  if (flow_.changed_between(begin, node, writers, call))
    return name(node) + ": it may be written between the begin of its phase and this call";
  for (const Instruction* reader : value.readers) {
    if (!reads_.contains(reader)) continue;
    if (isa<StoreInst>(reader) && !symbolic_.always_before(*reader, call))
      return name(node) + ": it may hold another value";
    if (flow_.changed_between(*reader, node, writers, call))
      return name(node) + ": it may change between its reading and this call";
  }
  return "";
}

bool RunTimeReads::may_change(Node value, const Instruction& begin, const Instruction& end) {
  for (Node node : note_.parts(value)) {
    const auto found = symbolic_.run_time_values().find(node);
    if (found == symbolic_.run_time_values().end()) continue;
    const Symbolic::RunTimeValue& read = found->second;
    if (flow_.changed_between(begin, node, {read.writers, read.shared, read.late}, end)) return true;
  }
  return false;
}

bool RunTimeReads::writes_before_first_test(uint32_t loop) {
  const Loop& of = *symbolic_.loop_of_note(loop);
  for (Node node : note_.parts(note_.loops[loop].condition)) {
    const auto found = symbolic_.run_time_values().find(node);
    if (found == symbolic_.run_time_values().end()) continue;
    const Symbolic::RunTimeValue& read = found->second;
    if (of.isLoopExiting(of.getHeader()) &&
        flow_.may_write_in(*of.getHeader(), {read.writers, read.shared, read.late}))
      return true;
  }
  return false;
}

std::string RunTimeReads::changed_before_first_test(uint32_t loop, const CallBase& call,
                                                    const SiteOrigin& origin, const Instruction* begin) {
  const Node condition = note_.loops[loop].condition;
  const BasicBlock* before = symbolic_.loop_of_note(loop)->getLoopPreheader();
  if (!begin || !before) return changed_outside_turns({condition}, call, origin, begin);
  for (Node node : note_.parts(condition)) {
    const auto found = symbolic_.run_time_values().find(node);
    if (found == symbolic_.run_time_values().end()) continue;
    const Symbolic::RunTimeValue& read = found->second;
    if (flow_.changed_between(*begin, node, {read.writers, read.shared, read.late}, *before->getTerminator()))
      return name(node) + ": it may be written between the begin of its phase and the loop";
  }
  return "";
}

std::string RunTimeReads::changed(const std::vector<Node>& values, const CallBase& call,
                                  const SiteOrigin& origin, const Instruction* begin) {
  std::string why = changes_in_turns(values);
  return why.empty() ? changed_outside_turns(values, call, origin, begin) : why;
}

std::string RunTimeReads::changed_outside_turns(const std::vector<Node>& values, const CallBase& call,
                                                const SiteOrigin& origin, const Instruction* begin) {
  const std::set<const Instruction*> more = symbolic_.reads_of_variables(values);
  reads_.insert(more.begin(), more.end());
  for (Node node : note_.parts(values)) {
    const auto found = symbolic_.run_time_values().find(node);
    if (found == symbolic_.run_time_values().end()) continue;
    const Symbolic::RunTimeValue& value = found->second;
    /* There are no hints of a collective when its procedure begins: the value at the call is enough. */
    const bool when_made = origin.part->kind == HYBRID_COLLECTIVE && !value.shared;
    if (begin && !when_made) {
      if (std::string why = changed_since(*begin, node, value, call); !why.empty()) return why;
      continue;
    }
    static const std::set<std::string> kNone;
    const std::set<std::string>& reached = when_made ? kNone : reached_from(origin.function);
    if (value.shared && reached.contains(""))
      return name(node) + ": code that is not visible may change it while the function runs";
    if (value.late && reached.contains(kComplete))
      return name(node) + ": it may be received while the function runs";
    for (const Instruction* writer : value.writers)
      if (const std::string in = written_in(*writer); reached.contains(in) || (in == "?" && !when_made))
        return name(node) + ": it is written while the function runs";
    for (const Instruction* reader : value.readers) {
      if (!reads_.contains(reader)) continue;
      if (isa<LoadInst>(reader) && reached.contains(written_in(*reader))) continue;
      if (isa<StoreInst>(reader) && !symbolic_.always_before(*reader, call))
        return name(node) + ": it may hold another value";
      if (flow_.changed_between(*reader, node, {value.writers, false, value.late}, call))
        return name(node) + ": it may change between its reading and this call";
      if (value.shared) return name(node) + ": it is read before the function that communicates begins";
    }
  }
  return "";
}

std::string RunTimeReads::changes_in_turns(const std::vector<Node>& values) {
  std::map<uint32_t, std::vector<Node>> turns; /* by loop */
  for (Node node : note_.parts(values)) {
    const hybrid_node& n = note_.nodes[node];
    const auto number = static_cast<uint32_t>(n.value_low);
    if (n.op == HYBRID_VARIABLE) {
      std::vector<Node>& of_loop = turns[note_.variable_loop[number]];
      of_loop.insert(of_loop.end(),
                     {note_.variables[number].next, note_.loops[note_.variable_loop[number]].condition});
    } else if (is_loop_result(n.op)) {
      std::vector<Node>& of_loop = turns[number];
      of_loop.insert(of_loop.end(),
                     {n.op == HYBRID_AFTER ? n.a : HYBRID_NONE, n.b, n.c, note_.loops[number].condition});
    }
  }
  for (const auto& [loop, read] : turns)
    for (Node node : note_.parts(read))
      if (const auto found = symbolic_.run_time_values().find(node);
          found != symbolic_.run_time_values().end())
        if (flow_.may_write_within(*symbolic_.loop_of_note(loop),
                                   {found->second.writers, found->second.shared, found->second.late}))
          return name(node) + ": it changes between iterations of a loop";
  return "";
}

}  // namespace hybrid::pass
