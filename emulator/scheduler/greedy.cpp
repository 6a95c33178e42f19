#include "emulator/scheduler/greedy.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>

namespace hybrid {

namespace {

/// The first column in [begin, end) where `wanted` is 1 and both `established` and `busy` are 0, or kNoPort.
Port first_free(std::span<const Word> wanted, std::span<const Word> established, std::span<const Word> busy,
                Port begin, Port end) {
  if (begin >= end) return kNoPort;
  const std::size_t last = (end - 1) / kWordBits;
  Word mask = ~Word{0} << (begin % kWordBits);
  for (std::size_t w = begin / kWordBits; w <= last; ++w) {
    const Word candidates = wanted[w] & ~established[w] & ~busy[w] & mask;
    if (candidates != 0) {
      const auto column =
          static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(candidates)));
      return column < end ? column : kNoPort;
    }
    mask = ~Word{0};
  }
  return kNoPort;
}

/// Calls `visit` for every member in the order first, first + 1, ..., size - 1, 0, ..., first - 1.
template <class Visit>
void for_each_rotated(const PortSet& set, Port first, Visit&& visit) {
  const std::span<const Word> words = set.words();
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const auto visit_word = [&](std::size_t w, Word bits) {
    for (; bits != 0; bits &= bits - 1)
      visit(static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits))));
  };
  visit_word(start, words[start] & upper);
  for (std::size_t w = start + 1; w < words.size(); ++w) visit_word(w, words[w]);
  for (std::size_t w = 0; w < start; ++w) visit_word(w, words[w]);
  visit_word(start, words[start] & ~upper);
}

}  // namespace

GreedyScheduler::GreedyScheduler(const SchedulerShape& shape)
    : ports_(shape.ports), busy_(words_for(shape.ports)) {
  toggles_.reserve(2 * std::size_t{ports_});
}

std::span<const Connection> GreedyScheduler::pass(const SchedulingPass& in) {
  toggles_.clear();
  const std::span<const Word> outputs = in.slot.outputs().words();
  std::copy(outputs.begin(), outputs.end(), busy_.begin());  // A before the first row: AO
  for_each_rotated(in.inputs, in.priority.input, [&](Port input) { row(in, input); });
  return toggles_;
}

void GreedyScheduler::row(const SchedulingPass& in, Port input) {
  const Port b = in.priority.output;
  Port from = b;  // the first column that finds the input free
  bool wrapped = false;
  const Port held = in.slot.destination_of(input);
  if (held != kNoPort) {
    if (in.requests.test(input, held)) return;  // D stays 1 through the whole row
    toggles_.push_back({input, held});
    busy_[held / kWordBits] &= ~bit_of(held);
    from = held + 1;
    wrapped = held < b;
  }
  const std::span<const Word> wanted = in.requests.row(input);
  const std::span<const Word> established = in.established.row(input);
  Port column = first_free(wanted, established, busy_, from, wrapped ? b : ports_);
  if (column == kNoPort && !wrapped) column = first_free(wanted, established, busy_, 0, b);
  if (column == kNoPort) return;
  toggles_.push_back({input, column});
  busy_[column / kWordBits] |= bit_of(column);
}

namespace {
const SchedulerRegistration kGreedy{
    "greedy", "the SL array of D 5.3.2 in one clock, rotating priority, Table 5.2's fault mended",
    [](const SchedulerShape& shape) -> std::unique_ptr<Scheduler> {
      return std::make_unique<GreedyScheduler>(shape);
    }};
}  // namespace

}  // namespace hybrid
