#include "clang_plugin/pass/values.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

#include "clang_plugin/pass/directives.h"

namespace hybrid::pass {
namespace {

using namespace llvm;

/* Rewrites one call. */
class Rewriter {
 public:
  /* `starters`: functions that start persistent requests. */
  Rewriter(CallBase& call, bool fortran, const std::set<const Function*>& starters,
           std::vector<SiteOrigin>& origins)
      : call_(call),
        fortran_(fortran),
        starters_(starters),
        origins_(origins),
        builder_(&call),
        module_(*call.getModule()) {}

  void site(const Call& known) {
    /* The creation of a persistent request sends nothing. It counts where the request may be started by the
     * same function, which cannot know it before. */
    const bool only_creates =
        StringRef(known.name).contains("_init") && !starters_.contains(call_.getFunction());
    const bool off = label(call_, kOff) != HYBRID_NONE || only_creates;
    for (const CallPart& part : known.parts) {
      if (off) break;
      const uint32_t number = static_cast<uint32_t>(origins_.size());
      origins_.push_back({&known, &part, call_.getFunction()->getName().str(), label(call_, kRegion),
                          label(call_, kCallNumber)});
      if (part.request >= 0) {
        start(number, part);
        continue;
      }
      std::vector<Value*> arguments{builder_.getInt32(number)};
      for (int at : {part.count, part.type, part.peer, part.tag, part.communicator})
        arguments.push_back(at < 0 ? builder_.getInt32(0) : in(at));
      /* A 64-bit count is not truncated. */
      if (part.count >= 0 && pointer(part.count)->getType()->isIntegerTy(64))
        arguments[1] = pointer(part.count);
      emit(kSite, builder_.getVoidTy(), arguments, MemoryEffects::inaccessibleMemOnly());
    }
    for (int i = 0; i < known.arguments; ++i) {
      const bool by_value = std::any_of(known.parts.begin(), known.parts.end(), [i](const CallPart& p) {
        return i == p.count || i == p.type || i == p.peer || i == p.tag || i == p.communicator;
      });
      if (!by_value && !(known.read >> i & 1))
        clobber(i, i == written_buffer(known) ? bytes(known) : handle_bytes(known, i),
                i == known.arguments - 1 ? kHandle
                : writes_later(known)    ? kWhenComplete
                                         : kNow);
      if (!(known.read >> i & 1) && i != known.arguments - 1 && receives_anywhere(i, known.arguments))
        emit_clobber_without_address(kAnywhere);
    }
    finish();
  }

