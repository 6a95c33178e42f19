#include "libhybrid/recording/cpu_timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "libhybrid/recording/journal_track.h"
#include "libhybrid/recording/matching.h"
#include "libhybrid/recording/open_requests.h"

namespace hybrid {

namespace {

enum class Wait : std::uint8_t { nobody, root, everybody };

Wait wait_of(CollectiveOp op, bool is_root) {
  switch (op) {
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      return is_root ? Wait::nobody : Wait::root;
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::reduce:
      return is_root ? Wait::everybody : Wait::nobody;
    case CollectiveOp::barrier:
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv:
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
    case CollectiveOp::allreduce:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      return Wait::everybody;
    default:
      return Wait::nobody;
  }
}

/// The n-th collective on a communicator, or the n-th fence on a window.
struct MeetingKey {
  bool window = false;
  std::uint32_t id = 0;
  std::uint64_t number = 0;
  auto operator<=>(const MeetingKey&) const = default;
};

struct Meeting {
  std::uint32_t expected = 0, arrived = 0, left = 0;
  Time latest{};             // of those who arrived
  std::optional<Time> root;  // when the root arrived
  std::vector<std::size_t> waiting;
};

/// A member's part in a meeting.
struct Attendance {
  MeetingKey key;
  Wait wait = Wait::nobody;
};

struct Track : JournalTrack {
  using JournalTrack::JournalTrack;

  Time begin{};             // of `step`
  Time end{};               // of `step`, as far as it is known
  std::size_t settled = 0;  // records of `step` whose waits are over
  bool begun = false, entered = false, blocked = false;
  bool parked = false;                         // ready, and waiting for another thread's turn
  std::map<std::size_t, Attendance> blocking;  // blocking collectives of `step`, by record
};

struct Process {
  OpenRequests<Attendance> requests;
  std::map<std::pair<bool, std::uint32_t>, std::uint64_t> meetings;  // had so far, by (window, id)
  std::uint32_t threads = 0;
  // Threads of a process start their calls in the order in which they did: one may complete a request, or use
  // a communicator, that another made. Ticks at which a track's next call began, or its present one ended.
  std::set<std::pair<std::uint64_t, std::size_t>> order;
  Time now{};  // when the last call began
};

}  // namespace

class CpuTimeline::Engine {
 public:
  Engine(const Recording& recording, const RankClocks& clocks)
      : job_(recording.definitions), clocks_(clocks), processes_(job_.processes.size()) {
    present_.resize(job_.ranks, false);
    for (const Recording::Thread& thread : recording.threads) {
      const std::size_t index = tracks_.size();
      tracks_.push_back(std::make_unique<Track>(thread));
      Process& process = processes_[thread.process];
      process.threads = std::max(process.threads, thread.thread + 1);
      present_[job_.processes[thread.process].rank] = true;
      if (!tracks_[index]->more) continue;
      process.order.emplace(tracks_[index]->step.begin, index);
      ready_.emplace(Time{}, index);
    }
  }

  void run(const Visit& visit) {
    while (!ready_.empty() || give_up_one()) {
      const std::size_t index = ready_.top().second;
      ready_.pop();
      Track& track = *tracks_[index];
      if (!track.entered && !enter(index)) continue;
      const bool force = forced_ == index;
      forced_.reset();
      if (!settle(index, force)) continue;
      leave(index, visit);
    }
  }

  std::uint64_t given_up() const { return given_up_; }

