/* The condition on which a block is reached: branch conditions on the path to it, the loops around it, their
 * variables, and the values at joins of paths. */
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

Loop* outermost_without(Loop* loop, const BasicBlock* block) {
  if (!loop || loop->contains(block)) return nullptr;
  while (loop->getParentLoop() && !loop->getParentLoop()->contains(block)) loop = loop->getParentLoop();
  return loop;
}

}  // namespace

std::string written_in(const Instruction& instruction) {
  const MDNode* name = instruction.getMetadata(kWrittenIn);
  return name ? cast<MDString>(name->getOperand(0))->getString().str() : "?";
}

Node Symbolic::edge(const BasicBlock* block, const BasicBlock* to) {
  const Instruction* end = block->getTerminator();
  /* Where a loop tests for another iteration, the loop's condition in the note contains the test. */
  const Loop* around = shape(*block->getParent()).loops.getLoopFor(block);
  bool tests_turn = around && around->contains(to);
  /* while (a && b): a chain of tests from the header of the loop on. */
  for (const BasicBlock* at = block; tests_turn && at != around->getHeader(); at = at->getSinglePredecessor())
    tests_turn = at->getSinglePredecessor() && around->isLoopExiting(at->getSinglePredecessor());
  if (const auto* branch = dyn_cast<BranchInst>(end)) {
    if (branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return HYBRID_NONE;
    const bool first = branch->getSuccessor(0) == to;
    /* Of a loop with several exits, the note has no test: it may have no iteration. */
    const bool is_in_note = tests_turn && (around->getExitingBlock() || block == around->getHeader());
    if (is_in_note && !around->contains(branch->getSuccessor(first ? 1 : 0))) return HYBRID_NONE;
    const Node condition = value(branch->getCondition());
    return first ? condition : note_.negation(condition);
  }
  if (const auto* choice = dyn_cast<SwitchInst>(end)) {
    const Node chosen = value(choice->getCondition());
    Node here = note_.constant(0), elsewhere = note_.constant(0);
    for (const auto& entry : choice->cases()) {
      const Node is = note_.make(HYBRID_EQ, chosen, value(entry.getCaseValue()));
      Node& side = entry.getCaseSuccessor() == to ? here : elsewhere;
      int64_t none = 1;
      side = note_.is_constant(side, none) && none == 0 ? is : note_.either(side, is);
    }
    return choice->getDefaultDest() == to ? note_.negation(elsewhere) : here;
  }
  return note_.unknown("", "it depends on an exception or a computed jump");
}

Node Symbolic::from(const BasicBlock* start, const BasicBlock* block) {
  if (start == block) return HYBRID_NONE;
  constexpr Node kBusy = HYBRID_NONE - 1;
  const auto [known, fresh] = reached_.try_emplace({start, block}, kBusy);
  if (fresh)
    known->second = path_condition(start, block);
  else if (known->second == kBusy) /* it depends on itself */
    return note_.unknown("", "its loop has several entries");
  return known->second;
}

Node Symbolic::path_condition(const BasicBlock* start, const BasicBlock* block) {
  FunctionShape& shape = this->shape(*block->getParent());
  const auto* node = shape.dominators.getNode(block);
  if (!node || !node->getIDom()) return note_.unknown("", "it cannot be reached");
  const BasicBlock* above = node->getIDom()->getBlock();
  while (Loop* left = outermost_without(shape.loops.getLoopFor(above), block)) {
    if (left->contains(start)) return note_.unknown("", "it comes after a loop");
    above = left->getHeader();
    above = shape.dominators.getNode(above)->getIDom()->getBlock();
  }
  Node result = HYBRID_NONE;
  if (above != start && shape.dominators.dominates(start, above)) {
    result = note_.both(from(start, above), from(above, block));
  } else if (above != start) {
    result = note_.unknown("", "the control flow to it is too complex");
  } else if (!shape.post_dominators.dominates(block, start)) {
    bool any = false;
    std::set<const Loop*> seen;
    for (const BasicBlock* before : predecessors(block)) {
      if (shape.dominators.dominates(block, before)) continue; /* the next iteration */
      if (!shape.dominators.isReachableFromEntry(before)) continue;
      Node condition = HYBRID_NONE;
      if (Loop* left = outermost_without(shape.loops.getLoopFor(before), block)) {
        if (!seen.insert(left).second) continue;
        condition = left->getUniqueExitBlock() == block
                        ? from(start, left->getHeader())
                        : note_.unknown("", "the loop before it has several exits");
      } else {
        condition = note_.both(from(start, before), edge(before, block));
      }
      result = any ? note_.either(result, condition) : condition;
      any = true;
    }
  }
  return result;
}

Node Symbolic::between(const BasicBlock& start, const BasicBlock& block) {
  Node all = HYBRID_NONE;
  const BasicBlock* at = &block;
  for (Loop* loop = shape(*block.getParent()).loops.getLoopFor(at); loop && !loop->contains(&start);
       loop = loop->getParentLoop()) {
    all = note_.both(from(loop->getHeader(), at), all);
    at = loop->getHeader();
  }
  return note_.both(from(&start, at), all);
}

const CallBase* Symbolic::last_before(const CallBase& call, const char* kind,
                                      function_ref<bool(const CallBase&)> is_it) {
  FunctionShape& shape = this->shape(*call.getFunction());
  const Instruction* at = call.getPrevNode();
  for (const auto* node = shape.dominators.getNode(call.getParent()); node; node = node->getIDom()) {
    if (node->getBlock() != call.getParent()) at = node->getBlock()->getTerminator();
    for (; at; at = at->getPrevNode())
      if (const auto* before = dyn_cast<CallBase>(at))
        if (const Function* callee = before->getCalledFunction();
            callee && callee->getName() == kind && is_it(*before))
          return before;
  }
  return nullptr;
}

Symbolic::Guard Symbolic::guard(const CallBase& call, const CallBase* mark) {
  const BasicBlock &block = *call.getParent(), &entry = call.getFunction()->getEntryBlock();
  if (shape(*call.getFunction()).jumps)
    return {note_.unknown("", "its function calls setjmp"), HYBRID_NONE, &entry, mark};
  if (!mark) return {between(entry, block), HYBRID_NONE, &entry, mark};
  /* A procedure may have a loop that starts with its first block: this loop is not around its begin. */
  const BasicBlock* begin = mark->getParent();
  const Node inner = between(*begin, block);
  return {inner, between(entry, *begin), begin, mark};
}

Symbolic::Guard Symbolic::guard(const CallBase& call, const std::string& procedure) {
  return guard(
      call, last_before(call, kEnter, [&](const CallBase& enter) { return written_in(enter) == procedure; }));
}

Symbolic::Guard Symbolic::guard(const CallBase& call, uint32_t directive) {
  const CallBase* mark = last_before(call, kBegin, [&](const CallBase& begin) {
    const auto* number = dyn_cast<ConstantInt>(begin.getArgOperand(0));
    return number && number->getZExtValue() == directive;
  });
  if (!mark)
    return {note_.unknown("", "its phase begins in several places"), HYBRID_NONE,
            &call.getFunction()->getEntryBlock(), nullptr};
  return guard(call, mark);
}

std::set<uint32_t> Symbolic::phases_of_loops_around(const CallBase& call) {
  std::set<uint32_t> phases;
  for (const Loop* loop = shape(*call.getFunction()).loops.getLoopFor(call.getParent()); loop;
       loop = loop->getParentLoop()) {
    const BasicBlock* before = loop->getLoopPreheader();
    const Instruction* at = before ? before->getTerminator()->getPrevNode() : nullptr;
    for (bool found = false; at && !found; at = at->getPrevNode()) {
      const auto* begin = dyn_cast<CallBase>(at);
      const Function* callee = begin ? begin->getCalledFunction() : nullptr;
      found = callee && callee->getName() == kBegin;
      if (found)
        phases.insert(
            static_cast<uint32_t>(llvm::cast<ConstantInt>(begin->getArgOperand(0))->getZExtValue()));
    }
  }
  return phases;
}

uint32_t Symbolic::loop_around(const BasicBlock& block) {
  Loop* innermost = shape(*block.getParent()).loops.getLoopFor(&block);
  if (!innermost) return HYBRID_NONE;
  for (Loop* loop = innermost; loop; loop = loop->getParentLoop()) {
    const uint32_t number = note_loop(*loop);
    note_.loops[number].condition = once<const Loop*>(turns_, loop, [&] { return turns(*loop, number); });
  }
  return note_loop(*innermost);
}

Loop* Symbolic::loop_of_note(uint32_t number) const {
  return std::find_if(loops_.begin(), loops_.end(), [&](const auto& known) { return known.second == number; })
      ->first;
}

uint32_t Symbolic::note_loop(Loop& loop) {
  const auto known = loops_.find(&loop);
  if (known != loops_.end()) return known->second;
  const uint32_t parent = loop.getParentLoop() ? note_loop(*loop.getParentLoop()) : HYBRID_NONE;
  const auto index = static_cast<uint32_t>(note_.loops.size());
  note_.loops.push_back({parent, HYBRID_NONE, 0, 0});
  return loops_[&loop] = index;
}

/* Returns the condition of an iteration, or HYBRID_NONE. */
Node Symbolic::turns(Loop& loop, uint32_t index) {
  BasicBlock *exiting = loop.getExitingBlock(), *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!exiting || !latch || (exiting != latch && exiting != header)) return HYBRID_NONE;
  const auto* branch = dyn_cast<BranchInst>(exiting->getTerminator());
  if (!branch || !branch->isConditional()) return HYBRID_NONE;
  Node condition = value(branch->getCondition());
  if (!loop.contains(branch->getSuccessor(0))) condition = note_.negation(condition);
  if (!note_.is_known(condition)) return HYBRID_NONE;
  if (exiting != latch) return condition;
  /* Tested after the iteration: a variable holds the result, and is 1 for the first iteration. */
  return variable(index, note_.constant(1), condition);
}

