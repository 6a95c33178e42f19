#include "emulator/network/wormhole_scheduler.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/port_set.h"

namespace hybrid {

namespace {
constexpr std::size_t kShortRow = 2;  // words
}

WormholeScheduler::WormholeScheduler(std::uint32_t ports)
    : ports_(ports),
      rows_(ports, ports),
      row_words_(ports, words_for(ports)),
      lists_(words_for(ports) > kShortRow ? ports : 0),
      wanted_outputs_(ports),
      free_inputs_(ports),
      free_outputs_(ports),
      outputs_(ports),
      taken_(ports),
      outputs_in_use_(ports) {
  for (Port p = 0; p < ports; ++p) {
    free_inputs_.set(p);
    free_outputs_.set(p);
    outputs_[p].by_row = lists_.empty();
  }
  granted_.reserve(ports);
}

inline void WormholeScheduler::set_in_row(Port input, Port output) {
  rows_.set(output, input);
  if (!lists_.empty()) row_words_.set(output, input / kWordBits);
}

inline void WormholeScheduler::reset_in_row(Port input, Port output) {
  rows_.reset(output, input);
  if (!lists_.empty() && rows_.row(output)[input / kWordBits] == 0)
    row_words_.reset(output, input / kWordBits);
}

const PortSet& WormholeScheduler::outputs_in_use() {
  const auto words = outputs_in_use_.words();
  for (std::size_t w = 0; w < words.size(); ++w)
    words[w] = wanted_outputs_.words()[w] | ~free_outputs_.words()[w];
  if (ports_ % kWordBits != 0) words.back() &= bit_of(ports_) - 1;
  return outputs_in_use_;
}

/// Adds the request of `input` for `output`, which is not by row, unless there was one already. Returns false
/// then.
bool WormholeScheduler::add_to_list(Port input, Port output) {
  Output& o = outputs_[output];
  if (o.requesters == 0) return true;
  if (o.requesters == 1 && o.sum == input) return false;
  auto& listed = lists_[output].requesters;
  if (o.requesters == kListed) {
    if (std::find(listed.begin(), listed.end(), input) != listed.end()) return false;
    for (const Port other : listed) set_in_row(other, output);
    set_in_row(input, output);
    o.by_row = true;
    return true;
  }
  if (o.requesters == 1) listed[0] = o.sum;
  Port* const end = listed.data() + o.requesters;
  Port* const at = std::lower_bound(listed.data(), end, input);
  if (at != end && *at == input) return false;
  std::copy_backward(at, end, end + 1);
  *at = input;
  return true;
}

/// Adds the request of `input` for `output`. Returns false if there was one already.
inline bool WormholeScheduler::add_request(Port input, Port output) {
  Output& o = outputs_[output];
  if (o.by_row) {
    if (rows_.test(output, input)) return false;
    set_in_row(input, output);
  } else if (!add_to_list(input, output)) {
    return false;
  }
  ++o.requesters;
  o.sum ^= input;
  return true;
}

inline void WormholeScheduler::remove_request(Port input, Port output) {
  Output& o = outputs_[output];
  o.sum ^= input;
  if (o.by_row) {
    reset_in_row(input, output);
    o.by_row = lists_.empty() || o.requesters > 2;
    if (!o.by_row) reset_in_row(o.sum, output);
  } else if (o.requesters > 1) {
    Port* const listed = lists_[output].requesters.data();
    Port* const end = listed + o.requesters;
    Port* const at = std::lower_bound(listed, end, input);
    std::copy(at + 1, end, at);
  }
  --o.requesters;
}

template <class Visit>
void WormholeScheduler::for_each_requester(Port output, Visit&& visit) const {
  const Output& o = outputs_[output];
  if (o.by_row)
    for_each_port(rows_.row(output), visit);
  else if (o.requesters == 1)
    visit(o.sum);
  else
    for (std::uint32_t i = 0; i < o.requesters; ++i) visit(lists_[output].requesters[i]);
}

void WormholeScheduler::request(Connection c) {
  if (!add_request(c.source, c.destination)) return;
  wanted_outputs_.set(c.destination);
  ++request_count_;
}

void WormholeScheduler::release_ports(Connection c) {
  free_inputs_.set(c.source);
  free_outputs_.set(c.destination);
}

inline void WormholeScheduler::grant_output(Port input, Port output) {
  remove_request(input, output);
  --request_count_;
  if (outputs_[output].requesters == 0) wanted_outputs_.reset(output);
  free_inputs_.reset(input);
  free_outputs_.reset(output);
  outputs_[output].pointer = input + 1 == ports_ ? 0 : input + 1;
  granted_.push_back({input, output});
}

/// The first free requester of `output` at or after its pointer, or kNoPort. Requires: several requesters.
Port WormholeScheduler::first_free_requester(Port output) const {
  const Output& o = outputs_[output];
  if (o.by_row) {
    const auto row = rows_.row(output), inputs = free_inputs_.words();
    const auto candidates = [&](std::size_t w) { return row[w] & inputs[w]; };
    return lists_.empty() || row.size() > kWordBits
               ? first_rotated(row.size(), o.pointer, candidates)
               : first_rotated_of(row_words_.row(output)[0], o.pointer, candidates);
  }
  Port before = kNoPort;  // the first one before the pointer
  for (std::uint32_t i = 0; i < o.requesters; ++i) {
    const Port input = lists_[output].requesters[i];
    if (!free_inputs_.test(input)) continue;
    if (input >= o.pointer) return input;
    if (before == kNoPort) before = input;
  }
  return before;
}

/// The input that is granted `output`, or kNoPort.
inline Port WormholeScheduler::first_free_input(Port output) const {
  const Output& o = outputs_[output];
  if (o.requesters == 1) return free_inputs_.test(o.sum) ? o.sum : kNoPort;
  return first_free_requester(output);
}

/// Whether two free outputs can be granted to the same input, so that their order matters.
bool WormholeScheduler::is_contested() {
  const auto candidates = free_inputs_.words();
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
        const auto row = rows_.row(output);
        for (std::size_t w = 0; w < row.size(); ++w) take(w, row[w] & candidates[w]);
      } else {
        for_each_requester(output, [&](Port input) {
          take(input / kWordBits, bit_of(input) & candidates[input / kWordBits]);
        });
      }
    }
  return found;
}

