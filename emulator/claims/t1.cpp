// T1: what the papers print and what follows by arithmetic or, for the tables of a logic, from the model,
// beside the computed values.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/hardware_cost.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid::t1 {
namespace {

/// A printed value, and how it follows.
struct Entry {
  std::string place, what;
  ClaimTable::Cell printed, computed;
  double tolerance = 0;                       // of the printed digits, if it is a number
  std::optional<ClaimTable::Cell> slip = {};  // the printed value is a misprint of this one
  bool agrees() const {
    const ClaimTable::Cell& right = slip ? *slip : printed;
    if (const auto* text = std::get_if<std::string>(&right)) return *text == std::get<std::string>(computed);
    return std::abs(std::get<double>(right) - std::get<double>(computed)) <= tolerance;
  }
};

std::string text_of(const ClaimTable::Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? fmt::format("{:.6g}", *number) : std::get<std::string>(cell);
}

/// D 5.5.2: "circuit switching: 80 ns to send the request, 80 ns to schedule it, 80 ns to send the grant";
/// "after that, the point-to-point delay is 30+20+20+30 ns".
void add_delays(std::vector<Entry>& all) {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  const double wire = p.one_way_wire().nanoseconds();
  all.push_back({"D 5.5.2", "request over the wire, ns", 80.0, wire});
  all.push_back({"D 5.5.2", "scheduling, ns", 80.0, p.scheduler.delay().nanoseconds()});
  all.push_back({"D 5.5.2", "grant over the wire, ns", 80.0, wire});
  all.push_back({"D 5.5.2", "point to point over a circuit, ns", 100.0,
                 (p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise).nanoseconds()});
  all.push_back({"D 5.5.2.1", "bytes in a slot of 100 ns", 80.0,
                 p.slot_length.nanoseconds() / p.word_time().nanoseconds() * static_cast<double>(p.word)});
  // D 5.3.1: 1 us slots, 50 ns for cable and fabric.
  all.push_back(
      {"D 5.3.1", "share of a 1 us slot that a guard band of 50 ns takes, %", 5.0, 100 * 50.0 / 1000});
  all.push_back({"D 5.3.1", "bytes in 1 us per Gb/s", 125.0, 1e9 * 1e-6 / 8});
}

/// D figures 4.7 and 4.9: two predictive slots of one unit; four chunks, one per slot; six packets, two per
/// unit.
void add_slots(std::vector<Entry>& all) {
  constexpr double kChunks = 4, kPackets = 6, kSlots = 2, kPerUnit = 2;
  const double circuit_cycles = kChunks / kSlots;
  all.push_back({"D figure 4.7(a)", "units with slots of equal length", 9.0,
                 std::ceil(std::max(circuit_cycles, kPackets / kPerUnit)) * (kSlots + 1)});
  // S_W = K x slot x time of the packets / time of the chunks (SLA's share of the time).
  const double wormhole_slot = kSlots * (kPackets / kPerUnit) / kChunks;
  all.push_back({"D figure 4.7(b)", "length of S_W with SLA, units", 1.5, wormhole_slot});
  all.push_back({"D figure 4.7(b)", "units with SLA", 7.0, circuit_cycles * (kSlots + wormhole_slot)});
  all.push_back({"D figure 4.9",
                 "units with PREEMPT, for six packets (the text's fourth cycle has none left)", 7.0,
                 circuit_cycles * (kSlots + 1) + (kPackets - circuit_cycles * kPerUnit) / kPerUnit});
}

void add_greedy_scheduler(std::vector<Entry>& all) {
  constexpr std::pair<std::uint32_t, double> kPrinted[] = {{4, 118},  {8, 167},  {16, 211},
                                                           {32, 266}, {64, 300}, {128, 332}};
  for (const auto& [ports, millions] : kPrinted)
    all.push_back({"D Table 5.3", fmt::format("{} ports / latency: M connections/s", ports), millions,
                   1e3 * ports / greedy_scheduler_latency(ports).nanoseconds(), 1,
                   ports == 8 ? std::optional<ClaimTable::Cell>(163.0) : std::nullopt});
}

/// The cell of input 1 and output 1 in slot 0 of the model.
struct CellInput {
  bool requested = false;      // R
  bool in_other_slot = false;  // B*, if not in this slot
  bool in_slot = false;        // B^(s); with B*
  bool output_used = false;    // A, by another connection
  bool input_used = false;     // D, by another connection
};
struct CellOutput {
  bool toggled = false, output_used = false, input_used = false;  // T and, after the pass, A and D
};

/// Brings the model into the state before the pass by requests and releases, and observes the grants of the
/// pass.
CellOutput pass_of(const CellInput& in) {
  SwitchParameters p;
  apply_preset("ch5", p, false);
  p.nodes = 4;
  p.slots = 2;
  const auto port = make_scheduler_port(p);
  constexpr Connection kCell{1, 1}, kOfOutput{2, 1}, kOfInput{1, 2};
  std::vector<Connection> slot;
  Time now{};
  const auto settle = [&] {
    std::vector<Grant> grants;
    port->advance(now += 100 * p.scheduler.delay(), grants);
    bool toggled = false;
    for (const Grant& g : grants) {
      if (g.slot != 0) continue;
      toggled |= g.connection == kCell;
      if (g.kind == Grant::Kind::established)
        slot.push_back(g.connection);
      else
        std::erase(slot, g.connection);
    }
    return toggled;
  };
  // Requests go to the first slot with room: the cell's connection goes to slot 1 if another one uses its
  // input in slot 0.
  const auto request = [&](bool wanted, Connection c) {
    if (wanted) port->request(now, c);
    settle();
  };
  request(in.in_other_slot, kOfInput);
  request(in.in_slot || in.in_other_slot, kCell);
  if (in.in_other_slot) port->release(now, kOfInput);
  settle();
  request(in.output_used, kOfOutput);
  request(in.input_used, kOfInput);
  if (in.requested)
    port->request(now, kCell);
  else
    port->release(now, kCell);
  CellOutput out{.toggled = settle()};
  for (const Connection& c : slot) {
    out.output_used |= c.destination == kCell.destination;
    out.input_used |= c.source == kCell.source;
  }
  return out;
}

/// D Table 5.1: L is 1 if the cell changes, given ports that allow the change.
void add_pre_scheduling(std::vector<Entry>& all) {
  const auto row = [&](std::string_view input, const char* printed, std::initializer_list<CellInput> cases) {
    std::string computed;
    for (const CellInput& in : cases) {
      const std::string l = pass_of(in).toggled ? "1" : "0";
      computed += computed == l ? "" : l;
    }
    all.push_back({"D Table 5.1", fmt::format("L for R B* B(s) = {}", input), printed, computed});
  };
  row("0x0", "0", {{}, {.in_other_slot = true}});
  row("0x1", "1", {{.in_slot = true}});
  row("11x", "0", {{.requested = true, .in_other_slot = true}, {.requested = true, .in_slot = true}});
  row("100", "1", {{.requested = true}});
}

/// D Table 5.2: the inputs and outputs of a cell. A and D of the next cells are 1 if the ports are in use
/// after the pass.
void add_cells(std::vector<Entry>& all) {
  const auto row = [&](std::string_view input, const char* printed, const CellInput& in,
                       std::optional<ClaimTable::Cell> slip = {}) {
    const CellOutput out = pass_of(in);
    all.push_back({"D Table 5.2", fmt::format("next TAD for LAD = {}", input), printed,
                   fmt::format("{:d}{:d}{:d}", out.toggled, out.output_used, out.input_used), 0,
                   std::move(slip)});
  };
  for (const bool a : {false, true})
    for (const bool d : {false, true}) {
      const std::string ports = fmt::format("0{:d}{:d}", a, d);
      row(ports, ports.c_str(), {.output_used = a, .input_used = d});
    }
  row("111 (release)", "100", {.in_slot = true});
  row("111 (establish)", "100", {.requested = true, .output_used = true, .input_used = true}, "011");
  row("110", "010", {.requested = true, .output_used = true});
  row("101", "001", {.requested = true, .input_used = true});
  row("100", "111", {.requested = true});
}

/// L 6: two pipeline stages, so that a request takes half the time of its two blocks.
void add_level_wise_scheduler(std::vector<Entry>& all) {
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
void add_queue(std::vector<Entry>& all) {
  all.push_back({"D 8.3.2", "cycle of the single queue, 108 MHz, ns", 9.2, 1e3 / 108, 0.1});
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
                   row.queues == 4 ? std::optional<ClaimTable::Cell>(16384.0) : std::nullopt});
  }
}