  /* Rewrites a call that queries or creates communicators. Returns false for other calls. */
  bool query(StringRef name) {
    if (name == "comm_rank") {
      out(1, pure(kRank, {in(0)}));
    } else if (name == "comm_size") {
      out(1, pure(kSize, {in(0)}));
    } else if (name == "comm_dup") {
      out(1, pure(kDup, {in(0)}));
    } else if (name == "comm_dup_with_info") {
      out(2, pure(kDup, {in(0)}));
    } else if (name == "dist_graph_create" && is_zero(7)) {
      out(8, pure(kDup, {in(0)}));
    } else if (name == "dist_graph_create_adjacent" && is_zero(8)) {
      out(9, pure(kDup, {in(0)}));
    } else if (name == "dist_graph_neighbors_count") {
      Value* communicator = in(0);
      for (uint32_t to : {0u, 1u})
        out(1 + static_cast<int>(to), pure(kDegree, {communicator, builder_.getInt32(to)}));
      clobber(3, 4);
    } else if (name == "dist_graph_neighbors" && has_room(1) && has_room(4)) {
      Value* communicator = in(0);
      for (uint32_t to : {0u, 1u}) {
        const int most = to ? 4 : 1;
        for (uint32_t i = 0; i < count(most).value_or(0); ++i)
          out_element(most + 1, i,
                      pure(kNeighbor, {communicator, builder_.getInt32(to), builder_.getInt32(i)}));
        clobber(most + 2, -1);
      }
    } else if (name == "graph_create" && is_zero(4)) {
      /* The members are the first ranks, as many as the graph has nodes. */
      Value *parent = in(0), *nodes = in(1), *rank = pure(kRank, {parent});
      Value* color = builder_.CreateSelect(builder_.CreateICmpSLT(rank, nodes), builder_.getInt32(0),
                                           builder_.getInt32(static_cast<uint32_t>(-32766)));
      out(5, pure(kSplit, {parent, color, rank}));
    } else if (name == "comm_split") {
      out(3, pure(kSplit, {in(0), in(1), in(2)}));
    } else if (name == "cart_shift") {
      const std::vector<Value*> of{in(0), in(1), in(2)};
      for (uint32_t which : {0u, 1u})
        out(3 + static_cast<int>(which), pure(kShift, {of[0], of[1], of[2], builder_.getInt32(which)}));
    } else if (const auto axes = name == "cart_create" ? count(1) : std::nullopt) {
      std::vector<Value*> arguments{in(0), in(4)};
      for (int array : {2, 3})
        for (uint32_t i = 0; i < *axes; ++i) arguments.push_back(element(array, i));
      out(5, pure(kCart, arguments));
    } else if (const auto axes = name == "cart_rank" ? length(1) : std::nullopt) {
      std::vector<Value*> arguments{in(0)};
      for (uint32_t i = 0; i < *axes; ++i) arguments.push_back(element(1, i));
      out(2, pure(kCartRank, arguments));
    } else if (const auto axes = name == "cart_coords" ? count(2) : std::nullopt) {
      Value *communicator = in(0), *rank = in(1);
      for (uint32_t i = 0; i < *axes; ++i)
        out_element(3, i, pure(kCoordinate, {communicator, rank, builder_.getInt32(i)}));
    } else if (const auto axes = name == "cart_sub" ? length(1) : std::nullopt) {
      std::vector<Value*> arguments{in(0)};
      for (uint32_t i = 0; i < *axes; ++i) arguments.push_back(element(1, i));
      out(2, pure(kCartSub, arguments));
    } else if (const auto axes = name == "dims_create" ? count(1) : std::nullopt) {
      std::vector<Value*> wanted{in(0), nullptr}, found;
      for (uint32_t i = 0; i < *axes; ++i) wanted.push_back(element(2, i));
      for (uint32_t i = 0; i < *axes; ++i) {
        wanted[1] = builder_.getInt32(i);
        found.push_back(pure(kDimension, wanted));
      }
      for (uint32_t i = 0; i < found.size(); ++i) out_element(2, i, found[i]);
    } else if (name == "win_create" || name == "win_create_c") {
      clobber(0, -1, kAnyTime);
      out(5, in(4));
    } else if (name == "comm_free") {
      out(0, builder_.getInt32(kNullHandle));
    } else if (name == "type_commit" || name == "type_free" || name == "request_free" || name == "op_free" ||
               name == "win_free" || name == "info_free" || name == "group_free") {
      clobber(0, 4, kHandle);
    } else if (name == "wait") {
      clobber(0, 4, kCompletion);
      clobber(1, 20, kHandle);
    } else if (name == "waitall") {
      const auto* many = dyn_cast<ConstantInt>(in(0));
      clobber(1, many ? many->getSExtValue() * 4 : -1, kCompletion);
      clobber(2, many ? many->getSExtValue() * 20 : -1, kHandle);
    } else {
      return false;
    }
    finish();
    return true;
  }

