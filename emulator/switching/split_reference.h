// For tests: wave, coll and chen-liu without runs or certainty ahead, as switching_reference.h has the
// others: every component looks at every picosecond and moves single words. It shares the parameters with the
// emulator, and nothing else.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "emulator/switching/switching_harness.h"

namespace hybrid {

class TickedSplit {
 public:
  explicit TickedSplit(const SwitchParameters& p)
      : p_(p), wave_(p.technique == "wave"), coll_(p.technique == "coll") {
    SwitchParameters rates = p;
    if (!wave_) rates.circuit_channels = 1;
    channels_.resize(rates.circuit_channels);
    worm_word_ = time_on_link(p.word, split_rates(rates).worms).ps;
    circuit_word_ = time_on_link(p.word, split_rates(rates).channel).ps;
    nic_ = p.nic.delay().ps;
    wire_ = p.one_way_wire().ps;
    fabric_ = p.digital_fabric.delay().ps;
    setup_ = p.scheduler.delay().ps;
    circuit_ = (p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise).ps;
    room_ = p.buffer == kUnlimited ? std::size_t{1} << 30 : p.buffer / p.word;
    ports_.resize(p.nodes);
    for (Port i = 0; i < p.nodes; ++i) ports_[i].channel_free.resize(channels_.size());
  }

  std::vector<Outcome> run(const std::vector<Action>& script, std::int64_t give_up) {
    std::size_t messages = 0, next = 0;
    for (const Action& a : script) messages += a.what == Action::What::send ? 1 : 0;
    outcomes_.resize(messages);
    for (t_ = 0; delivered_ < messages && t_ <= give_up; ++t_) {
      for (; next < script.size() && script[next].at.ps == t_; ++next)
        if (script[next].what == Action::What::send)
          ports_[script[next].message.connection.source].sent.emplace_back(t_, script[next].message);
      tick();
    }
    return outcomes_;
  }

 private:
  struct Word {
    std::int64_t at = 0;
    std::uint64_t message = 0;
    Port to = 0;
    bool last = false;
    std::uint64_t worm = 0;  // words of its worm, on the first of them
  };
  enum class State { none, waiting, requested, held, leaving };
  struct Pair {
    // circuit
    std::deque<Word> words;
    std::deque<std::uint64_t> messages;  // sizes in words of those offered and not wholly sent
    std::uint64_t unsent = 0, owed = 0;
    std::int64_t gone = 0, last_start = -1'000'000, granted = 0, established = 0;
    State state = State::none;
    std::size_t channel = 0;
    // worms
    std::deque<Word> buffered;
    std::deque<std::int64_t> credits;  // under way to the NIC
    std::size_t places = 0;            // taken, as the NIC knows
    std::uint64_t worm_words = 0;      // offered and not out of the switch
    std::int64_t worm_left = -1'000'000;
    bool asked = false, moving = false;
  };
  struct PortState {
    std::deque<std::pair<std::int64_t, Message>> sent;
    std::int64_t pe_free = 0;
    std::deque<Word> handing;
    bool by_worm = false;
    std::deque<Word> wormhole;
    std::int64_t link_free = 0;
    std::uint64_t worm_left = 0;
    Port worm_to = 0;
    std::int64_t worm_free = 0;
    bool input_busy = false, output_busy = false;
    Port turn = 0;
    // circuits
    std::vector<std::int64_t> channel_free;
    std::deque<Port> waiting;
    std::vector<Port> entries;
    bool busy = false, sending = false, reserved = false;
    std::int64_t receiver_free = 0;
    bool circuit_input = false, circuit_output = false;  // chen-liu's scheduler
    Port circuit_turn = 0;
  };
  struct Channel {
    std::map<Port, Port> to, from;
    std::set<Port> kept_in, kept_out;
  };
  struct Ask {
    Port i, j;
    int channel = -1;
  };

