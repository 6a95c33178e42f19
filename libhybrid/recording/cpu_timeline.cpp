#include "libhybrid/recording/cpu_timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/matching.h"

namespace hybrid {

namespace {

// The ranks that a collective waits for.
enum class Wait : std::uint8_t { none, root, all };

Wait wait_of(CollectiveOp op, bool is_root) {
  switch (op) {
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      return is_root ? Wait::none : Wait::root;
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::reduce:
      return is_root ? Wait::all : Wait::none;
    case CollectiveOp::barrier:
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv:
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
    case CollectiveOp::allreduce:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      return Wait::all;
    default:
      return Wait::none;
  }
}

/// The n-th collective on a communicator, or the n-th fence on a window.
struct SyncKey {
  bool window = false;
  std::uint32_t id = 0;
  std::uint64_t number = 0;
  auto operator<=>(const SyncKey&) const = default;
};

/// State of a collective or fence.
struct Sync {
  std::uint32_t expected = 0, entered = 0, left = 0;  // numbers of members
  Time latest{};                                      // entry of a member so far
  std::optional<Time> root;                           // entry of the root
  std::vector<std::size_t> waiting;                   // threads
};

/// The part of a member in a collective or fence.
struct Participation {
  SyncKey key;
  Wait wait = Wait::none;
};

struct ThreadState : JournalCursor {
  using JournalCursor::JournalCursor;

  Time begin{};          // of `step`
  Time end{};            // of `step`, as far as it is known
  std::size_t done = 0;  // number of records of `step` that are processed
  bool has_begin = false, entered = false, blocked = false;
  bool parked = false;                            // ready, but an earlier call of another thread comes first
  std::map<std::size_t, Participation> blocking;  // blocking collectives of `step`, by record
};

struct Process {
  OpenRequests<Participation> requests;
  std::map<std::pair<bool, std::uint32_t>, std::uint64_t> syncs;  // number so far, by (window, id)
  std::uint32_t threads = 0;
  // The threads of a process start their calls in the recorded order, since one may complete a request, or
  // use a communicator, of another. (ticks, thread): the begin of the thread's next call, or the end of its
  // current one.
  std::set<std::pair<std::uint64_t, std::size_t>> order;
  Time now{};  // begin of the last call
};

}  // namespace

class CpuTimeline::Engine {
 public:
  Engine(const Recording& recording, const RankClocks& clocks)
      : job_(recording.definitions), clocks_(clocks), processes_(job_.processes.size()) {
    present_.resize(job_.ranks, false);
    for (const Recording::Thread& thread : recording.threads) {
      const std::size_t index = threads_.size();
      threads_.push_back(std::make_unique<ThreadState>(thread));
      Process& process = processes_[thread.process];
      process.threads = std::max(process.threads, thread.thread + 1);
      present_[job_.processes[thread.process].rank] = true;
      if (!threads_[index]->has_step) continue;
      process.order.emplace(threads_[index]->step.begin, index);
      ready_.emplace(Time{}, index);
    }
  }

  void run(const Visit& visit) {
    while (!ready_.empty() || give_up_longest_wait()) {
      const std::size_t index = ready_.top().second;
      ready_.pop();
      if (!threads_[index]->entered && !begin_step(index)) continue;
      const bool force = forced_ == index;
      forced_.reset();
      if (!process_records(index, force)) continue;
      end_step(index, visit);
    }
  }

  std::uint64_t given_up() const { return given_up_; }

 private:
  // Sends messages and enters collectives, both at the begin of the call. False: an earlier call of another
  // thread of the process comes first.
  bool begin_step(std::size_t index) {
    ThreadState& thread = *threads_[index];
    const ProcessDefinitions& definitions = job_.processes[thread.process];
    Process& process = processes_[thread.process];
    if (process.order.begin()->second != index) {
      thread.parked = true;
      return false;
    }
    process.order.erase(process.order.begin());
    process.order.emplace(thread.step.end, index);
    if (!std::exchange(thread.has_begin, true)) thread.begin = process.now;
    process.now = thread.begin;
    thread.entered = true;
    thread.end = thread.begin;
    thread.done = 0;
    thread.blocking.clear();
    for (std::size_t i = 0; i < thread.step.records.size(); ++i) {
      const JournalRecord& record = thread.step.records[i];
      if (const auto key = sent_message(definitions, record)) send(*key, thread.begin);
      const Event& event = *record.event;
      const auto op = static_cast<CollectiveOp>(event.op);
      const bool is_root = event.peer == static_cast<std::int32_t>(definitions.rank);
      if (event.kind == EventKind::collective || event.kind == EventKind::collective_start) {
        const auto participation = enter_collective(thread, record, wait_of(op, is_root), is_root);
        if (!participation) continue;
        if (event.kind == EventKind::collective)
          thread.blocking[i] = *participation;
        else
          process.requests.open(OpenRequests<Participation>::id(thread.thread, event.request),
                                *participation);
      } else if (event.kind == EventKind::rma_sync && static_cast<RmaSync>(event.op) == RmaSync::fence) {
        if (const auto participation = enter_fence(thread, record)) thread.blocking[i] = *participation;
      }
    }
    resume_next(process);
    return true;
  }

