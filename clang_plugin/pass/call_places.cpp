#include "clang_plugin/pass/call_places.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include <map>
#include <set>
#include <vector>

#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/memory.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kPlace[] = "hybrid.place"; /* metadata of the variables: their names in hints */

/* The functions that may communicate. */
class Callees {
 public:
  explicit Callees(const Module& module) : library_(Triple(module.getTargetTriple())) {
    std::map<const Function*, std::vector<const Function*>> callers;
    for (const Function& function : module)
      for (const Instruction& instruction : instructions(function)) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (!call) continue;
        if (const Function* callee = defined(*call))
          callers[callee].push_back(&function);
        else if (is_mpi_call(*call) || leads_outside(*call))
          leading_.insert(&function);
      }
    std::vector<const Function*> leading(leading_.begin(), leading_.end());
    while (!leading.empty()) {
      const Function* at = leading.back();
      leading.pop_back();
      for (const Function* caller : callers[at])
        if (leading_.insert(caller).second) leading.push_back(caller);
    }
  }

  /* Whether the call is one of a procedure that may communicate. MPI functions are not procedures. */
  bool may_communicate(const CallBase& call) const {
    const Function* callee = defined(call);
    return callee ? leading_.contains(callee) : leads_outside(call);
  }

 private:
  static const Function* named(const CallBase& call) {
    return dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  }
  static const Function* defined(const CallBase& call) {
    const Function* callee = named(call);
    return callee && !callee->isDeclaration() ? callee : nullptr;
  }
  static bool is_mpi_call(const CallBase& call) {
    bool fortran = false;
    const Function* callee = named(call);
    return callee && is_mpi(callee->getName(), fortran);
  }
  /* Whether the call leads to code that is not in the module and may call back, or is another unit of the
   * program. */
  bool leads_outside(const CallBase& call) const {
    const Function* callee = named(call);
    if (!callee) return !call.isInlineAsm();
    return callee->isDeclaration() && !is_mpi_call(call) && !is_marker(callee->getName()) &&
           !is_harmless(call, TargetLibraryInfo(library_));
  }

  TargetLibraryInfoImpl library_;
  std::set<const Function*> leading_;
};

/* Whether other units may define the same function, so that the linker keeps only one. */
bool is_one_of_several(const Function& function) {
  return function.isInterposable() || function.hasLinkOnceLinkage() || function.hasComdat();
}

/* Returns the lines of the calls; nothing if they are unknown or not unique. */
std::vector<uint32_t> lines_of(const std::vector<CallBase*>& calls) {
  std::vector<uint32_t> lines;
  lines.reserve(calls.size());
  for (const CallBase* call : calls) lines.push_back(call->getDebugLoc() ? call->getDebugLoc().getLine() : 0);
  const std::set<uint32_t> different(lines.begin(), lines.end());
  return different.size() == lines.size() && !different.contains(0) ? lines : std::vector<uint32_t>();
}

/* The values that a variable may hold at a place; 0 is among them if a value is unknown. */
class Held {
 public:
  Held(const GlobalVariable& variable, const Instruction& place) : variable_(variable) { add(place); }

  /* Returns the value; 0 if there are several. */
  uint32_t number() const { return numbers_.size() == 1 ? *numbers_.begin() : 0; }

 private:
  using Writes = std::map<const BasicBlock*, std::vector<const Instruction*>>;

  void add(const Instruction& place) {
    Writes writes;
    for (const User* user : variable_.users())
      if (const auto* store = dyn_cast<StoreInst>(user); store && store->getFunction() == place.getFunction())
        writes[store->getParent()].push_back(store);
    if (const Instruction* before = last_of(writes, *place.getParent(), &place)) return add_written(*before);
    if (place.getParent()->isEntryBlock()) return add_on_entry(*place.getFunction());
    std::set<const BasicBlock*> seen;
    std::vector<const BasicBlock*> pending(pred_begin(place.getParent()), pred_end(place.getParent()));
    while (!pending.empty()) {
      const BasicBlock* block = pending.back();
      pending.pop_back();
      if (!seen.insert(block).second) continue;
      if (const Instruction* write = last_of(writes, *block, nullptr))
        add_written(*write);
      else if (block->isEntryBlock())
        add_on_entry(*block->getParent());
      else
        pending.insert(pending.end(), pred_begin(block), pred_end(block));
    }
  }

