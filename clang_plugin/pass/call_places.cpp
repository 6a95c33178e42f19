#include "clang_plugin/pass/call_places.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include <map>
#include <set>
#include <vector>

#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kPlace[] = "hybrid.place"; /* metadata of the variables: their names in hints */

/* Which functions may communicate. */
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

  /* Is it a call of a procedure that does? Those of MPI are no procedures. */
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
  /* To code that is not in the module and may call back, or be another unit of the program. */
  bool leads_outside(const CallBase& call) const {
    const Function* callee = named(call);
    if (!callee) return !call.isInlineAsm();
    return callee->isDeclaration() && !is_mpi_call(call) && !is_marker(callee->getName()) &&
           !is_harmless(call, TargetLibraryInfo(library_));
  }

  TargetLibraryInfoImpl library_;
  std::set<const Function*> leading_;
};

/* Do other units bring a function of this name, and one takes the place of all? */
bool is_one_of_several(const Function& function) {
  return function.isInterposable() || function.hasLinkOnceLinkage() || function.hasComdat();
}

/* The calls' lines, or nothing if these do not tell them apart. */
std::vector<uint32_t> lines_of(const std::vector<CallBase*>& calls) {
  std::vector<uint32_t> lines;
  lines.reserve(calls.size());
  for (const CallBase* call : calls) lines.push_back(call->getDebugLoc() ? call->getDebugLoc().getLine() : 0);
  const std::set<uint32_t> different(lines.begin(), lines.end());
  return different.size() == lines.size() && !different.contains(0) ? lines : std::vector<uint32_t>();
}

/* A store to it, and what it writes; null if the instruction is none. */
const ConstantInt* written_by(const Instruction& instruction, const GlobalVariable& variable) {
  const auto* store = dyn_cast<StoreInst>(&instruction);
  return store && store->getPointerOperand() == &variable ? dyn_cast<ConstantInt>(store->getValueOperand())
                                                          : nullptr;
}

/* What it holds at `place`; 0 if that is not always the same. */
uint32_t held_at(const Instruction& place, const GlobalVariable& variable) {
  std::map<const BasicBlock*, std::vector<const Instruction*>> writes;
  for (const User* user : variable.users())
    if (const auto* store = dyn_cast<StoreInst>(user); store && store->getFunction() == place.getFunction())
      writes[store->getParent()].push_back(store);
  if (writes.empty()) return 0;
  const Instruction* last = nullptr;
  if (const auto here = writes.find(place.getParent()); here != writes.end())
    for (const Instruction* write : here->second)
      if (write->comesBefore(&place) && (!last || last->comesBefore(write))) last = write;
  std::set<const Instruction*> reaching;
  if (last) {
    reaching.insert(last);
  } else {
    std::set<const BasicBlock*> seen;
    std::vector<const BasicBlock*> pending(pred_begin(place.getParent()), pred_end(place.getParent()));
    if (pending.empty()) return 0;
    while (!pending.empty()) {
      const BasicBlock* block = pending.back();
      pending.pop_back();
      if (!seen.insert(block).second) continue;
      if (const auto found = writes.find(block); found != writes.end()) {
        const Instruction* end = found->second.front();
        for (const Instruction* write : found->second)
          if (end->comesBefore(write)) end = write;
        reaching.insert(end);
        continue;
      }
      if (pred_empty(block)) return 0;
      pending.insert(pending.end(), pred_begin(block), pred_end(block));
    }
  }
  std::set<uint32_t> held;
  for (const Instruction* write : reaching) {
    const ConstantInt* number = written_by(*write, variable);
    held.insert(number ? static_cast<uint32_t>(number->getZExtValue()) : 0);
  }
  return held.size() == 1 ? *held.begin() : 0;
}

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
    const std::string in_source = demangle(name);
    const std::string told = in_source.substr(0, in_source.find('(')) + (lines.empty() ? ".call" : ".line");
    variable->setMetadata(kPlace, MDNode::get(context, MDString::get(context, told)));
    /* Volatile: nobody in the program reads it, and each must stay before its call. */
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
        /* Nothing may stand behind a tail call that must be one: the function that it calls is the last. */
        if (isa<ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall())
          new StoreInst(Constant::getNullValue(variable.getValueType()), &variable, true,
                        block.getTerminator()->getIterator());
  }
}

CallPath CallPlaces::path_to(const Instruction& begin) const {
  CallPath path;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (const uint32_t number = held_at(begin, *variables_[i])) path[i] = number;
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
