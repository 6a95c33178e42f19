/* Communicators and datatypes: handles of MPICH, and what MPI_Comm_split and the Cartesian calls made. */
#include <llvm/IR/InstIterator.h>

#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

Node Symbolic::list(const CallBase& call, unsigned first, unsigned count) {
  Node rest = HYBRID_NONE;
  for (unsigned i = count; i-- > 0;) {
    const Value* item = call.getArgOperand(first + i);
    Node element = value(item);
    /* What MPI_Dims_create found for the same number of ranks is found again by whoever reads the hint. */
    if (const auto* found = dyn_cast<CallBase>(item))
      if (const Function* callee = found->getCalledFunction(); callee && callee->getName() == kDimension) {
        int64_t dimension = 0;
        if (call.getCalledFunction()->getName() == kCart && found->arg_size() == 2 + count &&
            value(found->getArgOperand(0)) == note_.make(HYBRID_SIZE, communicator(call.getArgOperand(0))) &&
            note_.is_constant(value(found->getArgOperand(1)), dimension) && dimension == i)
          element = value(found->getArgOperand(2 + i));
      }
    rest = note_.make(HYBRID_LIST, element, rest);
  }
  return rest;
}

Node Symbolic::communicator(const Value* handle) {
  if (const auto found = communicators_.find(handle); found != communicators_.end()) return found->second;
  const Node unknown = note_.make(HYBRID_UNKNOWN_COMMUNICATOR);
  communicators_[handle] = unknown; /* while it is looked for */
  Node result = unknown;
  if (const auto* constant = dyn_cast<ConstantInt>(handle)) {
    const int64_t number = constant->getSExtValue();
    result = number == kWorldHandle  ? note_.make(HYBRID_WORLD)
             : number == kSelfHandle ? note_.make(HYBRID_SELF)
                                     : unknown;
    return communicators_[handle] = result;
  }
  if (const auto* load = dyn_cast<LoadInst>(handle)) {
    Place place;
    const Value* object = memory_.object_of(load->getPointerOperand(), place);
    std::string why;
    bool certain = false;
    if (!object || !place.known || place.index) return unknown;
    for (const Value* made : stored(*load, object, place, certain, why)) {
      const Node node = communicator(made);
      if (result != unknown && result != node) return unknown;
      result = node;
    }
    return communicators_[handle] = certain ? result : unknown;
  }
  if (const auto* argument = dyn_cast<Argument>(handle)) {
    std::vector<const CallBase*> calls;
    if (!known_calls(*argument->getParent(), calls) || calls.empty()) return unknown;
    for (const CallBase* call : calls) {
      const Node passed = communicator(call->getArgOperand(argument->getArgNo()));
      if (result != unknown && result != passed) return unknown;
      result = passed;
    }
    return communicators_[handle] = result;
  }
  const auto* call = dyn_cast<CallBase>(handle);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee) return unknown;
  const StringRef name = callee->getName();
  const auto of = [&] { return communicator(call->getArgOperand(0)); };
  if (name == kDup) result = note_.make(HYBRID_DUP, of());
  if (name == kSplit) {
    const Node parent = of(), color = value(call->getArgOperand(1)), key = value(call->getArgOperand(2));
    result = note_.make(HYBRID_SPLIT, parent, color, key);
  }
  if (name == kCart) {
    const Node parent = of();
    const unsigned count = (call->arg_size() - 2) / 2;
    const Node sizes = list(*call, 2, count), wraps = list(*call, 2 + count, count);
    int64_t reorder = 0;
    if (!note_.is_constant(value(call->getArgOperand(1)), reorder)) return unknown;
    result = note_.make(HYBRID_CART, parent, sizes, wraps, reorder != 0);
  }
  if (name == kCartSub) {
    const Node parent = of();
    result = note_.make(HYBRID_CART_SUB, parent, list(*call, 1, call->arg_size() - 1));
  }
  /* Made anew in every turn of a loop: which one it is cannot be expressed. */
  if (note_.has_variable(result)) result = unknown;
  return communicators_[handle] = result;
}

Node Symbolic::datatype_size(const Value* handle) {
  const auto* constant = dyn_cast<ConstantInt>(handle);
  if (!constant || (constant->getZExtValue() & 0xFF000000u) != 0x4C000000u) return HYBRID_NONE;
  return note_.constant(static_cast<int64_t>(constant->getZExtValue() >> 8 & 0xFF));
}

}  // namespace hybrid::pass
