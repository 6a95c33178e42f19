#include "emulator/network/wormhole_scheduler.h"

#include <bit>
#include <cstddef>

#include "core/rotated.h"

namespace hybrid {

WormholeScheduler::WormholeScheduler(std::uint32_t ports)
    : ports_(ports),
      asking_(ports, ports),
      asking_words_(ports, words_for(ports)),
      wanted_outputs_(ports),
      free_inputs_(ports),
      free_outputs_(ports),
      outputs_(ports),
      asks_(ports, 0),
      several_(ports) {
  for (Port p = 0; p < ports; ++p) {
    free_inputs_.set(p);
    free_outputs_.set(p);
  }
  granted_.reserve(ports);
}

void WormholeScheduler::request(Connection c) {
  if (asking_.test(c.destination, c.source)) return;
  asking_.set(c.destination, c.source);
  asking_words_.set(c.destination, c.source / kWordBits);
  wanted_outputs_.set(c.destination);
  ++outputs_[c.destination].askers;
  outputs_[c.destination].sum ^= c.source;
  if (++asks_[c.source] == 2) several_.set(c.source);
  ++requests_;
}

void WormholeScheduler::free(Connection c) {
  free_inputs_.set(c.source);
  free_outputs_.set(c.destination);
}

void WormholeScheduler::grant(Port input, Port output) {
  asking_.reset(output, input);
  if (asking_.row(output)[input / kWordBits] == 0) asking_words_.reset(output, input / kWordBits);
  --requests_;
  outputs_[output].sum ^= input;
  if (--outputs_[output].askers == 0) wanted_outputs_.reset(output);
  if (--asks_[input] == 1) several_.reset(input);
  free_inputs_.reset(input);
  free_outputs_.reset(output);
  outputs_[output].pointer = input + 1 == ports_ ? 0 : input + 1;
  granted_.push_back({input, output});
}

/// Grants `output` to the first free input at or after its pointer that asks for it, if there is one.
void WormholeScheduler::serve_output(Port output) {
  if (outputs_[output].askers == 1) {
    if (free_inputs_.test(outputs_[output].sum)) grant(outputs_[output].sum, output);
    return;
  }
  const auto row = asking_.row(output);
  const auto inputs = free_inputs_.words();
  const auto candidates = [&](std::size_t w) { return row[w] & inputs[w]; };
  const auto words = asking_words_.row(output);
  const Port pointer = outputs_[output].pointer;
  const Port input = words.size() == 1 ? first_rotated_of(words[0], pointer, candidates)
                                       : first_rotated(row.size(), pointer, candidates);
  if (input != kNoPort) grant(input, output);
}

/// Whether two outputs could take the same input now, so that their order matters.
bool WormholeScheduler::contested() const {
  const auto wanted = wanted_outputs_.words();
  const auto free = free_outputs_.words();
  const auto inputs = free_inputs_.words();
  const auto several = several_.words();
  for (std::size_t w = 0; w < inputs.size(); ++w) {
    const Word both = inputs[w] & several[w];
    if (both == 0) continue;
    Word taken = 0;
    for (std::size_t o = 0; o < wanted.size(); ++o) {
      for (Word outputs = wanted[o] & free[o]; outputs != 0; outputs &= outputs - 1) {
        const std::size_t output = o * kWordBits + static_cast<std::size_t>(std::countr_zero(outputs));
        const Word could = asking_.row(output)[w] & both;
        if ((taken & could) != 0) return true;
        taken |= could;
      }
    }
  }
  return false;
}

void WormholeScheduler::visit(StateVisitor& v) {
  v.same(requests_);
  v.same(wanted_outputs_);
  v.same(free_inputs_);
  v.same(free_outputs_);
  if (v.done()) return;
  for_each_port(wanted_outputs_.words(), [&](Port output) {
    for (const Word word : asking_.row(output)) v.same(word);
  });
  for (const Output& output : outputs_) v.same(output.pointer);
  const bool matters = v.total(contests_) != 0;
  v.turn(first_, ports_, matters);
}

const std::vector<Connection>& WormholeScheduler::pass(bool noted) {
  granted_.clear();
  if (noted && requests_ > 1 && contested()) ++contests_;
  const auto wanted = wanted_outputs_.words();
  const auto free = free_outputs_.words();
  const std::size_t start = first_ / kWordBits;
  const Word below = bit_of(first_) - 1;
  for (std::size_t k = 0; k <= wanted.size(); ++k) {
    const std::size_t w = (start + k) % wanted.size();
    Word outputs = wanted[w] & free[w];
    if (k == 0) outputs &= ~below;
    if (k == wanted.size()) outputs &= below;
    for (; outputs != 0; outputs &= outputs - 1)
      serve_output(static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(outputs))));
  }
  if (!granted_.empty()) first_ = first_ + 1 == ports_ ? 0 : first_ + 1;
  return granted_;
}

}  // namespace hybrid
