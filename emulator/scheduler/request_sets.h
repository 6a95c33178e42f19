// Request sets to try schedulers on, picked by name: `hybrid schedule --pattern NAME`. One file a family.
//
// Contract: no connection twice, none from a port to itself, all over 0 .. ports-1; the same shape and the
// same state of the random source give the same set. Some families have no randomness.
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
  double density = 1;         // requests of an input, on average, where a family has no number of its own
  Bytes bytes = 1024;         // of a request, on average
  bool random_sizes = false;  // uniform over 1 .. 2 bytes - 1 instead of all equal
  double hotspot = 0.25;      // family hotspot: share of the requests that go to port 0
};

/// What means something to a family.
struct RequestFamilyUse {
  bool density = false, hotspot = false, sizes = true;
  bool draws = true;  // the connections; sizes may be drawn beside that
};

class RequestFamily {
 public:
  static constexpr std::string_view kKind = "request set";

  /// Throws UserError for a shape that no set has.
  explicit RequestFamily(const RequestSetShape& shape);
  virtual ~RequestFamily() = default;

  /// A new set. Throws UserError for one of more than kLargestRequestSum bytes (request_file.h).
  RequestSet draw(Random& random) const;
  virtual RequestFamilyUse use() const = 0;

 protected:
  const RequestSetShape& shape() const { return shape_; }
  /// density x ports, rounded. Throws UserError when that is none or more than there are connections.
  std::uint64_t requests() const;

 private:
  /// The connections; sizes are drawn afterwards where they are 0.
  virtual void draw_requests(RequestSet& set, Random& random) const = 0;

  RequestSetShape shape_;
};

using RequestFamilyRegistration = Registration<RequestFamily, const RequestSetShape&>;

/// A family that is a function.
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

/// `count` different numbers below `bound` (count <= bound), in random order.
std::vector<std::uint64_t> draw_distinct(std::uint64_t count, std::uint64_t bound, Random& random);

/// Where each port leads: a permutation that leads none to itself, uniform over all those. At least 2 ports.
std::vector<Port> draw_derangement(std::uint32_t ports, Random& random);

/// Number `index` of the ports x (ports - 1) connections between different ports, by source.
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
