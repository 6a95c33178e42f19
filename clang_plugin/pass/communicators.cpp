/* Expressions of communicators and datatypes: MPICH's handles, and the results of MPI_Comm_split, of
 * Cartesian and of graph calls. */
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
  if (const auto* load = dyn_cast<LoadInst>(handle)) {
    Place place;
    const Value* object = memory_.object_of(load->getPointerOperand(), place);
    if (!object || !place.known || place.index)
      return note_.unknown_communicator("it is stored at an unknown address");
    std::string why;
    bool certain = false;
    candidates = stored(*load, object, place, certain, why);
    /* A program that reads it before it is written has no valid communicator. */
    if (candidates.empty() || !why.empty()) {
      const std::string name = source_name(*object);
      return note_.unknown_communicator((name.empty() ? "" : "it is stored in " + name + ": ") +
                                        (why.empty() ? "no visible code writes it" : why));
    }
    const Node first = certain ? HYBRID_NONE : initial(*load, object, place.offset);
    int64_t number = 0;
    if (first != HYBRID_NONE && (!note_.is_constant(first, number) || (number != 0 && number != kNullHandle)))
      return note_.unknown_communicator("it is one of several");
  } else if (const auto* argument = dyn_cast<Argument>(handle)) {
    std::vector<const CallBase*> calls;
    if (!known_calls(*argument->getParent(), calls) || calls.empty())
      return note_.unknown_communicator("it is an argument of " +
                                        readable_name(argument->getParent()->getName()) +
                                        ", and not all of its callers are visible");
    for (const CallBase* call : calls) candidates.push_back(call->getArgOperand(argument->getArgNo()));
  } else if (const auto* joined = dyn_cast<PHINode>(handle)) {
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

const CallBase* Symbolic::only_maker(const Value* handle, int depth) {
  if (depth > 6) return nullptr;
  if (const auto* call = dyn_cast<CallBase>(handle)) return call->getCalledFunction() ? call : nullptr;
  if (const auto* argument = dyn_cast<Argument>(handle)) {
    std::vector<const CallBase*> calls;
    if (!known_calls(*argument->getParent(), calls) || calls.size() != 1) return nullptr;
    return only_maker(calls[0]->getArgOperand(argument->getArgNo()), depth + 1);
  }
  const auto* load = dyn_cast<LoadInst>(handle);
  if (!load) return nullptr;
  Place place;
  std::string why;
  bool certain = false;
  const Value* object = memory_.object_of(load->getPointerOperand(), place);
  if (!object || !place.known || place.index) return nullptr;
  const std::vector<const Value*> values = stored(*load, object, place, certain, why);
  if (!certain || !why.empty() || values.size() != 1) return nullptr;
  for (const Write& write : memory_.uses(object).writes)
    if (write.value == values[0] && (isa<AllocaInst>(object) || comes_before(*write.instruction, *load)))
      return only_maker(values[0], depth + 1);
  return nullptr;
}

Node Symbolic::membership(const CmpInst& compared) {
  const auto* null = dyn_cast<ConstantInt>(compared.getOperand(1));
  if (!null || null->getBitWidth() != 32 || null->getSExtValue() != kNullHandle || !compared.isEquality())
    return HYBRID_NONE;
  const CallBase* maker = only_maker(compared.getOperand(0));
  if (!maker) return HYBRID_NONE;
  const Node made = communicator(maker);
  if (!note_.is_known(made)) return HYBRID_NONE;
  const Node member = note_.make(HYBRID_MEMBER, made);
  return compared.getPredicate() == CmpInst::ICMP_NE ? member : note_.negation(member);
}

Node Symbolic::of_graph(const CallBase& query) {
  const Node unknown = note_.unknown("", "it is a neighbour in an unknown graph");
  const CallBase* maker = only_maker(query.getArgOperand(0));
  if (!maker || maker->getCalledFunction()->getName() != kDup || maker->arg_size() < 3) return unknown;
  const auto number = [](const Value* value) {
    return static_cast<unsigned>(llvm::cast<ConstantInt>(value)->getZExtValue());
  };
  /* The number of sources, the sources, the number of destinations, the destinations. MPI returns them in
   * this order (MPI 4.0, 8.5.5). */
  unsigned degree = 1;
  if (number(query.getArgOperand(1)) == 1) degree += 1 + number(maker->getArgOperand(1));
  if (query.arg_size() == 2) return value(maker->getArgOperand(degree));
  const unsigned which = number(query.getArgOperand(2));
  if (which >= number(maker->getArgOperand(degree))) return unknown;
  const Node neighbor = value(maker->getArgOperand(degree + 1 + which));
  /* The value at the creation may differ from the current one. */
  return note_.has_variable(neighbor) ? unknown : neighbor;
}

Node Symbolic::datatype_size(const Value* handle) {
  const auto* constant = dyn_cast<ConstantInt>(handle);
  if (!constant || (constant->getZExtValue() & 0xFF000000u) != 0x4C000000u) return HYBRID_NONE;
  return note_.constant(static_cast<int64_t>(constant->getZExtValue() >> 8 & 0xFF));
}

}  // namespace hybrid::pass
