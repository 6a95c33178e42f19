// Tage: a tagged geometric-history predictor, similar to the TAGE branch predictors.
//
// Four tables contain the successors of the last 1, 2, 6 and 16 sends; a send is the combination of
// destination, call site and size class. Entries have a tag, so that a table recognises its histories. Of the
// tables that contain the current history, the one with the longest history decides. After a wrong decision
// the destination is stored with a longer history, so that only destinations that need a long history take
// entries for it. An entry is not replaced while it has recently been correct where the shorter history was
// wrong.
//
// An entry that was correct twice is sure: only its destination is expected, and the send after it is looked
// up as if it had occurred. Otherwise the destinations of all tables are expected, the longest history first.
//
// Weak on: a destination that depends on a send more than 16 sends ago, with varying sends in between.
//
// State: 256 to 1024 entries of 8 bytes for each table; 32 KiB at 4096 destinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "predictor/forecaster.h"

namespace hybrid {

class Tage final : public Forecaster {
 public:
  /// `most_entries`: limit for each table. Requires: a power of two.
  explicit Tage(std::uint32_t destinations, std::size_t most_entries = 1024);

  void learn(Port destination, std::uint8_t size_class, std::uint64_t site) override;
  std::size_t expect(std::span<Expected> out) override;
  void forget_position() override;
  std::size_t state_bytes() const override { return sizeof(*this) + entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::size_t kTables = 4;
  static constexpr std::array<std::uint8_t, kTables> kLengths{1, 2, 6, 16};
  static constexpr std::uint8_t kMostConfidence = 7, kNew = 1, kSure = 3, kMostUseful = 3;
  static constexpr std::size_t kMostSteps = 4;

  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t destination = 0;
    std::uint16_t colour = 0;  // of the expected send: site and size class
    std::uint8_t confidence = 0;
    std::uint8_t useful : 4 = 0, is_used : 4 = 0;
  };
  static_assert(sizeof(Entry) == 8);

  // The last sends, and for each table a polynomial hash of its history, updated with the new send and the
  // one that leaves the history.
  struct History {
    std::array<std::uint32_t, 16> sends{};
    std::array<std::uint32_t, kTables> hashes{};
    std::uint32_t next = 0;
    void push(std::uint32_t send);
  };
  struct Place {
    std::uint32_t index;
    std::uint16_t tag;
  };

  Place place(const History& history, std::size_t table) const;
  Entry* find(const Place& place) {
    Entry& entry = entries_[place.index];
    return entry.is_used != 0 && entry.tag == place.tag ? &entry : nullptr;
  }
  void allocate(std::size_t first_table, const std::array<Place, kTables>& places, Port destination,
                std::uint16_t colour);

  std::vector<Entry> entries_;  // table by table
  unsigned shift_;
  std::uint32_t table_size_;
  History history_;
  bool is_known_ = false;  // whether there was a send since the last flush
};

}  // namespace hybrid