  /* Rewrites a directive's marker. */
  void marker(StringRef name) {
    if (name == HYBRID_MARKER_RANK || name == HYBRID_MARKER_SIZE) {
      Value* result = pure(name == HYBRID_MARKER_RANK ? kRank : kSize, {builder_.getInt32(kWorldHandle)});
      if (call_.getType()->isIntegerTy())
        call_.replaceAllUsesWith(builder_.CreateSExtOrTrunc(result, call_.getType()));
    }
    const Clause what = name == HYBRID_MARKER_PATTERN      ? kPattern
                        : name == HYBRID_MARKER_CONNECTION ? kConnection
                                                           : kCondition;
    const uint32_t phase = label(call_, kDirective);
    if (phase != HYBRID_NONE && (name == HYBRID_MARKER_PATTERN || name == HYBRID_MARKER_CONNECTION ||
                                 name == HYBRID_MARKER_CONDITION)) {
      std::vector<Value*> arguments{builder_.getInt32(phase), builder_.getInt32(what),
                                    builder_.getInt32(label(call_, kFirstValue))};
      for (Value* value : clause_values(call_))
        arguments.push_back(builder_.CreateSExtOrTrunc(value, builder_.getInt64Ty()));
      emit(kClause, builder_.getVoidTy(), arguments, MemoryEffects::inaccessibleMemOnly());
    }
    if (phase != HYBRID_NONE && name == HYBRID_MARKER_PHASE_READY)
      emit(kBegin, builder_.getVoidTy(), {builder_.getInt32(phase)}, MemoryEffects::inaccessibleMemOnly());
    /* The conditional working set is always hinted; the phase has the condition. */
    if (name == HYBRID_MARKER_CONDITION && call_.getType()->isIntegerTy())
      call_.replaceAllUsesWith(ConstantInt::get(call_.getType(), 1));
    fortran_ = false;
    finish();
  }

  /* Rewrites any other MPI call: it may write to all of its arguments. */
  void other(StringRef name) {
    const CallEffects effects = effects_of(name);
    const Clobber when = effects.any_time ? kAnyTime : effects.later ? kWhenComplete : kNow;
    const auto arguments = static_cast<int>(call_.arg_size());
    for (int i = 0; i < arguments; ++i)
      if (pointer(i)->getType()->isPointerTy()) {
        /* The address is kept for calls that write there later. */
        clobber(i, -1,
                i == effects.completed      ? kCompletion
                : i == effects.address_kept ? kWhenComplete
                                            : when);
        if (effects.receives && receives_anywhere(i, arguments)) emit_clobber_without_address(kAnywhere);
      }
    if (effects.ends_epoch) emit_clobber_without_address(kCompletion);
    finish();
  }

 private:
  static int written_buffer(const Call& known) {
    return known.read & 1 ? -1 : known.parts[0].count == 1 ? 0 : -1;
  }

  /* Whether the call receives at the addresses in a datatype: argument `at` is MPI_BOTTOM (C: null; Fortran:
   * the first member of MPICH's common block), the datatype after it is not MPI's own, and its count not 0.
   */
  bool receives_anywhere(int at, int arguments) {
    if (fortran_) return isa<GlobalVariable>(pointer(at)) && pointer(at)->getName() == "mpipriv1_";
    if (!isa<ConstantPointerNull>(pointer(at))) return false;
    /* A count and the type; arrays of counts and places, and the type; or arrays of all. */
    int next = at + 1;
    while (next < arguments && pointer(next)->getType()->isPointerTy()) ++next;
    if (next == at + 1 && next < arguments) {
      const auto* number = dyn_cast<ConstantInt>(pointer(next++));
      if (number && number->isZero()) return false;
    }
    const auto* type = next < arguments ? dyn_cast<ConstantInt>(pointer(next)) : nullptr;
    return !type || !is_predefined(*type);
  }
  void emit_clobber_without_address(Clobber when) {
    emit(kClobber, builder_.getVoidTy(),
         {ConstantPointerNull::get(builder_.getPtrTy()), builder_.getInt64(0), builder_.getInt32(when)},
         MemoryEffects::unknown());
  }