  /* Returns the last write in the block, before `end` if not null. */
  static const Instruction* last_of(const Writes& writes, const BasicBlock& block, const Instruction* end) {
    const auto found = writes.find(&block);
    if (found == writes.end()) return nullptr;
    const Instruction* last = nullptr;
    for (const Instruction* write : found->second)
      if ((!end || write->comesBefore(end)) && (!last || last->comesBefore(write))) last = write;
    return last;
  }

  void add_written(const Instruction& write) {
    const auto* number = dyn_cast<ConstantInt>(cast<StoreInst>(write).getValueOperand());
    numbers_.insert(number ? static_cast<uint32_t>(number->getZExtValue()) : 0);
  }

  /* At the entry of a function that was not inlined: the values at its calls. */
  void add_on_entry(const Function& function) {
    if (!entered_.insert(&function).second) return;
    std::vector<const CallBase*> calls;
    if (!known_calls(function, calls) || calls.empty()) {
      numbers_.insert(0);
      return;
    }
    for (const CallBase* call : calls) add(*call);
  }

  const GlobalVariable& variable_;
  std::set<const Function*> entered_;
  std::set<uint32_t> numbers_;
};

}  // namespace

bool is_main_program(StringRef name) { return name == "main" || name == "_QQmain"; }

Function* main_program(Module& module) {
  for (const char* name : {"_QQmain", "main"})
    if (Function* function = module.getFunction(name); function && !function->isDeclaration())
      return name == StringRef("_QQmain") || function->use_empty() ? function : nullptr;
  return nullptr;
}

std::set<std::string> mark_call_places(Module& module) {
  const Callees callees(module);
  const Function* main = main_program(module);
  LLVMContext& context = module.getContext();
  Type* integer = Type::getInt32Ty(context);
  std::set<std::string> names;
  for (Function& function : module) {
    if (is_one_of_several(function)) continue;
    std::vector<CallBase*> calls;
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && callees.may_communicate(*call))
        calls.push_back(call);
    const bool is_main = is_main_program(function.getName());
    if ((is_main && &function != main) || calls.size() < (is_main ? 1 : 2)) continue;
    const std::vector<uint32_t> lines = lines_of(calls);
    const std::string name = function.getName().str();
    auto* variable = new GlobalVariable(module, integer, false, GlobalValue::InternalLinkage,
                                        ConstantInt::get(integer, 0), name + ".call");
    const std::string in_source = readable_name(name);
    const std::string text = in_source.substr(0, in_source.find('(')) + (lines.empty() ? ".call" : ".line");
    variable->setMetadata(kPlace, MDNode::get(context, MDString::get(context, text)));
    /* Volatile: the program does not read it, and each store must stay before its call. */
    for (size_t i = 0; i < calls.size(); ++i)
      new StoreInst(ConstantInt::get(integer, lines.empty() ? i + 1 : lines[i]), variable, true,
                    calls[i]->getIterator());
    names.insert(variable->getName().str());
  }
  return names;
}

CallPlaces::CallPlaces(const Module& module) {
  for (const GlobalVariable& variable : module.globals())
    if (variable.getMetadata(kPlace)) variables_.push_back(&variable);
}

void clear_call_places_behind(Module& module) {
  for (GlobalVariable& variable : module.globals()) {
    if (!variable.getMetadata(kPlace)) continue;
    std::set<Function*> functions; /* one */
    for (User* user : variable.users())
      if (auto* store = dyn_cast<StoreInst>(user)) functions.insert(store->getFunction());
    for (Function* function : functions)
      for (BasicBlock& block : *function)
        /* No instruction may follow a musttail call: the called function resets its own variable. */
        if (isa<ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall())
          new StoreInst(Constant::getNullValue(variable.getValueType()), &variable, true,
                        block.getTerminator()->getIterator());
  }
}

CallPath CallPlaces::path_to(const Instruction& begin) const {
  CallPath path;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (const uint32_t number = Held(*variables_[i], begin).number()) path[i] = number;
  return path;
}

std::string CallPlaces::name(size_t variable) const {
  return cast<MDString>(variables_[variable]->getMetadata(kPlace)->getOperand(0))->getString().str();
}

std::string CallPlaces::function(size_t variable) const {
  for (const User* user : variables_[variable]->users())
    if (const auto* store = dyn_cast<StoreInst>(user)) return written_in(*store);
  return "";
}

}  // namespace hybrid::pass
