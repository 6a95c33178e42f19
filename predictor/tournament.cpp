#include "predictor/tournament.h"

#include <algorithm>
#include <bit>

namespace hybrid {

namespace {

std::uint32_t first_random(std::uint64_t seed) {
  const auto mixed = static_cast<std::uint32_t>(seed * 0x9E3779B97F4A7C15ULL >> 32);
  return mixed == 0 ? 1 : mixed;  // xorshift stays at 0
}

}  // namespace

Tournament::Tournament(const PredictorShape& shape)
    : markov1_(1, shape.destinations, 256),
      markov2_(2, shape.destinations, 512, Markov::Sites::kApart),
      sites_(1, shape.destinations, 512, Markov::Sites::kApart),
      cycle_(std::min<std::uint32_t>(shape.destinations, 256)),
      tage_(shape.destinations, 256),
      line_(shape.destinations),
      held_(shape),
      leaders_holdings_(held_.is_small() ? most_held(shape) : std::min(most_held(shape), kFewPlaces)),
      challengers_holdings_(leaders_holdings_),
      forecast_length_(static_cast<std::uint8_t>(
          most_held(shape) == 1
              ? 0
              : std::min<std::size_t>({most_held(shape), shape.ahead + std::size_t{1}, kMostExpected}))),
      random_(first_random(shape.seed)) {}

std::uint32_t Tournament::draw() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

void Tournament::forecast(Contestant contestant, Guess& guess) {
  const std::span<Expected> out{guess.expected.data(), forecast_length_};
  const auto count = [](auto& forecaster, std::span<Expected> to) {
    return static_cast<std::uint8_t>(forecaster.expect(to));
  };
  switch (contestant) {
    case kMarkov1:
      guess.count = count(markov1_, out);
      break;
    case kMarkov2:
      guess.count = count(markov2_, out);
      if (guess.count == 0) guess.count = count(markov1_, out);
      break;
    case kSites:
      guess.count = count(sites_, out);
      if (guess.count < forecast_length_) guess.count += count(markov2_, out.subspan(guess.count));
      if (guess.count < forecast_length_) guess.count += count(markov1_, out.subspan(guess.count));
      break;
    case kCycle:
      guess.count = count(cycle_, out);
      break;
    case kTage:
      guess.count = count(tage_, out);
      break;
    default:
      guess.count = 0;
  }
  if (guess.count < forecast_length_) add_next_in_line(guess);
}

void Tournament::add_next_in_line(Guess& guess) const {
  const std::optional<Port> next = line_.next();
  if (!next) return;
  for (const Expected& e : guess.all())
    if (e.destination == *next) return;
  guess.expected[guess.count++] = {*next, 128, 1};
}

void Tournament::judge(bool leader_held, bool challenger_held) {
  const int gain = static_cast<int>(challenger_held) - static_cast<int>(leader_held);
  if (gain == 0) return;
  std::int16_t& points = points_[challenger_];
  points = static_cast<std::int16_t>(std::clamp(points + gain, -kMostPoints, kMostPoints));
  if (points >= kLead) promote(challenger_);
}

// Points are relative to the leader: subtracts those of the new leader.
void Tournament::promote(Contestant contestant) {
  const int lead = points_[contestant];
  for (std::int16_t& points : points_)
    points = static_cast<std::int16_t>(std::clamp(points - lead, -kMostPoints, kMostPoints));
  leader_ = contestant;
}

// Draws the next challenger; challenger_ == leader_ if there is none.
void Tournament::begin_duel() {
  const std::uint32_t random = draw();
  const auto one = static_cast<Contestant>((random & 0xFFFF) * kContestants >> 16);
  const auto other = static_cast<Contestant>((random >> 16) * kContestants >> 16);
  challenger_ = other == leader_ || (one != leader_ && points_[one] >= points_[other]) ? one : other;
  if (challenger_ == kTage && !tage_learns_) challenger_ = leader_;
  if (is_content_ && sends_ / kDuel % 4 != 0) challenger_ = leader_;
  if (challenger_ == leader_) return;
  held_.copy_to(challengers_holdings_);
  if (!held_.is_small()) leaders_holdings_ = challengers_holdings_;
}

void Tournament::learn(Port destination, std::uint8_t size_class, std::uint64_t site) {
  markov1_.learn(destination, size_class, site);
  markov2_.learn(destination, size_class, site);
  sites_.learn(destination, size_class, site);
  cycle_.learn(destination, size_class, site);
  if (++sends_ % kPeriod == 0) {
    is_content_ = misses_ < kFewMisses;
    const bool learns =
        leader_ == kTage || (!is_content_ && (points_[kTage] > 0 || sends_ / kPeriod % 2 == 0));
    misses_ = 0;
    if (learns && !tage_learns_) tage_.forget_position();  // it did not learn the last sends
    tage_learns_ = learns;
  }
  if (tage_learns_) tage_.learn(destination, size_class, site);
}

Predictor::Decisions Tournament::on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) {
  if (last_send_ != Time::never()) gap_ += picoseconds((now - last_send_ - gap_).ps / 8);
  last_send_ = now;
  const auto size_class = static_cast<std::uint8_t>(std::bit_width(bytes));
  sizes_[destination % sizes_.size()] = size_class;
  named_.send(destination);
  return forecast_length_ == 0 ? held_.send({destination, {}}) : contest(destination, size_class, site);
}

