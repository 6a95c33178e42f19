#include "clang_plugin/pass/memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Number of places in an object that one pointer may denote; with more it may denote any. */
constexpr size_t kMostPlaces = 200;

bool allocates(const CallBase& call) {
  const Function* callee = callee_of(call);
  if (!callee || !callee->isDeclaration()) return false;
  const StringRef name = callee->getName();
  return name == "malloc" || name == "calloc" || name.starts_with("_Znw") || name.starts_with("_Zna") ||
         callee->returnDoesNotAlias();
}

bool frees(StringRef name) {
  return name == "free" || name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv");
}

/* Returns the bytes of the member array that `index` of `gep` indexes; 0 if it indexes none. */
int64_t array_bytes(const GEPOperator& gep, const Value* index, const DataLayout& layout) {
  Type* around = gep.getSourceElementType();
  for (unsigned i = 2; i < gep.getNumOperands(); ++i) {
    const Value* operand = gep.getOperand(i);
    if (operand == index)
      return around->isArrayTy() ? static_cast<int64_t>(layout.getTypeAllocSize(around).getFixedValue()) : 0;
    around = GetElementPtrInst::getTypeAtIndex(around, const_cast<Value*>(operand));
    if (!around) return 0;
  }
  return 0;
}

/* Returns the place that `gep` computes from `place`. */
Place step(const GEPOperator& gep, Place place, const DataLayout& layout) {
  const unsigned width = layout.getIndexSizeInBits(gep.getPointerAddressSpace());
  MapVector<Value*, APInt> indices;
  APInt constant(width, 0);
  if (!place.known || !gep.collectOffset(layout, width, indices, constant)) return {0, nullptr, 0, false};
  place.offset += constant.getSExtValue();
  for (const auto& [index, scale] : indices) {
    if (place.index) return {0, nullptr, 0, false};
    place.index = index;
    place.scale = scale.getSExtValue();
    place.extent = constant.getSExtValue() >= 0 ? array_bytes(gep, index, layout) : 0;
  }
  return place;
}

bool same(const Place& a, const Place& b) {
  return a.known == b.known &&
         (!a.known || (a.offset == b.offset && a.index == b.index && a.scale == b.scale));
}

/* Whether an address is used only for differences and comparisons: then nothing accesses the object through
 * it. */
bool only_compared(const User& number) {
  for (const User* user : number.users())
    if (!isa<ICmpInst>(user)) {
      const auto* binary = dyn_cast<BinaryOperator>(user);
      if (!binary || binary->getOpcode() != Instruction::Sub) return false;
    }
  return true;
}

}  // namespace

bool overlaps(const Write& write, int64_t offset, int64_t size) {
  if (write.place.known && write.place.index && write.place.extent > 0)
    return write.place.offset < offset + size && write.place.offset + write.place.extent > offset;
  if (!write.place.known || write.place.index) return true;
  return write.place.offset < offset + size && (write.size < 0 || write.place.offset + write.size > offset);
}

bool known_calls(const Function& function, std::vector<const CallBase*>& calls) {
  if (!function.hasLocalLinkage()) return false;
  std::vector<const User*> pending(function.user_begin(), function.user_end());
  while (!pending.empty()) {
    const User* user = pending.back();
    pending.pop_back();
    if (const auto* alias = dyn_cast<GlobalAlias>(user)) {
      if (!alias->hasLocalLinkage()) return false;
      pending.insert(pending.end(), alias->user_begin(), alias->user_end());
      continue;
    }
    const auto* call = dyn_cast<CallBase>(user);
    if (!call || callee_of(*call) != &function || call->arg_size() != function.arg_size()) return false;
    if (is_aside(*call)) continue;
    for (const Use& argument : call->args())
      if (argument->stripPointerCastsAndAliases() == &function) return false;
    calls.push_back(call);
  }
  return true;
}

