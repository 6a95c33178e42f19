// The greedy scheduler: the SL array of D 5.3.2, Tables 5.1 and 5.2, one pass an SL clock.
//
// The array's cells SL(u,v) form a wave: output availability A runs through the rows, input availability D
// through the columns, in the order of the rotating priority. Its meaning is kept exactly:
// - a cell establishes (u,v) when it is requested, in no slot, and both ports are free where the wave stands;
// - it releases (u,v) when it is in this slot and not requested. The freed input is seen by the columns after
//   v of the same row, the freed output by all later rows; earlier cells do not see them. So "release
//   everything, then establish" would be another scheduler, with other results.
//
// Table 5.2 itself is wrong: its one signal L cannot tell "establish, but both ports are busy" from "release"
// (both are L = A = D = 1), so that a cell wanting a connection between two busy ports toggles and breaks the
// permutation. As in any working array, L is split in two here: release = B^(s) and not R, establish = R and
// not B*.
//
// Here a row is machine words and a pass costs O(N^2 / 64) at most, less where inputs are busy or idle.
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class GreedyScheduler final : public Scheduler {
 public:
  explicit GreedyScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  template <std::size_t kWords>
  void narrow_pass(const SchedulingPass& in);
  void wide_row(const SchedulingPass& in, Port input);

  std::uint32_t ports_;
  std::vector<Word> busy_;           // A where the wave stands: outputs in use
  std::vector<Connection> toggles_;  // T, `count_` of them; at most one release and one establishment a row
  std::size_t count_ = 0;
};

}  // namespace hybrid