 private:
  // Sends and arrivals count from the begin of their call. False: another thread of the process is first.
  bool enter(std::size_t index) {
    Track& track = *tracks_[index];
    const ProcessDefinitions& definitions = job_.processes[track.process];
    Process& process = processes_[track.process];
    if (process.order.begin()->second != index) {
      track.parked = true;
      return false;
    }
    process.order.erase(process.order.begin());
    process.order.emplace(track.step.end, index);
    if (!std::exchange(track.begun, true)) track.begin = process.now;
    process.now = track.begin;
    track.entered = true;
    track.end = track.begin;
    track.settled = 0;
    track.blocking.clear();
    for (std::size_t i = 0; i < track.step.records.size(); ++i) {
      const JournalRecord& record = track.step.records[i];
      if (const auto key = sent_message(definitions, record)) send(*key, track.begin);
      const Event& event = *record.event;
      const auto op = static_cast<CollectiveOp>(event.op);
      const bool is_root = event.peer == static_cast<std::int32_t>(definitions.rank);
      if (event.kind == EventKind::collective || event.kind == EventKind::collective_start) {
        const auto attendance = attend(track, record, wait_of(op, is_root), is_root);
        if (!attendance) continue;
        if (event.kind == EventKind::collective)
          track.blocking[i] = *attendance;
        else
          process.requests.open(OpenRequests<Attendance>::id(track.thread, event.request), *attendance);
      } else if (event.kind == EventKind::rma_sync && static_cast<RmaSync>(event.op) == RmaSync::fence) {
        if (const auto attendance = attend_fence(track, record)) track.blocking[i] = *attendance;
      }
    }
    unpark(process);
    return true;
  }

  void unpark(const Process& process) {
    if (process.order.empty()) return;
    Track& next = *tracks_[process.order.begin()->second];
    if (std::exchange(next.parked, false)) ready_.emplace(next.begin, process.order.begin()->second);
  }

  void send(const MessageKey& key, Time at) {
    if (const auto debt = debts_.find(key); debt != debts_.end()) {
      if (--debt->second == 0) debts_.erase(debt);
      return;  // its receive was given up, or nobody waits for it
    }
    messages_.push(key, at);
    if (const auto waiting = receivers_.find(key); waiting != receivers_.end()) {
      for (const std::size_t index : waiting->second) resume(index);
      receivers_.erase(waiting);
    }
  }

  std::optional<Attendance> attend(const Track& track, const JournalRecord& record, Wait wait, bool is_root) {
    const auto& communicators = job_.processes[track.process].communicators;
    const auto view = communicators.find(record.values.communicator);
    if (view == communicators.end() || view->second.id == kSelfCommunicator) return std::nullopt;
    if (job_.communicators[view->second.id].other_group != JobCommunicator::kNoGroup) return std::nullopt;
    return arrive(track, false, view->second.id, view->second.id, wait, is_root);
  }

  std::optional<Attendance> attend_fence(const Track& track, const JournalRecord& record) {
    const auto& windows = job_.processes[track.process].windows;
    const auto window = windows.find(record.values.communicator);
    if (window == windows.end() || job_.windows[window->second] == kSelfCommunicator) return std::nullopt;
    return arrive(track, true, window->second, job_.windows[window->second], Wait::everybody, false);
  }

  Attendance arrive(const Track& track, bool window, std::uint32_t id, std::uint32_t communicator, Wait wait,
                    bool is_root) {
    const MeetingKey key{window, id, processes_[track.process].meetings[{window, id}]++};
    Meeting& meeting = meetings_[key];
    if (meeting.expected == 0) meeting.expected = present_members(communicator);
    ++meeting.arrived;
    meeting.latest = std::max(meeting.latest, track.begin);
    if (is_root) meeting.root = track.begin;
    if (is_root || meeting.arrived == meeting.expected)
      for (const std::size_t index : std::exchange(meeting.waiting, {})) resume(index);
    return {key, wait};
  }

  std::uint32_t present_members(std::uint32_t communicator) {
    const auto [entry, is_new] = present_members_.try_emplace(communicator, 0);
    if (is_new)
      for (const std::int32_t rank : job_.groups[job_.communicators[communicator].group].members)
        entry->second +=
            static_cast<std::size_t>(rank) < present_.size() && present_[static_cast<std::size_t>(rank)];
    return entry->second;
  }

  void resume(std::size_t index) {
    Track& track = *tracks_[index];
    if (!std::exchange(track.blocked, false)) return;
    blocked_.erase({track.begin, index});
    ready_.emplace(track.begin, index);
  }

