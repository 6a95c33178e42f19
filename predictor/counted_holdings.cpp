#include "predictor/counted_holdings.h"

#include <string>

#include "core/error.h"

namespace hybrid {

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
