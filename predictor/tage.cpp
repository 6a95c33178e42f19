#include "predictor/tage.h"

#include <algorithm>
#include <bit>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kBase = 0x9E3779B1u;

constexpr std::uint32_t power(std::uint32_t base, unsigned exponent) {
  std::uint32_t result = 1;
  for (; exponent != 0; --exponent) result *= base;
  return result;
}

std::uint16_t colour_of(std::uint64_t site, std::uint8_t size_class) {
  return static_cast<std::uint16_t>((site * 64 + size_class) * 0x9E3779B97F4A7C15ULL >> 48);
}
std::uint32_t send_of(Port destination, std::uint16_t colour) {
  const std::uint32_t x = (std::uint32_t{colour} << 16 | destination) * 0x85EBCA6Bu;
  return (x ^ x >> 15) | 1;
}

}  // namespace

Tage::Tage(std::uint32_t destinations, std::size_t most_entries) {
  const std::size_t size = std::min(most_entries, std::bit_ceil(std::max<std::size_t>(destinations, 256)));
  entries_.resize(kTables * size);
  table_size_ = static_cast<std::uint32_t>(size);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
}

void Tage::History::push(std::uint32_t send) {
  static constexpr std::array<std::uint32_t, kTables> kOldest{
      power(kBase, kLengths[0]), power(kBase, kLengths[1]), power(kBase, kLengths[2]),
      power(kBase, kLengths[3])};
  for (std::size_t t = 0; t < kTables; ++t)
    hashes[t] = hashes[t] * kBase + send - sends[(next - kLengths[t]) % 16] * kOldest[t];
  sends[next++ % 16] = send;
}

Tage::Place Tage::place(const History& history, std::size_t table) const {
  const std::uint64_t hash = (std::uint64_t{history.hashes[table]} + 1) * 0x9E3779B97F4A7C15ULL;
  return {static_cast<std::uint32_t>(hash >> shift_) + static_cast<std::uint32_t>(table) * table_size_,
          static_cast<std::uint16_t>(hash >> (shift_ - 16))};
}

// Stores the destination in the first table from `first_table` on with a free entry. If there is none,
// decrements the counters of the entries that block it. (Two histories with the same entry would otherwise
// replace each other forever.)
void Tage::allocate(std::size_t first_table, const std::array<Place, kTables>& places, Port destination,
                    std::uint16_t colour) {
  for (std::size_t t = first_table; t < kTables; ++t) {
    Entry& entry = entries_[places[t].index];
    if (entry.is_used != 0 && (entry.useful != 0 || entry.confidence != 0)) continue;
    entry = {places[t].tag, static_cast<std::uint16_t>(destination), colour, kNew, 0, 1};
    return;
  }
  for (std::size_t t = first_table; t < kTables; ++t) {
    Entry& entry = entries_[places[t].index];
    if (entry.useful != 0)
      --entry.useful;
    else
      --entry.confidence;
  }
}

void Tage::learn(Port destination, std::uint8_t size_class, std::uint64_t site) {
  const std::uint16_t colour = colour_of(site, size_class);
  if (is_known_) {
    std::array<Place, kTables> places;
    Entry* decides = nullptr;
    Entry* otherwise = nullptr;
    std::size_t table = 0;
    for (std::size_t t = kTables; t-- > 0;) {
      places[t] = place(history_, t);
      Entry* const entry = find(places[t]);
      if (entry == nullptr) continue;
      if (decides == nullptr) {
        decides = entry;
        table = t;
      } else if (otherwise == nullptr) {
        otherwise = entry;
      }
    }
    if (decides == nullptr) {
      allocate(0, places, destination, colour);
    } else {
      const bool is_right = decides->destination == destination;
      if (otherwise != nullptr && (otherwise->destination == destination) != is_right) {
        if (is_right)
          decides->useful = std::min<std::uint8_t>(decides->useful + 1, kMostUseful);
        else if (decides->useful != 0)
          --decides->useful;
      }
      if (is_right) {
        decides->colour = colour;
        decides->confidence = std::min<std::uint8_t>(decides->confidence + 1, kMostConfidence);
      } else {
        if (decides->confidence != 0) {
          decides->confidence /= 2;
        } else {
          decides->destination = static_cast<std::uint16_t>(destination);
          decides->colour = colour;
        }
        allocate(table + 1, places, destination, colour);
      }
    }
  }
  is_known_ = true;
  history_.push(send_of(destination, colour));
}

std::size_t Tage::expect(std::span<Expected> out) {
  if (!is_known_) return 0;
  std::size_t count = 0;
  const Entry* sure = nullptr;
  for (std::size_t t = kTables; t-- > 0 && sure == nullptr && count < out.size();) {
    const Entry* const entry = find(place(history_, t));
    if (entry == nullptr) continue;
    const auto confidence = static_cast<std::uint8_t>(255 * (1 + entry->confidence) / (1 + kMostConfidence));
    if (entry->confidence >= kSure) sure = entry;
    if (entry->confidence > kNew) out[count++] = {entry->destination, confidence, 1};
  }
  if (sure == nullptr || count == out.size()) return count;
  std::uint8_t confidence = out[count - 1].confidence;
  History history = history_;
  for (std::uint8_t step = 2; step <= kMostSteps && count < out.size(); ++step) {
    history.push(send_of(sure->destination, sure->colour));
    const Entry* next = nullptr;
    for (std::size_t t = kTables; t-- > 0 && next == nullptr;) next = find(place(history, t));
    if (next == nullptr || next->confidence < kSure) break;
    confidence = static_cast<std::uint8_t>(confidence * (1 + next->confidence) / (1 + kMostConfidence));
    out[count++] = {next->destination, confidence, step};
    sure = next;
  }
  return count;
}

void Tage::forget_position() {
  history_ = {};
  is_known_ = false;
}

namespace {

const PredictorRegistration kTage{"tage",
                                  "expects the successor of the longest known history (TAGE)",
                                  [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                    return std::make_unique<ForecastPredictor>(
                                        "tage", shape, std::make_unique<Tage>(shape.destinations));
                                  },
                                  {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
