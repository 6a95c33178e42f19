// Each source's destinations, numbered from 0 in the order of their first use.
//
// A predictor's memory is in proportion to the number of destinations that it is built for, and that number
// is limited. A job may have a million ports: a source that talks to six of them needs a predictor for six.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class DestinationNumbers {
 public:
  /// A message goes over `connection`.
  void add(Connection connection) {
    Source& source = sources_[connection.source];
    source.try_emplace(connection.destination, static_cast<std::uint32_t>(source.size()));
  }
  /// Numbers them anew, in the order of the ports. The order of first use tells a predictor that computes
  /// with numbers what comes next before it has ever come; these tell it what the ports themselves would.
  void order_by_port() {
    for (auto& [port, source] : sources_) {
      std::vector<Port> destinations;
      for (const auto& [destination, number] : source) destinations.push_back(destination);
      std::sort(destinations.begin(), destinations.end());
      for (std::uint32_t i = 0; i < destinations.size(); ++i) source[destinations[i]] = i;
    }
  }
  /// The number of a destination that was added; throws std::out_of_range for another.
  std::uint32_t of(Connection connection) const {
    return sources_.at(connection.source).at(connection.destination);
  }
  /// How many destinations `source` has.
  std::uint32_t count(Port source) const {
    const auto found = sources_.find(source);
    return found == sources_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
  }

 private:
  using Source = std::unordered_map<Port, std::uint32_t>;
  std::unordered_map<Port, Source> sources_;
};

}  // namespace hybrid
