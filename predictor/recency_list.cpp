#include "predictor/recency_list.h"

#include <string>

#include "core/error.h"

namespace hybrid {

RecencyList::RecencyList(std::uint32_t destinations) {
  if (destinations > kMostDestinations)
    throw UserError("a predictor for " + std::to_string(destinations) + " destinations: the limit is " +
                        std::to_string(kMostDestinations),
                    "Place several ranks on a port.");
  links_ = ZeroedArray<Links>(destinations + std::size_t{2});
  end_ = destinations;
}

void RecencyList::clear() {
  while (!empty()) erase(oldest());
}

}  // namespace hybrid