  /* MPICH: bits 8 to 15 of a predefined type's handle are its size. */
  static bool is_predefined(const ConstantInt& type) {
    return (type.getZExtValue() & 0xFF000000u) == 0x4C000000u;
  }

  /* Sizes of MPICH: a request as the last argument has 4 bytes, the status of a receive 20. */
  static int64_t handle_bytes(const Call& known, int at) {
    if (at != known.arguments - 1) return -1;
    const StringRef name = known.name;
    if (name.starts_with("MPI_I") || name.contains("_init")) return 4;
    return name.starts_with("MPI_Recv") || name.starts_with("MPI_Sendrecv") ? 20 : -1;
  }

  /* Bytes that the receive of a constant size writes, or -1. */
  int64_t bytes(const Call& known) {
    const auto* large = dyn_cast<ConstantInt>(pointer(known.parts[0].count)); /* MPI_Recv_c has 64 bits */
    if (large && !large->getValue().isSignedIntN(32)) return -1;
    const auto* number = dyn_cast<ConstantInt>(in(known.parts[0].count));
    const auto* type = dyn_cast<ConstantInt>(in(known.parts[0].type));
    if (!number || !type || !is_predefined(*type)) return -1;
    return number->getSExtValue() * static_cast<int64_t>(type->getZExtValue() >> 8 & 0xFF);
  }

  /* The start of persistent requests: a site for each, with the request as the peer. */
  void start(uint32_t number, const CallPart& part) {
    Value* address = pointer(part.request);
    if (part.count >= 0) {
      Value* many = builder_.CreateSExt(in(part.count), builder_.getInt64Ty());
      Value* any = builder_.CreateICmpSGT(many, builder_.getInt64(0));
      Instruction* inside = SplitBlockAndInsertIfThen(any, call_.getIterator(), false);
      const auto [body, index] = SplitBlockAndInsertSimpleForLoop(many, inside);
      builder_.SetInsertPoint(body);
      builder_.SetCurrentDebugLocation(call_.getDebugLoc());
      address = builder_.CreateGEP(builder_.getInt32Ty(), address, index);
    }
    Value *request = builder_.CreateLoad(builder_.getInt32Ty(), address), *none = builder_.getInt32(0);
    emit(kSite, builder_.getVoidTy(),
         {builder_.getInt32(number), none, none, request, none,
          builder_.getInt32(static_cast<uint32_t>(HYBRID_STARTED_REQUEST))},
         MemoryEffects::inaccessibleMemOnly());
    builder_.SetInsertPoint(&call_);
  }

  Value* pointer(int at) { return call_.getArgOperand(static_cast<unsigned>(at)); }

  Value* number(Value* value) {
    if (value->getType()->isPointerTy()) return PoisonValue::get(builder_.getInt32Ty());
    return builder_.CreateSExtOrTrunc(value, builder_.getInt32Ty());
  }
  /* Returns argument `at` as a number. Constants that Fortran passes by address are resolved. */
  Value* in(int at) {
    Value* value = pointer(at);
    if (!fortran_) return number(value);
    if (!value->getType()->isPointerTy()) return number(value);
    if (auto* global = dyn_cast<GlobalVariable>(value))
      if (global->isConstant() && global->hasDefinitiveInitializer())
        if (auto* constant = dyn_cast<ConstantInt>(global->getInitializer())) return number(constant);
    /* A temporary that only passes a constant. */
    if (isa<AllocaInst>(value) && value->hasNUses(2))
      for (User* user : value->users())
        if (auto* store = dyn_cast<StoreInst>(user); store && store->getParent() == call_.getParent())
          if (auto* constant = dyn_cast<ConstantInt>(store->getValueOperand())) return number(constant);
    return builder_.CreateLoad(builder_.getInt32Ty(), value);
  }
  Value* element_address(int at, uint32_t index) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt32Ty(), pointer(at), index);
  }
  Value* element(int at, uint32_t index) {
    return builder_.CreateLoad(builder_.getInt32Ty(), element_address(at, index));
  }
  void out(int at, Value* value) { builder_.CreateStore(value, pointer(at)); }
  void out_element(int at, uint32_t index, Value* value) {
    builder_.CreateStore(value, element_address(at, index));
  }

