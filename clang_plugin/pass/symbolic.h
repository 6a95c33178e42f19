/* Values of the prepared module as expressions of rank, size, constants, loop variables and what is read when
 * the program runs. What is not understood is HYBRID_INPUT with a reason. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_SYMBOLIC_H
#define HYBRID_CLANG_PLUGIN_PASS_SYMBOLIC_H

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
  bool jumps; /* setjmp: what comes after what is not known */
  explicit FunctionShape(llvm::Function& function);
};

class Symbolic {
 public:
  /* `can_be_named`: may the note refer to this variable of the program? */
  Symbolic(llvm::Module& module, Note& note, bool whole,
           std::function<bool(const llvm::GlobalVariable&)> can_be_named)
      : note_(note), memory_(module, whole), can_be_named_(std::move(can_be_named)) {}

  /* The expression of an integer, truth or double. */
  Node value(const llvm::Value* value);
  Node communicator(const llvm::Value* handle) {
    return once(communicators_, handle, [&] { return made(handle); });
  }
  Node datatype_size(const llvm::Value* handle);

  /* On what condition the call is reached. `inner`: once the phase has begun, and the loops in it; `outer`:
   * and on what condition that is begun here, where its code was inlined. */
  struct Guard {
    Node inner, outer;
    const llvm::BasicBlock* begin; /* where the phase begins */
    const llvm::Instruction* mark; /* what begins it there; null: the function */
  };
  /* Of the procedure that it was written in. */
  Guard guard(const llvm::CallBase& call, const std::string& procedure);
  /* Of that phase of Directives. */
  Guard guard(const llvm::CallBase& call, uint32_t directive);
  /* On what condition a mark is reached where it stands. */
  Node way_to(const llvm::CallBase& mark) {
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

  /* Who reads and who writes what a HYBRID_LOAD reads; or where a value is stored that is known by nothing
   * else, and can be read there again. */
  struct RunTimeValue {
    std::set<const llvm::Instruction*> readers;
    std::set<const llvm::Instruction*> writers;
    bool shared = false; /* code that is not in the module may write it */
    bool late = false;   /* a writer does when something that MPI began is completed */
  };
  const std::map<Node, RunTimeValue>& run_time_values() const { return run_time_values_; }
  /* The reads behind all that was asked since the last call. */
  std::set<const llvm::Instruction*> take_reads() { return std::exchange(reads_, {}); }

  /* The reads behind the loop variables in `values`: who asked for one before may have been told them. */
  std::set<const llvm::Instruction*> reads_of_variables(const std::vector<Node>& values) const;

  /* The variables of the program that loads in `node` read, by number (value of HYBRID_LOAD). */
  const std::vector<const llvm::GlobalVariable*>& addresses() const { return addresses_; }
  /* All variables of which a value was to be read, whether that can be or not. */
  const std::set<const llvm::GlobalVariable*>& asked() const { return asked_; }
  /* And of the main program's locals and the values that go to them: their numbers (kept_locals.h). */
  const std::set<uint32_t>& asked_locals() const { return asked_locals_; }
  void ask_local(const llvm::Value& local);
  /* Does the value depend on one of them that is kept? Before the program writes it it is nothing. */
  bool reads_local(Node value) const;
  /* Is what the variable holds this number? HYBRID_NONE if the note may not refer to it. */
  Node holds(const llvm::GlobalVariable& variable, uint32_t number, const std::string& name);
  Memory& memory() { return memory_; }
  FunctionShape& shape(const llvm::Function& function);
  bool always_before(const llvm::Instruction& first, const llvm::Instruction& then) {
    return first.getFunction() == then.getFunction() &&
           shape(*first.getFunction()).dominators.dominates(&first, &then);
  }
  /* Does every way on from `first` lead over `then`? */
  bool always_behind(const llvm::Instruction& then, const llvm::Instruction& first) {
    return first.getFunction() == then.getFunction() &&
           shape(*first.getFunction()).post_dominators.dominates(&then, &first);
  }

 private:
  Node calculate(const llvm::Value* value);
  /* communicators.cpp */
  Node made(const llvm::Value* handle);
  Node made_by(const llvm::CallBase& call);
  /* Of `communicator != MPI_COMM_NULL` and `==`; HYBRID_NONE of other comparisons. */
  Node membership(const llvm::CmpInst& compared);
  /* Of kDegree and kNeighbor: what the caller gave when it made the graph. */
  Node of_graph(const llvm::CallBase& asked);
  /* The call that made what `handle` is, whatever way the program took; or null. */
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
  /* All that can stand in the place that `load` reads when it does; empty, and why, if that is not known. */
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
  Node way_from(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to);
  Node entered(llvm::Loop& loop);
  /* From `start`, which dominates it, to `block`, through the loops around `block` but not around `start`. */
  Node between(const llvm::BasicBlock& start, const llvm::BasicBlock& block);
  Guard guard(const llvm::CallBase& call, const llvm::CallBase* mark);
  /* The last call of that kind on all ways to `call`; null if there is none. */
  const llvm::CallBase* last_before(const llvm::CallBase& call, const char* kind,
                                    llvm::function_ref<bool(const llvm::CallBase&)> is_it);
  uint32_t note_loop(llvm::Loop& loop);
  /* Does it change with the turns of `loop` or of one in it? */
  bool varies_within(Node node, const llvm::Loop& loop) const;
  Node turns(llvm::Loop& loop, uint32_t index);
  Node variable(uint32_t loop, Node first, Node next);
  /* ended_loops.cpp */
  /* Are its turns known? `number`: the loop's in the note. */
  bool is_counted(llvm::Loop& loop, uint32_t& number);
  /* What `value`, which the turns of `loop` change, is when the loop has ended. */
  Node after(const llvm::Value* value, llvm::Loop& loop);
  /* What a loop that has ended wrote to the place in a table; HYBRID_NONE where no such loop is seen. */
  Node filled(const llvm::LoadInst& load, const llvm::Value* object, const Place& place);

  Note& note_;
  Memory memory_;
  std::function<bool(const llvm::GlobalVariable&)> can_be_named_;
  /* An answer, and the reads behind it. */
  struct Answer {
    Node node = HYBRID_NONE;
    std::set<const llvm::Instruction*> reads;
  };
  /* What `ask` says, once for each `key`. */
  template <class Key, class Ask>
  Node once(std::map<Key, Answer>& answers, const Key& key, Ask ask) {
    auto known = answers.find(key);
    if (known == answers.end()) {
      std::set<const llvm::Instruction*> before = std::exchange(reads_, {});
      const Node node = ask();
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
  std::set<const llvm::GlobalVariable*> asked_;
  std::set<uint32_t> asked_locals_;
  std::map<Node, RunTimeValue> run_time_values_;
};

/* The function that an instruction was written in, before inlining; "?" if that is not known. */
std::string written_in(const llvm::Instruction& instruction);

/* The name that a value has in the source, as far as debug information or the symbol tells. */
std::string source_name(const llvm::Value& value);

}  // namespace hybrid::pass

#endif
