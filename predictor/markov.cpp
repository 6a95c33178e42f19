#include "predictor/markov.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "core/error.h"
#include "predictor/forecast_predictor.h"

namespace hybrid {

namespace {

using Entry = TransitionTable::Entry;

bool regular(const Entry& entry, std::size_t i) {
  return entry.count[i] != 0 && entry.count[i] * 8 >= entry.total;
}
bool certain(const Entry& entry) { return entry.count[0] >= 2 && entry.count[0] * 2 > entry.total; }

// 2^16 / total, rounded up: divisions would be half of the cost.
constexpr auto kShare = [] {
  std::array<std::uint32_t, TransitionTable::kAgeAt> share{};
  for (std::uint32_t total = 1; total < share.size(); ++total) share[total] = (65'535 + total) / total;
  return share;
}();
// `of` 255ths times the probability of successor i.
std::uint8_t part(unsigned of, const Entry& entry, std::size_t i) {
  return static_cast<std::uint8_t>(of * entry.count[i] * kShare[entry.total] >> 16);
}

constexpr std::uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

// Contexts: one a destination, or as many sequences of destinations, or sites, as programs are seen to use.
Markov::Markov(unsigned order, std::uint32_t destinations, std::size_t most_entries, Sites sites)
    : transitions_(
          std::min(most_entries,
                   destinations * (order == 1 && sites == Sites::kAlike ? std::size_t{2} : std::size_t{16}))),
      destination_bits_(sites == Sites::kAlike ? 16 : static_cast<unsigned>(std::bit_width(destinations))),
      destination_mask_(static_cast<std::uint16_t>(low_bits(destination_bits_))),
      last_mask_(low_bits(16 * std::min(order, 4u))),
      before_mask_(low_bits(16 * (std::max(order, 4u) - 4))) {}

// The entry for the context `ahead` sends from now, if the last of them is `via`; nullptr if there is none.
const Entry* Markov::find_ahead(unsigned ahead, std::uint16_t via) {
  History history = history_;
  for (unsigned i = 1; i < ahead; ++i) history.push(step(i).via);
  history.push(via);
  Step& next = step(ahead);
  next = {transitions_.find(context(history)), via};
  known_ = static_cast<std::uint8_t>(next.entry == nullptr ? ahead : ahead + 1);
  return next.entry;
}

std::size_t Markov::expect(std::span<Expected> out) {
  if (out.empty()) return 0;
  if (known_ == 0) {
    step(0).entry = transitions_.find(context(history_));
    if (step(0).entry == nullptr) return 0;
    known_ = 1;
  }
  const Entry* entry = step(0).entry;
  std::size_t count = 0;
  for (std::size_t i = 0; i < TransitionTable::kSuccessors && count < out.size() && regular(*entry, i); ++i)
    out[count++] = {destination_of(entry->successor[i]), part(255, *entry, i), 1};
  if (count == 0 || !certain(*entry)) return count;
  std::uint8_t confidence = out[0].confidence;
  for (std::uint8_t ahead = 1; ahead < kAhead && count < out.size(); ++ahead) {
    const std::uint16_t via = entry->successor[0];
    const Step& next = step(ahead);
    entry = ahead < known_ && next.via == via ? next.entry : find_ahead(ahead, via);
    if (entry == nullptr || !certain(*entry)) break;
    confidence = part(confidence, *entry, 0);
    out[count++] = {destination_of(entry->successor[0]), confidence, static_cast<std::uint8_t>(ahead + 1)};
  }
  return count;
}

std::unique_ptr<Predictor> Markov::make_predictor(std::string_view name, unsigned order,
                                                  const PredictorShape& shape) {
  if (order < 1 || order > kMostOrder)
    throw UserError(
        "predictor " + std::string(name) + ": order " + std::to_string(order) + " is not possible",
        "Give 1 to " + std::to_string(kMostOrder) + ".");
  return std::make_unique<ForecastPredictor>(name, shape,
                                             std::make_unique<Markov>(order, shape.destinations));
}

namespace {

const PredictorRegistration kMarkov1{
    "markov1",
    "requests the usual successors of the last destination (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov1", 1, shape); },
    {.options = forecast_options()}};
const PredictorRegistration kMarkov2{
    "markov2",
    "requests the usual successors of the last two destinations (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov2", 2, shape); },
    {.options = forecast_options()}};
// Any order; the dissertation has orders 1 and 2.
const PredictorRegistration kMarkov{
    "markov",
    "requests the usual successors of the last k destinations (D 2.1.2)",
    [](const PredictorShape& shape) { return Markov::make_predictor("markov", shape.order, shape); },
    {.options = joined({forecast_options(), {"predictor-order"}})}};

}  // namespace

}  // namespace hybrid