Node Symbolic::variable(uint32_t loop, Node first, Node next) {
  const auto number = static_cast<uint32_t>(note_.variables.size());
  note_.variables.push_back({first, next, HYBRID_NONE});
  note_.variable_loop.push_back(loop);
  return note_.make(HYBRID_VARIABLE, HYBRID_NONE, HYBRID_NONE, HYBRID_NONE, number);
}

Node Symbolic::loop_variable(const PHINode& phi, Loop& loop) {
  const BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  if (!before || !latch) return note_.unknown("", "its loop has several entries");
  const Node first = value(phi.getIncomingValueForBlock(before));
  if (!note_.is_known(first)) return note_.unknown("", note_.reason(first));
  const Node node = variable(note_loop(loop), first, HYBRID_NONE);
  const auto number = static_cast<size_t>(note_.nodes[node].value_low);
  known_[&phi] = node; /* until the next value is known */
  /* Values under calculation may depend on this variable, and its next value on them: the cycle ends here. */
  std::set<const Value*> busy_before = std::exchange(busy_, {});
  const Node next = value(phi.getIncomingValueForBlock(latch));
  busy_ = std::move(busy_before);
  note_.variables[number].next = next;
  if (const std::string name = source_name(phi); !name.empty())
    note_.variables[number].name = note_.string(name);
  return node;
}

