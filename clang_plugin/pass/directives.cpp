#include "clang_plugin/pass/directives.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <set>

#include "clang_plugin/pass/loop_phases.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

StringRef marker_name(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  const auto* callee = call ? dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()) : nullptr;
  return callee && is_marker(callee->getName()) ? callee->getName() : StringRef();
}

void put_label(Instruction& instruction, const char* kind, uint32_t number) {
  LLVMContext& context = instruction.getContext();
  Metadata* value = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), number));
  instruction.setMetadata(kind, MDNode::get(context, value));
}

uint32_t small_number(const Value* value) {
  const auto* constant = dyn_cast<ConstantInt>(value);
  return constant && constant->getValue().isIntN(31) ? static_cast<uint32_t>(constant->getZExtValue()) : 0;
}

std::string text_of(const Value* value) {
  StringRef text;
  if (getConstantStringInfo(value, text)) return text.str();
  /* In Fortran, a variable of the directive. */
  const auto* variable = dyn_cast<GlobalVariable>(value->stripPointerCasts());
  const auto* data = variable && variable->hasLocalLinkage() && variable->hasInitializer()
                         ? dyn_cast<ConstantDataArray>(variable->getInitializer())
                         : nullptr;
  return data && data->isCString() ? data->getAsCString().str() : "";
}

/* One function's markers, along its control flow. */
class Scan {
 public:
  Scan(Directives& directives, Function& function) : all_(directives), function_(function) {}

  void run() {
    const ReversePostOrderTraversal<Function*> order(&function_);
    number_phases(order);
    /* At the join of several paths, the phases that are open on all of them are open. */
    std::map<const BasicBlock*, bool> off;
    std::set<const BasicBlock*> known;
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : order) {
        OpenPhases open;
        bool first = true, is_off = false;
        for (const BasicBlock* before : predecessors(block)) {
          if (!known.contains(before)) continue;
          const OpenPhases& other = all_.open_at_end[before];
          is_off |= off[before];
          if (first) {
            open = other;
          } else {
            const auto [here, there] = std::mismatch(open.begin(), open.end(), other.begin(), other.end());
            open.erase(here, open.end());
          }
          first = false;
        }
        all_.open_at_begin[block] = open;
        step(*block, open, is_off);
        changed |= known.insert(block).second || all_.open_at_end[block] != open || off[block] != is_off;
        all_.open_at_end[block] = open;
        off[block] = is_off;
      }
    }
  }

 private:
  /* Clauses belong to the last begin before them: the expressions of a directive may branch, but its markers
   * are in source order. */
  void number_phases(const ReversePostOrderTraversal<Function*>& order) {
    uint32_t current = HYBRID_NONE;
    CallBase* before = nullptr; /* condition of the whole directive */
    for (BasicBlock* block : order)
      for (Instruction& instruction : *block) {
        const StringRef name = marker_name(instruction);
        if (name.empty()) continue;
        auto* call = cast<CallBase>(&instruction);
        all_.markers.push_back(call);
        if (name == HYBRID_MARKER_CONDITION && current == HYBRID_NONE) before = call;
        if (name == HYBRID_MARKER_PHASE_BEGIN && call->arg_size() >= 3) {
          current = static_cast<uint32_t>(all_.phases.size());
          DirectivePhase& phase = all_.phases.emplace_back();
          phase.begin = call;
          phase.name = text_of(call->getArgOperand(0));
          phase.function = function_.getName().str();
          const uint32_t flags = small_number(call->getArgOperand(1));
          phase.is_loop = (flags & kOfLoop) != 0;
          phase.flags = flags & ~kOfLoop;
          phase.slots = small_number(call->getArgOperand(2));
          if (const DILocation* at = call->getDebugLoc()) {
            phase.file = at->getFilename().str();
            phase.line = at->getLine();
          }
          if (before && before->arg_size() >= 1) {
            phase.holds = before->getArgOperand(0);
            add_clause(*before, current);
          }
          before = nullptr;
        }
        if (current == HYBRID_NONE) continue;
        DirectivePhase& phase = all_.phases[current];
        add_clause(*call, current);
        if (name == HYBRID_MARKER_PATTERN && call->arg_size() >= 1)
          phase.pattern = text_of(call->getArgOperand(0));
        if (name == HYBRID_MARKER_CONDITION && call->arg_size() >= 1) phase.holds = call->getArgOperand(0);
        if (name == HYBRID_MARKER_PHASE_READY) {
          phase.ready = call;
          if (call->arg_size() >= 1) phase.scope = call->getArgOperand(0)->stripPointerCasts();
          current = HYBRID_NONE;
        }
      }
  }

  void add_clause(CallBase& marker, uint32_t phase) {
    put_label(marker, kDirective, phase);
    DirectivePhase& of = all_.phases[phase];
    put_label(marker, kFirstValue, of.value_count);
    const StringRef name = marker_name(marker);
    if (name != HYBRID_MARKER_PATTERN && name != HYBRID_MARKER_CONNECTION) return;
    of.clauses.push_back(&marker);
    of.value_count += static_cast<uint32_t>(clause_values(marker).size());
  }

  void step(BasicBlock& block, OpenPhases& open, bool& off) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      const StringRef name = marker_name(instruction);
      if (name == HYBRID_MARKER_PHASE_READY) {
        const uint32_t phase = label(instruction, kDirective);
        if (phase == HYBRID_NONE) continue;
        all_.phases[phase].parent = open.empty() ? HYBRID_NONE : open.back();
        open.push_back(phase);
      } else if (name == HYBRID_MARKER_PHASE_END) {
        all_.ends[call] = open.empty() ? HYBRID_NONE : open.back();
        if (!open.empty()) open.pop_back();
      } else if (name == HYBRID_MARKER_SCOPE_END) {
        end_scope(*call, open);
      } else if (name == HYBRID_MARKER_OFF || name == HYBRID_MARKER_ON) {
        off = name == HYBRID_MARKER_OFF;
      } else if (name.empty()) {
        instruction.setMetadata(kRegion, nullptr);
        instruction.setMetadata(kOff, nullptr);
        if (!open.empty()) put_label(instruction, kRegion, open.back());
        if (off) put_label(instruction, kOff, 1);
      }
    }
  }

  /* Of several scope ends on a path, the first whose phase is open ends that phase and the phases inside. */
  void end_scope(CallBase& call, OpenPhases& open) {
    const Value* scope = call.arg_size() >= 1 ? call.getArgOperand(0)->stripPointerCasts() : nullptr;
    const auto of_scope = [&](uint32_t phase) { return all_.phases[phase].scope == scope; };
    const auto ended = std::find_if(open.begin(), open.end(), of_scope);
    all_.ends[&call] = ended == open.end() ? HYBRID_NONE : *ended;
    open.erase(ended, open.end());
  }

  Directives& all_;
  Function& function_;
};

}  // namespace

