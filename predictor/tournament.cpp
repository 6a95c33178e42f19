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
      markov2_(2, shape.destinations, 512),
      markov3_(3, shape.destinations, 512),
      cycle_(std::min<std::uint32_t>(shape.destinations, 256)),
      tage_(shape.destinations, 256),
      held_(shape),
      places_(static_cast<std::uint8_t>(std::min<std::size_t>(most_held(shape), kMostRecent))),
      asked_(static_cast<std::uint8_t>(
          places_ == 1 ? 0 : std::min<std::size_t>({places_, shape.ahead + 1, kMostAsked}))),
      random_(first_random(shape.seed)) {}

std::uint32_t Tournament::draw() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

void Tournament::ask(Contestant contestant, Guess& guess) {
  const std::span<Expected> out{guess.expected.data(), asked_};
  switch (contestant) {
    case kMarkov1:
      guess.count = static_cast<std::uint8_t>(markov1_.expect(out));
      break;
    case kMarkov2:
      guess.count = static_cast<std::uint8_t>(markov2_.expect(out));
      break;
    case kMarkov3:
      guess.count = static_cast<std::uint8_t>(markov3_.expect(out));
      break;
    case kCycle:
      guess.count = static_cast<std::uint8_t>(cycle_.expect(out));
      break;
    case kTage:
      guess.count = static_cast<std::uint8_t>(tage_.expect(out));
      break;
    default:
      guess.count = 0;
  }
}

// What is expected is held first, after the last destination; then the last used. recent_ is as it was when
// the guess was made.
bool Tournament::would_have_held(const Guess& guess, Port destination) const {
  const auto recent = std::find(recent_.begin(), recent_.begin() + recent_count_, destination);
  const auto rank = static_cast<std::size_t>(recent - recent_.begin());
  if (rank == 0 && recent_count_ != 0) return true;
  std::size_t places = 1;  // taken before that of `destination`
  for (std::size_t i = 0; i < guess.count && places < places_; ++i) {
    const Port d = guess.expected[i].destination;
    if (d == destination) return true;
    bool is_held = d == recent_[0];
    for (std::size_t j = 0; j < i; ++j) is_held = is_held || guess.expected[j].destination == d;
    if (!is_held) ++places;
  }
  if (rank == recent_count_) return false;
  for (std::size_t r = 1; r < rank; ++r) {
    bool is_expected = false;
    for (std::size_t i = 0; i < guess.count; ++i)
      is_expected = is_expected || guess.expected[i].destination == recent_[r];
    if (!is_expected) ++places;
  }
  return places < places_;
}

void Tournament::judge(Port destination) {
  const bool is_right = would_have_held(leaders_, destination);
  if (!is_right) ++misses_;
  if (challenger_ == leader_) return;
  const int gain = static_cast<int>(would_have_held(challengers_, destination)) - static_cast<int>(is_right);
  if (gain == 0) return;
  std::int8_t& points = points_[challenger_];
  points = static_cast<std::int8_t>(std::clamp(points + gain, -kMostPoints, kMostPoints));
  if (points >= kLead) promote(challenger_);
}

// The others' points are against the leader: against the new one they are as much lower.
void Tournament::promote(Contestant contestant) {
  const int lead = points_[contestant];
  for (std::int8_t& points : points_)
    points = static_cast<std::int8_t>(std::clamp(points - lead, -kMostPoints, kMostPoints));
  leader_ = contestant;
}

void Tournament::use(Port destination) {
  auto end = recent_.begin() + recent_count_;
  auto at = std::find(recent_.begin(), end, destination);
  if (at == end) {
    if (recent_count_ < places_)
      ++recent_count_;
    else
      --at;
  }
  std::copy_backward(recent_.begin(), at, at + 1);
  recent_[0] = static_cast<std::uint16_t>(destination);
}

void Tournament::learn(Port destination, std::uint8_t size_class, std::uint64_t site) {
  markov1_.learn(destination, size_class, site);
  markov2_.learn(destination, size_class, site);
  markov3_.learn(destination, size_class, site);
  cycle_.learn(destination, size_class, site);
  if (++sends_ % kPeriod == 0) {
    const bool learns =
        leader_ == kTage || (misses_ >= kFewMisses && (points_[kTage] > 0 || sends_ / kPeriod % 2 == 0));
    misses_ = 0;
    if (learns && !tage_learns_) tage_.forget_position();  // it has missed some sends
    tage_learns_ = learns;
  }
  if (tage_learns_) tage_.learn(destination, size_class, site);
}

Predictor::Decisions Tournament::on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) {
  if (last_send_ != Time::never()) gap_ += picoseconds((now - last_send_ - gap_).ps / 8);
  last_send_ = now;
  if (asked_ == 0) return held_.send(destination, {});

  if (recent_count_ != 0) judge(destination);
  use(destination);
  learn(destination, static_cast<std::uint8_t>(std::bit_width(bytes)), site);

  ask(leader_, leaders_);
  const std::uint32_t random = draw();
  const auto one = static_cast<Contestant>((random & 0xFFFF) * kContestants >> 16);
  const auto other = static_cast<Contestant>((random >> 16) * kContestants >> 16);
  challenger_ = other == leader_ || (one != leader_ && points_[one] >= points_[other]) ? one : other;
  if (challenger_ == kTage && !tage_learns_) challenger_ = leader_;
  if (challenger_ != leader_) ask(challenger_, challengers_);
  return held_.send(destination, {leaders_.expected.data(), leaders_.count});
}

void Tournament::on_flush() {
  held_.clear();
  markov1_.forget_position();
  markov2_.forget_position();
  markov3_.forget_position();
  cycle_.forget_position();
  tage_.forget_position();
  recent_count_ = 0;
  leaders_.count = 0;
  challenger_ = leader_;
}

std::size_t Tournament::expect(std::span<Expectation> out) const {
  const std::size_t count = std::min<std::size_t>(out.size(), leaders_.count);
  for (std::size_t i = 0; i < count; ++i) {
    const Expected& e = leaders_.expected[i];
    out[i] = {e.destination, e.confidence, e.sends, 0, last_send_ + gap_ * e.sends};
  }
  return count;
}

std::size_t Tournament::state_bytes() const {
  const auto heap = [](const auto& part) { return part.state_bytes() - sizeof(part); };
  return sizeof(*this) + heap(markov1_) + heap(markov2_) + heap(markov3_) + heap(cycle_) + heap(tage_) +
         held_.heap_bytes();
}

namespace {

const PredictorRegistration kTournament{"tournament",
                                        "the best of several forecasters and least recently used",
                                        [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                          return std::make_unique<Tournament>(shape);
                                        }};

}  // namespace
}  // namespace hybrid