  // Goes through the step's records as far as they need not wait; true at their end. `force`: gives up the
  // first wait.
  bool settle(std::size_t index, bool force) {
    Track& track = *tracks_[index];
    const ProcessDefinitions& definitions = job_.processes[track.process];
    for (; track.settled < track.step.records.size(); ++track.settled) {
      const JournalRecord& record = track.step.records[track.settled];
      if (const auto key = received_message(definitions, record)) {
        const auto sent = messages_.pop(*key);
        if (sent) track.end = std::max(track.end, *sent);
        if (!sent && !std::exchange(force, false)) return block(index, receivers_[*key]);
        if (!sent) ++debts_[*key];
      } else if (const auto freed = freed_message(definitions, record)) {
        if (!messages_.pop(*freed)) ++debts_[*freed];
      } else if (const auto attendance = completed(track)) {
        Meeting& meeting = meetings_[attendance->key];
        if (!over(meeting, attendance->wait) && !std::exchange(force, false))
          return block(index, meeting.waiting);
        if (attendance->wait == Wait::everybody) track.end = std::max(track.end, meeting.latest);
        if (attendance->wait == Wait::root) track.end = std::max(track.end, meeting.root.value_or(track.end));
        if (record.event->kind == EventKind::collective_complete)
          processes_[track.process].requests.close(track.thread, record.event->request,
                                                   processes_[track.process].threads);
        if (++meeting.left == meeting.expected) meetings_.erase(attendance->key);
      }
    }
    return true;
  }

  // The meeting whose end the record that is to be settled waits for.
  std::optional<Attendance> completed(const Track& track) const {
    if (const auto found = track.blocking.find(track.settled); found != track.blocking.end())
      return found->second;
    const Event& event = *track.step.records[track.settled].event;
    if (event.kind != EventKind::collective_complete) return std::nullopt;
    const Process& process = processes_[track.process];
    const auto id = process.requests.find(track.thread, event.request, process.threads);
    if (!id) return std::nullopt;
    return process.requests.at(*id);
  }

  static bool over(const Meeting& meeting, Wait wait) {
    switch (wait) {
      case Wait::nobody:
        return true;
      case Wait::root:
        return meeting.root.has_value();
      case Wait::everybody:
        return meeting.arrived >= meeting.expected;
    }
    return true;
  }

  bool block(std::size_t index, std::vector<std::size_t>& waiting) {
    waiting.push_back(index);
    tracks_[index]->blocked = true;
    blocked_.emplace(tracks_[index]->begin, index);
    return false;
  }

  // Nothing can go on. Whoever waits longest waits for what no journal holds.
  bool give_up_one() {
    if (blocked_.empty()) return false;
    const auto [at, index] = *blocked_.begin();
    ++given_up_;
    resume(index);
    forced_ = index;
    return true;
  }

  void leave(std::size_t index, const Visit& visit) {
    Track& track = *tracks_[index];
    visit(index, track.step, track.begin, track.end);
    Process& process = processes_[track.process];
    const std::uint64_t ended = track.step.end;
    process.order.erase({ended, index});
    track.entered = false;
    track.next();
    if (track.more) {
      const Time wall = clocks_.at(track.process, track.step.begin) - clocks_.at(track.process, ended);
      const Time gap = track.step.compute_ns ? nanoseconds(static_cast<std::int64_t>(*track.step.compute_ns))
                                             : std::max(wall, Time{});
      track.begin = track.end + gap;
      process.order.emplace(track.step.begin, index);
      ready_.emplace(track.begin, index);
    }
    unpark(process);
  }

  using Entry = std::pair<Time, std::size_t>;
  const JobDefinitions& job_;
  const RankClocks& clocks_;
  std::vector<std::unique_ptr<Track>> tracks_;
  std::vector<Process> processes_;
  std::vector<bool> present_;  // ranks with a journal
  std::unordered_map<std::uint32_t, std::uint32_t> present_members_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  std::set<Entry> blocked_;
  MessageQueue messages_;
  std::unordered_map<MessageKey, std::uint32_t, MessageKeyHash> debts_;
  std::unordered_map<MessageKey, std::vector<std::size_t>, MessageKeyHash> receivers_;
  std::map<MeetingKey, Meeting> meetings_;
  std::optional<std::size_t> forced_;
  std::uint64_t given_up_ = 0;
};

CpuTimeline::CpuTimeline(const Recording& recording, const RankClocks& clocks)
    : engine_(std::make_unique<Engine>(recording, clocks)) {}
CpuTimeline::~CpuTimeline() = default;
void CpuTimeline::run(const Visit& visit) { engine_->run(visit); }
std::uint64_t CpuTimeline::given_up() const { return engine_->given_up(); }

}  // namespace hybrid
