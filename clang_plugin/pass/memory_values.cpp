/* Values of reads of memory: the single value that all writers store, or an element of a table with known
 * entries. */
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>

#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Largest number of entries of a table that is expressed as a choice. */
constexpr size_t kLongestTable = 64;

}  // namespace

std::string written_in(const Instruction& instruction) {
  const MDNode* name = instruction.getMetadata(kWrittenIn);
  return name ? cast<MDString>(name->getOperand(0))->getString().str() : "?";
}

bool Symbolic::is_certain(const Instruction& instruction) {
  const Function& function = *instruction.getFunction();
  return shape(function).post_dominators.dominates(instruction.getParent(), &function.getEntryBlock());
}

bool Symbolic::comes_before(const Instruction& first, const Instruction& then, int depth) {
  if (depth > 6) return false;
  if (first.getFunction() == then.getFunction())
    return shape(*first.getFunction()).dominators.dominates(&first, &then);
  std::vector<const CallBase*> calls;
  if (is_certain(first) && known_calls(*first.getFunction(), calls))
    for (const CallBase* call : calls)
      if (comes_before(*call, then, depth + 1)) return true;
  calls.clear();
  if (!known_calls(*then.getFunction(), calls) || calls.empty()) return false;
  for (const CallBase* call : calls)
    if (!comes_before(first, *call, depth + 1)) return false;
  return true;
}

std::vector<const Value*> Symbolic::stored(const LoadInst& load, const Value* object, const Place& place,
                                           bool& certain, std::string& why) {
  const Object& uses = memory_.uses(object);
  const auto size = static_cast<int64_t>(memory_.layout().getTypeStoreSize(load.getType()).getFixedValue());
  certain = isa<AllocaInst>(object); /* it has no value before the program writes one */
  if (const auto* made = dyn_cast<CallBase>(object)) {
    const Function* callee = made->getCalledFunction();
    certain = callee && callee->getName() != "calloc";
  }
  std::vector<const Value*> values;
  if (uses.escaped) return why = uses.why, values;
  bool by_rule = false;
  for (const Write& write : uses.writes) {
    if (!overlaps(write, place.offset, size)) continue;
    /* A local that is first cleared starts with zeros. */
    if (write.is_copy && !write.value && isa<AllocaInst>(object))
      return why = "it is cleared and written", std::vector<const Value*>{};
    if (!write.value || write.is_copy || !write.place.known || write.place.index ||
        write.place.offset != place.offset || write.size != size ||
        write.value->getType() != load.getType()) {
      why = "its writes cannot be analysed";
      return {};
    }
    values.push_back(write.value);
    certain |= comes_before(*write.instruction, load);
    by_rule |= is_certain(*write.instruction) && write.instruction->getFunction() != load.getFunction();
  }
  /* MPI_Comm_rank and similar calls that write a zero-initialised variable in another function do so before
   * anything is sent. */
  const auto* global = dyn_cast<GlobalVariable>(object);
  if (!certain && by_rule && global && global->hasInitializer() && global->getInitializer()->isNullValue()) {
    certain = true;
    for (const Value* value : values) {
      const auto* call = dyn_cast<CallBase>(value);
      certain &=
          call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("hybrid.");
    }
  }
  return values;
}

Node Symbolic::initial(const LoadInst& load, const Value* object, int64_t offset) {
  const auto* global = dyn_cast<GlobalVariable>(object);
  if (!global || !global->hasDefinitiveInitializer()) return HYBRID_NONE;
  Constant* constant =
      ConstantFoldLoadFromConst(const_cast<Constant*>(global->getInitializer()), load.getType(),
                                APInt(64, static_cast<uint64_t>(offset), true), memory_.layout());
  return constant && !isa<UndefValue>(constant) ? value(constant) : HYBRID_NONE;
}