const Value* Memory::object_of(const Value* address, Place& place) const {
  place = {};
  for (int depth = 0; depth < 100; ++depth) {
    if (const auto* gep = dyn_cast<GEPOperator>(address)) {
      place = step(*gep, place, layout_);
      address = gep->getPointerOperand();
      continue;
    }
    if (const auto* alias = dyn_cast<GlobalAlias>(address)) {
      address = alias->getAliasee();
      continue;
    }
    if (isa<GlobalVariable, AllocaInst>(address)) return address;
    if (const auto* call = dyn_cast<CallBase>(address)) return allocates(*call) ? call : nullptr;
    if (const auto* argument = dyn_cast<Argument>(address)) {
      /* The object that all callers pass, if it is the same. */
      std::vector<const CallBase*> calls;
      if (!known_calls(*argument->getParent(), calls) || calls.empty()) return nullptr;
      const Value* passed = calls[0]->getArgOperand(argument->getArgNo());
      for (const CallBase* call : calls)
        if (call->getArgOperand(argument->getArgNo()) != passed) return nullptr;
      address = passed;
      continue;
    }
    if (const auto* load = dyn_cast<LoadInst>(address)) {
      /* A pointer in a variable that is written once. */
      Place at;
      const Value* holder = object_of(load->getPointerOperand(), at);
      if (!holder || !at.known || at.index) return nullptr;
      const Object& kept = const_cast<Memory*>(this)->uses(holder);
      if (kept.escaped) return nullptr;
      const Value* only = nullptr;
      for (const Write& write : kept.writes) {
        if (write.place.known && !write.place.index && write.size >= 0 &&
            (write.place.offset + write.size <= at.offset || write.place.offset >= at.offset + 8))
          continue;
        if (!write.value || write.is_copy || write.place.index || !write.place.known ||
            write.place.offset != at.offset || (only && only != write.value))
          return nullptr;
        only = write.value;
      }
      if (!only || isa<Constant>(only) != isa<GlobalValue>(only) || only == address) return nullptr;
      address = only;
      continue;
    }
    return nullptr;
  }
  return nullptr;
}

/* Follows the uses of an object's address. */
struct Memory::Walk {
  Memory& memory;
  Object& object;
  const Value* root;
  std::map<const Value*, std::vector<Place>> seen = {};
  std::vector<std::pair<const Value*, Place>> pending = {};

  void escape(const char* why) {
    if (!object.escaped) object.why = why;
    object.escaped = true;
  }
  void push(const Value* address, Place place) {
    std::vector<Place>& places = seen[address];
    for (const Place& known : places)
      if (same(known, place) || !known.known) return;
    /* Pointers that change in a loop may denote any place; a function may get many members of one object. */
    if (places.size() >= (isa<PHINode>(address) ? 1u : kMostPlaces)) place = {0, nullptr, 0, false};
    if (!place.known) places.clear();
    places.push_back(place);
    pending.emplace_back(address, place);
  }
  void write(const Instruction& instruction, const Place& place, int64_t size, const Value* value,
             bool copy = false) {
    object.writes.push_back({&instruction, place, size, value, copy});
  }

  void call(const CallBase& call, const Use& use, const Place& place) {
    if (isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd()) return;
    if (!call.isArgOperand(&use)) return escape("it is called");
    const unsigned at = call.getArgOperandNo(&use);
    if (const auto* set = dyn_cast<MemSetInst>(&call)) {
      const auto* length = dyn_cast<ConstantInt>(set->getLength());
      const auto* byte = dyn_cast<ConstantInt>(set->getValue());
      return write(call, place, length ? length->getSExtValue() : -1, nullptr, byte && byte->isZero());
    }
    if (const auto* copy = dyn_cast<MemTransferInst>(&call)) {
      if (at != 0) {
        /* A copy from it: only matters for the objects that pointers in it denote. */
        return;
      }
      const auto* length = dyn_cast<ConstantInt>(copy->getLength());
      const auto* source = dyn_cast<GlobalVariable>(copy->getSource());
      const bool constant = source && source->isConstant() && source->hasDefinitiveInitializer();
      return write(call, place, length ? length->getSExtValue() : -1, constant ? source : nullptr, constant);
    }
    const Function* callee = callee_of(call);
    if (!callee) return escape("its address is passed to an unknown function");
    if (callee->getName() == kClobber) {
      const auto* when = dyn_cast<ConstantInt>(call.getArgOperand(2));
      if (!when || when->getZExtValue() == kAnyTime) return escape("other ranks access it through a window");
      /* A write into an array of handles with an unknown end in the variable: the neighbouring data (in a
       * common block) are something else. */
      const bool is_handle = when->getZExtValue() == kHandle || when->getZExtValue() == kCompletion;
      if (is_handle && place.index && place.extent == 0) return;
      const auto* length = dyn_cast<ConstantInt>(call.getArgOperand(1));
      return write(call, place, length ? length->getSExtValue() : -1, nullptr);
    }
    if (frees(callee->getName()) || callee->getName() == kSite) return;
    if (callee->isDeclaration()) {
      if (call.onlyReadsMemory(at) && call.doesNotCapture(at)) return;
      if (callee->onlyReadsMemory() && !callee->getReturnType()->isPointerTy()) return;
      if (callee->getName().starts_with("_FortranAioInput"))
        return write(call, place, place.index ? -1 : 8, nullptr);
      if (call.doesNotCapture(at) || is_renamed_by_glibc(callee->getName()))
        return write(call, place, -1, nullptr);
      return escape("its address is passed to a function that is not visible");
    }
    if (callee->isInterposable() || callee->isVarArg() || at >= callee->arg_size())
      return escape("its address is passed to a function that may be replaced");
    push(callee->getArg(at), place.index ? Place{0, nullptr, 0, false} : place);
  }

