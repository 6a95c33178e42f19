#include "cli/rank_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <optional>
#include <string_view>

#include "libhybrid/recording/definitions.h"
#include "libhybrid/report/job_output.h"

namespace hybrid {

namespace {

/// "rank-12.definitions" -> 12.
std::optional<std::uint32_t> rank_of(std::string_view name) {
  constexpr std::string_view kBegin = "rank-", kEnd = ".definitions";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  std::uint32_t rank = 0;
  const char* const last = name.data() + name.size() - kEnd.size();
  const auto [end, error] = std::from_chars(name.data() + kBegin.size(), last, rank);
  return error == std::errc{} && end == last ? std::optional(rank) : std::nullopt;
}

bool finalized(const std::string& recording, std::uint32_t rank) {
  try {
    return read_definitions(definitions_path(recording, rank)).properties.contains(kFinalized);
  } catch (const std::exception&) {  // it died while it wrote them
    return false;
  }
}

}  // namespace

RankWatch::RankWatch(const std::string& output)
    : recording_(recording_directory(output)),
      events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (events_ < 0 || stop_ < 0) return;
  ::inotify_add_watch(events_, output.c_str(), IN_CREATE);
  watch_recording();
  thread_ = std::thread([this] { run(); });
}

RankWatch::~RankWatch() {
  stop();
  if (events_ >= 0) ::close(events_);
  if (stop_ >= 0) ::close(stop_);
}

std::vector<std::uint32_t> RankWatch::deaths() {
  stop();
  if (missed_events_) return {};
  std::erase_if(ends_, [this](std::uint32_t rank) { return finalized(recording_, rank); });
  return ends_;
}

void RankWatch::stop() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_, 1);
  thread_.join();
  read_events();
}

void RankWatch::run() {
  std::array<pollfd, 2> ready{{{events_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (ready[1].revents == 0) {
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
    if (ready[0].revents != 0) read_events();
  }
}

void RankWatch::read_events() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  for (ssize_t size; (size = ::read(events_, buffer.data(), buffer.size())) > 0;)
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      const auto* const event = reinterpret_cast<const inotify_event*>(&buffer[at]);
      at += sizeof *event + event->len;
      missed_events_ |= (event->mask & IN_Q_OVERFLOW) != 0;
      if ((event->mask & IN_CLOSE_WRITE) == 0 || event->len == 0) continue;
      if (const auto rank = rank_of(event->name)) ends_.push_back(*rank);
    }
  watch_recording();
}

void RankWatch::watch_recording() {
  if (!watches_recording_)
    watches_recording_ = ::inotify_add_watch(events_, recording_.c_str(), IN_CLOSE_WRITE | IN_ONLYDIR) >= 0;
}

}  // namespace hybrid