Node Symbolic::table(const LoadInst& load, const Value* object, const Place& place) {
  const Object& uses = memory_.uses(object);
  const auto* global = dyn_cast<GlobalVariable>(object);
  const bool fixed = global && global->isConstant();
  if ((uses.escaped && !fixed) || place.scale <= 0) return HYBRID_NONE;
  std::map<int64_t, Node> entries;
  const auto size = static_cast<int64_t>(memory_.layout().getTypeStoreSize(load.getType()).getFixedValue());
  if (global) {
    const auto bytes =
        static_cast<int64_t>(memory_.layout().getTypeAllocSize(global->getValueType()).getFixedValue());
    for (int64_t at = place.offset; at + size <= bytes; at += place.scale) {
      if (entries.size() > kLongestTable) return HYBRID_NONE;
      const Node node = initial(load, object, at);
      if (node == HYBRID_NONE) return HYBRID_NONE;
      entries[(at - place.offset) / place.scale] = node;
    }
    if (!fixed)
      for (const Write& write : uses.writes)
        if (!comes_before(*write.instruction, load)) return HYBRID_NONE;
  }
  std::set<int64_t> written;
  if (!fixed)
    for (const Write& write : uses.writes) {
      const int64_t step = write.place.offset - place.offset;
      if (!write.value || write.is_copy || !write.place.known || write.place.index || write.size != size ||
          write.value->getType() != load.getType() || step % place.scale != 0 || !written.insert(step).second)
        return HYBRID_NONE;
      const Node node = value(write.value);
      if (note_.has_variable(node)) return HYBRID_NONE;
      entries[step / place.scale] = node;
    }
  if (entries.empty() || entries.size() > kLongestTable) return HYBRID_NONE;
  const Node index = value(place.index);
  Node choice = HYBRID_NONE;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    choice = choice == HYBRID_NONE
                 ? entry->second
                 : note_.make(HYBRID_SELECT, note_.make(HYBRID_EQ, index, note_.constant(entry->first)),
                              entry->second, choice);
  return choice;
}

Node Symbolic::load(const LoadInst& load) {
  if (load.isVolatile()) return note_.unknown("", "it is volatile");
  if (!load.getType()->isIntegerTy() && !load.getType()->isDoubleTy())
    return note_.unknown("", "it is not an integer");
  Place place;
  const Value* object = memory_.object_of(load.getPointerOperand(), place);
  const std::string name = object ? source_name(*object) : source_name(*load.getPointerOperand());
  if (!object) return note_.unknown(name, "it is read through an address that is unknown at compile time");
  if (!place.known) return note_.unknown(name, "it is read at an unknown place in " + name);
  const auto* global = dyn_cast<GlobalVariable>(object);
  std::string why = "it is read from a table";
  if (place.index) {
    const Node node = table(load, object, place);
    if (node != HYBRID_NONE && (note_.is_known(node) || !global)) return node;
    if (node != HYBRID_NONE) why = note_.reason(node);
  } else {
    bool certain = false;
    const bool fixed = global && global->isConstant();
    const std::vector<const Value*> values =
        fixed ? std::vector<const Value*>{} : stored(load, object, place, certain, why);
    if (values.empty() && (fixed || why == "it is read from a table")) {
      const Node node = initial(load, object, place.offset);
      if (node != HYBRID_NONE) return node;
      why = "no visible code writes it";
    }
    Node all = HYBRID_NONE;
    for (const Value* written : values) {
      const Node node = value(written);
      if (!note_.is_known(node)) {
        why = note_.reason(node);
        all = HYBRID_NONE;
        break;
      }
      if (note_.has_variable(node) || (all != HYBRID_NONE && all != node)) {
        why = "different values are written to it";
        all = HYBRID_NONE;
        break;
      }
      all = node;
      if (!certain) why = "it may be read before it is written";
    }
    if (all != HYBRID_NONE && certain) return all;
  }
  return note_.unknown(name, why);
}

}  // namespace hybrid::pass
