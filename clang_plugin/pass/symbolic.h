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
  Node communicator(const llvm::Value* handle);
  Node datatype_size(const llvm::Value* handle);

  /* On what condition `block` is reached once its function, and the loops around it, have begun. */
  Node guard(const llvm::BasicBlock& block);
  /* The innermost loop of the note around `block`, or HYBRID_NONE. */
  uint32_t loop_around(const llvm::BasicBlock& block);

  /* Who reads and who writes what a HYBRID_LOAD reads: functions of the program. */
  struct RunTimeValue {
    std::set<std::string> readers, writers;
    bool shared = false; /* code that is not in the module may write it */
  };
  const std::map<Node, RunTimeValue>& run_time_values() const { return run_time_values_; }

  /* The variables of the program that loads in `node` read, by number (value of HYBRID_LOAD). */
  const std::vector<const llvm::GlobalVariable*>& addresses() const { return addresses_; }
  Memory& memory() { return memory_; }
  FunctionShape& shape(const llvm::Function& function);

 private:
  Node calculate(const llvm::Value* value);
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
  Node run_time_load(const llvm::LoadInst& load, const llvm::GlobalVariable& global, const Place& place,
                     const std::string& why);
  /* loops_and_guards.cpp */
  Node from(const llvm::BasicBlock* start, const llvm::BasicBlock* block);
  Node edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to);
  Node entered(llvm::Loop& loop);
  uint32_t note_loop(llvm::Loop& loop);
  /* Does it change with the turns of `loop` or of one in it? */
  bool varies_within(Node node, const llvm::Loop& loop) const;
  Node turns(llvm::Loop& loop, uint32_t index);

  Note& note_;
  Memory memory_;
  std::function<bool(const llvm::GlobalVariable&)> can_be_named_;
  std::map<const llvm::Value*, Node> known_, communicators_;
  std::set<const llvm::Value*> busy_;
  std::map<const llvm::Loop*, uint32_t> loops_;
  std::set<const llvm::Loop*> asked_; /* loops whose condition is known, or known not to be */
  std::map<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, Node> reached_;
  std::map<const llvm::Function*, std::unique_ptr<FunctionShape>> shapes_;
  std::vector<const llvm::GlobalVariable*> addresses_;
  std::map<Node, RunTimeValue> run_time_values_;
};

/* The name that a value has in the source, as far as debug information or the symbol tells. */
std::string source_name(const llvm::Value& value);

}  // namespace hybrid::pass

#endif
