/* Values of the prepared module as expressions of rank, size, constants, loop variables and variables that
 * are read at run time. A value without such an expression is HYBRID_INPUT with a reason. */
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang_plugin/pass/memory.h"
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
  /* `can_be_named` states whether the note may refer to this variable of the program. */
  Symbolic(llvm::Module& module, Note& note, bool whole,
           std::function<bool(const llvm::GlobalVariable&)> can_be_named)
      : note_(note), memory_(module, whole), can_be_named_(std::move(can_be_named)) {}

  /* Returns the expression of an integer, truth value or double. */
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
  const llvm::Loop* loop_of_note(uint32_t number) const;

  /* The readers and writers of the variable of a HYBRID_LOAD. A reader may be the store of a value that is
   * known in no other way, and can be read from the variable again. */
  struct RunTimeValue {
    std::set<const llvm::Instruction*> readers;
    std::set<const llvm::Instruction*> writers;
    bool shared = false; /* code that is not in the module may write it */
    bool late = false;   /* a writer writes when an MPI operation completes */
  };
  const std::map<Node, RunTimeValue>& run_time_values() const { return run_time_values_; }
  /* Returns the reads that all values queried since the last call depend on. */
  std::set<const llvm::Instruction*> take_reads() { return std::exchange(reads_, {}); }

  /* Returns the reads that the loop variables in `values` depend on. (take_reads() may have returned them
   * before.) */
  std::set<const llvm::Instruction*> reads_of_variables(const std::vector<Node>& values) const;

  /* The variables of the program that loads read, by number (value of HYBRID_LOAD). */
  const std::vector<const llvm::GlobalVariable*>& addresses() const { return addresses_; }
  /* All variables that an expression needed, whether they can be read or not. */
  const std::set<const llvm::GlobalVariable*>& requested() const { return requested_; }
  /* The same for the main program's locals and values that are stored in them: their numbers (kept_locals.h).
   */
  const std::set<uint32_t>& requested_locals() const { return requested_locals_; }
  void request_local(const llvm::Value& local);
  /* Whether the value depends on a kept local, which has no valid value before the program writes it. */
  bool reads_local(Node value) const;
  /* Returns the condition that the variable has this value; HYBRID_NONE if the note may not refer to it. */
  Node holds(const llvm::GlobalVariable& variable, uint32_t number, const std::string& name);
  Memory& memory() { return memory_; }
  FunctionShape& shape(const llvm::Function& function);
  bool always_before(const llvm::Instruction& first, const llvm::Instruction& then) {
    return first.getFunction() == then.getFunction() &&
           shape(*first.getFunction()).dominators.dominates(&first, &then);
  }
  /* Whether every path from `first` passes through `then`. */
  bool always_behind(const llvm::Instruction& then, const llvm::Instruction& first) {
    return first.getFunction() == then.getFunction() &&
           shape(*first.getFunction()).post_dominators.dominates(&then, &first);
  }

 private:
  Node calculate(const llvm::Value* value);
  /* communicators.cpp */
  Node made(const llvm::Value* handle);
  Node made_by(const llvm::CallBase& call);
  /* The value of `communicator != MPI_COMM_NULL` or `==`; HYBRID_NONE for other comparisons. */
  Node membership(const llvm::CmpInst& compared);
  /* The value of kDegree and kNeighbor: the argument at the creation of the graph. */
  Node of_graph(const llvm::CallBase& query);
  /* Returns the call that created `handle` on all paths; or null. */
  const llvm::CallBase* only_maker(const llvm::Value* handle, int depth = 0);
  Node instruction(const llvm::Instruction& instruction);
  Node binary(const llvm::BinaryOperator& op);
  Node compare(const llvm::CmpInst& compare);
  Node cast(const llvm::CastInst& cast);
  Node call(const llvm::CallBase& call);
  Node phi(const llvm::PHINode& phi);
  Node loop_variable(const llvm::PHINode& phi, llvm::Loop& loop);
  Node argument(const llvm::Argument& argument);
  Node list(const llvm::CallBase& call, unsigned first, unsigned count);
  /* memory_values.cpp */
  Node load(const llvm::LoadInst& load);
  /* Returns all values that `load` may read; empty, with `why`, if unknown. */
  std::vector<const llvm::Value*> stored(const llvm::LoadInst& load, const llvm::Value* object,
                                         const Place& place, bool& certain, std::string& why);
  Node table(const llvm::LoadInst& load, const llvm::Value* object, const Place& place);
  Node initial(const llvm::LoadInst& load, const llvm::Value* object, int64_t offset);
  bool comes_before(const llvm::Instruction& first, const llvm::Instruction& then, int depth = 0);
  bool is_certain(const llvm::Instruction& instruction);
  Node run_time_load(const llvm::Instruction& reader, const llvm::Type* type,
                     const llvm::GlobalVariable& global, const Place& place, const std::string& why);
  Node kept(const llvm::Value* value, Node unknown);
  uint32_t address_of(const llvm::GlobalVariable& global); /* index of addresses() */
  /* loops_and_guards.cpp */
  Node from(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node path_condition(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to);
  Node entered(llvm::Loop& loop);
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
  /* ended_loops.cpp */
  /* Whether its iterations are known. `number`: the loop's number in the note. */
  bool is_counted(llvm::Loop& loop, uint32_t& number);
  /* Returns `value`, which changes with the iterations of `loop`, after the end of the loop. */
  Node after(const llvm::Value* value, llvm::Loop& loop);
  /* Returns the value that a loop, which has ended, wrote to an entry of a table; HYBRID_NONE if there is no
   * such loop. */
  Node filled(const llvm::LoadInst& load, const llvm::Value* object, const Place& place);

  Note& note_;
  Memory memory_;
  std::function<bool(const llvm::GlobalVariable&)> can_be_named_;
  /* A result, and the reads that it depends on. */
  struct Answer {
    Node node = HYBRID_NONE;
    std::set<const llvm::Instruction*> reads;
  };
  /* Returns calculate(), which is called once for each `key`. */
  template <class Key, class Calculate>
  Node once(std::map<Key, Answer>& answers, const Key& key, Calculate calculate) {
    auto known = answers.find(key);
    if (known == answers.end()) {
      std::set<const llvm::Instruction*> before = std::exchange(reads_, {});
      const Node node = calculate();
      known = answers.insert_or_assign(key, Answer{node, std::exchange(reads_, std::move(before))}).first;
    }
    reads_.insert(known->second.reads.begin(), known->second.reads.end());
    return known->second.node;
  }

  std::map<const llvm::Value*, Answer> known_, communicators_;
  std::set<const llvm::Instruction*> reads_;
  std::set<const llvm::Value*> busy_;
  std::map<const llvm::Loop*, uint32_t> loops_;
  std::map<Node, std::set<const llvm::Instruction*>> variable_reads_;
  std::map<const llvm::Loop*, Answer> turns_;
  std::map<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, Answer> reached_;
  std::map<const llvm::Function*, std::unique_ptr<FunctionShape>> shapes_;
  std::vector<const llvm::GlobalVariable*> addresses_;
  std::set<const llvm::GlobalVariable*> requested_;
  std::set<uint32_t> requested_locals_;
  std::map<Node, RunTimeValue> run_time_values_;
};

/* Returns the function that contained an instruction before inlining; "?" if unknown. */
std::string written_in(const llvm::Instruction& instruction);

/* Returns the name of a value in the source, from debug information or the symbol; "" if unknown. */
std::string source_name(const llvm::Value& value);

}  // namespace hybrid::pass
