// DestinationNumbers: numbers the destinations of each source from 0, in the order of their first use.
//
// The memory of a predictor is proportional to its number of destinations, which is limited. In a job with a
// million ports, a source that sends to six of them needs a predictor for six destinations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class DestinationNumbers {
 public:
  /// Numbers the destination of `connection`, if it has no number yet.
  void add(Connection connection) {
    Source& source = sources_[connection.source];
    source.try_emplace(connection.destination, static_cast<std::uint32_t>(source.size()));
  }
  /// Renumbers the destinations of each source in the order of the ports. Numbers in the order of first use
  /// would reveal the next destination to a predictor that computes with numbers (DestinationLine).
  void order_by_port() {
    for (auto& [port, source] : sources_) {
      std::vector<Port> destinations;
      for (const auto& [destination, number] : source) destinations.push_back(destination);
      std::sort(destinations.begin(), destinations.end());
      for (std::uint32_t i = 0; i < destinations.size(); ++i) source[destinations[i]] = i;
    }
  }
  /// The number of a destination. Throws std::out_of_range if it was not added.
  std::uint32_t of(Connection connection) const {
    return sources_.at(connection.source).at(connection.destination);
  }
  /// The number of destinations of `source`.
  std::uint32_t count(Port source) const {
    const auto found = sources_.find(source);
    return found == sources_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
  }

 private:
  using Source = std::unordered_map<Port, std::uint32_t>;
  std::unordered_map<Port, Source> sources_;
};

}  // namespace hybrid
