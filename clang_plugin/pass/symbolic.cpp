#include "clang_plugin/pass/symbolic.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "clang_plugin/pass/values.h"
#include "core/readable_name.h"

namespace hybrid::pass {

using namespace llvm;

FunctionShape::FunctionShape(Function& function)
    : dominators(function),
      post_dominators(function),
      loops(dominators),
      jumps(function.callsFunctionThatReturnsTwice()) {}

FunctionShape& Symbolic::shape(const Function& function) {
  auto& shape = shapes_[&function];
  if (!shape) shape = std::make_unique<FunctionShape>(const_cast<Function&>(function));
  return *shape;
}

std::string source_name(const Value& value) {
  if (const auto* global = dyn_cast<GlobalVariable>(&value)) {
    SmallVector<DIGlobalVariableExpression*, 1> debug;
    global->getDebugInfo(debug);
    if (!debug.empty()) return debug[0]->getVariable()->getName().str();
    return readable_name(global->getName());
  }
  SmallVector<DbgValueInst*> intrinsics;
  SmallVector<DbgVariableRecord*> records;
  findDbgValues(intrinsics, const_cast<Value*>(&value), &records);
  if (!records.empty()) return records[0]->getVariable()->getName().str();
  if (!intrinsics.empty()) return intrinsics[0]->getVariable()->getName().str();
  /* ".014" is not a name. */
  return value.hasName() && !value.getName().starts_with(".") ? value.getName().str() : "";
}

Node Symbolic::value(const Value* value) {
  return once(known_, value, [&] {
    if (!busy_.insert(value).second) return note_.unknown("", "it depends on itself");
    const Node node = calculate(value);
    busy_.erase(value);
    return node;
  });
}

Node Symbolic::calculate(const Value* value) {
  if (const auto* integer = dyn_cast<ConstantInt>(value)) {
    if (integer->getBitWidth() == 1) return note_.constant(integer->isOne());
    if (integer->getBitWidth() <= 64) return note_.constant(integer->getSExtValue());
  }
  if (const auto* argument = dyn_cast<Argument>(value))
    return note_.unknown(source_name(*argument),
                         "it is an argument of " + readable_name(argument->getParent()->getName()));
  if (const auto* instruction = dyn_cast<Instruction>(value)) {
    if (shape(*instruction->getFunction()).jumps) return note_.unknown("", "its function calls setjmp");
    if (!value->getType()->isIntegerTy()) return note_.unknown("", "it is not an integer");
    if (value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() > 64)
      return note_.unknown("", "it is wider than 64 bits");
    return this->instruction(*instruction);
  }
  return note_.unknown("", "it is not an integer known to the compiler");
}

Node Symbolic::instruction(const Instruction& at) {
  if (const auto* op = dyn_cast<BinaryOperator>(&at)) return binary(*op);
  if (const auto* compared = dyn_cast<CmpInst>(&at)) return compare(*compared);
  if (const auto* changed = dyn_cast<CastInst>(&at)) return cast(*changed);
  if (const auto* called = dyn_cast<CallBase>(&at)) return call(*called);
  if (const auto* joined = dyn_cast<PHINode>(&at)) return phi(*joined);
  if (const auto* read = dyn_cast<LoadInst>(&at)) {
    const Value* object = getUnderlyingObject(read->getPointerOperand());
    return note_.unknown(source_name(isa<GlobalVariable>(object) ? *object : *read->getPointerOperand()),
                         "it is read from memory");
  }
  if (isa<FreezeInst>(at)) return value(at.getOperand(0));
  if (const auto* choice = dyn_cast<SelectInst>(&at)) {
    if (!choice->getCondition()->getType()->isIntegerTy(1)) return note_.unknown("", "it is a vector");
    const Node condition = value(choice->getCondition());
    const Node yes = value(choice->getTrueValue()), no = value(choice->getFalseValue());
    return note_.make(HYBRID_SELECT, condition, yes, no);
  }
  return note_.unknown("", "hints cannot express its calculation");
}

Node Symbolic::binary(const BinaryOperator& op) {
  const Node a = value(op.getOperand(0)), b = value(op.getOperand(1));
  const auto bits = static_cast<int64_t>(op.getType()->getIntegerBitWidth());
  const auto cut = [&](Node node) {
    if (bits == 1) return note_.make(HYBRID_AND, node, note_.constant(1));
    return note_.make(HYBRID_TRUNC, node, HYBRID_NONE, HYBRID_NONE, bits);
  };
  const auto plain = [&](Node node) { return note_.make(HYBRID_ZEXT, node, HYBRID_NONE, HYBRID_NONE, bits); };
  const auto* wraps = dyn_cast<OverflowingBinaryOperator>(&op);
  const bool fits = wraps && wraps->hasNoSignedWrap();
  const auto arithmetic = [&](uint32_t what) {
    const Node node = note_.make(what, a, b);
    return fits ? node : cut(node);
  };
  switch (op.getOpcode()) {
    case Instruction::Add:
      return arithmetic(HYBRID_ADD);
    case Instruction::Sub:
      return arithmetic(HYBRID_SUB);
    case Instruction::Mul:
      return arithmetic(HYBRID_MUL);
    case Instruction::Shl:
      return arithmetic(HYBRID_SHL);
    case Instruction::SDiv:
      return note_.make(HYBRID_DIV, a, b);
    case Instruction::SRem:
      return note_.make(HYBRID_MOD, a, b);
    case Instruction::UDiv:
      return cut(note_.make(HYBRID_UDIV, plain(a), plain(b)));
    case Instruction::URem:
      return cut(note_.make(HYBRID_UMOD, plain(a), plain(b)));
    case Instruction::LShr:
      return cut(note_.make(HYBRID_SHR, plain(a), b));
    case Instruction::AShr:
      return note_.make(HYBRID_SAR, a, b);
    case Instruction::And:
      return note_.make(HYBRID_AND, a, b);
    case Instruction::Or:
      return note_.make(HYBRID_OR, a, b);
    case Instruction::Xor:
      if (const auto* one = dyn_cast<ConstantInt>(op.getOperand(1)); bits == 1 && one && one->isOne())
        return note_.negation(a);
      return note_.make(HYBRID_XOR, a, b);
    default:
      return note_.unknown("", "hints cannot express its calculation");
  }
}

Node Symbolic::compare(const CmpInst& compared) {
  if (!compared.getOperand(0)->getType()->isIntegerTy())
    return note_.unknown("", "it compares what is not an integer");
  if (const Node member = membership(compared); member != HYBRID_NONE) return member;
  const Node a = value(compared.getOperand(0)), b = value(compared.getOperand(1));
  if (compared.getOperand(0)->getType()->isIntegerTy(1) && !compared.isEquality())
    return note_.unknown("", "it compares truth values");
  switch (compared.getPredicate()) {
    case CmpInst::ICMP_EQ:
      return note_.make(HYBRID_EQ, a, b);
    case CmpInst::ICMP_NE:
      return note_.make(HYBRID_NE, a, b);
    case CmpInst::ICMP_SLT:
      return note_.make(HYBRID_LT, a, b);
    case CmpInst::ICMP_SLE:
      return note_.make(HYBRID_LE, a, b);
    case CmpInst::ICMP_SGT:
      return note_.make(HYBRID_LT, b, a);
    case CmpInst::ICMP_SGE:
      return note_.make(HYBRID_LE, b, a);
    /* Sign extension keeps the order of unsigned numbers. */
    case CmpInst::ICMP_ULT:
      return note_.make(HYBRID_ULT, a, b);
    case CmpInst::ICMP_ULE:
      return note_.make(HYBRID_ULE, a, b);
    case CmpInst::ICMP_UGT:
      return note_.make(HYBRID_ULT, b, a);
    case CmpInst::ICMP_UGE:
      return note_.make(HYBRID_ULE, b, a);
    default:
      return note_.unknown("", "hints cannot express its comparison");
  }
}

Node Symbolic::cast(const CastInst& changed) {
  const Type* source = changed.getSrcTy();
  if (!source->isIntegerTy()) return note_.unknown("", "it is not calculated from an integer");
  const Node a = value(changed.getOperand(0));
  const auto width = [](const Type* type) { return static_cast<int64_t>(type->getIntegerBitWidth()); };
  switch (changed.getOpcode()) {
    case Instruction::ZExt:
      return source->isIntegerTy(1) ? a : note_.make(HYBRID_ZEXT, a, HYBRID_NONE, HYBRID_NONE, width(source));
    case Instruction::SExt:
      return source->isIntegerTy(1) ? note_.make(HYBRID_SUB, note_.constant(0), a) : a;
    case Instruction::Trunc:
      if (changed.getType()->isIntegerTy(1)) return note_.make(HYBRID_AND, a, note_.constant(1));
      return note_.make(HYBRID_TRUNC, a, HYBRID_NONE, HYBRID_NONE, width(changed.getType()));
    default:
      break;
  }
  return note_.unknown("", "hints cannot express its type conversion");
}

Node Symbolic::call(const CallBase& called) {
  const auto* callee = dyn_cast<Function>(called.getCalledOperand()->stripPointerCastsAndAliases());
  if (!callee) return note_.unknown("", "it is the result of an unknown function");
  const StringRef name = callee->getName();
  const auto argument = [&](unsigned at) { return value(called.getArgOperand(at)); };
  const auto of = [&] { return communicator(called.getArgOperand(0)); };
  if (name == kRank) return note_.make(HYBRID_RANK, of());
  if (name == kSize) return note_.make(HYBRID_SIZE, of());
  if (name == kShift) {
    const Node cart = of(), dimension = argument(1), by = argument(2);
    int64_t which = 0;
    note_.is_constant(argument(3), which);
    return note_.make(HYBRID_SHIFT, cart, dimension, by, which);
  }
  if (name == kCartRank) {
    const Node cart = of();
    return note_.make(HYBRID_CART_RANK, cart, list(called, 1, called.arg_size() - 1));
  }
  if (name == kCoordinate) {
    const Node cart = of();
    int64_t dimension = 0;
    /* Coordinates of the caller; hints cannot express those of other ranks. */
    if (argument(1) == note_.make(HYBRID_RANK, cart) && note_.is_constant(argument(2), dimension))
      return note_.make(HYBRID_COORDINATE, cart, HYBRID_NONE, HYBRID_NONE, dimension);
    /* A Cartesian communicator created without reordering has the ranks of its parent. */
    const hybrid_node& made = note_.nodes[cart];
    if (made.op == HYBRID_CART && made.value_low == 0 && argument(1) == note_.make(HYBRID_RANK, made.a) &&
        note_.is_constant(argument(2), dimension))
      return note_.make(HYBRID_COORDINATE, cart, HYBRID_NONE, HYBRID_NONE, dimension);
    return note_.unknown("", "it is the coordinate of another rank");
  }
  switch (callee->getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax: {
      const Node a = argument(0), b = argument(1);
      return note_.make(callee->getIntrinsicID() == Intrinsic::smin ? HYBRID_MIN : HYBRID_MAX, a, b);
    }
    case Intrinsic::abs: {
      const Node a = argument(0);
      return note_.make(HYBRID_MAX, a, note_.make(HYBRID_SUB, note_.constant(0), a));
    }
    default:
      break;
  }
  return note_.unknown("", "it is the result of " + readable_name(name));
}

}  // namespace hybrid::pass
