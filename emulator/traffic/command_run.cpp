#include "emulator/traffic/command_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "core/error.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"
#include "emulator/switching/messages_in_flight.h"
#include "emulator/traffic/command_multicast.h"
#include "emulator/traffic/command_working_sets.h"
#include "emulator/traffic/undelivered.h"

namespace hybrid {

namespace {

using CommandKind = PeCommand::Kind;

constexpr Time kLatest = nanoseconds(4'000'000'000'000'000);  // 46 days: half of the range of Time
constexpr std::uint64_t kMessagesPerReport = 256;             // of the progress
constexpr std::size_t kListedInError = 8;                     // PEs

class CommandRun final : public TransferListener {
 public:
  CommandRun(Technique& technique, const SwitchParameters& parameters, const std::vector<CommandFile>& files,
             bool hardware_multicast)
      : technique_(technique),
        parameters_(parameters),
        files_(files),
        working_sets_(technique, parameters, files, hardware_multicast),
        pes_(files.size()) {
    for (const CommandFile& file : files) participants_ += file.name.empty() ? 0 : 1;
    result_.pes.resize(files.size());
    for (std::size_t pe = 0; pe < files.size(); ++pe)
      result_.pes[pe].commands.resize(files[pe].commands.size());
    if (hardware_multicast) result_.measures.multicast.emplace();
    if (hardware_multicast && participants_ > 1)
      multicast_.emplace(parameters, participants_, is_instant(parameters.technique));
  }
  CommandResult run(const SimulationProgress& progress);

  void injected(Time at, const Message& message) override;
  void delivered(Time at, const Message& message, bool hit) override;

 private:
  struct Pe {
    std::size_t next = 0;   // index of the current command
    bool begun = false;     // the current command has started
    bool released = false;  // the event that the current command waits for has occurred
    std::uint32_t round = 0, barriers = 0;
    std::vector<std::uint64_t> tokens;  // barrier messages that arrived and are not consumed, by round
    std::map<Port, std::deque<std::uint64_t>> inbox;  // by source: arrival numbers
    std::uint64_t arrived = 0;
    Time end{}, computed{};
  };
  struct Sent {
    Time at{};
    std::uint32_t command = 0;
    std::int32_t round = -1;  // of a barrier; -1: not a barrier message
  };
  struct Wake {
    Time at;
    Port pe;
    bool operator>(const Wake& o) const { return at != o.at ? at > o.at : pe > o.pe; }
  };

  void continue_pe(Time now, Port pe);
  bool execute_command(Time now, Port pe);
  bool receive(Pe& pe, Port from);
  bool advance_barrier(Time now, Port pe);
  void complete_multicast(const CommandMulticast::Event& event);
  void arrive(Time at, Connection connection, Bytes bytes, std::size_t command, Time sent);
  void send(Time now, Port pe, Port to, Bytes bytes, std::int32_t round = -1);
  bool is_finished(Port pe) const { return pes_[pe].next == files_[pe].commands.size(); }
  void count(Time at, Connection connection, Bytes bytes, Time sent);
  std::uint64_t count_messages() const;
  CommandResult finish();
  std::string location(Port pe) const;
  std::string describe_state(Port pe) const;
  std::string describe_wait(Port pe) const;
  [[noreturn]] void report_deadlock(Time now) const;

  Technique& technique_;
  const SwitchParameters& parameters_;
  const std::vector<CommandFile>& files_;
  CommandWorkingSets working_sets_;
  std::uint32_t participants_ = 0;
  std::vector<Pe> pes_;
  MessagesInFlight<Sent> messages_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> waits_;
  std::optional<CommandMulticast> multicast_;  // if enabled and several PEs have files
  std::vector<Port> ready_;                    // PEs that may continue after advance() has returned
  Time end_{};
  CommandResult result_;
};

void CommandRun::send(Time now, Port pe, Port to, Bytes bytes, std::int32_t round) {
  technique_.send(now,
                  messages_.add({pe, to}, bytes, {now, static_cast<std::uint32_t>(pes_[pe].next), round}));
}

void CommandRun::injected(Time at, const Message& message) {
  const Sent& sent = messages_.injected(message);
  const Port pe = message.connection.source;
  if (sent.round >= 0) return;
  result_.pes[pe].commands[sent.command].completed = at;
  if (files_[pe].commands[sent.command].kind != CommandKind::blocking_send) return;
  pes_[pe].released = true;
  ready_.push_back(pe);
}

void CommandRun::delivered(Time at, const Message& message, bool /*hit*/) {
  const Sent sent = messages_.delivered(message);
  const Port destination = message.connection.destination;
  count(at, message.connection, message.bytes, sent.at);
  if (sent.round >= 0) {
    Pe& pe = pes_[destination];
    const auto round = static_cast<std::size_t>(sent.round);
    if (pe.tokens.size() <= round) pe.tokens.resize(round + 1);
    ++pe.tokens[round];
  } else {
    arrive(at, message.connection, message.bytes, sent.command, sent.at);
  }
  ready_.push_back(destination);
}

void CommandRun::count(Time at, Connection connection, Bytes bytes, Time sent) {
  Measures& m = result_.measures;
  m.latency.add(at - sent);
  ++m.messages;
  m.bytes += bytes;
  m.count_ports(parameters_.nodes, connection, bytes);
  end_ = at;
}

void CommandRun::arrive(Time at, Connection connection, Bytes bytes, std::size_t command, Time sent) {
  const auto [source, destination] = connection;
  Pe& pe = pes_[destination];
  pe.inbox[source].push_back(pe.arrived++);
  result_.pes[destination].arrivals.push_back(
      {source, bytes, files_[source].commands[command].line, sent, at});
}

void CommandRun::complete_multicast(const CommandMulticast::Event& event) {
  end_ = event.at;
  for (Port pe = 0; pe < participants_; ++pe) {
    if (event.is_barrier()) {
      pes_[pe].released = true;
    } else if (pe != event.source) {
      const Bytes bytes = files_[event.source].commands[event.command].bytes;
      if (auto& copies = result_.measures.multicast) copies->count(bytes);
      result_.measures.latency.add(event.at - event.sent);
      arrive(event.at, {event.source, pe}, bytes, event.command, event.sent);
    }
  }
  for (Port pe = 0; pe < participants_; ++pe)
    if (pe != event.source) continue_pe(event.at, pe);
}

/// Takes the oldest message from `from`, or with kAny the oldest of all. Returns false if there is none.
bool CommandRun::receive(Pe& pe, Port from) {
  auto found = pe.inbox.end();
  if (from != PeCommand::kAny) {
    found = pe.inbox.find(from);
  } else {
    found = std::min_element(pe.inbox.begin(), pe.inbox.end(), [](const auto& a, const auto& b) {
      return a.second.front() < b.second.front();
    });
  }
  if (found == pe.inbox.end()) return false;
  found->second.pop_front();
  if (found->second.empty()) pe.inbox.erase(found);
  return true;
}

/// Advances the PE through the rounds of its barrier with available messages. Returns whether the barrier is
/// complete.
bool CommandRun::advance_barrier(Time now, Port port) {
  Pe& pe = pes_[port];
  for (; std::uint64_t{1} << pe.round < participants_; ++pe.round) {
    const std::uint32_t step = 1U << pe.round;
    if (!pe.released) send(now, port, (port + step) % participants_, 0, static_cast<std::int32_t>(pe.round));
    pe.released = true;  // the message of this round is sent
    if (pe.tokens.size() <= pe.round || pe.tokens[pe.round] == 0) return false;
    --pe.tokens[pe.round];
    pe.released = false;
  }
  return true;
}

/// Executes the current command of `port` as far as possible now. Returns whether it is complete.
bool CommandRun::execute_command(Time now, Port port) {
  Pe& pe = pes_[port];
  const PeCommand& command = files_[port].commands[pe.next];
  CommandTimes& times = result_.pes[port].commands[pe.next];
  const bool first = !pe.begun;
  if (first) times.started = now;
  pe.begun = true;
  switch (command.kind) {
    case CommandKind::send:
      send(now, port, command.peer, command.bytes);
      return true;
    case CommandKind::blocking_send:
      if (first) send(now, port, command.peer, command.bytes);
      return pe.released;
    case CommandKind::broadcast:
      times.completed = now;  // without other PEs
      if (multicast_)
        times.completed = multicast_->broadcast(now, port, pe.next, command.bytes);
      else
        for (Port k = 1; k < participants_; ++k) send(now, port, (port + k) % participants_, command.bytes);
      return true;
    case CommandKind::blocking_receive:
      if (!receive(pe, command.peer)) return false;
      break;
    case CommandKind::wait:
      if (first) {
        if (now > kLatest)
          throw UserError(fmt::format("{}: this wait would start after {}", location(port), to_string(now)),
                          "Give shorter waits.");
        pe.computed += command.time;
        waits_.push({now + command.time, port});
        return false;
      }
      if (!pe.released) return false;  // an arriving message woke the PE
      break;
    case CommandKind::barrier:
      if (first) ++pe.barriers;
      if (multicast_) {
        if (first) multicast_->enter_barrier(now);
        if (!pe.released) return false;
      } else if (!advance_barrier(now, port))
        return false;
      break;
    case CommandKind::store:
      break;
    case CommandKind::preload:
    case CommandKind::swap_in:
    case CommandKind::swap_out:
    case CommandKind::flush:
      working_sets_.execute(now, port, command);
      break;
  }
  times.completed = now;
  return true;
}

void CommandRun::continue_pe(Time now, Port port) {
  Pe& pe = pes_[port];
  while (!is_finished(port) && execute_command(now, port)) {
    ++pe.next;
    pe.begun = pe.released = false;
    pe.round = 0;
    pe.end = now;
  }
}

std::string CommandRun::location(Port pe) const {
  const PeCommand& command = files_[pe].commands[pes_[pe].next];
  return fmt::format("{}:{}:{}", files_[pe].name, command.line, command.column);
}

std::string CommandRun::describe_state(Port pe) const {
  if (files_[pe].name.empty()) return fmt::format("PE {} has no command file", pe);
  return is_finished(pe) ? fmt::format("PE {} ({}) has finished", pe, files_[pe].name)
                         : fmt::format("PE {} waits at {}", pe, location(pe));
}

/// Describes the event that a blocked PE waits for.
std::string CommandRun::describe_wait(Port pe) const {
  const PeCommand& command = files_[pe].commands[pes_[pe].next];
  std::string text = fmt::format("PE {} at {}: {}: ", pe, location(pe), to_string(command));
  if (command.kind == CommandKind::barrier) {
    Port late = pe;
    for (Port other = participants_; other-- > 0;)
      if (pes_[other].barriers < pes_[pe].barriers) late = other;
    return text + describe_state(late) +
           fmt::format(", after {} of {} barriers", pes_[late].barriers, pes_[pe].barriers);
  }
  if (command.peer == PeCommand::kAny) return text + "no PE sends to it any more";
  return text + describe_state(command.peer);
}

void CommandRun::report_deadlock(Time now) const {
  std::uint64_t waiting = 0;
  std::string list;
  for (Port pe = 0; pe < pes_.size(); ++pe)
    if (!is_finished(pe) && ++waiting <= kListedInError) list += "\n  " + describe_wait(pe);
  if (waiting > kListedInError) list += fmt::format("\n  and {} more", waiting - kListedInError);
  throw UserError(
      fmt::format("commands: {} of {} PEs wait for ever (after {}) and no message is in flight:{}", waiting,
                  participants_, to_string(now), list),
      "Every blocking-receive needs a send of the other PE, and all PEs with a file need the same number "
      "of barriers.");
}

std::uint64_t CommandRun::count_messages() const {
  std::uint64_t all = 0;
  std::uint64_t rounds = 0;
  while (std::uint64_t{1} << rounds < participants_) ++rounds;
  for (const CommandFile& file : files_)
    for (const PeCommand& command : file.commands) {
      if (command.kind == CommandKind::send || command.kind == CommandKind::blocking_send) ++all;
      if (command.kind == CommandKind::broadcast && !multicast_) all += participants_ - 1;
      if (command.kind == CommandKind::barrier && !multicast_) all += rounds;
    }
  return all;
}

CommandResult CommandRun::run(const SimulationProgress& progress) {
  const std::uint64_t all = progress ? count_messages() : 0;
  working_sets_.start();
  for (Port pe = 0; pe < pes_.size(); ++pe) continue_pe(Time{}, pe);
  std::uint64_t quiet_steps = 0, reported = 0;
  Time now{};
  for (;;) {
    const Time action = waits_.empty() ? Time::never() : waits_.top().at;
    const Time event = technique_.next_event();
    const Time fabric = multicast_ ? multicast_->next_event() : Time::never();
    if (action == Time::never() && event == Time::never() && fabric == Time::never()) break;
    if (multicast_ && fabric < action && fabric <= event) {
      now = fabric;
      complete_multicast(multicast_->pop_event());
      continue;
    }
    if (action <= event) {
      const Port pe = waits_.top().pe;
      waits_.pop();
      pes_[pe].released = true;
      end_ = now = action;
      continue_pe(now, pe);
      continue;
    }
    ready_.clear();
    const std::uint64_t before = messages_.count();
    now = technique_.advance(event, *this);
    quiet_steps = ready_.empty() && messages_.count() == before ? quiet_steps + 1 : 0;
    if (quiet_steps == kStuckSteps)
      throw_undelivered(fmt::format("{} messages of the commands", messages_.count()), parameters_, now,
                        quiet_steps);
    std::sort(ready_.begin(), ready_.end());
    ready_.erase(std::unique(ready_.begin(), ready_.end()), ready_.end());
    for (const Port pe : ready_) continue_pe(now, pe);
    const std::uint64_t delivered = result_.measures.messages;
    if (progress && delivered - reported >= kMessagesPerReport) progress(reported = delivered, all);
  }
  for (Port pe = 0; pe < pes_.size(); ++pe)
    if (!is_finished(pe)) report_deadlock(now);
  if (progress) progress(all, all);
  return finish();
}

CommandResult CommandRun::finish() {
  Measures& m = result_.measures;
  m.technique = parameters_.technique;
  m.nodes = parameters_.nodes;
  m.slots = parameters_.slots;
  m.seed = parameters_.seed;
  m.statistics = technique_.statistics();
  messages_.check_all_delivered(m.statistics);
  __extension__ using Wide = __int128;
  Wide computed = 0, lived = 0;
  for (const Pe& pe : pes_) {
    computed += pe.computed.ps;
    lived += pe.end.ps;
    m.time = std::max(m.time, pe.end);
  }
  m.time = std::max(m.time, end_);
  m.compute_time = Time{static_cast<std::int64_t>(computed / participants_)};
  m.communication_time = Time{static_cast<std::int64_t>((lived - computed) / participants_)};
  m.set_utilisation(parameters_.link_rate);
  if (m.messages > 0) m.hit_rate = static_cast<double>(m.statistics.hits) / static_cast<double>(m.messages);
  return std::move(result_);
}

}  // namespace

bool has_collectives(const std::vector<CommandFile>& files) {
  for (const CommandFile& file : files)
    for (const PeCommand& command : file.commands)
      if (command.kind == CommandKind::broadcast || command.kind == CommandKind::barrier) return true;
  return false;
}

CommandResult run_commands(Technique& technique, const SwitchParameters& parameters,
                           const std::vector<CommandFile>& files, const SimulationProgress& progress) {
  return CommandRun(technique, parameters, files, false).run(progress);
}

CommandResult run_commands(const SwitchParameters& parameters, const std::vector<CommandFile>& files,
                           const SimulationProgress& progress, const CommandRunOptions& options) {
  check(parameters);
  if (options.hardware_multicast) check_multicast(parameters);
  const auto technique = TechniqueRegistration::make(parameters.technique, parameters);
  if (options.timeline != nullptr) technique->observe(*options.timeline);
  return CommandRun(*technique, parameters, files, options.hardware_multicast).run(progress);
}

}  // namespace hybrid