bool is_marker(StringRef name) {
  static const std::set<StringRef> names = {
      HYBRID_MARKER_PHASE_BEGIN, HYBRID_MARKER_PATTERN,   HYBRID_MARKER_CONNECTION, HYBRID_MARKER_CONDITION,
      HYBRID_MARKER_PHASE_READY, HYBRID_MARKER_PHASE_END, HYBRID_MARKER_FLUSH,      HYBRID_MARKER_RANK,
      HYBRID_MARKER_SIZE,        HYBRID_MARKER_OFF,       HYBRID_MARKER_ON,         HYBRID_MARKER_SCOPE_END};
  return names.contains(name);
}

uint32_t label(const Instruction& instruction, const char* kind) {
  const MDNode* node = instruction.getMetadata(kind);
  return node ? static_cast<uint32_t>(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue())
              : HYBRID_NONE;
}

std::vector<Value*> clause_values(const CallBase& marker) {
  const StringRef name = marker_name(marker);
  unsigned i = 0, end = marker.arg_size();
  if (name == HYBRID_MARKER_PATTERN && end >= 2) { /* name, count, and at least so many dimensions */
    const auto* count = dyn_cast<ConstantInt>(marker.getArgOperand(1));
    i = 2;
    end = std::min(end, count ? 2 + static_cast<unsigned>(count->getZExtValue()) : 2);
  } else if (name != HYBRID_MARKER_CONNECTION && name != HYBRID_MARKER_CONDITION) {
    return {};
  }
  std::vector<Value*> values;
  for (; i < end; ++i) values.push_back(marker.getArgOperand(i));
  return values;
}

void forget_bodies_of_markers(Module& module) {
  for (Function& function : module) {
    if (!is_marker(function.getName()) || function.isDeclaration()) continue;
    function.deleteBody(); /* makes it external, too */
    function.setComdat(nullptr);
  }
}

Directives find_directives(Module& module) {
  Directives directives;
  std::set<Function*> with_markers;
  for (Function& function : module)
    if (is_marker(function.getName()))
      for (User* user : function.users())
        if (auto* call = dyn_cast<CallBase>(user)) with_markers.insert(call->getFunction());
  for (Function& function : module)
    if (with_markers.contains(&function)) Scan(directives, function).run();
  return directives;
}

}  // namespace hybrid::pass
