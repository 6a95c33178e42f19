// Families of request sets for the evaluation of schedulers, selected by name: `hybrid schedule --pattern
// NAME`. A new family registers itself, as those in request_families.cpp.
//
// Contract: no connection occurs twice, none leads from a port to itself, all are over ports 0 .. ports-1.
// The same shape and the same state of the random source give the same set. Some families are not random.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/registry.h"
#include "emulator/scheduler/request.h"

namespace hybrid {

struct RequestSetShape {
  std::uint32_t ports = 0;    // at least 2
  double density = 1;         // average requests per input, for families without a fixed number
  Bytes bytes = 1024;         // average size of a request
  bool random_sizes = false;  // uniform over 1 .. 2 bytes - 1 instead of all equal
  double hotspot = 0.25;      // family hotspot: share of the requests that go to port 0
};

/// The parameters that a family uses.
struct RequestFamilyUse {
  bool density = false, hotspot = false, sizes = true;
  bool draws = true;  // whether connections are random; sizes may be random in any case
};

class RequestFamily {
 public:
  static constexpr std::string_view kKind = "request set";

  /// Throws UserError for an invalid shape.
  explicit RequestFamily(const RequestSetShape& shape);
  virtual ~RequestFamily() = default;

  /// Draws a new set. Throws UserError for a set of more than kLargestRequestSum bytes (request_file.h).
  RequestSet draw(Random& random) const;
  virtual RequestFamilyUse use() const = 0;

 protected:
  const RequestSetShape& shape() const { return shape_; }
  /// Returns density x ports, rounded. Throws UserError if that is 0 or more than there are connections.
  std::uint64_t requests() const;

 private:
  /// Adds the connections; sizes that are 0 are drawn afterwards.
  virtual void draw_requests(RequestSet& set, Random& random) const = 0;

  RequestSetShape shape_;
};

using RequestFamilyRegistration = Registration<RequestFamily, const RequestSetShape&>;

/// Family that consists of a function.
using DrawRequests = void (*)(const RequestSetShape& shape, std::uint64_t requests, RequestSet& set,
                              Random& random);
template <DrawRequests kDraw, RequestFamilyUse kUse>
class SimpleRequestFamily final : public RequestFamily {
 public:
  using RequestFamily::RequestFamily;
  static std::unique_ptr<RequestFamily> make(const RequestSetShape& shape) {
    return std::make_unique<SimpleRequestFamily>(shape);
  }
  RequestFamilyUse use() const override { return kUse; }

 private:
  void draw_requests(RequestSet& set, Random& random) const override {
    kDraw(shape(), kUse.density ? requests() : 0, set, random);
  }
};

/// Returns `count` different numbers below `bound` (count <= bound), in random order.
std::vector<std::uint64_t> draw_distinct(std::uint64_t count, std::uint64_t bound, Random& random);

/// Returns a random permutation without fixed points, uniform over all of them: the destination of each port.
/// At least 2 ports.
std::vector<Port> draw_derangement(std::uint32_t ports, Random& random);

/// Connection number `index` of the ports x (ports - 1) connections between different ports, in order of the
/// source.
inline Connection connection_at(std::uint64_t index, std::uint32_t ports) {
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): one port has no connection, and so no index
  const auto source = static_cast<Port>(index / (ports - 1)), other = static_cast<Port>(index % (ports - 1));
  return {source, other + (other >= source ? 1 : 0)};
}
inline std::uint64_t index_of(Connection c, std::uint32_t ports) {
  return std::uint64_t{c.source} * (ports - 1) + c.destination - (c.destination > c.source ? 1 : 0);
}

template <class Element>
void shuffle_elements(std::vector<Element>& elements, Random& random) {
  for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[random.below(i)]);
}

}  // namespace hybrid
