// Each source's destinations, numbered from 0 in the order of their first use.
//
// A predictor's memory is in proportion to the number of destinations that it is built for, and that number
// is limited. A job may have a million ports: a source that talks to six of them needs a predictor for six.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/connection.h"

namespace hybrid {

class DestinationNumbers {
 public:
  /// A message goes over `connection`.
  void add(Connection connection) {
    Source& source = sources_[connection.source];
    source.try_emplace(connection.destination, static_cast<std::uint32_t>(source.size()));
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
