#include "libhybrid/recording/unresolved_receives.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/journal.h"
#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/matching.h"

namespace hybrid {

namespace {

bool has_unresolved(const Recording& recording) {
  return std::any_of(recording.threads.begin(), recording.threads.end(), [](const Recording::Thread& thread) {
    const JournalReader journal(thread.journal);
    JournalEvents events = journal.events();
    for (Event event; events.next(event);)
      if (is_unresolved(event)) return true;
    return false;
  });
}

/// (communicator, receiver): the messages to a rank on a communicator.
using Inbox = std::pair<std::uint32_t, std::int32_t>;
/// Number of messages of an inbox that no known receive got, by (source, tag).
using Remaining = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;
/// Unresolved receives of an inbox, by the (source, tag) with which they were posted.
using Unresolved = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<ResolvedReceive*>>;

class Resolver {
 public:
  explicit Resolver(const Recording& recording)
      : recording_(recording), resolved_(recording.threads.size()) {}

  std::vector<std::vector<ResolvedReceive>> run() {
    for_each_process(recording_, [this](std::size_t first, std::size_t last) { read_process(first, last); });
    for (const Place& place : unresolved_) inboxes_[place.inbox][place.posted].push_back(&receive_at(place));
    for (auto& [inbox, unresolved] : inboxes_) resolve(remaining_[inbox], unresolved);
    return std::move(resolved_);
  }

 private:
  using Requests = OpenRequests<std::optional<MessageKey>>;  // with the message of a send
  struct Place {
    std::size_t thread = 0, number = 0;
    Inbox inbox;
    std::pair<std::int32_t, std::int32_t> posted;
  };
  ResolvedReceive& receive_at(const Place& place) { return resolved_[place.thread][place.number]; }

  void read_process(std::size_t first, std::size_t last) {
    Requests open;
    const std::uint32_t threads = recording_.threads[last - 1].thread + 1;
    for_each_step(recording_, first, last, [&](std::size_t thread, const JournalStep& step) {
      for (const JournalRecord& record : step.records) count(record, thread, threads, open);
    });
  }

  // Counts the messages of a record, and collects its unresolved receive.
  void count(const JournalRecord& record, std::size_t index, std::uint32_t threads, Requests& open) {
    const Recording::Thread& thread = recording_.threads[index];
    const ProcessDefinitions& process = recording_.definitions.processes[thread.process];
    const Event& event = *record.event;
    if (is_unresolved(event)) {
      resolved_[index].push_back({});
      if (const auto view = process.communicators.find(record.values.communicator);
          view != process.communicators.end())
        unresolved_.push_back({index,
                               resolved_[index].size() - 1,
                               {view->second.id, static_cast<std::int32_t>(process.rank)},
                               {event.peer, event.tag}});
    } else if (const auto sent = sent_message(process, record)) {
      ++remaining(*sent);
      if (event.kind == EventKind::send_start) open.open(Requests::id(thread.thread, event.request), sent);
    } else if (event.kind == EventKind::recv_post) {
      open.open(Requests::id(thread.thread, event.request), std::nullopt);
    } else if (event.kind == EventKind::send_complete) {
      open.close(thread.thread, event.request, threads);
    } else if (event.kind == EventKind::cancelled) {
      const auto request = open.close(thread.thread, event.request, threads);
      if (request && request->second) --remaining(*request->second);
    } else if (const auto received = received_message(process, record)) {
      --remaining(*received);
      if (event.kind == EventKind::recv_complete) open.close(thread.thread, event.request, threads);
    } else if (const auto freed = freed_message(process, record)) {
      --remaining(*freed);
    }
  }

  std::int64_t& remaining(const MessageKey& key) {
    return remaining_[{key.communicator, key.destination}][{key.source, key.tag}];
  }

  // Assigns messages to receives for which a single sender and tag remains. This may leave a single one for
  // others, so it is repeated until nothing changes.
  static void resolve(Remaining& remaining, Unresolved& unresolved) {
    for (bool more = true; more;) {
      more = false;
      for (auto& [posted, receives] : unresolved) {
        if (receives.empty()) continue;
        auto only = remaining.end();
        std::size_t candidates = 0;
        for (auto entry = remaining.begin(); entry != remaining.end(); ++entry) {
          const auto& [source, tag] = entry->first;
          if (entry->second <= 0 || (posted.first != kAnyPeer && posted.first != source) ||
              (posted.second != kAnyTag && posted.second != tag))
            continue;
          only = entry;
          ++candidates;
        }
        if (candidates != 1 || only->second < static_cast<std::int64_t>(receives.size())) continue;
        for (ResolvedReceive* receive : receives) *receive = {only->first.first, only->first.second};
        only->second -= static_cast<std::int64_t>(receives.size());
        receives.clear();
        more = true;
      }
    }
  }

  const Recording& recording_;
  std::vector<std::vector<ResolvedReceive>> resolved_;  // by thread
  std::vector<Place> unresolved_;
  std::map<Inbox, Remaining> remaining_;
  std::map<Inbox, Unresolved> inboxes_;  // those with unresolved receives
};

}  // namespace

std::vector<std::vector<ResolvedReceive>> resolve_receives(const Recording& recording) {
  if (!has_unresolved(recording)) return {};
  return Resolver(recording).run();
}

}  // namespace hybrid