  // Makes the thread with the next call ready, if it is parked.
  void resume_next(const Process& process) {
    if (process.order.empty()) return;
    ThreadState& next = *threads_[process.order.begin()->second];
    if (std::exchange(next.parked, false)) ready_.emplace(next.begin, process.order.begin()->second);
  }

  void send(const MessageKey& key, Time at) {
    if (const auto done = received_.find(key); done != received_.end()) {
      if (--done->second == 0) received_.erase(done);
      return;
    }
    messages_.push(key, at);
    if (const auto waiting = receivers_.find(key); waiting != receivers_.end()) {
      for (const std::size_t index : waiting->second) resume(index);
      receivers_.erase(waiting);
    }
  }

  std::optional<Participation> enter_collective(const ThreadState& thread, const JournalRecord& record,
                                                Wait wait, bool is_root) {
    const auto& communicators = job_.processes[thread.process].communicators;
    const auto view = communicators.find(record.values.communicator);
    if (view == communicators.end() || view->second.id == kSelfCommunicator) return std::nullopt;
    if (job_.communicators[view->second.id].other_group != JobCommunicator::kNoGroup) return std::nullopt;
    return enter(thread, false, view->second.id, view->second.id, wait, is_root);
  }

  std::optional<Participation> enter_fence(const ThreadState& thread, const JournalRecord& record) {
    const auto& windows = job_.processes[thread.process].windows;
    const auto window = windows.find(record.values.communicator);
    if (window == windows.end() || job_.windows[window->second] == kSelfCommunicator) return std::nullopt;
    return enter(thread, true, window->second, job_.windows[window->second], Wait::all, false);
  }

  Participation enter(const ThreadState& thread, bool window, std::uint32_t id, std::uint32_t communicator,
                      Wait wait, bool is_root) {
    const SyncKey key{window, id, processes_[thread.process].syncs[{window, id}]++};
    Sync& sync = syncs_[key];
    if (sync.expected == 0) sync.expected = present_members(communicator);
    ++sync.entered;
    sync.latest = std::max(sync.latest, thread.begin);
    if (is_root) sync.root = thread.begin;
    if (is_root || sync.entered == sync.expected)
      for (const std::size_t index : std::exchange(sync.waiting, {})) resume(index);
    return {key, wait};
  }

  // Number of members with a journal.
  std::uint32_t present_members(std::uint32_t communicator) {
    const auto [entry, is_new] = present_members_.try_emplace(communicator, 0);
    if (is_new)
      for (const std::int32_t rank : job_.groups[job_.communicators[communicator].group].members)
        entry->second +=
            static_cast<std::size_t>(rank) < present_.size() && present_[static_cast<std::size_t>(rank)];
    return entry->second;
  }

  void resume(std::size_t index) {
    ThreadState& thread = *threads_[index];
    if (!std::exchange(thread.blocked, false)) return;
    blocked_.erase({thread.begin, index});
    ready_.emplace(thread.begin, index);
  }

