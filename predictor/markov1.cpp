// The Markov predictor of order 1 (D 2.1.2).
#include "predictor/markov.h"

namespace hybrid {
namespace {

const PredictorRegistration kMarkov1{
    "markov1", "requests the usual successors of the last destination (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov1", 1, shape); }};

}  // namespace
}  // namespace hybrid