  Pair& pair(Port i, Port j) { return pairs_[{i, j}]; }
  /// Phases of an instant: NIC 1 to 9, switch 11 to 19. Equals by (i, j).
  void later(std::int64_t at, int phase, Port i, Port j, std::function<void()> f) {
    events_[{at, phase, i, j}].push_back(std::move(f));
  }
  void run_phases(int from, int to) {
    while (!events_.empty()) {
      const auto first = events_.lower_bound({t_, from, 0, 0});
      if (first == events_.end() || std::get<0>(first->first) != t_ || std::get<1>(first->first) > to) return;
      const auto todo = std::move(first->second);
      events_.erase(first);
      for (const auto& f : todo) f();
    }
  }

  void tick() {
    for (Port i = 0; i < p_.nodes; ++i) offer(i);
    run_phases(1, 9);
    run_phases(11, 19);
    for (Port i = 0; i < p_.nodes; ++i) {
      PortState& p = ports_[i];
      if (!p.input_busy || p.worm_left > 0 || p.worm_free != t_) continue;
      p.input_busy = ports_[p.worm_to].output_busy = false;
      pair(i, p.worm_to).moving = false;
    }
    for (auto& [key, q] : pairs_) {
      if (q.asked || q.moving || q.buffered.empty()) continue;
      const auto flit = std::min({p_.flit / p_.word, q.buffered.front().worm, room_});
      if (q.buffered.size() >= flit && q.buffered[flit - 1].at <= t_) q.asked = true;
    }
    if (t_ % p_.scheduler.cycle.ps == 0) {
      worm_pass();
      if (wave_)
        wave_pass();
      else if (!coll_)
        probe_pass();
    }
    while (move()) {
    }
    const auto found = arriving_.find(t_);
    if (found == arriving_.end()) return;
    for (const std::uint64_t id : found->second) outcomes_[id].delivered = Time{t_};
    delivered_ += found->second.size();
  }

  // ---- PE
  void offer(Port i) {
    PortState& p = ports_[i];
    if (!p.handing.empty() || p.sent.empty()) return;
    const auto [at, m] = p.sent.front();
    if (t_ != std::max(p.pe_free, at + p_.word_generation.ps)) return;
    p.sent.pop_front();
    p.pe_free = t_;
    const Port j = m.connection.destination;
    Pair& q = pair(i, j);
    std::uint64_t payload = std::max<std::uint64_t>(1, (m.bytes + p_.word - 1) / p_.word);
    const bool known = wave_ && q.state == State::held;
    const bool clear =
        q.unsent == 0 && t_ >= q.gone && t_ + nic_ + wire_ + fabric_ + wire_ >= q.last_start + circuit_;
    p.by_worm = clear && !known && m.bytes < p_.split_size;
    if (!p.by_worm) {
      outcomes_[m.id].hit = known;
      for (std::uint64_t k = 1; k <= payload; ++k) p.handing.push_back({0, m.id, j, k == payload, 0});
      q.unsent += payload;
      q.messages.push_back(payload);
      want(i, j);
      return;
    }
    while (payload > 0) {
      const auto body = std::min<std::uint64_t>(payload, p_.worm_limit / p_.word);
      payload -= body;
      const auto words = body + p_.worm_overhead_words;
      for (std::uint64_t k = 1; k <= words; ++k)
        p.handing.push_back({0, m.id, j, payload == 0 && k == words, k == 1 ? words : 0});
      q.worm_words += words;
    }
  }
  bool pe_word(Port i) {
    PortState& p = ports_[i];
    if (p.handing.empty() || p.pe_free > t_) return false;
    Word word = p.handing.front();
    auto& queue = p.by_worm ? p.wormhole : pair(i, word.to).words;
    if (queue.size() >= room_) return false;
    word.at = t_;
    queue.push_back(word);
    p.handing.pop_front();
    p.pe_free = t_ + p_.word_generation.ps;
    if (word.last) outcomes_[word.message].injected = Time{t_};
    return true;
  }

