// Bounds: networks that no switch can have, to compare techniques with. A bound registers itself as a
// technique, and again as a bound.
#pragma once

#include <memory>
#include <string_view>

#include "core/registry.h"

namespace hybrid {

struct Bound {
  static constexpr std::string_view kKind = "bound";
  /// Messages arrive when they are sent. Then broadcasts and barriers in the fabric take no time either.
  bool instant = false;
};
using BoundRegistration = Registration<Bound>;

/// Whether the technique is a bound.
bool is_bound(std::string_view technique);
/// Whether it is a bound without any delay.
bool is_instant(std::string_view technique);

}  // namespace hybrid
