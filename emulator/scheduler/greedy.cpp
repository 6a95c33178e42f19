#include "emulator/scheduler/greedy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>

#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

/// Returns the first column in [begin, end) where `open` is 1 and `busy` is 0, or kNoPort. Only the words of
/// `open` that are set in `open_words` (empty: all) can be nonzero.
Port first_free(std::span<const Word> open, std::span<const Word> busy, std::span<const Word> open_words,
                Port begin, Port end) {
  if (begin >= end) return kNoPort;
  const std::size_t first = begin / kWordBits, last = (end - 1) / kWordBits;
  for (std::size_t group = first / kWordBits; group <= last / kWordBits; ++group) {
    Word words = open_words.empty() ? ~Word{0} : open_words[group];
    if (group == first / kWordBits) words &= ~Word{0} << (first % kWordBits);
    for (; words != 0; words &= words - 1) {
      const std::size_t w = group * kWordBits + static_cast<std::size_t>(std::countr_zero(words));
      if (w > last) return kNoPort;
      const Word mask = w == first ? ~Word{0} << (begin % kWordBits) : ~Word{0};
      const Word candidates = open[w] & ~busy[w] & mask;
      if (candidates == 0) continue;
      const auto column =
          static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(candidates)));
      return column < end ? column : kNoPort;
    }
  }
  return kNoPort;
}

/// Rows of up to two words: kBelow[w][c] is word w of the columns below c.
constexpr Port kColumns = 2 * kWordBits;
constexpr auto kBelow = [] {
  std::array<std::array<Word, kColumns + 1>, 2> below{};
  for (Port column = 0; column < kColumns; ++column)
    for (std::size_t w = 0; w < 2; ++w)
      below[w][column + 1] = below[w][column] | (column / kWordBits == w ? bit_of(column) : 0);
  return below;
}();

/// Returns the lowest set bit of `word`; an unspecified number below 64 if there is none.
Port lowest(Word word) { return static_cast<Port>(std::countr_zero(word | Word{1} << 63)); }

}  // namespace

GreedyScheduler::GreedyScheduler(const SchedulerShape& shape)
    : ports_(shape.ports), busy_(words_for(shape.ports)), toggles_(2 * std::size_t{ports_} + 1) {}

std::span<const Connection> GreedyScheduler::pass(const SchedulingPass& in) {
  if (busy_.size() == 1) {
    narrow_pass<1>(in);
  } else if (busy_.size() == 2) {
    narrow_pass<2>(in);
  } else {
    count_ = 0;
    const std::span<const Word> outputs = in.slot.outputs().words();
    std::copy(outputs.begin(), outputs.end(), busy_.begin());  // A before the first row: AO
    for_each_rotated(in.inputs, in.priority.input, [&](Port input) { wide_row(in, input); });
  }
  return {toggles_.data(), count_};
}

/// The pass for rows of one or two words. It has no branches: which rows release and where a free column lies
/// is unpredictable, and a misprediction costs more than the row. A toggle that must not happen is written to
/// the place that the next toggle overwrites.
template <std::size_t kWords>
void GreedyScheduler::narrow_pass(const SchedulingPass& in) {
  const Port b = in.priority.output;
  std::array<Word, kWords> below_b, busy;
  for (std::size_t w = 0; w < kWords; ++w) {
    busy[w] = in.slot.outputs().words()[w];  // A before the first row: AO
    below_b[w] = kBelow[w][b];
  }
  Connection* toggle = toggles_.data();

  for_each_rotated(in.inputs, in.priority.input, [&](Port input) {
    const Word* open = in.open.row(input).data();
    const Port destination = in.slot.destination_of(input);
    const bool connected = destination != kNoPort;
    const Port held = connected ? destination : 0;
    const bool release = in.to_release.test(input);
    const bool keep = connected & !release;
    *toggle = {input, held};
    toggle += release;

    // The input is free at the columns [early, N) and then, wrapped round, [late, b); at none if the input
    // keeps its connection.
    const bool wrapped = release & (held < b);
    const Port after = release ? held + 1 : b;
    const Port early = (wrapped | keep) ? kColumns : after;
    const Port late_if_any = wrapped ? held + 1 : 0;
    const Port late = keep ? kColumns : late_if_any;

    std::array<Word, kWords> first, second;
    Word any_first = 0;
    for (std::size_t w = 0; w < kWords; ++w) {
      const Word free = open[w] & ~busy[w];
      first[w] = free & ~kBelow[w][early];
      second[w] = free & ~kBelow[w][late] & below_b[w];
      any_first |= first[w];
      busy[w] &= ~(held / kWordBits == w && release ? bit_of(held) : 0);
    }
    for (std::size_t w = 0; w < kWords; ++w) first[w] = any_first != 0 ? first[w] : second[w];
    Port column;
    bool establish;
    if constexpr (kWords == 1) {
      establish = first[0] != 0;
      column = lowest(first[0]);
      busy[0] |= first[0] & (Word{0} - first[0]);
    } else {
      establish = (first[0] | first[1]) != 0;
      column = first[0] != 0 ? lowest(first[0]) : kWordBits + lowest(first[1]);
      busy[1] |= first[0] != 0 ? 0 : first[1] & (Word{0} - first[1]);
      busy[0] |= first[0] & (Word{0} - first[0]);
    }
    *toggle = {input, column};
    toggle += establish;
  });
  count_ = static_cast<std::size_t>(toggle - toggles_.data());
}

void GreedyScheduler::wide_row(const SchedulingPass& in, Port input) {
  const Port b = in.priority.output;
  Port from = b;  // the first column at which the input is free
  bool wrapped = false;
  const Port held = in.slot.destination_of(input);
  if (held != kNoPort) {
    if (!in.to_release.test(input)) return;  // D stays 1 through the whole row
    toggles_[count_++] = {input, held};
    busy_[held / kWordBits] &= ~bit_of(held);
    from = held + 1;
    wrapped = held < b;
  }
  const std::span<const Word> open = in.open.row(input);
  const std::span<const Word> words =
      in.open_words == nullptr ? std::span<const Word>{} : in.open_words->row(input);
  Port column = first_free(open, busy_, words, from, wrapped ? b : ports_);
  if (column == kNoPort && !wrapped) column = first_free(open, busy_, words, 0, b);
  if (column == kNoPort) return;
  toggles_[count_++] = {input, column};
  busy_[column / kWordBits] |= bit_of(column);
}

namespace {
class GreedyAlgorithm final : public OneSlotAlgorithm<GreedyScheduler> {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<GreedyAlgorithm>(); }
  std::unique_ptr<TreeRoute> tree_route(const FatTreeShape& /*shape*/, std::uint32_t /*slots*/,
                                        std::uint64_t /*seed*/) const override {
    return tree_route_by(AnyFreePath{});
  }
};

const SchedulerRegistration kGreedy{
    "greedy", "the SL array of D 5.3.2 in one clock, rotating priority, Table 5.2's error fixed",
    &GreedyAlgorithm::make};
}  // namespace

}  // namespace hybrid
