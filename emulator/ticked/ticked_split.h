// Reference model of wave, coll and chen-liu, without runs, events or instants computed ahead, as
// ticked_switch.h for the other techniques: every component is evaluated at every picosecond and moves single
// words. It shares only the parameters with the emulator.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "emulator/ticked/script.h"
#include "emulator/ticked/worm_words.h"

namespace hybrid {

class TickedSplit {
 public:
  /// Whether this class is the reference of the technique.
  static bool models(std::string_view technique) {
    return technique == "wave" || technique == "coll" || technique == "chen-liu";
  }

  explicit TickedSplit(const SwitchParameters& p);

  std::vector<Outcome> run(const std::vector<Action>& script, std::int64_t give_up);

 private:
  struct Word {
    std::int64_t at = 0;
    std::uint64_t message = 0;
    Port to = 0;
    bool last = false;
    std::uint64_t worm = 0;  // words of its worm, on the first of them
    MadeBy made_by = MadeBy::pe;
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
    std::size_t granted_words = 0;     // at the front: words of granted worms
    std::deque<std::int64_t> credits;  // under way to the NIC
    std::size_t places = 0;            // taken, as known to the NIC
    std::uint64_t worm_words = 0;      // offered and not out of the switch
    std::int64_t worm_left = -1'000'000;
    bool requested = false;
  };
  struct GrantedWorm {
    Port to = 0;
    std::uint64_t left = 0;  // words
    std::int64_t from = 0;   // earliest start
  };
  struct PortState {
    std::deque<std::pair<std::int64_t, Message>> sent;
    std::int64_t pe_free = 0;
    std::deque<Word> handing;
    bool by_worm = false;
    std::deque<Word> wormhole;
    std::int64_t link_free = 0;
    std::deque<GrantedWorm> worms;  // more than one only with look-ahead
    Port worm_to = 0;               // of the last one that was granted
    std::int64_t worm_free = 0;     // end of the last word that left
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
  struct Request {
    Port i, j;
    int channel = -1;
  };

  Pair& pair(Port i, Port j) { return pairs_[{i, j}]; }
  /// Schedules f. Phases of an instant: NIC 1 to 9, switch 11 to 19; equal phases by (i, j).
  void later(std::int64_t at, int phase, Port i, Port j, std::function<void()> f);
  void run_phases(int from, int to);

  void tick();

  void offer(Port i);
  bool pe_word(Port i);

  void want(Port i, Port j);
  void reserve(Port i, std::int64_t delay);
  void request_to_send(Port i, Port j);
  void probe_pass();
  void message_gone(Port i, Port j, std::int64_t gone);

  bool in_use(const Pair& q) const { return q.unsent > 0 || q.gone > t_; }
  void serve_waiting(Port i);
  void evict(Port i, Port j);
  void release(Port i, Port j);
  void wave_pass();
  bool serve_request(Request& request);
  void connect(Port i, Port j, std::size_t m);

  bool move_words();
  bool circuit_word(Port i, Port j, Pair& q);
  bool link_word(Port i);
  std::int64_t spacing() const { return std::max(worm_word_, p_.digital_fabric.cycle.ps); }
  /// The end of the last worm granted to input `i`; -1: not known yet.
  std::int64_t known_end(Port i);
  void worm_pass();
  bool fabric_word(Port i);

  SwitchParameters p_;
  bool wave_, coll_;
  std::int64_t worm_word_, circuit_word_, nic_, wire_, fabric_, setup_, circuit_;
  std::size_t room_, worm_room_, input_room_;  // words
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<PortState> ports_;
  std::vector<Channel> channels_;
  std::vector<Request> requests_;
  std::map<std::pair<Port, Port>, Pair> pairs_;
  std::map<std::tuple<std::int64_t, int, Port, Port>, std::vector<std::function<void()>>> events_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
  std::set<std::pair<Port, Port>> probes_;
  Port first_output_ = 0, first_probe_ = 0;
};

}  // namespace hybrid
