// Which of the requests that share nodes to take: as many as can be, each node sending and receiving once (a
// maximum matching, by Hopcroft and Karp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

class NodeMatching {
 public:
  explicit NodeMatching(std::uint32_t nodes);

  /// For each request 1 where it is taken, else 0; valid until the next call. Of requests that do not matter
  /// for their number, those that come first. Allocates only where there are more requests than ever before
  /// (at first: than nodes).
  std::span<const std::uint8_t> match(std::span<const Connection> requests);

 private:
  bool find_levels();
  void augment_from(Port source);
  Port source(std::uint32_t request) const { return requests_[request].source; }
  Port destination(std::uint32_t request) const { return requests_[request].destination; }

  std::span<const Connection> requests_;
  std::vector<std::uint32_t> first_, next_;                // requests by source, as lists
  std::vector<std::uint32_t> of_source_, of_destination_;  // the request taken at a node
  std::vector<std::uint32_t> level_, trying_;              // by source, in this round
  std::vector<Port> queue_;
  std::vector<std::uint8_t> taken_;
};

}  // namespace hybrid