bool Symbolic::varies_within(Node node, const Loop& loop) const {
  for (const auto& [inner, index] : loops_)
    if (loop.contains(inner) && note_.has_variable_of(node, index)) return true;
  return false;
}

Node Symbolic::phi(const PHINode& phi) {
  const BasicBlock* block = phi.getParent();
  FunctionShape& shape = this->shape(*block->getParent());
  Loop* loop = shape.loops.getLoopFor(block);
  if (loop && loop->getHeader() == block) return loop_variable(phi, *loop);
  const auto* node = shape.dominators.getNode(block);
  if (!node || !node->getIDom()) return note_.unknown("", "it cannot be reached");
  const BasicBlock* above = node->getIDom()->getBlock();
  Node result = HYBRID_NONE;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const BasicBlock* before = phi.getIncomingBlock(i);
    const Node incoming = value(phi.getIncomingValue(i));
    if (const auto* inner = dyn_cast<Instruction>(phi.getIncomingValue(i)))
      if (Loop* left = shape.loops.getLoopFor(inner->getParent()); left && !left->contains(block)) {
        if (!note_.is_known(incoming) || varies_within(incoming, *outermost_without(left, block)))
          return note_.unknown("", "it depends on the number of iterations of a loop");
      }
    if (result == HYBRID_NONE) {
      result = incoming;
      continue;
    }
    if (incoming == result) continue;
    if (outermost_without(shape.loops.getLoopFor(before), block) ||
        outermost_without(shape.loops.getLoopFor(above), block))
      return note_.unknown("", "it depends on the exit of a loop");
    const Node condition = note_.both(from(above, before), edge(before, block));
    if (condition == HYBRID_NONE) return note_.unknown("", "it depends on the control flow");
    result = note_.make(HYBRID_SELECT, condition, incoming, result);
  }
  return result == HYBRID_NONE ? note_.unknown("", "it has no value") : result;
}

}  // namespace hybrid::pass
