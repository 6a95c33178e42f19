/* Results of loops after their end: a value that was counted, a table that was filled. */
#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kTurnsUnknown[] = "it depends on the number of iterations of a loop";
constexpr char kTooMany[] = "it depends on too many consecutive loops";

/* Whether the loop tests its condition after the iteration: then its result is that of this iteration, not of
 * the next. */
bool tests_after_the_turn(const Loop& loop) { return loop.getExitingBlock() == loop.getLoopLatch(); }

int64_t floor_division(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

bool Symbolic::is_counted(Loop& loop, uint32_t& number) {
  number = note_loop(loop);
  const Node condition = once<const Loop*>(turns_, &loop, [&] { return turns(loop, number); });
  note_.loops[number].condition = condition;
  return condition != HYBRID_NONE;
}

Node Symbolic::after(const Value* value, Loop& loop) {
  Node left = this->value(value);
  if (!note_.is_known(left)) return note_.unknown("", note_.reason(left));
  uint32_t number = HYBRID_NONE;
  if (!is_counted(loop, number)) return note_.unknown("", kTurnsUnknown);
  if (tests_after_the_turn(loop)) left = variable(number, note_.constant(0), left);
  const Node result = note_.loop_result(HYBRID_AFTER, left, HYBRID_NONE, HYBRID_NONE, number);
  return result == HYBRID_NONE ? note_.unknown("", kTooMany) : result;
}

Node Symbolic::filled(const LoadInst& load, const Value* object, const Place& place) {
  const auto size = static_cast<int64_t>(memory_.layout().getTypeStoreSize(load.getType()).getFixedValue());
  if ((place.index && place.scale != size) || !load.getType()->isIntegerTy()) return HYBRID_NONE;
  const Write* fills = nullptr;
  std::vector<const Instruction*> clears;
  for (const Write& write : memory_.uses(object).writes) {
    if (!overlaps_table(write, place, size)) continue;
    if (write.is_copy && !write.value) {
      clears.push_back(write.instruction);
      continue;
    }
    if (fills || !write.value || write.is_copy || !write.place.known || !write.place.index ||
        write.size != size || write.place.scale != size || write.value->getType() != load.getType() ||
        (write.place.offset - place.offset) % size != 0)
      return HYBRID_NONE;
    fills = &write;
  }
  if (!fills) return HYBRID_NONE;
  const BasicBlock* block = fills->instruction->getParent();
  Loop* loop = shape(*block->getParent()).loops.getLoopFor(block);
  if (!loop || !loop->getLoopPreheader() || loop->contains(load.getParent())) return HYBRID_NONE;
  /* The loops around it must also be around the read. */
  if (const Loop* around = loop->getParentLoop(); around && !around->contains(load.getParent()))
    return HYBRID_NONE;
  if (!tests_after_the_turn(*loop) && block == loop->getHeader()) return HYBRID_NONE;
  const Instruction& begin = *loop->getLoopPreheader()->getTerminator();
  if (!comes_before(begin, load)) return HYBRID_NONE;
  /* In another function, it may be cleared later. */
  for (const Instruction* clear : clears)
    if (clear->getFunction() != begin.getFunction() || !comes_before(*clear, begin)) return HYBRID_NONE;
  uint32_t number = HYBRID_NONE;
  if (!is_counted(*loop, number)) return HYBRID_NONE;

  const auto entry_of = [&](const Place& at) {
    const Node first = note_.constant(floor_division(at.offset, size));
    return at.index ? note_.make(HYBRID_ADD, value(at.index), first) : first;
  };
  Node written = entry_of(fills->place);
  const Node when = from(loop->getHeader(), block);
  if (when != HYBRID_NONE) written = note_.make(HYBRID_SELECT, when, written, note_.constant(-1));
  const Node what = value(fills->value), index = entry_of(place);
  for (Node node : {written, what, index})
    if (!note_.is_known(node)) return note_.unknown(source_name(*object), note_.reason(node));
  const Node result = note_.loop_result(HYBRID_ENTRY, index, written, what, number);
  return result == HYBRID_NONE ? note_.unknown(source_name(*object), kTooMany) : result;
}

}  // namespace hybrid::pass
