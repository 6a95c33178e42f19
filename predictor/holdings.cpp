#include "predictor/holdings.h"

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

CountedHoldings::CountedHoldings(std::string_view predictor, const PredictorShape& shape)
    : held_(shape.destinations),
      renewed_at_(shape.destinations),
      capacity_(most_held(shape)),
      threshold_(shape.threshold) {
  if (shape.threshold < 1 || shape.threshold > kMostThreshold)
    throw UserError("predictor " + std::string(predictor) + ": a threshold of " +
                        std::to_string(shape.threshold) + " sends is not possible",
                    "Give 1 to " + std::to_string(kMostThreshold) + ".");
}

}  // namespace hybrid
