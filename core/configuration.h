// Configuration: a set of connections that a crossbar can hold at once (a partial permutation). It is the
// content of one TDM slot (D 5.3.1, matrix B^(s): at most one 1 in each row and each column).
//
// All functions require ports below ports(). Every function takes constant time, except clear() and
// connections(), which take O(ports).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

class Configuration {
 public:
  Configuration() = default;
  explicit Configuration(std::size_t ports)
      : destination_(ports, kNoPort), source_(ports, kNoPort), inputs_(ports), outputs_(ports) {}

  std::size_t ports() const { return destination_.size(); }
  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }

  /// The output that input `source` is connected to, or kNoPort.
  Port destination_of(Port source) const { return destination_[source]; }
  /// The input that is connected to output `destination`, or kNoPort.
  Port source_of(Port destination) const { return source_[destination]; }
  bool holds(Connection c) const { return destination_[c.source] == c.destination; }
  /// Whether both ports of `c` are free.
  bool fits(Connection c) const {
    return destination_[c.source] == kNoPort && source_[c.destination] == kNoPort;
  }
  /// Inputs and outputs in use: AI and AO of D 5.3.2.
  const PortSet& inputs() const { return inputs_; }
  const PortSet& outputs() const { return outputs_; }

  /// Adds `c` if it fits; otherwise changes nothing and returns false.
  bool add(Connection c);
  /// Removes `c` if it is held; otherwise changes nothing and returns false.
  bool remove(Connection c);
  void clear();

  std::vector<Connection> connections() const;  // ascending by source
  bool operator==(const Configuration& other) const { return destination_ == other.destination_; }

 private:
  std::vector<Port> destination_, source_;
  PortSet inputs_, outputs_;
  std::size_t count_ = 0;
};

inline bool Configuration::add(Connection c) {
  if (!fits(c)) return false;
  destination_[c.source] = c.destination;
  source_[c.destination] = c.source;
  inputs_.set(c.source);
  outputs_.set(c.destination);
  ++count_;
  return true;
}

inline bool Configuration::remove(Connection c) {
  if (!holds(c)) return false;
  destination_[c.source] = kNoPort;
  source_[c.destination] = kNoPort;
  inputs_.reset(c.source);
  outputs_.reset(c.destination);
  --count_;
  return true;
}

inline void Configuration::clear() {
  std::fill(destination_.begin(), destination_.end(), kNoPort);
  std::fill(source_.begin(), source_.end(), kNoPort);
  inputs_.clear();
  outputs_.clear();
  count_ = 0;
}

inline std::vector<Connection> Configuration::connections() const {
  std::vector<Connection> all;
  all.reserve(count_);
  for_each_port(inputs_.words(), [&](Port source) { all.push_back({source, destination_[source]}); });
  return all;
}

}  // namespace hybrid
