#include "clang_plugin/pass/inspectors.h"

#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <optional>
#include <set>

#include "clang_plugin/pass/call_places.h"
#include "clang_plugin/pass/inspection_code.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/slice.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Largest number of instructions of a function with those that are inlined for its slice. */
constexpr size_t kMost = 20000;
/* How often functions are inlined whose results a send depends on. */
constexpr int kRounds = 6;

/* Moves functions between modules of one context. */
class Mover {
 public:
  Mover(Module& to) : to_(to) {}

  /* Returns a copy of `from` in the module; null if it refers to something without a name there. */
  Function* move(Function& from, const Function& procedure, StringRef name) {
    ValueToValueMapTy map;
    for (Instruction& instruction : instructions(from))
      for (Value* operand : instruction.operands())
        if (!add(operand, map)) return nullptr;
    auto* made = Function::Create(from.getFunctionType(), GlobalValue::InternalLinkage, name, to_);
    for (const auto& [mine, theirs] : zip(made->args(), from.args())) map[&theirs] = &mine;
    SmallVector<ReturnInst*, 4> returns;
    CloneFunctionInto(made, &from, map, CloneFunctionChangeType::DifferentModule, returns);
    made->setLinkage(GlobalValue::InternalLinkage);
    made->setAttributes({});
    for (const char* kind : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
      if (procedure.hasFnAttribute(kind)) made->addFnAttr(procedure.getFnAttribute(kind));
    made->addFnAttr(Attribute::NoInline);
    made->addFnAttr(Attribute::NoUnwind);
    return made;
  }

 private:
  bool add(Value* value, ValueToValueMapTy& map) {
    auto* constant = dyn_cast<Constant>(value);
    if (!constant || map.count(constant)) return true;
    if (auto* global = dyn_cast<GlobalValue>(constant)) {
      GlobalValue* known = global->hasName() ? to_.getNamedValue(global->getName()) : nullptr;
      if (auto* function = dyn_cast<Function>(global); !known && function && function->isDeclaration())
        known =
            dyn_cast<GlobalValue>(to_.getOrInsertFunction(function->getName(), function->getFunctionType(),
                                                          function->getAttributes())
                                      .getCallee());
      if (!known || known->getType() != global->getType()) return false;
      map[global] = known;
      return true;
    }
    return all_of(constant->operands(), [&](Use& operand) { return add(operand.get(), map); });
  }

  Module& to_;
};

/* A function whose slice may compute sends of a procedure: the procedure, or a loop of it. */
struct Candidate {
  Function* function; /* in the prepared module */
  const LoopEntry* loop = nullptr;
  std::unique_ptr<Slice> slice;
};

/* Inlines functions that sends depend on, and slices again, until nothing is gained. */
std::unique_ptr<Slice> slice(Function& function, const std::string& origin, bool exposed,
                             const std::vector<SiteOrigin>& origins, FunctionAnalysisManager& analyses) {
  bool may_be_exact = true;
  for (int round = 0;; ++round) {
    may_be_exact &= !handles_exceptions(function);
    make_sliceable(function, analyses);
    if (mayContainIrreducibleControl(function, &analyses.getResult<LoopAnalysis>(function))) return nullptr;
    auto made = std::make_unique<Slice>(function, origins, origin, exposed, may_be_exact, analyses);
    bool inlined = false;
    if (round < kRounds)
      for (CallBase* call : made->unfollowed()) {
        const Function* callee = call->getCalledFunction();
        if (!callee || callee->getName() == origin || callee == &function ||
            callee->getInstructionCount() + function.getInstructionCount() > kMost)
          continue;
        InlineFunctionInfo info;
        inlined |= InlineFunction(*call, info).isSuccess();
      }
    if (!inlined) return made;
  }
}

/* The procedures with dynamic sends. */
std::set<std::string> wanted(const std::map<std::string, uint32_t>& procedures, const Note& note) {
  std::set<std::string> functions, found;
  for (const hybrid_site& site : note.sites)
    if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC)
      functions.insert(note.strings.c_str() + site.function);
  for (const auto& [symbol, phase] : procedures)
    if (functions.contains(readable_name(symbol))) found.insert(symbol);
  return found;
}

class Maker {
 public:
  Maker(Module& module, const Note& note, std::set<std::string> symbols)
      : module_(module), note_(note), symbols_(std::move(symbols)) {}

  Inspectors make() {
    for (const std::string& symbol : symbols_)
      if (Function* own = module_.getFunction(symbol)) {
        make_room_before_loops(*own);
        number_calls(*own);
      }
    ValueToValueMapTy mapping;
    std::unique_ptr<Module> copy = CloneModule(module_, mapping);
    for (const std::string& symbol : symbols_) {
      Function *own = module_.getFunction(symbol), *function = copy->getFunction(symbol);
      if (!own || !function || function->isDeclaration()) continue;
      loops_[symbol] = add_loop_entries(*own, *copy, mapping);
      for (LoopEntry& loop : loops_[symbol]) loop_names_[&loop] = loop.function->getName().str();
      /* It must remain also if it is inlined everywhere. */
      function->setComdat(nullptr);
      function->setLinkage(GlobalValue::ExternalLinkage);
    }
    prepared_ = prepare(std::move(copy), nullptr);
    analyses_.modules.getResult<GlobalsAA>(*prepared_.module); /* for the alias analysis of functions */
    for (const std::string& symbol : symbols_) make(symbol);
    return std::move(result_);
  }