  // ---- a circuit for a message
  void want(Port i, Port j) {
    PortState& p = ports_[i];
    if (wave_) {
      if (pair(i, j).state != State::none) return;
      pair(i, j).state = State::waiting;
      p.waiting.push_back(j);
      return serve_waiting(i);
    }
    p.waiting.push_back(j);
    if (!p.busy) reserve(i, nic_);
  }
  void reserve(Port i, std::int64_t delay) {
    const Port j = ports_[i].waiting.front();
    ports_[i].busy = true;
    const std::int64_t leaves = t_ + delay;
    if (coll_)
      later(leaves + wire_ + fabric_ + wire_, 5, i, j, [this, i, j] { request_to_send(i, j); });
    else
      later(leaves + wire_, 12, i, j, [this, i, j] { probes_.insert({i, j}); });
  }
  void request_to_send(Port i, Port j) {
    PortState& receiver = ports_[j];
    const std::int64_t back = t_ + nic_ + wire_ + fabric_ + wire_;
    if (receiver.reserved || t_ < receiver.receiver_free) {
      later(back, 4, i, j, [this, i, j] {
        ports_[i].waiting.pop_front();
        ports_[i].waiting.push_back(j);
        reserve(i, std::max(nic_, p_.nic.cycle.ps));
      });
      return;
    }
    receiver.reserved = true;
    later(back + p_.reconfiguration.ps, 3, i, j, [this, i] { ports_[i].sending = true; });
  }
  void probe_pass() {
    bool granted = false;
    for (Port k = 0; k < p_.nodes; ++k) {
      const Port j = (first_probe_ + k) % p_.nodes;
      if (ports_[j].circuit_output) continue;
      for (Port m = 0; m < p_.nodes; ++m) {
        const Port i = (ports_[j].circuit_turn + m) % p_.nodes;
        if (ports_[i].circuit_input || probes_.count({i, j}) == 0) continue;
        probes_.erase({i, j});
        ports_[j].circuit_turn = (i + 1) % p_.nodes;
        ports_[i].circuit_input = ports_[j].circuit_output = granted = true;
        const std::int64_t there = t_ + setup_ + p_.reconfiguration.ps + fabric_ + wire_;
        later(there + nic_ + wire_ + fabric_ + wire_, 3, i, j, [this, i] { ports_[i].sending = true; });
        break;
      }
    }
    if (granted) first_probe_ = (first_probe_ + 1) % p_.nodes;
  }
  void message_gone(Port i, Port j, std::int64_t gone) {
    ports_[i].sending = false;
    ports_[j].reserved = false;
    ports_[j].receiver_free = gone + circuit_;
    later(gone, 1, i, j, [this, i, j] {
      PortState& p = ports_[i];
      if (!coll_)
        later(t_ + wire_, 11, i, j,
              [this, i, j] { ports_[i].circuit_input = ports_[j].circuit_output = false; });
      p.waiting.pop_front();
      p.busy = false;
      if (!p.waiting.empty()) reserve(i, nic_);
    });
  }