  /* Whether the argument is 0. As `reorder`: the ranks do not change. */
  bool is_zero(int at) {
    const auto* constant = dyn_cast<ConstantInt>(in(at));
    return constant && constant->isZero();
  }

  /* Returns a constant number of dimensions. */
  std::optional<uint32_t> count(int at) {
    const auto* constant = dyn_cast<ConstantInt>(in(at));
    if (!constant || constant->getZExtValue() > 8) return std::nullopt;
    return static_cast<uint32_t>(constant->getZExtValue());
  }
  /* Returns the length of an array that is passed as a whole. */
  std::optional<uint32_t> length(int at) {
    const Value* object = getUnderlyingObject(pointer(at));
    Type* type = nullptr;
    if (const auto* local = dyn_cast<AllocaInst>(object)) type = local->getAllocatedType();
    if (const auto* global = dyn_cast<GlobalVariable>(object)) type = global->getValueType();
    if (!type || !type->isArrayTy() || object != pointer(at) ||
        !type->getArrayElementType()->isIntegerTy(32) || type->getArrayNumElements() > 8)
      return std::nullopt;
    return static_cast<uint32_t>(type->getArrayNumElements());
  }

  /* Whether the array after argument `at`, a constant, has at least so many elements. */
  bool has_room(int at) {
    const auto most = count(at);
    if (!most || *most == 0) return most.has_value();
    const Value* array = pointer(at + 1);
    APInt offset(64, 0);
    array = array->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
    Type* type = nullptr;
    if (const auto* local = dyn_cast<AllocaInst>(array)) type = local->getAllocatedType();
    if (const auto* global = dyn_cast<GlobalVariable>(array)) type = global->getValueType();
    const auto bytes =
        type ? static_cast<int64_t>(module_.getDataLayout().getTypeAllocSize(type).getFixedValue()) : 0;
    return offset.getSExtValue() >= 0 && offset.getSExtValue() + 4 * int64_t{*most} <= bytes;
  }

  CallInst* emit(StringRef name, Type* result, const std::vector<Value*>& arguments, MemoryEffects effects) {
    FunctionType* type = FunctionType::get(result, true);
    FunctionCallee callee = module_.getOrInsertFunction(name, type);
    if (auto* function = dyn_cast<Function>(callee.getCallee())) {
      function->setMemoryEffects(effects);
      function->setDoesNotThrow();
      function->setWillReturn();
    }
    return builder_.CreateCall(callee, arguments);
  }
  Value* pure(StringRef name, const std::vector<Value*>& arguments) {
    return emit(name, builder_.getInt32Ty(), arguments, MemoryEffects::none());
  }
  void clobber(int at, int64_t size, Clobber when = kNow) {
    if (static_cast<unsigned>(at) >= call_.arg_size() || !pointer(at)->getType()->isPointerTy()) return;
    /* No memory: null, or a constant of MPI such as MPI_STATUS_IGNORE. */
    if (isa<Constant>(pointer(at)) && !isa<GlobalValue>(getUnderlyingObject(pointer(at)))) return;
    emit(kClobber, builder_.getVoidTy(),
         {pointer(at), builder_.getInt64(static_cast<uint64_t>(size)), builder_.getInt32(when)},
         MemoryEffects::unknown());
  }

  void finish() {
    if (fortran_ && call_.arg_size() > 0) {
      /* The error code, four bytes. */
      const auto last = static_cast<int>(call_.arg_size()) - 1;
      if (pointer(last)->getType()->isPointerTy()) clobber(last, 4);
    }
    if (!call_.getType()->isVoidTy()) call_.replaceAllUsesWith(Constant::getNullValue(call_.getType()));
    if (auto* invoke = dyn_cast<InvokeInst>(&call_)) {
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
    }
    call_.eraseFromParent();
  }

