/* Expressions of communicators and datatypes: MPICH's handles, and the results of MPI_Comm_split, of
 * Cartesian and of graph calls. */
#include <llvm/IR/InstIterator.h>

#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"
#include "core/readable_name.h"

namespace hybrid::pass {

using namespace llvm;

Node Symbolic::list(const CallBase& call, unsigned first, unsigned count) {
  Node rest = HYBRID_NONE;
  for (unsigned i = count; i-- > 0;) {
    const Value* item = call.getArgOperand(first + i);
    Node element = value(item);
    /* Readers of the hint repeat MPI_Dims_create for the same number of ranks. */
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

/* The origin of the handle: a constant, an MPI call, or the code that stores or passes it. */
Node Symbolic::made(const Value* handle) {
  if (!busy_.insert(handle).second) return note_.unknown_communicator("it is defined by itself");
  struct Leave {
    std::set<const Value*>& busy;
    const Value* handle;
    ~Leave() { busy.erase(handle); }
  } leave{busy_, handle};
  std::vector<const Value*> candidates;
  if (const auto* constant = dyn_cast<ConstantInt>(handle)) {
    const int64_t number = constant->getSExtValue();
    if (number == kWorldHandle) return note_.make(HYBRID_WORLD);
    if (number == kSelfHandle) return note_.make(HYBRID_SELF);
    return note_.unknown_communicator("it is a constant of an MPI other than MPICH");
  }
  if (isa<LoadInst>(handle)) return note_.unknown_communicator("it is read from memory");
  if (const auto* argument = dyn_cast<Argument>(handle))
    return note_.unknown_communicator("it is an argument of " +
                                      readable_name(argument->getParent()->getName()));
  if (const auto* joined = dyn_cast<PHINode>(handle)) {
    candidates.assign(joined->value_op_begin(), joined->value_op_end());
  } else if (const auto* choice = dyn_cast<SelectInst>(handle)) {
    candidates = {choice->getTrueValue(), choice->getFalseValue()};
  } else if (const auto* call = dyn_cast<CallBase>(handle); call && call->getCalledFunction()) {
    const Node result = made_by(*call);
    if (note_.has_variable(result))
      return note_.unknown_communicator("it is created in every iteration of a loop");
    return result;
  }
  Node result = HYBRID_NONE;
  for (const Value* candidate : candidates) {
    /* MPI_COMM_NULL is no candidate: a program cannot communicate over it. */
    const auto* constant = dyn_cast<ConstantInt>(candidate);
    if (candidate == handle || isa<UndefValue>(candidate) ||
        (constant && constant->getSExtValue() == kNullHandle))
      continue;
    const Node node = communicator(candidate);
    if (!note_.is_known(node)) return node;
    if (result != HYBRID_NONE && result != node) return note_.unknown_communicator("it is one of several");
    result = node;
  }
  return result == HYBRID_NONE ? note_.unknown_communicator("no visible code creates it") : result;
}

Node Symbolic::made_by(const CallBase& call) {
  const StringRef name = call.getCalledFunction()->getName();
  const auto of = [&] { return communicator(call.getArgOperand(0)); };
  if (name == kDup) return note_.make(HYBRID_DUP, of());
  if (name == kSplit) {
    const Node parent = of(), color = value(call.getArgOperand(1)), key = value(call.getArgOperand(2));
    return note_.make(HYBRID_SPLIT, parent, color, key);
  }
  if (name == kCart) {
    const Node parent = of();
    const unsigned count = (call.arg_size() - 2) / 2;
    const Node sizes = list(call, 2, count), wraps = list(call, 2 + count, count);
    int64_t reorder = 0;
    if (!note_.is_constant(value(call.getArgOperand(1)), reorder))
      return note_.unknown_communicator("it is unknown whether MPI_Cart_create may reorder");
    return note_.make(HYBRID_CART, parent, sizes, wraps, reorder != 0);
  }
  if (name == kCartSub) {
    const Node parent = of();
    return note_.make(HYBRID_CART_SUB, parent, list(call, 1, call.arg_size() - 1));
  }
  return note_.unknown_communicator("it is the result of " + readable_name(name));
}

Node Symbolic::membership(const CmpInst& compared) {
  const auto* null = dyn_cast<ConstantInt>(compared.getOperand(1));
  if (!null || null->getBitWidth() != 32 || null->getSExtValue() != kNullHandle || !compared.isEquality())
    return HYBRID_NONE;
  if (!isa<CallBase>(compared.getOperand(0))) return HYBRID_NONE; /* which may not be made on all paths */
  const Node made = communicator(compared.getOperand(0));
  if (!note_.is_known(made)) return HYBRID_NONE;
  const Node member = note_.make(HYBRID_MEMBER, made);
  return compared.getPredicate() == CmpInst::ICMP_NE ? member : note_.negation(member);
}

Node Symbolic::datatype_size(const Value* handle) {
  const auto* constant = dyn_cast<ConstantInt>(handle);
  if (!constant || (constant->getZExtValue() & 0xFF000000u) != 0x4C000000u) return HYBRID_NONE;
  return note_.constant(static_cast<int64_t>(constant->getZExtValue() >> 8 & 0xFF));
}

}  // namespace hybrid::pass
