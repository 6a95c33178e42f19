#include "emulator/network/wormhole_scheduler.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "core/rotated.h"

namespace hybrid {

namespace {
constexpr std::size_t kShortRow = 2;  // words
}

WormholeScheduler::WormholeScheduler(std::uint32_t ports)
    : ports_(ports),
      asking_(ports, ports),
      asking_words_(ports, words_for(ports)),
      lists_(words_for(ports) > kShortRow ? ports : 0),
      wanted_outputs_(ports),
      free_inputs_(ports),
      free_outputs_(ports),
      outputs_(ports),
      asks_(ports, 0),
      several_(ports),
      could_(ports),
      taken_(ports) {
  for (Port p = 0; p < ports; ++p) {
    free_inputs_.set(p);
    free_outputs_.set(p);
  }
  granted_.reserve(ports);
}

void WormholeScheduler::set_in_row(Port input, Port output) {
  asking_.set(output, input);
  asking_words_.set(output, input / kWordBits);
}

void WormholeScheduler::reset_in_row(Port input, Port output) {
  asking_.reset(output, input);
  if (asking_.row(output)[input / kWordBits] == 0) asking_words_.reset(output, input / kWordBits);
}

/// Whether `input` did not ask for `output` yet.
bool WormholeScheduler::add(Port input, Port output) {
  Output& o = outputs_[output];
  if (o.by_row) {
    if (asking_.test(output, input)) return false;
    set_in_row(input, output);
  } else if (o.askers == 1 && o.sum == input) {
    return false;
  } else if (o.askers != 0 && (lists_.empty() || o.askers == kListed)) {
    if (o.askers == 1) {
      set_in_row(o.sum, output);
    } else {
      const auto& listed = lists_[output].askers;
      if (std::find(listed.begin(), listed.end(), input) != listed.end()) return false;
      for (const Port other : listed) set_in_row(other, output);
    }
    set_in_row(input, output);
    o.by_row = true;
  } else if (o.askers != 0) {
    auto& listed = lists_[output].askers;
    if (o.askers == 1) listed[0] = o.sum;
    Port* const end = listed.data() + o.askers;
    Port* const at = std::lower_bound(listed.data(), end, input);
    if (at != end && *at == input) return false;
    std::copy_backward(at, end, end + 1);
    *at = input;
  }
  ++o.askers;
  o.sum ^= input;
  return true;
}

void WormholeScheduler::remove(Port input, Port output) {
  Output& o = outputs_[output];
  o.sum ^= input;
  if (o.by_row) {
    reset_in_row(input, output);
    o.by_row = o.askers > 2;
    if (!o.by_row) reset_in_row(o.sum, output);
  } else if (o.askers > 1) {
    Port* const listed = lists_[output].askers.data();
    Port* const end = listed + o.askers;
    Port* const at = std::lower_bound(listed, end, input);
    std::copy(at + 1, end, at);
  }
  --o.askers;
}

template <class Visit>
void WormholeScheduler::for_each_asker(Port output, Visit&& visit) const {
  const Output& o = outputs_[output];
  if (o.by_row)
    for_each_port(asking_.row(output), visit);
  else if (o.askers == 1)
    visit(o.sum);
  else
    for (std::uint32_t i = 0; i < o.askers; ++i) visit(lists_[output].askers[i]);
}

void WormholeScheduler::request(Connection c) {
  if (!add(c.source, c.destination)) return;
  wanted_outputs_.set(c.destination);
  if (++asks_[c.source] == 2) several_.set(c.source);
  ++requests_;
}

void WormholeScheduler::free(Connection c) {
  free_inputs_.set(c.source);
  free_outputs_.set(c.destination);
}

void WormholeScheduler::grant(Port input, Port output) {
  remove(input, output);
  --requests_;
  if (outputs_[output].askers == 0) wanted_outputs_.reset(output);
  if (--asks_[input] == 1) several_.reset(input);
  free_inputs_.reset(input);
  free_outputs_.reset(output);
  outputs_[output].pointer = input + 1 == ports_ ? 0 : input + 1;
  granted_.push_back({input, output});
}

/// The first free input at or after its pointer that asks for `output`, which several do, or kNoPort.
Port WormholeScheduler::first_free_asker(Port output) const {
  const Output& o = outputs_[output];
  if (o.by_row) {
    const auto row = asking_.row(output), inputs = free_inputs_.words();
    const auto candidates = [&](std::size_t w) { return row[w] & inputs[w]; };
    const auto words = asking_words_.row(output);
    return words.size() == 1 ? first_rotated_of(words[0], o.pointer, candidates)
                             : first_rotated(row.size(), o.pointer, candidates);
  }
  Port before = kNoPort;  // the first one before the pointer
  for (std::uint32_t i = 0; i < o.askers; ++i) {
    const Port input = lists_[output].askers[i];
    if (!free_inputs_.test(input)) continue;
    if (input >= o.pointer) return input;
    if (before == kNoPort) before = input;
  }
  return before;
}

/// Grants `output` to the first free input at or after its pointer that asks for it, if there is one.
void WormholeScheduler::serve_output(Port output) {
  if (outputs_[output].askers == 1) {
    if (free_inputs_.test(outputs_[output].sum)) grant(outputs_[output].sum, output);
    return;
  }
  if (const Port input = first_free_asker(output); input != kNoPort) grant(input, output);
}

/// Whether two outputs could take the same input now, so that their order matters.
bool WormholeScheduler::contested() {
  const std::span<Word> could = could_.words();  // free inputs that ask for more than one output
  const auto inputs = free_inputs_.words(), several = several_.words();
  Word any = 0;
  for (std::size_t w = 0; w < could.size(); ++w) any |= could[w] = inputs[w] & several[w];
  if (any == 0) return false;
  const auto wanted = wanted_outputs_.words(), free = free_outputs_.words();
  bool found = false;
  taken_.clear();
  const std::span<Word> taken = taken_.words();
  const auto take = [&](std::size_t w, Word some) {
    found = found || (taken[w] & some) != 0;
    taken[w] |= some;
  };
  for (std::size_t o = 0; o < wanted.size(); ++o)
    for (Word outputs = wanted[o] & free[o]; outputs != 0 && !found; outputs &= outputs - 1) {
      const Port output = lowest_port(o, outputs);
      if (outputs_[output].by_row) {
        const auto row = asking_.row(output);
        for (std::size_t w = 0; w < row.size(); ++w) take(w, row[w] & could[w]);
      } else {
        for_each_asker(
            output, [&](Port input) { take(input / kWordBits, bit_of(input) & could[input / kWordBits]); });
      }
    }
  return found;
}

void WormholeScheduler::visit(StateVisitor& v) {
  v.same(requests_);
  v.same(wanted_outputs_);
  v.same(free_inputs_);
  v.same(free_outputs_);
  if (v.done()) return;
  for_each_port(wanted_outputs_.words(), [&](Port output) {
    v.same(outputs_[output].askers);
    for_each_asker(output, [&](Port input) { v.same(input); });
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