  // ---- circuits that stay
  bool in_use(const Pair& q) const { return q.unsent > 0 || q.gone > t_; }
  void serve_waiting(Port i) {
    PortState& p = ports_[i];
    while (!p.waiting.empty()) {
      if (p.entries.size() < channels_.size()) {
        const Port j = p.waiting.front();
        p.waiting.pop_front();
        p.entries.push_back(j);
        pair(i, j).state = State::requested;
        later(t_ + nic_ + wire_, 12, i, j, [this, i, j] { asks_.push_back({i, j}); });
        continue;
      }
      std::size_t leaving = 0;
      Port victim = kNoPort;
      std::int64_t oldest = 0;
      for (const Port j : p.entries) {
        const Pair& q = pair(i, j);
        if (q.state == State::leaving) ++leaving;
        if (q.state != State::held) continue;
        const std::int64_t used = in_use(q) ? t_ : std::max(q.gone, q.granted);
        if (victim == kNoPort || used < oldest) {
          victim = j;
          oldest = used;
        }
      }
      if (victim == kNoPort || leaving >= p.waiting.size()) return;
      give_up(i, victim);
    }
  }
  void give_up(Port i, Port j) {
    Pair& q = pair(i, j);
    q.state = State::leaving;
    q.owed = q.unsent;
    if (q.owed == 0 && q.gone <= t_) release(i, j);
  }
  void release(Port i, Port j) {
    Pair& q = pair(i, j);
    std::erase(ports_[i].entries, j);
    q.state = State::none;
    later(t_ + wire_, 11, i, j, [this, i, j, m = q.channel] {
      channels_[m].to.erase(i);
      channels_[m].from.erase(j);
    });
    if (q.unsent == 0) return;
    q.state = State::waiting;
    ports_[i].waiting.push_back(j);
  }
  void wave_pass() {
    for (std::size_t k = 0; k < asks_.size();) {
      if (served(asks_[k]))
        asks_.erase(asks_.begin() + static_cast<std::ptrdiff_t>(k));
      else
        ++k;
    }
  }
  bool served(Ask& ask) {
    const auto [i, j, kept] = ask;
    if (kept >= 0) {
      Channel& s = channels_[static_cast<std::size_t>(kept)];
      if (s.from.count(j) != 0) return false;
      s.kept_in.erase(i);
      s.kept_out.erase(j);
      connect(i, j, static_cast<std::size_t>(kept));
      return true;
    }
    int best = -1;
    std::int64_t oldest = 0;
    for (std::size_t m = 0; m < channels_.size(); ++m) {
      const Channel& s = channels_[m];
      if (s.to.count(i) != 0 || s.kept_in.count(i) != 0 || s.kept_out.count(j) != 0) continue;
      if (s.from.count(j) == 0) {
        connect(i, j, m);
        return true;
      }
      const Pair& q = pair(s.from.at(j), j);
      const std::int64_t used = std::max(q.established, std::min(in_use(q) ? t_ : q.gone, t_ - wire_));
      if (best >= 0 && used >= oldest) continue;
      best = static_cast<int>(m);
      oldest = used;
    }
    if (best < 0) return false;
    ask.channel = best;
    Channel& s = channels_[static_cast<std::size_t>(best)];
    s.kept_in.insert(i);
    s.kept_out.insert(j);
    const Port from = s.from.at(j);
    later(std::max(t_ + setup_, pair(from, j).established) + wire_, 2, from, j, [this, from, j = j] {
      if (pair(from, j).state == State::held) give_up(from, j);
      serve_waiting(from);
    });
    return false;
  }
  void connect(Port i, Port j, std::size_t m) {
    channels_[m].to[i] = j;
    channels_[m].from[j] = i;
    pair(i, j).channel = m;
    pair(i, j).established = t_ + setup_ + p_.reconfiguration.ps;
    later(pair(i, j).established + wire_, 1, i, j, [this, i, j] {
      pair(i, j).state = State::held;
      pair(i, j).granted = t_;
      serve_waiting(i);
    });
  }