  // Processes the records of the step until one must wait. True: all are done. `force`: gives up the first
  // wait.
  bool process_records(std::size_t index, bool force) {
    ThreadState& thread = *threads_[index];
    const ProcessDefinitions& definitions = job_.processes[thread.process];
    for (; thread.done < thread.step.records.size(); ++thread.done) {
      const JournalRecord& record = thread.step.records[thread.done];
      if (const auto key = received_message(definitions, record)) {
        const auto sent = messages_.pop(*key);
        if (sent) thread.end = std::max(thread.end, *sent);
        if (!sent && !std::exchange(force, false)) return block(index, receivers_[*key]);
        if (!sent) ++received_[*key];
      } else if (const auto freed = freed_message(definitions, record)) {
        if (!messages_.pop(*freed)) ++received_[*freed];
      } else if (const auto participation = ended_by(thread)) {
        Sync& sync = syncs_[participation->key];
        if (!is_over(sync, participation->wait) && !std::exchange(force, false))
          return block(index, sync.waiting);
        if (participation->wait == Wait::all) thread.end = std::max(thread.end, sync.latest);
        if (participation->wait == Wait::root)
          thread.end = std::max(thread.end, sync.root.value_or(thread.end));
        if (record.event->kind == EventKind::collective_complete)
          processes_[thread.process].requests.close(thread.thread, record.event->request,
                                                    processes_[thread.process].threads);
        if (++sync.left == sync.expected) syncs_.erase(participation->key);
      }
    }
    return true;
  }

  // The collective or fence that the next record ends.
  std::optional<Participation> ended_by(const ThreadState& thread) const {
    if (const auto found = thread.blocking.find(thread.done); found != thread.blocking.end())
      return found->second;
    const Event& event = *thread.step.records[thread.done].event;
    if (event.kind != EventKind::collective_complete) return std::nullopt;
    const Process& process = processes_[thread.process];
    const auto id = process.requests.find(thread.thread, event.request, process.threads);
    if (!id) return std::nullopt;
    return process.requests.at(*id);
  }

  static bool is_over(const Sync& sync, Wait wait) {
    switch (wait) {
      case Wait::none:
        return true;
      case Wait::root:
        return sync.root.has_value();
      case Wait::all:
        return sync.entered >= sync.expected;
    }
    return true;
  }

  bool block(std::size_t index, std::vector<std::size_t>& waiting) {
    waiting.push_back(index);
    threads_[index]->blocked = true;
    blocked_.emplace(threads_[index]->begin, index);
    return false;
  }

  // No thread is ready. The one that waits longest waits for an event that no journal has. False: no thread
  // waits.
  bool give_up_longest_wait() {
    if (blocked_.empty()) return false;
    const auto [at, index] = *blocked_.begin();
    ++given_up_;
    resume(index);
    forced_ = index;
    return true;
  }

  void end_step(std::size_t index, const Visit& visit) {
    ThreadState& thread = *threads_[index];
    visit(index, thread.step, thread.begin, thread.end);
    Process& process = processes_[thread.process];
    const std::uint64_t ended = thread.step.end;
    process.order.erase({ended, index});
    thread.entered = false;
    thread.next();
    if (thread.has_step) {
      const Time wall = clocks_.at(thread.process, thread.step.begin) - clocks_.at(thread.process, ended);
      const Time gap = thread.step.compute_ns
                           ? nanoseconds(static_cast<std::int64_t>(*thread.step.compute_ns))
                           : std::max(wall, Time{});
      thread.begin = thread.end + gap;
      process.order.emplace(thread.step.begin, index);
      ready_.emplace(thread.begin, index);
    }
    resume_next(process);
  }

  using Entry = std::pair<Time, std::size_t>;
  const JobDefinitions& job_;
  const RankClocks& clocks_;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::vector<Process> processes_;
  std::vector<bool> present_;  // ranks with a journal
  std::unordered_map<std::uint32_t, std::uint32_t> present_members_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  std::set<Entry> blocked_;
  MessageQueue messages_;
  // Number of receives that ended before their send: given up, or with a freed request.
  std::unordered_map<MessageKey, std::uint32_t, MessageKeyHash> received_;
  std::unordered_map<MessageKey, std::vector<std::size_t>, MessageKeyHash> receivers_;
  std::map<SyncKey, Sync> syncs_;
  std::optional<std::size_t> forced_;
  std::uint64_t given_up_ = 0;
};

CpuTimeline::CpuTimeline(const Recording& recording, const RankClocks& clocks)
    : engine_(std::make_unique<Engine>(recording, clocks)) {}
CpuTimeline::~CpuTimeline() = default;
void CpuTimeline::run(const Visit& visit) { engine_->run(visit); }
std::uint64_t CpuTimeline::given_up() const { return engine_->given_up(); }

}  // namespace hybrid
