#include "cli/mpiexec_output.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace hybrid {

namespace {

constexpr std::string_view kMpiexec = "[mpiexec@", kProxy = "[proxy:", kAbort = "Abort(",
                           kStatuses = "] Exit codes: ";

/// The message of "[mpiexec@host] function (file.c:12): message".
std::string_view message_of(std::string_view line) {
  const std::size_t place = line.find("): ");
  return place == std::string_view::npos ? std::string_view() : line.substr(place + 3);
}

/// "rank 3", "ranks 0-2,7".
std::string ranks_text(const std::vector<std::size_t>& ranks) {
  std::string text;
  for (std::size_t i = 0, last = 0; i < ranks.size(); i = last + 1) {
    last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (i == 0 ? "" : ",") + std::to_string(ranks[i]);
    if (last != i) text += "-" + std::to_string(ranks[last]);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

/// The first of `ranks` that died; nothing if the death of one of them was not seen.
std::optional<std::size_t> first_of(const std::vector<std::size_t>& ranks,
                                    const std::vector<std::uint32_t>& deaths) {
  std::optional<std::size_t> first;
  std::size_t seen = 0;
  for (const std::uint32_t rank : deaths) {
    if (!std::ranges::binary_search(ranks, rank)) continue;
    if (!first) first = rank;
    ++seen;
  }
  return seen == ranks.size() ? first : std::nullopt;
}

std::string ended(int status) {
  return WIFSIGNALED(status) ? "ended by " + signal_text(WTERMSIG(status))
                             : fmt::format("failed with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string signal_text(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{} (signal {})", name, signal);
}

LineFilter MpiexecOutput::filter() {
  return {{kMpiexec, kProxy, kAbort}, [this](std::string_view line) { return read(line); }};
}

bool MpiexecOutput::read(std::string_view line) {
  if (line.starts_with(kAbort)) {  // "Abort(5) on node 1 (rank 1 in comm 0): ..."
    constexpr std::string_view kNode = ") on node ";
    if (const std::size_t at = line.find(kNode); at != std::string_view::npos && abort_rank_.empty()) {
      const std::string_view rank = line.substr(at + kNode.size());
      abort_rank_ = rank.substr(0, rank.find_first_not_of("0123456789"));
    }
    return true;
  }
  if (const std::size_t at = line.find(kStatuses);
      at != std::string_view::npos && line.starts_with(kMpiexec)) {
    // "[host] 0,9,9", once for each proxy, in order of rank.
    std::string_view rest = line.substr(at + kStatuses.size());
    while (!rest.empty()) {
      if (rest.front() == '[') rest.remove_prefix(std::min(rest.find(']') + 1, rest.size()));
      int status = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), status);
      if (error == std::errc{}) statuses_.push_back(status);
      rest.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.data())));
    }
    return false;
  }
  const std::string_view message = message_of(line);
  constexpr std::string_view kUnknown = "unrecognized argument ";
  if (message.starts_with(kUnknown) && rejected_.empty())
    rejected_ = fmt::format("unknown option -{}", message.substr(kUnknown.size()));
  if (failure_.empty()) failure_ = message;
  return true;
}

std::string MpiexecOutput::failed_ranks(const std::vector<std::uint32_t>& deaths) const {
  std::map<int, std::vector<std::size_t>> by_status;
  std::vector<std::size_t> killed;  // when one rank fails, mpiexec kills the others with one of two signals
  std::set<int> signals;
  for (std::size_t rank = 0; rank < statuses_.size(); ++rank) {
    const int status = statuses_[rank];
    if (status == SIGKILL || status == SIGTERM) {
      killed.push_back(rank);
      signals.insert(status);
    } else if (status != 0) {
      by_status[status].push_back(rank);
    }
  }
  std::string text;
  for (const auto& [status, ranks] : by_status)
    text += (text.empty() ? "" : ", ") + ended(status) + " on " + ranks_text(ranks);
  if (!text.empty() || killed.empty()) return text;
  if (killed.size() == 1) return ended(*signals.begin()) + " on " + ranks_text(killed);
  constexpr std::string_view kOthers = " (mpiexec killed the others)";
  if (const auto first = first_of(killed, deaths))
    return fmt::format("{} on rank {}{}", ended(statuses_[*first]), *first, kOthers);
  for (const int signal : signals) text += (text.empty() ? "ended by " : " or ") + signal_text(signal);
  return fmt::format("{} on one of the {}{}", text, ranks_text(killed), kOthers);
}

std::string MpiexecOutput::how_it_ended(const std::string& program, const ChildEnd& end,
                                        const std::vector<std::uint32_t>& deaths) const {
  if (end.forwarded != 0) return fmt::format("'{}' was stopped by {}", program, signal_text(end.forwarded));
  if (end.signal != 0) return "mpiexec ended by " + signal_text(end.signal);
  if (!rejected_.empty()) return "mpiexec rejected its options: " + rejected_;
  if (!abort_rank_.empty())
    return fmt::format("'{}' aborted on rank {}, with exit code {}", program, abort_rank_, end.exit_code);
  if (const std::string ranks = failed_ranks(deaths); !ranks.empty())
    return fmt::format("'{}' {}", program, ranks);
  if (!failure_.empty()) return "mpiexec failed: " + failure_;
  return fmt::format("'{}' failed with exit code {}", program, end.exit_code);
}

}  // namespace hybrid
