// Markov: the Markov predictor of order k (D 2.1.2): "probability P_ij is calculated as the probability of
// accessing memory i after accessing memory j"; of order 2 "if the current processor accesses memory j after
// accessing memory q. Probabilities are updated after every memory access."
//
// It expects every regular successor of the last k destinations: a destination that followed in at least an
// eighth of the cases (a single case is enough at first). While one successor is more likely than all others
// together and followed at least twice, it also expects the successor after that, several sends ahead,
// because a request takes longer than the time between two sends of a loop. A successor that followed once is
// not used to look further ahead: other next destinations make better use of the place.
//
// With Sites::kApart, sends to one destination from different call sites are different states. The hash of
// the site takes those of 16 bits that destinations do not need: 512 sites with 64 destinations, 8 with 4096.
// Sites with equal hashes are not distinguished.
//
// State: at most 32 KiB of transitions; with the held destinations, 56 KiB at 4096 destinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "predictor/forecaster.h"
#include "predictor/predictor.h"
#include "predictor/transition_table.h"

namespace hybrid {

class Markov final : public Forecaster {
 public:
  static constexpr std::size_t kAhead = 4;
  static constexpr unsigned kMostOrder = 8;

  enum class Sites : bool { kAlike, kApart };
  /// Requires: 1 <= order <= kMostOrder. Stores at most `most_entries` contexts.
  Markov(unsigned order, std::uint32_t destinations, std::size_t most_entries = TransitionTable::kMostEntries,
         Sites sites = Sites::kAlike);

  void learn(Port destination, std::uint8_t, std::uint64_t site) override {
    const std::uint16_t send = send_of(destination, site);
    if (known_ != 0)
      TransitionTable::learn(*step(0).entry, send);
    else if (static_cast<std::uint16_t>(history_.last) != kNowhere)
      transitions_.learn(context(history_), send);
    history_.push(send);
    if (known_ > 1 && step(1).via == send) {
      ++first_;
      --known_;
    } else {
      known_ = 0;
    }
  }
  std::size_t expect(std::span<Expected> out) override;
  /// Keeps the probabilities and forgets the last destinations.
  void forget_position() override {
    history_ = {};
    known_ = 0;
  }
  std::size_t state_bytes() const override { return sizeof(*this) + transitions_.heap_bytes(); }

  /// The predictor of that order. Throws UserError, with `name` as the name of the predictor, for an invalid
  /// shape.
  static std::unique_ptr<Predictor> make_predictor(std::string_view name, unsigned order,
                                                   const PredictorShape& shape);

 private:
  static constexpr std::uint16_t kNowhere = 0xFFFF;  // before the first send; not a destination

  // The destination in the lowest bits, and bits of the site's hash above them.
  std::uint16_t send_of(Port destination, std::uint64_t site) const {
    if (destination_bits_ == 16) return static_cast<std::uint16_t>(destination);
    return static_cast<std::uint16_t>(site * 0x9E3779B97F4A7C15ULL >> 48 << destination_bits_ | destination);
  }
  Port destination_of(std::uint16_t send) const { return send & destination_mask_; }

  // The last eight sends of 16 bits each, the latest in the lowest bits.
  struct History {
    std::uint64_t last = ~std::uint64_t{0}, before = ~std::uint64_t{0};
    void push(std::uint64_t send) {
      before = before << 16 | last >> 48;
      last = last << 16 | send;
    }
  };
  std::uint64_t context(const History& history) const {
    return (history.last & last_mask_) ^ (history.before & before_mask_) * 0xD6E8FEB86659FD93ULL;
  }

  // The entries that expect() found: for history_, for history_ and the send `via`, and so on. learn() keeps
  // them as long as the sends agree, so that an entry is not looked up again. learn() changes only the first
  // of them, in place, so that the pointers stay valid.
  struct Step {
    TransitionTable::Entry* entry = nullptr;
    std::uint16_t via = kNowhere;
  };
  Step& step(unsigned ahead) { return steps_[(first_ + ahead) % kAhead]; }
  const TransitionTable::Entry* find_ahead(unsigned ahead, std::uint16_t via);

  std::array<Step, kAhead> steps_{};
  std::uint8_t first_ = 0, known_ = 0;  // known_ steps from steps_[first_] on are valid
  TransitionTable transitions_;
  unsigned destination_bits_;  // 16: sites are not distinguished
  std::uint16_t destination_mask_;
  std::uint64_t last_mask_, before_mask_;
  History history_;
};

}  // namespace hybrid
