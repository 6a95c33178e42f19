#include "core/configuration.h"

#include <algorithm>

namespace hybrid {

bool Configuration::add(Connection c) {
  if (!fits(c)) return false;
  destination_[c.source] = c.destination;
  source_[c.destination] = c.source;
  inputs_.set(c.source);
  outputs_.set(c.destination);
  ++count_;
  return true;
}

bool Configuration::remove(Connection c) {
  if (!holds(c)) return false;
  destination_[c.source] = kNoPort;
  source_[c.destination] = kNoPort;
  inputs_.reset(c.source);
  outputs_.reset(c.destination);
  --count_;
  return true;
}

void Configuration::clear() {
  std::fill(destination_.begin(), destination_.end(), kNoPort);
  std::fill(source_.begin(), source_.end(), kNoPort);
  inputs_.clear();
  outputs_.clear();
  count_ = 0;
}

std::vector<Connection> Configuration::connections() const {
  std::vector<Connection> all;
  all.reserve(count_);
  for_each_port(inputs_.words(), [&](Port source) { all.push_back({source, destination_[source]}); });
  return all;
}

}  // namespace hybrid