  CallBase& call_;
  bool fortran_;
  const std::set<const Function*>& starters_;
  std::vector<SiteOrigin>& origins_;
  IRBuilder<> builder_;
  Module& module_;
};

/* Marks the begin of functions that communicate. The call separates their branches from those of their
 * callers. It does not prevent other transformations, because it neither reads nor writes memory of the
 * program. */
void mark_begins(Module& module) {
  const Function* site = module.getFunction(kSite);
  if (!site) return;
  std::set<Function*> communicating;
  for (const User* user : site->users())
    if (const auto* call = dyn_cast<CallBase>(user))
      communicating.insert(const_cast<Function*>(call->getFunction()));
  FunctionCallee enter = module.getOrInsertFunction(kEnter, Type::getVoidTy(module.getContext()));
  auto* callee = cast<Function>(enter.getCallee());
  callee->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  callee->setDoesNotThrow();
  callee->setWillReturn();
  for (Function* function : communicating) {
    BasicBlock& entry = function->getEntryBlock();
    MDString* name = MDString::get(module.getContext(), function->getName());
    IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca())
        .CreateCall(enter)
        ->setMetadata(kWrittenIn, MDNode::get(module.getContext(), name));
  }
}

}  // namespace

const Function* callee_of(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call ? dyn_cast<Function>(call->getCalledOperand()->stripPointerCastsAndAliases()) : nullptr;
}

bool is_send(const Function& callee) {
  bool fortran = false;
  const Call* call = callee.isDeclaration() ? find_call(callee.getName(), fortran) : nullptr;
  return call && any_of(call->parts, [](const CallPart& part) { return part.kind == HYBRID_SEND; });
}

bool exposes_memory(const Module& module) {
  return any_of(module, [](const Function& function) {
    if (function.use_empty() || !function.isDeclaration()) return false;
    const StringRef symbol = function.getName();
    if (symbol == "mmap" || symbol == "mmap64" || symbol == "shmat") return true;
    bool fortran = false;
    if (!is_mpi(symbol, fortran)) return false;
    const std::string lower = symbol.lower();
    const StringRef name = StringRef(lower).substr(lower.find('_') + 1).rtrim('_');
    return exposes_memory(name);
  });
}

void calls_to_values(Module& module, std::vector<SiteOrigin>& origins) {
  std::vector<CallBase*> calls;
  std::set<const Function*> starters;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (const Function* callee = call->getCalledFunction(); callee && callee->isDeclaration()) {
          bool fortran = false;
          if (is_mpi(callee->getName(), fortran) || is_marker(callee->getName())) calls.push_back(call);
          const Call* known = find_call(callee->getName(), fortran);
          if (known && known->parts[0].request >= 0) starters.insert(&function);
        }
  for (CallBase* call : calls) {
    bool fortran = false;
    const StringRef symbol = call->getCalledFunction()->getName();
    if (is_marker(symbol)) {
      Rewriter(*call, false, starters, origins).marker(symbol);
      continue;
    }
    const Call* known = find_call(symbol, fortran);
    if (!known) is_mpi(symbol, fortran);
    Rewriter rewriter(*call, fortran, starters, origins);
    if (known && call->arg_size() >= static_cast<unsigned>(known->arguments)) {
      rewriter.site(*known);
      continue;
    }
    StringRef plain = symbol;
    std::string lower;
    if (!plain.consume_front("mpi_") && (plain.consume_front("MPI_") || plain.consume_front("PMPI_")))
      lower = plain.lower(), plain = lower;
    plain.consume_back("_");
    if (!rewriter.query(plain)) rewriter.other(plain);
  }
  mark_begins(module);
}

}  // namespace hybrid::pass
