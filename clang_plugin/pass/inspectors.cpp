#include "clang_plugin/pass/inspectors.h"

#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <set>

#include "clang_plugin/pass/endings.h"
#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/inspection_code.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/slice.h"
#include "core/readable_name.h"

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

/* A function whose slice may compute sends of a procedure: the procedure, or a part of it. */
struct Candidate {
  Function* function; /* in the prepared module */
  const Entry* part;  /* null: the procedure */
  std::unique_ptr<Slice> slice = nullptr;
  std::vector<Slice::Site> sites = {}; /* that its inspector reports */
};

/* Inlines functions that sends depend on, and slices again, until nothing is gained. */
std::unique_ptr<Slice> slice(Function& function, const std::string& origin, bool exposed,
                             const std::vector<SiteOrigin>& origins, FunctionAnalysisManager& analyses) {
  bool may_be_exact = !function.hasFnAttribute(kLeftEarly);
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

}  // namespace

class InspectorMaker::Maker {
 public:
  Maker(Module& module, const Directives& directives, bool in_registers) : module_(module) {
    std::vector<Function*> senders;
    std::set<const Function*> with_sends;
    for (const Function& callee : module)
      if (is_send(callee))
        for (const User* user : callee.users())
          if (const auto* call = dyn_cast<CallBase>(user)) with_sends.insert(call->getFunction());
    for (Function& function : module)
      if (with_sends.contains(&function)) senders.push_back(&function);
    for (Function* own : senders) {
      make_room(*own);
      number_calls(*own);
    }
    ValueToValueMapTy mapping;
    std::unique_ptr<Module> copy = CloneModule(module, mapping);
    std::vector<GlobalValue*> kept;
    for (Function* own : senders) {
      std::vector<Entry>& parts = parts_[own->getName().str()];
      parts = add_entries(*own, directives, *copy, mapping);
      for (Entry& part : parts) names_[&part] = part.function->getName().str();
      kept.push_back(cast<Function>(mapping.lookup(own)));
    }
    prepared_ = prepare(std::move(copy), kept, in_registers);
  }

  Prepared& prepared() { return prepared_; }

  Inspectors make(const std::map<std::string, uint32_t>& procedures, Note& note) {
    note_ = &note;
    std::set<std::string> dynamic;
    for (const hybrid_site& site : note.sites)
      if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC)
        dynamic.insert(note.strings.c_str() + site.function);
    if (!dynamic.empty())
      analyses_.modules.getResult<GlobalsAA>(*prepared_.module); /* for the alias analysis of functions */
    for (const auto& [symbol, parts] : parts_) {
      if (!dynamic.contains(readable_name(symbol))) continue;
      const auto phase = procedures.find(symbol);
      make(symbol, phase == procedures.end() ? HYBRID_NONE : phase->second);
    }
    for (NotedSite& site : note.sites) {
      if (site.site_class != HYBRID_DYNAMIC) continue;
      const SiteOrigin& origin = prepared_.origins[site.origin];
      const auto found = computed_.find({origin.function, origin.number});
      if (site.kind == HYBRID_SEND && found != computed_.end())
        site.site_class = found->second ? HYBRID_SPECULATIVE : HYBRID_INSPECTED;
      else if (note.strings.c_str() + site.reason == std::string_view(kPerhapsNoIteration))
        site.site_class = HYBRID_SPECULATIVE;
    }
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

  bool is_phase(const Entry& part) const {
    return part.phase != HYBRID_NONE && (note_->phases[part.phase].flags & HYBRID_PHASE_MERGED) == 0;
  }