 private:
  static void number_calls(Function& function) {
    LLVMContext& context = function.getContext();
    uint32_t number = 0;
    for (Instruction& instruction : instructions(function))
      if (isa<CallBase>(instruction))
        instruction.setMetadata(kCallNumber, MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(
                                                                      Type::getInt32Ty(context), number++))));
  }

  bool is_phase(const LoopEntry& loop) const {
    return loop.phase != HYBRID_NONE && (note_.phases[loop.phase].flags & HYBRID_PHASE_MERGED) == 0;
  }

  void make(const std::string& symbol) {
    Function* procedure = prepared_.module->getFunction(symbol);
    Function* own = module_.getFunction(symbol);
    if (!procedure || procedure->isDeclaration() || !own || own->isVarArg() ||
        procedure->callsFunctionThatReturnsTwice())
      return;
    std::set<uint32_t> done;
    std::optional<bool> speculative;
    size_t sends = 0;
    for (const SiteOrigin& origin : prepared_.origins)
      sends += origin.function == symbol && origin.part->kind == HYBRID_SEND;
    const auto use = [&](Candidate& candidate) {
      if (!candidate.slice || done.size() == sends) return;
      std::vector<Slice::Site> sites = candidate.slice->computed();
      std::erase_if(sites, [&](const Slice::Site& site) { return done.contains(site.number); });
      if (sites.empty()) return;
      std::vector<InspectedSite> described;
      for (const Slice::Site& site : sites)
        if (const DebugLoc& place = site.call->getDebugLoc())
          described.push_back({readable_name(symbol), place.getLine(), place.getCol(), site.speculative});
      std::vector<unsigned> used;
      Function* made = make_inspector(*candidate.function, *candidate.slice, sites, used);
      stripDebugInfo(*made);
      Function* moved =
          verifyFunction(*made) ? nullptr : Mover(module_).move(*made, *own, symbol + ".inspect");
      made->eraseFromParent();
      if (!moved) return;
      Inspector inspector{moved, candidate.loop ? candidate.loop->before : nullptr, {}};
      for (const unsigned number : used)
        inspector.inputs.push_back(candidate.loop ? candidate.loop->inputs[number]
                                                  : InspectorInput{own->getArg(number)});
      result_.procedures[symbol].push_back(std::move(inspector));
      result_.sites.insert(result_.sites.end(), described.begin(), described.end());
      for (const Slice::Site& site : sites) {
        done.insert(site.number);
        speculative = speculative.value_or(false) || site.speculative;
      }
    };
    const auto use_loops = [&](bool phases) {
      for (const LoopEntry& loop : loops_[symbol]) {
        const std::string& name = loop_names_.at(&loop);
        Function* function = prepared_.module->getFunction(name);
        if (is_phase(loop) != phases || !function || done.size() == sends) continue;
        Candidate candidate{function, &loop,
                            slice(*function, name, exposed_, prepared_.origins, analyses_.functions)};
        use(candidate);
      }
    };
    use_loops(true);
    if (!is_main_program(symbol) && done.size() != sends) { /* the main program begins before MPI */
      ValueToValueMapTy unused;
      Function* function = CloneFunction(procedure, unused);
      function->setLinkage(GlobalValue::InternalLinkage);
      Candidate candidate{function, nullptr,
                          slice(*function, symbol, exposed_, prepared_.origins, analyses_.functions)};
      use(candidate);
      function->deleteBody();
    }
    use_loops(false);
    if (speculative && done.size() == sends)
      result_.sites.push_back({readable_name(symbol), 0, 0, *speculative});
  }

  Module& module_;
  const Note& note_;
  const std::set<std::string> symbols_;
  const bool exposed_ = exposes_memory(module_);
  std::map<std::string, std::vector<LoopEntry>> loops_;
  std::map<const LoopEntry*, std::string> loop_names_;
  Prepared prepared_;
  Analyses analyses_;
  Inspectors result_;
};

}  // namespace

Inspectors make_inspectors(Module& module, const std::map<std::string, uint32_t>& procedures,
                           const Note& note) {
  std::set<std::string> symbols = wanted(procedures, note);
  return symbols.empty() ? Inspectors() : Maker(module, note, std::move(symbols)).make();
}

void classify_inspected(Note& note, const std::vector<InspectedSite>& sites) {
  for (const InspectedSite& inspected : sites)
    for (hybrid_site& site : note.sites)
      if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC && site.line == inspected.line &&
          site.column == inspected.column && inspected.function == note.strings.c_str() + site.function)
        site.site_class = inspected.speculative ? HYBRID_SPECULATIVE : HYBRID_INSPECTED;
}

}  // namespace hybrid::pass
