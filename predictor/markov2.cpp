// The Markov predictor of order 2 (D 2.1.2).
#include "predictor/markov.h"

namespace hybrid {
namespace {

const PredictorRegistration kMarkov2{
    "markov2", "requests the usual successors of the last two destinations (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov2", 2, shape); }};

}  // namespace
}  // namespace hybrid