  void returned(const Function& function, const Place& place) {
    std::vector<const CallBase*> calls;
    if (!known_calls(function, calls)) return escape("its address is returned");
    for (const CallBase* call : calls) push(call, place);
  }

  /* The address is stored in a variable: it goes to all reads of that variable. */
  void kept(const StoreInst& store, const Place& value) {
    Place at;
    const Value* holder = memory.object_of(store.getPointerOperand(), at);
    if (!holder || holder == root) return escape("its address is stored in memory");
    const Object& other = memory.uses(holder);
    if (other.escaped) return escape("its address is stored in memory that other code can access");
    for (const auto& [load, place] : other.loads)
      if (load->getType()->isPointerTy()) {
        if (!place.known || !at.known || place.index || at.index)
          push(load, {0, nullptr, 0, false});
        else if (place.offset == at.offset)
          push(load, value);
      } else if (isa<MemTransferInst>(load)) {
        return escape("its address is copied");
      }
  }

  void follow(const Use& use, const Place& place) {
    const User* user = use.getUser();
    if (const auto* instruction = dyn_cast<Instruction>(user); instruction && is_aside(*instruction)) return;
    if (const auto* gep = dyn_cast<GEPOperator>(user)) return push(gep, step(*gep, place, memory.layout_));
    if (const auto* load = dyn_cast<LoadInst>(user)) {
      object.loads.emplace_back(load, place);
      return;
    }
    if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == use.get() && use.getOperandNo() == 0) return kept(*store, place);
      const auto size = memory.layout_.getTypeStoreSize(store->getValueOperand()->getType());
      return write(*store, place, static_cast<int64_t>(size.getFixedValue()), store->getValueOperand());
    }
    if (isa<ICmpInst>(user)) return;
    if (isa<PHINode, SelectInst, FreezeInst, GlobalAlias>(user)) return push(user, place);
    if (isa<PtrToIntOperator>(user) && only_compared(*user)) return;
    if (const auto* transfer = dyn_cast<MemTransferInst>(user); transfer && use.getOperandNo() == 1)
      object.loads.push_back({transfer, place});
    if (const auto* c = dyn_cast<CallBase>(user)) return call(*c, use, place);
    if (const auto* back = dyn_cast<ReturnInst>(user)) return returned(*back->getFunction(), place);
    if (const auto* atomic = dyn_cast<AtomicRMWInst>(user); atomic && use.getOperandNo() == 0)
      return write(*atomic, place, 8, nullptr);
    if (const auto* list = dyn_cast<ConstantAggregate>(user)) {
      for (const User* holder : list->users())
        if (const auto* global = dyn_cast<GlobalVariable>(holder);
            global && global->getName().starts_with("llvm."))
          return;
    }
    escape("the use of its address cannot be analysed");
  }

  void run() {
    push(root, {});
    while (!pending.empty() && !object.escaped) {
      const auto [address, place] = pending.back();
      pending.pop_back();
      if (seen.size() > 20000) return escape("it is used in too many places");
      for (const Use& use : address->uses()) follow(use, place);
    }
  }
};

const Object& Memory::uses(const Value* root) {
  const auto known = objects_.find(root);
  if (known != objects_.end()) return known->second;
  Object& object = objects_[root];
  /* Until it is known, nested queries must not rely on it. */
  object.escaped = true;
  Object found;
  if (const auto* global = dyn_cast<GlobalVariable>(root)) {
    if (!global->hasLocalLinkage() && !global->isConstant()) {
      found.escaped = true;
      found.why = "other files may change it";
    }
    if (global->isThreadLocal()) found.escaped = true, found.why = "it is thread-local";
  }
  Walk walk{*this, found, root};
  const bool outside = found.escaped;
  const std::string why = found.why;
  found.escaped = false;
  walk.run();
  if (outside && !found.escaped) found.why = why;
  found.escaped |= outside;
  return objects_[root] = std::move(found);
}

}  // namespace hybrid::pass
