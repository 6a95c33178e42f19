#include "cli/output_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

void make_pipe(int& read_end, int& write_end) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
  read_end = ends[0];
  write_end = ends[1];
}

void close_end(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

/// False if the reader of `file` is gone.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // a terminal that another process has made nonblocking
      pollfd room{file, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

/// Where `text` has one of the beginnings, or ends with a part of one; its size if nowhere.
std::size_t FilteredLines::find_beginning(std::string_view text) const {
  std::size_t first = text.size();
  for (const std::string_view beginning : filter_->beginnings) {
    first = std::min(first, text.find(beginning));
    for (std::size_t part = std::min(beginning.size() - 1, text.size()); part != 0; --part)
      if (text.ends_with(beginning.substr(0, part))) first = std::min(first, text.size() - part);
  }
  return first;
}

std::string FilteredLines::pass(std::string_view part) {
  held_ += part;
  std::string output;
  for (std::string_view rest = held_;;) {
    const std::size_t begin = find_beginning(rest);
    output += rest.substr(0, begin);
    rest.remove_prefix(begin);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      held_ = std::string(rest);
      return output;
    }
    if (filter_->keeps(rest.substr(0, end))) output += rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
  }
}

std::string FilteredLines::rest() { return std::exchange(held_, {}); }

OutputCopy::OutputCopy(const LineFilter& filter, int out_to)
    : streams_{{{-1, -1, out_to, FilteredLines(filter)}, {-1, -1, STDERR_FILENO, FilteredLines(filter)}}} {
  for (Stream& stream : streams_) make_pipe(stream.read_end, stream.write_end);
  make_pipe(end_[0], end_[1]);
}

OutputCopy::~OutputCopy() {
  finish();
  for (Stream& stream : streams_) {
    close_end(stream.read_end);
    close_end(stream.write_end);
  }
  close_end(end_[0]);
}

void OutputCopy::start() {
  for (Stream& stream : streams_) close_end(stream.write_end);
  // Signals go to the thread that awaits the child; a closed stream is an error here, not a signal.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { copy(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void OutputCopy::finish() {
  close_end(end_[1]);
  if (thread_.joinable()) thread_.join();
}

void OutputCopy::copy() {
  while (streams_[0].read_end >= 0 || streams_[1].read_end >= 0) {
    std::array<pollfd, 3> ready{
        {{streams_[0].read_end, POLLIN, 0}, {streams_[1].read_end, POLLIN, 0}, {end_[0], POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
    const bool ended = ready[2].revents != 0;
    for (std::size_t i = 0; i < streams_.size(); ++i)
      if (ended || ready[i].revents != 0) copy_part(streams_[i], !ended);
  }
}

void OutputCopy::copy_part(Stream& stream, bool wait_for_end) {
  if (stream.read_end < 0) return;
  if (!wait_for_end) ::fcntl(stream.read_end, F_SETFL, O_NONBLOCK);
  std::array<char, 65536> part;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  const ssize_t n = ::read(stream.read_end, part.data(), part.size());
  if (n < 0 && errno == EINTR) return;
  const std::string output =
      n > 0 ? stream.lines.pass({part.data(), static_cast<std::size_t>(n)}) : stream.lines.rest();
  if (!write_all(stream.to, output) || n <= 0) close_end(stream.read_end);
}

}  // namespace hybrid
