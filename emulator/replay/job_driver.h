// Plays a job's operations against a technique: a state machine a location, woken by what it waits for.
//
// A blocking send returns when its last word has left (a synchronous one when it has arrived, a buffered one
// at once); a receive when the message that it matched when recorded has arrived, which of several of one
// sender and tag is settled by the order in which receives were posted; a collective when its rounds are
// done; what is nonblocking goes on while the rank computes. One-sided accesses return at once and have
// arrived by the end of their epoch; a get is a request of no bytes and the data on their way back. A fence
// is followed by a barrier. A post sends a notice (a message of no bytes) to each origin, and start waits for
// those of its targets; a complete, its accesses arrived, sends one to each target, and wait is over when
// those of all origins have come. A lock, a window's creation and its end cost no time.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/measures.h"
#include "emulator/network/collective_plane.h"
#include "emulator/network/technique.h"
#include "emulator/replay/collective.h"
#include "emulator/replay/communicators.h"
#include "emulator/replay/message_matching.h"
#include "emulator/replay/replay.h"
#include "emulator/switching/messages_in_flight.h"
#include "emulator/tdm/working_set_store.h"

namespace hybrid {

/// Port of each rank: the options', else the trace's, else rank r at port r. Throws UserError when the
/// options' placement is not one of this job.
std::vector<std::uint32_t> placement_of(const JobTrace& trace, const ReplayOptions& options);

class JobDriver final : private TransferListener {
 public:
  /// `plane`: what broadcasts and barriers are left to; nullptr: they are messages as all others.
  JobDriver(JobTrace& trace, Technique& technique, std::vector<std::uint32_t> placement,
            const ReplayOptions& options, CollectivePlane* plane = nullptr);

  /// To the end of the job. Throws UserError.
  void run();
  /// Fills what the driver knows: times, messages, latencies, hits, phases, warnings. No utilisations.
  void report(ReplayResult& result) const;

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  /// Who waits: a location, or (with this bit) a collective in progress.
  static constexpr std::uint32_t kRunBit = std::uint32_t{1} << 31;
  /// In the matching: a posted receive, for which nobody need wait yet.
  static constexpr std::uint32_t kPostBit = std::uint32_t{1} << 30;
  static constexpr bool is_post(std::uint32_t receive) {
    return (receive & (kRunBit | kPostBit)) == kPostBit;
  }

  /// A message from its sending until nobody refers to it any more.
  struct Transit {
    enum class Use : std::uint8_t { matched, access, get };
    ChannelKey key;
    Bytes bytes = 0;
    Time sent{};
    std::uint32_t injection_waiter = kNobody, delivery_waiter = kNobody;
    std::uint32_t phase = 0;
    std::uint32_t window = 0;     // of an access
    std::uint8_t references = 0;  // the flight, the matching, a request
    bool injected = false, delivered = false;
    SendMode mode = SendMode::standard;
    Use use = Use::matched;
  };

  struct Location {
    Operation operation;
    std::uint32_t rank = 0;
    Time now{}, compute{};
    bool finished = false, fenced = false;
    std::uint32_t heard = 0;  // notices of the current operation's group that have come
    std::uint64_t operations = 0;
    std::vector<std::uint32_t> phases;       // hinted, innermost last
    std::vector<std::uint64_t> occurrences;  // by phase
    std::uint32_t phase = 0;                 // in the account, and since when
    Time in_phase_since{};
    std::size_t occurrence = 0;  // of the schedule, where it stands in recorded time
  };

  /// What all ranks of one collective must agree on; the first to begin it decides.
  struct Instance {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint32_t root = 0;  // world rank
    Bytes bytes = 0;
    std::vector<Bytes> counts_received;
    const CollectiveAlgorithm* algorithm = nullptr;
    std::uint32_t begun = 0, ended = 0;
    std::uint32_t first_rank = 0;
    // In the fabric.
    std::vector<std::uint32_t> waiting;  // runs, for the others
    bool sent = false;                   // a broadcast; when its root is done, when it is there:
    Time left{}, local{}, copied{};
  };
  /// One rank's part in a collective.
  struct Run {
    CollectiveCall call;
    std::vector<Bytes> counts_sent, counts_received;
    std::vector<std::uint32_t> neighbors_out, neighbors_in;
    Communicators::View* view = nullptr;
    const CollectiveAlgorithm* algorithm = nullptr;
    std::uint64_t instance = 0;
    std::uint32_t phase = 0, rank = 0, rounds = 0, next_round = 0, outstanding = 0;
    std::uint32_t waiter = kNobody;
    bool done = false;
  };

  struct Request {
    enum class Of : std::uint8_t { send, receive, collective };
    Of of = Of::send;
    std::uint32_t handle = 0;  // Transit, Post or Run
  };
  /// A receive from its posting until its message is known and somebody waits for that.
  struct Post {
    std::uint32_t transit = MessageMatching::kNone;
    std::uint32_t waiter = kNobody;
    bool abandoned = false;  // nobody will wait: it takes its message all the same
    bool dropped = false;    // its message cannot come
  };
  struct Accesses {
    std::uint64_t outstanding = 0;
    std::vector<std::uint32_t> waiters;
  };
  struct Rank {
    std::unordered_map<std::uint64_t, Request> requests;
    std::unordered_map<std::uint32_t, Accesses> accesses;  // by window
    std::uint32_t running = 0;                             // locations not finished
    Time end{}, compute{};
  };
  struct Phase {
    std::string name;
    std::uint64_t occurrences = 0;  // that some location has reached
  };

