#include "emulator/switching/bounds.h"

#include <algorithm>

namespace hybrid {

bool is_bound(std::string_view technique) {
  const auto bounds = registered_names(Bound::kKind);
  return std::ranges::find(bounds, technique) != bounds.end();
}

bool is_instant(std::string_view technique) {
  return is_bound(technique) && BoundRegistration::make(technique)->instant;
}

}  // namespace hybrid
