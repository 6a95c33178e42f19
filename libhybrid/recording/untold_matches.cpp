#include "libhybrid/recording/untold_matches.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/journal.h"
#include "libhybrid/recording/journal_track.h"
#include "libhybrid/recording/matching.h"
#include "libhybrid/recording/open_requests.h"

namespace hybrid {

namespace {

bool has_untold(const Recording& recording) {
  return std::any_of(recording.threads.begin(), recording.threads.end(), [](const Recording::Thread& thread) {
    const JournalReader journal(thread.journal);
    return std::any_of(journal.events().begin(), journal.events().end(), is_untold);
  });
}

/// (communicator, receiver): what is sent to a rank on one communicator.
using Inbox = std::pair<std::uint32_t, std::int32_t>;
/// Its messages by (source, tag); how many more were sent than receives are known to have got.
using Left = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;
/// Its untold receives by (source, tag) as posted.
using Untold = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<FoundMatch*>>;

class Search {
 public:
  explicit Search(const Recording& recording) : recording_(recording), found_(recording.threads.size()) {}

  std::vector<std::vector<FoundMatch>> run() {
    std::size_t first = 0;
    while (first < recording_.threads.size()) {
      std::size_t last = first;
      while (last < recording_.threads.size() &&
             recording_.threads[last].process == recording_.threads[first].process)
        ++last;
      read_process(first, last);
      first = last;
    }
    for (const Place& place : untold_) inboxes_[place.inbox][place.posted].push_back(&found(place));
    for (auto& [inbox, untold] : inboxes_) settle(left_[inbox], untold);
    return std::move(found_);
  }

 private:
  struct Place {
    std::size_t thread = 0, number = 0;
    Inbox inbox;
    std::pair<std::int32_t, std::int32_t> posted;
  };
  FoundMatch& found(const Place& place) { return found_[place.thread][place.number]; }

  // A process's threads in the order of time: one may cancel what another started.
  void read_process(std::size_t first, std::size_t last) {
    std::vector<std::unique_ptr<JournalTrack>> tracks;
    for (std::size_t i = first; i < last; ++i)
      tracks.push_back(std::make_unique<JournalTrack>(recording_.threads[i]));
    OpenRequests<std::optional<MessageKey>> open;
    while (true) {
      std::size_t next = tracks.size();
      for (std::size_t i = 0; i < tracks.size(); ++i)
        if (tracks[i]->more && (next == tracks.size() || tracks[i]->step.begin < tracks[next]->step.begin))
          next = i;
      if (next == tracks.size()) return;
      for (const JournalRecord& record : tracks[next]->step.records)
        look_at(record, first + next, recording_.threads[last - 1].thread + 1, open);
      tracks[next]->next();
    }
  }

  void look_at(const JournalRecord& record, std::size_t index, std::uint32_t threads,
               OpenRequests<std::optional<MessageKey>>& open) {
    const Recording::Thread& thread = recording_.threads[index];
    const ProcessDefinitions& process = recording_.definitions.processes[thread.process];
    const Event& event = *record.event;
    if (is_untold(event)) {
      found_[index].push_back({});
      if (const auto view = process.communicators.find(record.values.communicator);
          view != process.communicators.end())
        untold_.push_back({index,
                           found_[index].size() - 1,
                           {view->second.id, static_cast<std::int32_t>(process.rank)},
                           {event.peer, event.tag}});
    } else if (const auto sent = sent_message(process, record)) {
      ++left(*sent);
      if (event.kind == EventKind::send_start)
        open.open(OpenRequests<std::optional<MessageKey>>::id(thread.thread, event.request), sent);
    } else if (event.kind == EventKind::recv_post) {
      open.open(OpenRequests<std::optional<MessageKey>>::id(thread.thread, event.request), std::nullopt);
    } else if (event.kind == EventKind::send_complete) {
      open.close(thread.thread, event.request, threads);
    } else if (event.kind == EventKind::cancelled) {
      const auto request = open.close(thread.thread, event.request, threads);
      if (request && request->second) --left(*request->second);
    } else if (const auto received = received_message(process, record)) {
      --left(*received);
      if (event.kind == EventKind::recv_complete) open.close(thread.thread, event.request, threads);
    } else if (const auto freed = freed_message(process, record)) {
      --left(*freed);
    }
  }

  std::int64_t& left(const MessageKey& key) {
    return left_[{key.communicator, key.destination}][{key.source, key.tag}];
  }

  // Those for which one sender and tag is left take it, which may leave one for others.
  static void settle(Left& left, Untold& untold) {
    for (bool more = true; more;) {
      more = false;
      for (auto& [posted, receives] : untold) {
        if (receives.empty()) continue;
        auto only = left.end();
        std::size_t candidates = 0;
        for (auto entry = left.begin(); entry != left.end(); ++entry) {
          const auto& [source, tag] = entry->first;
          if (entry->second <= 0 || (posted.first != kAnyPeer && posted.first != source) ||
              (posted.second != kAnyTag && posted.second != tag))
            continue;
          only = entry;
          ++candidates;
        }
        if (candidates != 1 || only->second < static_cast<std::int64_t>(receives.size())) continue;
        for (FoundMatch* receive : receives) *receive = {only->first.first, only->first.second};
        only->second -= static_cast<std::int64_t>(receives.size());
        receives.clear();
        more = true;
      }
    }
  }

  const Recording& recording_;
  std::vector<std::vector<FoundMatch>> found_;  // by thread
  std::vector<Place> untold_;
  std::map<Inbox, Left> left_;
  std::map<Inbox, Untold> inboxes_;  // those with untold receives
};

}  // namespace

std::vector<std::vector<FoundMatch>> find_untold_matches(const Recording& recording) {
  if (!has_untold(recording)) return {};
  return Search(recording).run();
}

}  // namespace hybrid