  struct Event {
    enum class Kind : std::uint8_t { step, injected, delivered, fabric };
    Time at;
    std::uint64_t order;
    std::uint32_t index;
    Kind kind;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Record {
    std::uint32_t transit;
    bool delivery, hit;
  };

  void injected(Time at, const Message& message) override;
  void delivered(Time at, const Message& message, bool hit) override;

  void schedule(Time at, Event::Kind kind, std::uint32_t index);
  void process(Time at, const Record& record);
  void wake(std::uint32_t waiter);
  void drain_ready();
  void step(std::uint32_t location);
  bool fetch(Location& location, std::uint32_t index);
  /// Performs the current operation; false: it waits.
  bool execute(std::uint32_t index);
  void finish(std::uint32_t index);

  std::uint32_t transmit(std::uint32_t phase, std::uint32_t source, std::uint32_t destination, Bytes bytes,
                         std::uint64_t site, Transit::Use use);
  std::uint32_t send_matched(std::uint32_t phase, const ChannelKey& key, Bytes bytes, std::uint64_t site,
                             SendMode mode, std::uint32_t injection_waiter);
  /// True when the message has arrived already.
  bool receive(const ChannelKey& key, std::uint32_t waiter);
  void release(std::uint32_t transit);
  void begin_access(std::uint32_t index);
  void end_access(std::uint32_t rank, std::uint32_t window);
  bool synchronise(std::uint32_t index);
  void notify(std::uint32_t index, bool complete);
  bool hear(std::uint32_t index, bool complete);
  void remember(const Location& location, Request request);
  void forget(Request request);
  bool complete_send(Location& location, std::uint32_t index);
  void cancel(Location& location);
  void count_message(std::uint32_t phase, Connection connection, Bytes bytes);
  void count_local(Bytes bytes);
  void follow_schedule(Location& location);
  void be_in_phase(Location& location, std::uint32_t phase);
  void begin_phase(Location& location);
  void end_phase(Location& location);
  /// The location's innermost hinted phase is now `phase`.
  void enter_phase(Location& location, std::uint32_t phase);
  void tell_phase(const Location& location, std::uint32_t phase);
  void preload_fixed();

  // job_receives.cpp
  ChannelKey received_by(const Location& location) const;
  void post(const Location& location);
  bool complete_receive(std::uint32_t index);
  /// The message of a posted receive was sent.
  void meet(std::uint32_t post, std::uint32_t transit);
  void abandon(std::uint32_t post);
  /// Its message will not be sent; whoever waits goes on.
  void drop_receive(std::uint32_t receive);
  bool is_awaited(std::uint32_t receive) const;

  // job_collectives.cpp
  std::uint32_t begin_collective(std::uint32_t index, const Operation& operation);
  void advance_run(std::uint32_t run);
  void end_run(std::uint32_t run);
  bool wait_for_run(std::uint32_t run, std::uint32_t location);
  void agree(Instance& instance, Run& run, const Operation& operation);

  // job_multicast.cpp
  bool in_fabric(const CollectiveCall& call) const;
  void join_in_fabric(std::uint32_t run);
  void broadcast(const Run& run, Instance& instance);
  Time arrival(const Run& run, const Instance& instance) const;
  bool drop_from_fabric();

  // job_stall.cpp
  void resolve_stall();
  [[noreturn]] void report_stall() const;
  std::string waits_for(const Location& location) const;

  JobTrace& trace_;
  Technique& technique_;
  CollectivePlane* const plane_;
  const std::vector<std::uint32_t> placement_;
  const ReplayOptions& options_;
  const bool incomplete_;
  CollectiveAlgorithms algorithms_;
  Communicators communicators_;
  MessageMatching matching_;

  std::vector<Location> locations_;
  std::vector<Rank> ranks_;
  std::vector<Transit> transits_;
  std::vector<std::uint32_t> free_transits_;
  std::vector<Post> posts_;
  std::vector<std::uint32_t> free_posts_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::unordered_map<std::uint64_t, Instance> instances_;
  Round round_;                // scratch
  PhaseAccount account_;       // the schedule's phases, or those outside hints and then `phases_`
  std::vector<Phase> phases_;  // hinted
  std::unordered_map<std::string, std::uint32_t> phase_of_name_;
  WorkingSetStore working_sets_;  // of the phases of which something is known

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  MessagesInFlight<std::uint32_t> in_flight_;  // in the network, with their transits
  std::vector<Record> records_;                // what the technique told at this instant
  std::vector<std::uint32_t> ready_;           // woken at this instant, in order
  Time now_{};
  std::uint64_t order_ = 0, operations_ = 0, unfinished_ = 0;
  std::uint64_t dropped_receives_ = 0;

  std::uint64_t messages_ = 0, hits_ = 0, local_messages_ = 0;
  Bytes bytes_ = 0, local_bytes_ = 0;
  std::vector<PortTraffic> port_traffic_;  // by port
  LatencyHistogram latency_;
  MulticastCopies multicast_;  // what the plane brought to the ports
};

}  // namespace hybrid
