#include "core/hints/told_connections.h"

#include <algorithm>
#include <charconv>

namespace hybrid {
namespace {

std::string runs_of(const std::set<std::uint32_t>& ranks) {
  std::string text;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const std::uint32_t first = *at;
    std::uint32_t last = first;
    for (++at; at != ranks.end() && *at == last + 1; ++at) ++last;
    text.append(text.empty() ? "" : ",").append(std::to_string(first));
    if (last != first) text.append("-").append(std::to_string(last));
  }
  return text;
}

bool take_rank(std::string_view& text, std::uint32_t ranks, std::uint32_t& rank) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || rank >= ranks) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_runs(std::string_view text, std::uint32_t ranks, std::set<std::uint32_t>& found) {
  while (!text.empty()) {
    std::uint32_t first = 0, last = 0;
    if (!take_rank(text, ranks, first)) return false;
    last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!take_rank(text, ranks, last) || last < first) return false;
    }
    for (std::uint32_t rank = first; rank <= last; ++rank) found.insert(found.end(), rank);
    if (text.empty()) return true;
    if (!text.starts_with(',') || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace

std::string encode_told(const ToldConnections& told) {
  std::string text;
  for (const auto& [phase, ranks] : told) {
    std::string name = phase;
    std::replace(name.begin(), name.end(), '\n', ' ');
    text += runs_of(ranks) + ' ' + name + '\n';
  }
  return text;
}

std::optional<ToldConnections> decode_told(std::string_view text, std::uint32_t ranks) {
  ToldConnections told;
  while (!text.empty()) {
    const std::size_t end = text.find('\n'), space = text.find(' ');
    if (end == std::string_view::npos || space > end) return std::nullopt;
    std::set<std::uint32_t>& found = told[std::string(text.substr(space + 1, end - space - 1))];
    if (!read_runs(text.substr(0, space), ranks, found)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return told;
}

}  // namespace hybrid
