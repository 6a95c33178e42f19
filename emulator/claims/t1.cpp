// T1: the numbers that the papers print and that follow from others by arithmetic, beside the computed ones.
// Tables 5.1 and 5.2 are tests of the schedulers.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "emulator/claims/claim.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/hardware_cost.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid::t1 {
namespace {

/// A printed number, and how it follows.
struct Number {
  std::string place, what;
  double printed, computed;
  double tolerance = 0;  // of the printed digits
  double slip = 0;       // the printed number is a misprint of this one
  bool agrees() const { return std::abs((slip != 0 ? slip : printed) - computed) <= tolerance; }
};

/// D 5.5.1: "circuit switching: 80 ns to send the request, 80 ns to schedule it, 80 ns to send the grant";
/// "after that, the point-to-point delay is 30+20+20+30 ns".
void add_delays(std::vector<Number>& all) {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  const double wire = p.one_way_wire().nanoseconds();
  all.push_back({"D 5.5.1", "request over the wire, ns", 80, wire});
  all.push_back({"D 5.5.1", "scheduling, ns", 80, p.scheduler.delay().nanoseconds()});
  all.push_back({"D 5.5.1", "point to point over a circuit, ns", 100,
                 (p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise).nanoseconds()});
  all.push_back({"D 5.5.2.1", "bytes in a slot of 100 ns", 80,
                 p.slot_length.nanoseconds() / p.word_time().nanoseconds() * static_cast<double>(p.word)});
  // D 5.3.1: 1 us slots, 50 ns for cable and fabric.
  all.push_back(
      {"D 5.3.1", "share of a 1 us slot that a guard band of 50 ns takes, %", 5, 100 * 50.0 / 1000});
  all.push_back({"D 5.3.1", "bytes in 1 us per Gb/s", 125, 1e9 * 1e-6 / 8});
}

/// D figures 4.7 and 4.9: two predictive slots of one unit; four chunks, one per slot; six packets, two per
/// unit.
void add_slots(std::vector<Number>& all) {
  constexpr double kChunks = 4, kPackets = 6, kSlots = 2, kPerUnit = 2;
  const double circuit_cycles = kChunks / kSlots;
  all.push_back({"D figure 4.7(a)", "units with slots of equal length", 9,
                 std::ceil(std::max(circuit_cycles, kPackets / kPerUnit)) * (kSlots + 1)});
  // S_W = K x slot x time of the packets / time of the chunks (SLA's share of the time).
  const double wormhole_slot = kSlots * (kPackets / kPerUnit) / kChunks;
  all.push_back({"D figure 4.7(b)", "length of S_W with SLA, units", 1.5, wormhole_slot});
  all.push_back({"D figure 4.7(b)", "units with SLA", 7, circuit_cycles * (kSlots + wormhole_slot)});
  all.push_back({"D figure 4.9", "units with PREEMPT: the last two packets need one more S_W", 7,
                 circuit_cycles * (kSlots + 1) + (kPackets - circuit_cycles * kPerUnit) / kPerUnit});
}

void add_greedy_scheduler(std::vector<Number>& all) {
  constexpr std::pair<std::uint32_t, double> kPrinted[] = {{4, 118},  {8, 167},  {16, 211},
                                                           {32, 266}, {64, 300}, {128, 332}};
  for (const auto& [ports, millions] : kPrinted)
    all.push_back({"D Table 5.3", fmt::format("{} ports / latency: millions of connections a second", ports),
                   millions, 1e3 * ports / greedy_scheduler_latency(ports).nanoseconds(), 1,
                   ports == 8 ? 163.0 : 0.0});
}

/// L 6: two pipeline stages, so that a request takes half the time of its two blocks.
void add_level_wise_scheduler(std::vector<Number>& all) {
  struct Row {
    std::uint32_t ports;
    double ns, all_ns;
  };
  for (const Row& row : {Row{4, 15, 480}, {8, 17, 4352}, {16, 19, 38912}}) {
    const double nodes = FatTree({3, row.ports, row.ports}).nodes();
    all.push_back({"L Table 1, D Table 7.1",
                   fmt::format("{} nodes x half of {} ns: all requests, ns", nodes, row.ns), row.all_ns,
                   nodes * row.ns / 2});
  }
}

/// D Table 8.1: the N-queue is 64 bits wide, with 64 words a queue.
void add_queue(std::vector<Number>& all) {
  struct Row {
    std::uint32_t queues;
    double mhz, gbps, ns, bits;
  };
  for (const Row& row : {Row{4, 78, 4.9, 13, 16386},
                         {8, 88, 5.6, 11, 32768},
                         {16, 69, 4.4, 14, 65536},
                         {32, 67, 4.3, 15, 131072},
                         {64, 63, 4.0, 16, 262144},
                         {128, 59, 3.8, 17, 524288}}) {
    const std::string of = fmt::format("N-queue of {}: ", row.queues);
    all.push_back({"D Table 8.1", of + "MHz x 64 bits, Gb/s", row.gbps, row.mhz * 64 / 1e3, 0.1});
    all.push_back({"D Table 8.1", of + "cycle, ns", row.ns, 1e3 / row.mhz, 1});
    all.push_back({"D Table 8.1", of + "memory, bits", row.bits, 64.0 * 64 * row.queues, 0,
                   row.queues == 4 ? 16384.0 : 0.0});
  }
}

/// D 8.5: 32 nodes, a slot for each other node.
void add_rotation(std::vector<Number>& all) {
  SwitchParameters p;
  apply_preset("ch8", p, false);
  all.push_back({"D 8.5", "slots that a message waits for on average", 16, (p.slots + 1) / 2.0});
  all.push_back({"D 8.5", "slots between the parts of a message", 31, static_cast<double>(p.slots)});
}

/// L figure 8, on FT(4, 4, 4): node 3 to node 95, where another connection has port 0 of switch (1, 000).
void add_example(std::vector<Number>& all) {
  const std::vector<Connection> requests{{4, 64}, {3, 95}};
  std::vector<TreePath> paths(requests.size());
  SchedulerRegistration::make("level-wise")->fat_tree({4, 4, 4}, 0)->schedule(requests, paths);
  constexpr double kPrinted[] = {0, 1, 0};
  for (std::size_t level = 0; level < std::size(kPrinted); ++level)
    all.push_back({"L figure 8", fmt::format("node 3 to node 95: P_{}", level), kPrinted[level],
                   static_cast<double>(paths[1].up[level])});
}

class T1 final : public Claim {
 public:
  std::string_view place() const override { return "D 4 to 8, L 6"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& /*context*/) const override {
    std::vector<Number> numbers;
    add_delays(numbers);
    add_slots(numbers);
    add_greedy_scheduler(numbers);
    add_level_wise_scheduler(numbers);
    add_example(numbers);
    add_queue(numbers);
    add_rotation(numbers);
    ClaimTable table{"t1-numbers",
                     "Printed and computed numbers",
                     {"place", "number", "printed", "computed", "agrees"},
                     {},
                     {},
                     /*on_page=*/true};
    ClaimResult result;
    std::size_t agree = 0;
    std::string disagree, slips;
    for (const Number& n : numbers) {
      agree += n.agrees() ? 1 : 0;
      if (!n.agrees()) disagree += fmt::format("; {}: {} ({:.6g} computed)", n.place, n.what, n.computed);
      if (n.slip != 0)
        slips += fmt::format("{}{}: {:.6g} is a slip of {:.6g}", slips.empty() ? "" : "; ", n.place,
                             n.printed, n.slip);
      table.rows.push_back({n.place, n.what, n.printed, n.computed,
                            std::string(!n.agrees()   ? "no"
                                        : n.slip != 0 ? "slip"
                                                      : "yes")});
    }
    result.checks = {{"every printed number follows from the others, but for misprints",
                      agree == numbers.size(), fmt::format("{} of {}{}", agree, numbers.size(), disagree)}};
    table.notes = {fmt::format("Misprints: {}.", slips)};
    result.tables.push_back(std::move(table));
    return result;
  }
};

const ClaimRegistration kT1{"T1", "numbers that the papers print and that follow by arithmetic",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<T1>(); }};

}  // namespace
}  // namespace hybrid::t1
