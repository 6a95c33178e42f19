/* Values of the prepared module as expressions of rank, size, constants and loop variables. A value without
 * such an expression is HYBRID_INPUT with a reason: what is in memory or depends on callers that are not
 * inlined is for inspectors (inspectors.h). */
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct FunctionShape {
  llvm::DominatorTree dominators;
  llvm::PostDominatorTree post_dominators;
  llvm::LoopInfo loops;
  bool jumps; /* setjmp: the order of execution is unknown */
  explicit FunctionShape(llvm::Function& function);
};

class Symbolic {
 public:
  explicit Symbolic(Note& note) : note_(note) {}

  /* Returns the expression of an integer or truth value. */
  Node value(const llvm::Value* value);
  Node communicator(const llvm::Value* handle) {
    return once(communicators_, handle, [&] { return made(handle); });
  }
  Node datatype_size(const llvm::Value* handle);

  /* The condition on which a call is reached. `inner`: after the begin of the phase, and of the loops in it;
   * `outer`: the condition on which the phase begins here, where its code was inlined. */
  struct Guard {
    Node inner, outer;
    const llvm::BasicBlock* begin; /* where the phase begins */
    const llvm::Instruction* mark; /* what begins it there; null: the function */
  };
  /* Relative to the procedure that contained the call before inlining. */
  Guard guard(const llvm::CallBase& call, const std::string& procedure);
  /* Relative to that phase of Directives. */
  Guard guard(const llvm::CallBase& call, uint32_t directive);
  /* Returns the condition on which a mark is reached. */
  Node condition_to(const llvm::CallBase& mark) {
    return between(mark.getFunction()->getEntryBlock(), *mark.getParent());
  }
  /* The phases of Directives that begin where a loop around the call does. */
  std::set<uint32_t> phases_of_loops_around(const llvm::CallBase& call);
  /* The innermost loop of the note around `block`, or HYBRID_NONE. */
  uint32_t loop_around(const llvm::BasicBlock& block);
  bool is_around(uint32_t loop, const llvm::BasicBlock& block) const {
    return loop_of_note(loop)->contains(&block);
  }
  /* The loop with that number in the note. */
  llvm::Loop* loop_of_note(uint32_t number) const;

  FunctionShape& shape(const llvm::Function& function);

 private:
  Node calculate(const llvm::Value* value);
  /* communicators.cpp */
  Node made(const llvm::Value* handle);
  Node made_by(const llvm::CallBase& call);
  /* The value of `communicator != MPI_COMM_NULL` or `==`; HYBRID_NONE for other comparisons. */
  Node membership(const llvm::CmpInst& compared);
  Node instruction(const llvm::Instruction& instruction);
  Node binary(const llvm::BinaryOperator& op);
  Node compare(const llvm::CmpInst& compare);
  Node cast(const llvm::CastInst& cast);
  Node call(const llvm::CallBase& call);
  Node phi(const llvm::PHINode& phi);
  Node loop_variable(const llvm::PHINode& phi, llvm::Loop& loop);
  Node list(const llvm::CallBase& call, unsigned first, unsigned count);
  /* loops_and_guards.cpp */
  Node from(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node path_condition(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to);
  /* The condition from `start`, which dominates it, to `block`, including the loops around `block` but not
   * around `start`. */
  Node between(const llvm::BasicBlock& start, const llvm::BasicBlock& block);
  Guard guard(const llvm::CallBase& call, const llvm::CallBase* mark);
  /* Returns the last call of that kind on all paths to `call`; null if there is none. */
  const llvm::CallBase* last_before(const llvm::CallBase& call, const char* kind,
                                    llvm::function_ref<bool(const llvm::CallBase&)> is_it);
  uint32_t note_loop(llvm::Loop& loop);
  /* Whether it changes with the iterations of `loop` or of a loop in it. */
  bool varies_within(Node node, const llvm::Loop& loop) const;
  Node turns(llvm::Loop& loop, uint32_t index);
  Node variable(uint32_t loop, Node first, Node next);

  Note& note_;
  /* Returns calculate(), which is called once for each `key`. */
  template <class Key, class Calculate>
  Node once(std::map<Key, Node>& known, const Key& key, Calculate calculate) {
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const Node node = calculate();
    return known.insert_or_assign(key, node).first->second;
  }

  std::map<const llvm::Value*, Node> known_, communicators_;
  std::set<const llvm::Value*> busy_;
  std::map<llvm::Loop*, uint32_t> loops_;
  std::map<const llvm::Loop*, Node> turns_;
  std::map<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, Node> reached_;
  std::map<const llvm::Function*, std::unique_ptr<FunctionShape>> shapes_;
};

/* Returns the function that contained an instruction before inlining; "?" if unknown. */
std::string written_in(const llvm::Instruction& instruction);

/* Returns the name of a value in the source, from debug information or the symbol; "" if unknown. */
std::string source_name(const llvm::Value& value);

}  // namespace hybrid::pass