  // ---- words
  bool move() {
    bool moved = false;
    for (auto& [key, q] : pairs_) moved = circuit_word(key.first, key.second, q) || moved;
    for (Port i = 0; i < p_.nodes; ++i) {
      const bool any = pe_word(i) || link_word(i) || fabric_word(i);
      moved = moved || any;
    }
    return moved;
  }
  bool circuit_word(Port i, Port j, Pair& q) {
    PortState& p = ports_[i];
    const bool mine = wave_ ? q.state == State::held || (q.state == State::leaving && q.owed > 0)
                            : p.sending && p.waiting.front() == j;
    if (!mine || q.words.empty() || q.words.front().at + nic_ > t_) return false;
    std::int64_t& free = p.channel_free[wave_ ? q.channel : 0];
    if (free > t_ || q.worm_words > 0 || t_ < q.worm_left + wire_ ||
        t_ + circuit_ < q.worm_left + fabric_ + wire_)
      return false;
    const Word word = q.words.front();
    q.words.pop_front();
    free = q.gone = t_ + circuit_word_;
    q.last_start = t_;
    --q.unsent;
    if (word.last) arriving_[t_ + circuit_ + nic_].push_back(word.message);
    const bool ends = --q.messages.front() == 0;
    if (ends) q.messages.pop_front();
    if (!wave_ && ends) message_gone(i, j, q.gone);
    if (wave_ && q.state == State::leaving) --q.owed;
    if (wave_ && (q.unsent == 0 || q.state == State::leaving))
      later(q.gone, 3, i, j, [this, i, j] {
        Pair& done = pair(i, j);
        if (done.state != State::leaving || done.owed > 0 || done.gone != t_) return;
        release(i, j);
        serve_waiting(i);
      });
    return true;
  }
  bool link_word(Port i) {
    PortState& p = ports_[i];
    if (p.link_free > t_ || p.wormhole.empty() || p.wormhole.front().at + nic_ > t_) return false;
    Pair& q = pair(i, p.wormhole.front().to);
    for (; !q.credits.empty() && q.credits.front() <= t_; q.credits.pop_front()) --q.places;
    if (q.places >= room_) return false;
    ++q.places;
    q.buffered.push_back(p.wormhole.front());
    q.buffered.back().at = t_ + wire_;
    p.wormhole.pop_front();
    p.link_free = t_ + worm_word_;
    return true;
  }
  void worm_pass() {
    bool granted = false;
    for (Port k = 0; k < p_.nodes; ++k) {
      const Port j = (first_output_ + k) % p_.nodes;
      for (Port m = 0; m < p_.nodes && !ports_[j].output_busy; ++m) {
        const Port i = (ports_[j].turn + m) % p_.nodes;
        if (i == j || ports_[i].input_busy || !pair(i, j).asked) continue;
        Pair& q = pair(i, j);
        q.asked = false;
        q.moving = ports_[i].input_busy = ports_[j].output_busy = granted = true;
        ports_[j].turn = (i + 1) % p_.nodes;
        ports_[i].worm_to = j;
        ports_[i].worm_left = q.buffered.front().worm;
        ports_[i].worm_free = t_ + setup_;
      }
    }
    if (granted) first_output_ = (first_output_ + 1) % p_.nodes;
  }
  bool fabric_word(Port i) {
    PortState& p = ports_[i];
    if (p.worm_left == 0 || p.worm_free > t_) return false;
    Pair& q = pair(i, p.worm_to);
    if (q.buffered.empty() || q.buffered.front().at > t_) return false;
    const Word word = q.buffered.front();
    q.buffered.pop_front();
    q.credits.push_back(t_ + wire_);
    --p.worm_left;
    p.worm_free = t_ + std::max(worm_word_, p_.digital_fabric.cycle.ps);
    --q.worm_words;
    q.worm_left = t_;
    if (word.last) arriving_[t_ + fabric_ + wire_ + nic_].push_back(word.message);
    return true;
  }

  SwitchParameters p_;
  bool wave_, coll_;
  std::int64_t worm_word_, circuit_word_, nic_, wire_, fabric_, setup_, circuit_;
  std::size_t room_;
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<PortState> ports_;
  std::vector<Channel> channels_;
  std::vector<Ask> asks_;
  std::map<std::pair<Port, Port>, Pair> pairs_;
  std::map<std::tuple<std::int64_t, int, Port, Port>, std::vector<std::function<void()>>> events_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
  std::set<std::pair<Port, Port>> probes_;
  Port first_output_ = 0, first_probe_ = 0;
};

}  // namespace hybrid