  /* `phase`: the procedure's, or HYBRID_NONE. */
  void make(const std::string& symbol, uint32_t phase) {
    Function* procedure = prepared_.module->getFunction(symbol);
    Function* own = module_.getFunction(symbol);
    if (!procedure || procedure->isDeclaration() || !own || own->isVarArg() ||
        procedure->callsFunctionThatReturnsTwice())
      return;
    size_t sends = 0;
    for (const SiteOrigin& origin : prepared_.origins)
      sends += origin.function == symbol && origin.part->kind == HYBRID_SEND;
    std::vector<Candidate> candidates;
    std::set<uint32_t> done;
    /* A send is reported where its phase begins; otherwise where it is exact, or where it is known first. */
    add_parts(symbol, true, candidates);
    if (phase != HYBRID_NONE && !is_main_program(symbol)) { /* the main program begins before MPI */
      ValueToValueMapTy unused;
      Function* function = CloneFunction(procedure, unused);
      function->setLinkage(GlobalValue::InternalLinkage);
      candidates.push_back({function, nullptr});
    }
    if (phase != HYBRID_NONE) add_parts(symbol, false, candidates);
    for (const bool exact : {true, false})
      for (Candidate& candidate : candidates) {
        if (done.size() == sends) break;
        const std::string name = candidate.part ? candidate.function->getName().str() : symbol;
        if (exact)
          candidate.slice =
              slice(*candidate.function, name, exposed_, prepared_.origins, analyses_.functions);
        if (!candidate.slice) continue;
        const bool begins_phase = candidate.part && is_phase(*candidate.part);
        const bool is_directive = begins_phase && !candidate.part->is_loop;
        for (const Slice::Site& site : candidate.slice->computed())
          if ((!exact || !site.speculative || begins_phase) && !done.contains(site.number) &&
              (!is_directive || site.directive == candidate.part->phase))
            candidate.sites.push_back(site);
        for (const Slice::Site& site : candidate.sites) done.insert(site.number);
      }
    for (Candidate& candidate : candidates) {
      if (!candidate.sites.empty()) emit(symbol, *own, phase, candidate);
      if (!candidate.part) candidate.function->deleteBody();
    }
  }

  /* Adds the parts of a procedure: those that are phases, the innermost first, or the others, the outermost
   * first. */
  void add_parts(const std::string& symbol, bool phases, std::vector<Candidate>& candidates) {
    const std::vector<Entry>& parts = parts_[symbol];
    for (size_t i = 0; i < parts.size(); ++i) {
      const Entry& part = parts[phases ? parts.size() - 1 - i : i];
      Function* function = prepared_.module->getFunction(names_.at(&part));
      if (is_phase(part) == phases && function) candidates.push_back({function, &part});
    }
  }

  /* Adds the candidate's inspector to the module. */
  void emit(const std::string& symbol, Function& own, uint32_t phase, Candidate& candidate) {
    std::vector<unsigned> used;
    Function* made = make_inspector(*candidate.function, *candidate.slice, candidate.sites, used);
    stripDebugInfo(*made);
    Function* moved = verifyFunction(*made) ? nullptr : Mover(module_).move(*made, own, symbol + ".inspect");
    made->eraseFromParent();
    if (!moved) return;
    const Entry* part = candidate.part;
    const bool is_directive = part && !part->is_loop && part->phase != HYBRID_NONE;
    Inspector inspector{moved, part ? part->before : nullptr, is_directive ? part->phase : phase, {}};
    for (const unsigned number : used)
      inspector.inputs.push_back(part ? part->inputs[number] : InspectorInput{own.getArg(number)});
    result_[symbol].push_back(std::move(inspector));
    for (const Slice::Site& site : candidate.sites) computed_[{symbol, site.number}] |= site.speculative;
  }

  Module& module_;
  const Note* note_ = nullptr;
  const bool exposed_ = exposes_memory(module_);
  std::map<std::string, std::vector<Entry>> parts_; /* of procedures that send, by symbol */
  std::map<const Entry*, std::string> names_;
  Prepared prepared_;
  Analyses analyses_;
  /* The sends that inspectors report, by symbol and number, and whether they are speculative. */
  std::map<std::pair<std::string, uint32_t>, bool> computed_;
  Inspectors result_;
};

InspectorMaker::InspectorMaker(Module& module, const Directives& directives, bool in_registers)
    : maker_(std::make_unique<Maker>(module, directives, in_registers)) {}
InspectorMaker::~InspectorMaker() = default;

Prepared& InspectorMaker::prepared() { return maker_->prepared(); }

Inspectors InspectorMaker::make(const std::map<std::string, uint32_t>& procedures, Note& note) {
  return maker_->make(procedures, note);
}

}  // namespace hybrid::pass