void WormholeScheduler::visit(StateVisitor& v) {
  v.same(request_count_);
  v.same(wanted_outputs_);
  v.same(free_inputs_);
  v.same(free_outputs_);
  if (v.failed()) return;
  for_each_port(wanted_outputs_.words(), [&](Port output) {
    v.same(outputs_[output].requesters);
    for_each_requester(output, [&](Port input) { v.same(input); });
  });
  for (const Output& output : outputs_) v.same(output.pointer);
  const bool matters = v.total(contests_) != 0;
  v.turn(first_, ports_, matters);
}

const std::vector<Connection>& WormholeScheduler::run_pass(bool noted) {
  granted_.clear();
  if (noted && request_count_ > 1 && is_contested()) ++contests_;
  const auto wanted = wanted_outputs_.words();
  const auto free = free_outputs_.words();
  const std::size_t start = first_ / kWordBits;
  const Word below = bit_of(first_) - 1;
  for (std::size_t k = 0, w = start; k <= wanted.size(); ++k, w = w + 1 == wanted.size() ? 0 : w + 1) {
    Word outputs = wanted[w] & free[w];
    if (k == 0) outputs &= ~below;
    if (k == wanted.size()) outputs &= below;
    for (; outputs != 0; outputs &= outputs - 1) {
      const Port output = lowest_port(w, outputs);
      if (const Port input = first_free_input(output); input != kNoPort) grant_output(input, output);
    }
  }
  if (!granted_.empty()) first_ = first_ + 1 == ports_ ? 0 : first_ + 1;
  return granted_;
}

}  // namespace hybrid
