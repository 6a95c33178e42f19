#include "libhybrid/recording/port_map.h"

#include <charconv>
#include <optional>

namespace hybrid {

namespace {

std::optional<Port> port_in(std::string_view text) {
  Port port = 0;
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (reason != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::string encode_ports(std::span<const Port> port_of_rank) {
  std::string text;
  for (std::size_t first = 0; first < port_of_rank.size();) {
    std::size_t last = first;
    while (last + 1 < port_of_rank.size() && port_of_rank[last + 1] == port_of_rank[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(port_of_rank[first]);
    if (last > first) text.append(1, '-').append(std::to_string(port_of_rank[last]));
    first = last + 1;
  }
  return text;
}

std::vector<Port> decode_ports(std::string_view text, std::uint32_t ranks) {
  std::vector<Port> ports;
  while (!text.empty()) {
    const std::string_view run = text.substr(0, text.find(' '));
    text.remove_prefix(run.size() == text.size() ? run.size() : run.size() + 1);
    const std::size_t dash = run.find('-');
    const auto first = port_in(run.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : port_in(run.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= ranks - ports.size()) return {};
    for (Port port = *first; port <= *last; ++port) ports.push_back(port);
  }
  return ports;
}

}  // namespace hybrid