Predictor::Decisions Tournament::contest(Port destination, std::uint8_t size_class, std::uint64_t site) {
  const bool real = held_.holds(destination);
  if (!real) ++misses_;
  learn(destination, size_class, site);
  line_.send(destination);
  forecast(leader_, leaders_);
  const Plan plan{destination, leaders_.all()};
  if (challenger_ != leader_) {
    const bool leader_held = held_.is_small() ? real : leaders_holdings_.send(plan);
    forecast(challenger_, challengers_);
    judge(leader_held, challengers_holdings_.send({destination, challengers_.all()}));
  }
  Decisions decisions = held_.send(plan);
  if (sends_ % kDuel == 0) begin_duel();
  return decisions;
}

// Treats the begin of a phase as a send to the first destination of its set, with the next ones expected.
Predictor::Decisions Tournament::on_phase(Time, std::uint32_t phase) {
  const auto set = named_.begin(phase);
  if (set.empty() || forecast_length_ == 0) return {};
  std::array<Expected, kMostExpected> next{};
  const std::size_t count = std::min<std::size_t>(set.size(), forecast_length_) - 1;
  for (std::size_t i = 0; i < count; ++i) next[i] = {set[i + 1], 255, static_cast<std::uint8_t>(i + 2)};
  const Plan plan{set[0], {next.data(), count}};
  if (challenger_ != leader_) {
    if (!held_.is_small()) leaders_holdings_.send(plan);
    challengers_holdings_.send(plan);
  }
  return held_.send(plan);
}

void Tournament::on_flush() {
  held_.clear();
  markov1_.forget_position();
  markov2_.forget_position();
  sites_.forget_position();
  cycle_.forget_position();
  tage_.forget_position();
  leaders_.count = 0;
  challenger_ = leader_;
}

std::size_t Tournament::expect(std::span<Expectation> out) const {
  const std::size_t count = std::min<std::size_t>(out.size(), leaders_.count);
  for (std::size_t i = 0; i < count; ++i) {
    const Expected& e = leaders_.expected[i];
    out[i] = {e.destination, e.confidence, e.sends, sizes_[e.destination % sizes_.size()],
              last_send_ + gap_ * e.sends};
  }
  return count;
}

std::size_t Tournament::state_bytes() const {
  const auto heap = [](const auto& part) { return part.state_bytes() - sizeof(part); };
  return sizeof(*this) + heap(markov1_) + heap(markov2_) + heap(sites_) + heap(cycle_) + heap(tage_) +
         held_.heap_bytes();
}

namespace {

const PredictorRegistration kTournament{"tournament",
                                        "the best of several forecasters and least recently used",
                                        [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                          return std::make_unique<Tournament>(shape);
                                        },
                                        {.options = {"predictor-threshold", "predictor-ahead"}}};

}  // namespace
}  // namespace hybrid