/// D 8.5: 32 nodes, a slot for each other node.
void add_rotation(std::vector<Entry>& all) {
  SwitchParameters p;
  apply_preset("ch8", p, false);
  all.push_back({"D 8.5", "slots that a message waits for on average", 16.0, (p.slots + 1) / 2.0});
  all.push_back({"D 8.5", "slots between the parts of a message", 31.0, static_cast<double>(p.slots)});
}

/// L figure 8, on FT(4, 4, 4): node 3 to node 95, where another connection has port 0 of switch (1, 000).
void add_example(std::vector<Entry>& all) {
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
    std::vector<Entry> entries;
    add_delays(entries);
    add_slots(entries);
    add_pre_scheduling(entries);
    add_cells(entries);
    add_greedy_scheduler(entries);
    add_level_wise_scheduler(entries);
    add_example(entries);
    add_queue(entries);
    add_rotation(entries);
    ClaimTable table{"t1-numbers",
                     "Printed and computed values",
                     {"place", "value", "printed", "computed", "agrees"},
                     {},
                     {}};
    ClaimResult result;
    std::size_t agree = 0;
    std::string disagree, slips;
    for (const Entry& e : entries) {
      const bool agrees = e.agrees();
      agree += agrees ? 1 : 0;
      if (!agrees) disagree += fmt::format("; {}: {} ({} computed)", e.place, e.what, text_of(e.computed));
      if (e.slip)
        slips += fmt::format("{}{}: {} is a slip of {}", slips.empty() ? "" : "; ", e.place,
                             text_of(e.printed), text_of(*e.slip));
      table.rows.push_back({e.place, e.what, e.printed, e.computed,
                            std::string(!agrees  ? "no"
                                        : e.slip ? "slip"
                                                 : "yes")});
    }
    result.checks = {{"every printed value follows from the others, but for misprints",
                      agree == entries.size(), fmt::format("{} of {}{}", agree, entries.size(), disagree)}};
    table.notes = {
        fmt::format(
            "{} values: delays of circuit switching (D 5.5.2), bytes and guard band of a slot (D 5.3.1, "
            "5.5.2.1), units of SLA and PREEMPT (D figures 4.7, 4.9), logic of a cell (D Tables 5.1, 5.2), "
            "rate of the greedy scheduler (D Table 5.3), time of all requests (L Table 1, D Table 7.1), a "
            "path (L figure 8), the queues (D 8.3.2, Table 8.1), waiting for a slot (D 8.5).",
            entries.size()),
        fmt::format("Misprints: {}.", slips)};
    result.tables.push_back(std::move(table));
    return result;
  }
};

const ClaimRegistration kT1{"T1", "values that the papers print and that follow by arithmetic",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<T1>(); }};

}  // namespace
}  // namespace hybrid::t1
