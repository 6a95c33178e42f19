// The greedy scheduler: the SL array of D 5.3.2, Tables 5.1 and 5.2, one pass per SL clock.
//
// The cells SL(u,v) of the array form a wave: output availability A runs through the rows, input availability
// D through the columns, in the order of the rotating priority. This implementation has exactly the same
// effect:
// - a cell establishes (u,v) if it is requested, in no slot, and both ports are free when the wave reaches
//   the cell;
// - a cell releases (u,v) if it is in this slot and not requested. The columns after v of the same row see
//   the freed input, all later rows see the freed output; earlier cells see neither. So "release everything,
//   then establish" would be another scheduler, with other results.
//
// Table 5.2 has an error: its signal L does not distinguish "establish, but both ports are busy" from
// "release" (both are L = A = D = 1), so that a cell with a request between two busy ports toggles and breaks
// the permutation. A working array needs two signals, as here: release = B^(s) and not R, establish = R and
// not B*.
//
// A row is stored in machine words; a pass costs at most O(N^2 / 64), less if inputs are busy or idle.
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
  std::vector<Word> busy_;           // A at the current row: outputs in use
  std::vector<Connection> toggles_;  // T, `count_` of them; at most one release and one establishment per row
  std::size_t count_ = 0;
};

}  // namespace hybrid
