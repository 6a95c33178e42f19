// The Markov predictor of any order (D 2.1.2 gives 1 and 2): PredictorShape::order.
#include "predictor/markov.h"

namespace hybrid {
namespace {

const PredictorRegistration kMarkov{
    "markov", "requests the usual successors of the last k destinations (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov", shape.order, shape); }};

}  // namespace
}  // namespace hybrid
