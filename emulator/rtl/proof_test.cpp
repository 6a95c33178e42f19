// The proofs of formal/*.sv by Yosys' SAT solver: each property holds for the design, and fails for a design
// with a fault that the property must find.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {
namespace {

namespace fs = std::filesystem;

struct Fault {
  std::string file, text, replacement;  // one place in one file
};

struct Proof {
  std::string module;               // of formal/MODULE.sv
  std::vector<std::string> design;  // files
  int property = 0;
  std::vector<int> sizes;  // N; none: the fault is looked for at the first of `large`
  Fault fault;
  int steps = 0;  // of a clocked design: bound of the proof, from the reset on; 0: a combinational design
  bool by_induction = false;    // a proof without bound; `steps` limits the length of the induction
  std::vector<int> large = {};  // N that take longer
};

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

enum class Verdict : std::uint8_t { proved, refuted, failed };

/// Yosys' verdict on the property; `log` becomes its output. `fault` is nullptr for the design as it is.
Verdict verdict_on(const Proof& proof, int size, const Fault* fault, std::string& log) {
  const fs::path folder(HYBRID_RTL_SOURCES);
  const fs::path work =
      fs::path(testing::TempDir()) / fmt::format("{}_{}_{}", proof.module, proof.property, getpid());
  fs::create_directories(work);
  std::vector<std::string> files{folder / "formal" / (proof.module + ".sv")};
  for (const std::string& name : proof.design) {
    std::string file = folder / name;
    if (fault != nullptr && fault->file == name) {
      std::string text = read(file);
      const std::size_t at = text.find(fault->text);
      if (at == std::string::npos) throw std::logic_error(name + " does not contain " + fault->text);
      text.replace(at, fault->text.size(), fault->replacement);
      file = work / name;
      std::ofstream(file) << text;
    }
    files.push_back(file);
  }
  const std::string script = work / "proof.ys", output = work / "proof.log";
  std::ofstream(script) << fmt::format(
      "read_verilog -sv -formal {}\nchparam -set N {} -set PROPERTY {} {}\nhierarchy -top "
      "{}\nproc\nflatten\nopt\n"
      "memory\nopt\nrename -top proof\nsat -prove-asserts -set-assumes {} proof\n",
      fmt::join(files, " "), size, proof.property, proof.module, proof.module,
      proof.steps == 0 ? ""
                       : fmt::format("-seq 1 -tempinduct {} -maxsteps {}",
                                     proof.by_induction ? "" : "-tempinduct-baseonly", proof.steps));
  const int status = std::system(
      fmt::format("{} -q -l {} {} > {}.errors 2>&1", HYBRID_YOSYS, output, script, output).c_str());
  log = read(output);
  if (status != 0) log = read(output + ".errors");
  fs::remove_all(work);
  const auto contains = [&](std::string_view text) {
    return status == 0 && log.find(text) != std::string::npos;
  };
  if (contains("SAT proof finished - no model found: SUCCESS!") ||
      contains(proof.by_induction ? "Induction step proven: SUCCESS!"
                                  : fmt::format("proved base case for {} steps: SUCCESS!", proof.steps)))
    return Verdict::proved;
  if (contains("SAT proof finished - model found: FAIL!") ||
      contains("SAT temporal induction proof finished - model found for base case: FAIL!"))
    return Verdict::refuted;
  return Verdict::failed;
}

const std::vector<std::string> kGreedy{"greedy_array.sv", "greedy_pass.sv"};

const std::vector<std::string> kLevelWise{"level_wise_block.sv", "level_wise_engine.sv",
                                          "level_wise_rows.sv"};

const std::vector<std::string> kGreedyRows{"greedy_rows.sv", "greedy_pass.sv", "greedy_array.sv"};

const std::vector<std::string> kMatchingMatrix{"matching_matrix.sv", "matching_logic.sv", "greedy_pass.sv",
                                               "greedy_array.sv"};

const std::vector<std::string> kLevelWiseTree{"level_wise.sv",        "level_wise_block.sv",
                                              "level_wise_engine.sv", "level_wise_rows.sv",
                                              "level_wise_array.sv",  "level_wise_cell.sv"};

const std::vector<std::string> kLevelWisePair{"level_wise_issue.sv", "level_wise_queues.sv",
                                              "level_wise_block.sv", "level_wise_engine.sv",
                                              "level_wise_rows.sv"};

const std::vector<std::string> kSlotScheduler{"slot_scheduler.sv", "greedy_pass.sv", "greedy_array.sv"};

const std::vector<std::string> kWormQueues{"worm_queues.sv", "worm_nic.sv", "n_queue.sv"};

const std::vector<std::string> kCircuitNode{"circuit_node.sv", "wormhole_scheduler.sv"};

const std::vector<std::string> kWormholeNode{"wormhole_node.sv", "worm_queues.sv", "n_queue.sv",
                                             "wormhole_scheduler.sv"};

const std::vector<std::string> kHybridNode{
    "hybrid_node.sv",    "switch_node.sv",   "slot_scheduler.sv", "greedy_pass.sv", "greedy_array.sv",
    "tdm_controller.sv", "wormhole_node.sv", "worm_queues.sv",    "n_queue.sv",     "wormhole_scheduler.sv"};

std::vector<Proof> proofs() {
  return {
      // Table 5.2 as it is printed: a cell that finds both ports in use toggles, as for a release.
      {"greedy_formal",
       kGreedy,
       0,
       {3, 4},
       {"greedy_array.sv", "(establish[I] & ~a[I] & ~d[J])", "(establish[I] & ~(a[I] ^ d[J]))"},
       0,
       false,
       {5}},
      // Table 5.1 without B*.
      {"greedy_formal",
       kGreedy,
       1,
       {3, 4},
       {"greedy_pass.sv", "row_request & ~row_established", "row_request"},
       0,
       false,
       {5}},
      // An input counts as busy although it has no connection.
      {"greedy_formal",
       kGreedy,
       2,
       {3, 4},
       {"greedy_pass.sv", "inputs_in_use[i] = |row_slot", "inputs_in_use[i] = 1"},
       0,
       false,
       {5}},
      // The priority of the outputs does not rotate.
      {"greedy_formal",
       kGreedy,
       3,
       {3, 4},
       {"greedy_pass.sv", "N'({2{row_request & ~row_established}} >> b)", "row_request & ~row_established"},
       0,
       false,
       {5}},
      // The computation by rows forgets the ports that a row released.
      {"greedy_formal",
       kGreedy,
       4,
       {3, 4},
       {"greedy_array.sv", "(in_use & ~released) | chosen", "in_use | chosen"}},
      // An input gets several outputs; a withdrawn request stays.
      {"greedy_rows_formal",
       kGreedyRows,
       0,
       {3},
       {"greedy_rows.sv", "chosen = may & (~may + 1'b1)", "chosen = may"},
       7,
       false,
       {4}},
      {"greedy_rows_formal",
       kGreedyRows,
       1,
       {2},
       {"greedy_rows.sv", "kind == Withdraw ? r & ~to_bit : r", "r"},
       14},
      // An input keeps its output when it gets another one; the search ends one step too early.
      {"matching_matrix_formal",
       kMatchingMatrix,
       0,
       {2},
       {"matching_matrix.sv", "matching[u*N+:N] <= One << output_",
        "matching[u*N+:N] <= matching[u*N+:N] | One << output_"},
       21,
       false,
       {3}},
      {"matching_matrix_formal",
       kMatchingMatrix,
       1,
       {2},
       {"matching_matrix.sv", "{1'b0, step} + 1'b1 == odd_steps", "{1'b0, step} + 2'd2 == odd_steps"},
       21,
       false,
       {3}},
      // A queue that lets one word too many in.
      {"n_queue_formal",
       {"n_queue.sv"},
       0,
       {2},
       {"n_queue.sv", "if (pushes) tail[destination]", "if (push) tail[destination]"},
       12,
       false,
       {4}},
      // Words are written to the queue that is read.
      {"n_queue_formal",
       {"n_queue.sv"},
       1,
       {2},
       {"n_queue.sv", "words[{destination, push_at[D-1:0]}] <= in", "words[{source, push_at[D-1:0]}] <= in"},
       12},
      // Without the forwarding between a request and the second one after it; and the third. The first 16
      // clocks clear the rows.
      {"level_wise_formal",
       kLevelWise,
       0,
       {4},
       {"level_wise_rows.sv", "({W{same_2 && writes}} & taken) | ", ""},
       26},
      {"level_wise_formal",
       kLevelWise,
       1,
       {4},
       {"level_wise_rows.sv", " | ({W{same_3 && old_writes}} & old_taken)", ""},
       26},
      // The block of nodes forgets that the request before has the same link.
      {"level_wise_formal",
       kLevelWise,
       2,
       {4},
       {"level_wise_engine.sv", "(up_again && l_up_link == c_up_link) || ", ""},
       26},
      {"level_wise_formal",
       kLevelWise,
       3,
       {4},
       {"level_wise_engine.sv", " || (down_again && l_down_link == c_down_link)", ""},
       26},
      // The row of the destination's switch is that of the source's switch. The first 17 clocks clear the
      // rows.
      {"level_wise_tree_formal",
       kLevelWiseTree,
       0,
       {},
       {"level_wise.sv", "delta[e*R+:R] = {a_destination[R-1:P]", "delta[e*R+:R] = {a_source[R-1:P]"},
       30,
       false,
       {4}},
      // The rows of nodes stay in their subtrees. The first 8 clocks clear.
      {"level_wise_tree_formal",
       kLevelWiseTree,
       1,
       {2},
       {"level_wise_array.sv", "nodes_free <= ends[2] ? nodes_left[NextEnd*W+:W] : ", "nodes_free <= "},
       21},
      // In the loop: a source with its link in use; only the destination's row; no free port at level 1. The
      // first 8 clocks clear the rows.
      {"level_wise_slots_formal",
       {"level_wise_slots.sv"},
       0,
       {2},
       {"level_wise_slots.sv", "row_source[source_link] && ", ""},
       22},
      {"level_wise_slots_formal",
       {"level_wise_slots.sv"},
       1,
       {2},
       {"level_wise_slots.sv", "row_up_0 & row_down_0", "row_down_0"},
       22},
      {"level_wise_slots_formal",
       {"level_wise_slots.sv"},
       2,
       {2},
       {"level_wise_slots.sv", " && (toggles || turn != 2 || common_1 != 0)", ""},
       22},
      // A cell of the array: a link stays free when it is taken; every free link is taken.
      {"level_wise_cell_formal",
       {"level_wise_cell.sv"},
       0,
       {2, 4},
       {"level_wise_cell.sv", "up <= up & ~takes", "up <= up"},
       8},
      {"level_wise_cell_formal",
       {"level_wise_cell.sv"},
       1,
       {2, 4},
       {"level_wise_cell.sv", "below = below >> 1", "below = below"},
       8},
      // Without the forwarding to the next request, with two engines. The first 8 clocks clear the rows.
      {"level_wise_pair_formal",
       kLevelWisePair,
       0,
       {4},
       {"level_wise_engine.sv", " & ~({W{c_forwards}} & taken)", ""},
       20},
      // No clock without requests between requests with different `crossed`.
      {"level_wise_pair_formal",
       kLevelWisePair,
       1,
       {4},
       {"level_wise_issue.sv", "changes && has != 2'b00", "0"},
       20},
      // A bank does not know what the other engine took.
      {"level_wise_pair_formal",
       kLevelWisePair,
       1,
       {4},
       {"level_wise_block.sv", ".taken(crossed_out ? down_taken[O*W+:W] : down_taken[e*W+:W])",
        ".taken(down_taken[e*W+:W])"},
       20},
      // A pair of queues with one request is never the next one.
      {"level_wise_pair_formal",
       kLevelWisePair,
       2,
       {4},
       {"level_wise_issue.sv", " || (other_has != 2'b00 && has == 2'b00)", ""},
       20},
      // A preload leaves its connections in other slots, too.
      {"slot_scheduler_formal",
       kSlotScheduler,
       0,
       {2, 3},
       {"slot_scheduler.sv", "configuration : after_slots[i*M+:M] & ~configuration",
        "configuration : after_slots[i*M+:M]"},
       4,
       true},
      // Requests for the next output, too.
      {"slot_scheduler_formal",
       kSlotScheduler,
       1,
       {2, 3},
       {"slot_scheduler.sv", ".request(after_r)", ".request(after_r | (after_r << 1))"},
       4,
       true,
       {4}},
      // A request stays when it is released, and in a flush; a connection stays in a flush.
      {"slot_scheduler_formal",
       kSlotScheduler,
       1,
       {2},
       {"slot_scheduler.sv", "closed  = release_ & kept_r", "closed  = '0"},
       4,
       true},
      {"slot_scheduler_formal",
       kSlotScheduler,
       1,
       {2},
       {"slot_scheduler.sv", "kept_r = requests & ~flushed", "kept_r = requests"},
       4,
       true},
      {"slot_scheduler_formal",
       kSlotScheduler,
       1,
       {2},
       {"slot_scheduler.sv", "= slots[i*M+:M] & ~flushed", "= slots[i*M+:M]"},
       4,
       true},
      // The priority does not rotate; no pass begins.
      {"slot_scheduler_formal",
       kSlotScheduler,
       2,
       {2},
       {"slot_scheduler.sv", ".a(pass_a), .b(pass_b)", ".a('0), .b('0)"},
       10,
       true},
      {"slot_scheduler_formal",
       kSlotScheduler,
       2,
       {2},
       {"slot_scheduler.sv", "runs = effect", "runs = 0"},
       10,
       true},
      // Connections to release are no work.
      {"slot_scheduler_formal",
       kSlotScheduler,
       3,
       {2, 3},
       {"slot_scheduler.sv", " || unrequested != 0", ""},
       8,
       true},
      // The path's inputs keep the outputs that they had, too.
      {"matching_formal",
       {"matching_logic.sv"},
       0,
       {2, 3},
       {"matching_logic.sv", "(toggle[u*N+:N] & slot[u*N+:N]) | target", "toggle[u*N+:N] | target"},
       0,
       false,
       {4}},
      // Several paths at once.
      {"matching_formal",
       {"matching_logic.sv"},
       1,
       {2, 3},
       {"matching_logic.sv", "target = found & (~found + 1'b1)", "target = found"},
       0,
       false,
       {4}},
      // The search ends one step too early.
      {"matching_formal",
       {"matching_logic.sv"},
       2,
       {2},
       {"matching_logic.sv", "(P + 1)'(i) < odd_steps", "(P + 1)'(i) + 1 < odd_steps"}},
      // An input gets several outputs in a pass.
      {"wormhole_formal",
       {"wormhole_scheduler.sv"},
       0,
       {2},
       {"wormhole_scheduler.sv", "inputs_left = inputs_left & ~chosen;", ""},
       10},
      // A granted request stays.
      {"wormhole_formal",
       {"wormhole_scheduler.sv"},
       1,
       {2, 3},
       {"wormhole_scheduler.sv", "requests <= wanted & ~granted", "requests <= wanted"},
       8},
      // An output serves the input again that it has just served.
      {"round_robin_formal",
       {"wormhole_scheduler.sv"},
       0,
       {2, 3, 4},
       {"wormhole_scheduler.sv", "sum((P + 1)'(u), 1)", "P'(u)"},
       4,
       true},
      // The outputs are served in one order.
      {"round_robin_formal",
       {"wormhole_scheduler.sv"},
       1,
       {2, 3, 4},
       {"wormhole_scheduler.sv", "if (granted != 0) p <= sum({1'b0, p}, 1);", ""},
       4,
       true},
      // The NIC has one place more than the queue.
      {"worm_queues_formal",
       kWormQueues,
       0,
       {2},
       {"worm_nic.sv", "{N{C'(PLACES)}}", "{N{C'(PLACES + 1)}}"},
       12},
      // Words leave without a grant.
      {"worm_queues_formal", kWormQueues, 1, {2}, {"worm_queues.sv", ".pull(pulls)", ".pull(open)"}, 10},
      // Outputs are free while inputs hold them.
      {"wormhole_node_formal",
       kWormholeNode,
       0,
       {2},
       {"wormhole_node.sv", "if (releases[u]) released_outputs", "if (holds[u]) released_outputs"},
       10},
      {"circuit_node_formal",
       kCircuitNode,
       0,
       {2},
       {"circuit_node.sv", "if (release_[u]) released_outputs", "if (connected[u]) released_outputs"},
       10},
      // A granted request stays.
      {"wormhole_node_formal",
       kWormholeNode,
       1,
       {2},
       {"wormhole_scheduler.sv", "requests <= wanted & ~granted", "requests <= wanted"},
       10},
      {"circuit_node_formal",
       kCircuitNode,
       1,
       {2},
       {"wormhole_scheduler.sv", "requests <= wanted & ~granted", "requests <= wanted"},
       12},
      // Every output gets the word of input 0.
      {"wormhole_node_formal",
       kWormholeNode,
       2,
       {2},
       {"wormhole_node.sv", "= words[u*WIDTH+:WIDTH]", "= words[0+:WIDTH]"},
       10},
      // Inputs stay in use.
      {"circuit_node_formal",
       kCircuitNode,
       2,
       {2},
       {"circuit_node.sv", ".release_inputs(release_)", ".release_inputs('0)"},
       12},
      // Worms leave when their slot begins at the controller, not in the fabric.
      {"hybrid_node_formal", kHybridNode, 0, {2}, {"hybrid_node.sv", "later[SKEW-2])", "worms_granted)"}, 12},
      // A slot shows the connections of another one, too.
      {"hybrid_node_formal",
       kHybridNode,
       0,
       {2},
       {"switch_node.sv", "shown = visible[i*M+:M]", "shown = visible[i*M+:M] | visible[0+:M]"},
       12},
      // A released request stays; connections to the next output, too.
      {"hybrid_node_formal",
       kHybridNode,
       1,
       {2},
       {"slot_scheduler.sv", "closed  = release_ & kept_r", "closed  = '0"},
       8},
      {"hybrid_node_formal",
       kHybridNode,
       1,
       {2},
       {"slot_scheduler.sv", ".request(after_r)", ".request(after_r | (after_r << 1))"},
       8},
  };
}

void PrintTo(const Proof& proof, std::ostream* out) {
  *out << proof.module << ", property " << proof.property << ", fault: " << proof.fault.replacement;
}

void expect_proofs(const Proof& proof, const std::vector<int>& sizes) {
  std::string log;
  for (const int size : sizes)
    EXPECT_EQ(verdict_on(proof, size, nullptr, log), Verdict::proved) << "N = " << size << ":\n" << log;
}

void expect_fault(const Proof& proof, int size) {
  std::string log;
  EXPECT_EQ(verdict_on(proof, size, &proof.fault, log), Verdict::refuted) << "with a fault:\n" << log;
}

class ProofTest : public testing::TestWithParam<Proof> {
 protected:
  void SetUp() override {
    if (std::string_view(HYBRID_YOSYS).empty()) GTEST_SKIP() << "Yosys is not installed";
  }
};

TEST_P(ProofTest, HoldsAndFindsItsFault) {
  expect_proofs(GetParam(), GetParam().sizes);
  expect_fault(GetParam(), GetParam().sizes.back());
}

class LargeProofTest : public ProofTest {};

TEST_P(LargeProofTest, NightlyHolds) {
  expect_proofs(GetParam(), GetParam().large);
  if (GetParam().sizes.empty()) expect_fault(GetParam(), GetParam().large.front());
}

std::vector<Proof> proofs_with(std::vector<int> Proof::* sizes) {
  std::vector<Proof> chosen = proofs();
  std::erase_if(chosen, [sizes](const Proof& proof) { return (proof.*sizes).empty(); });
  return chosen;
}

std::string name_of(const testing::TestParamInfo<Proof>& test) {
  return test.param.module + "_" + std::to_string(test.param.property) + "_" + std::to_string(test.index);
}
INSTANTIATE_TEST_SUITE_P(Rtl, ProofTest, testing::ValuesIn(proofs_with(&Proof::sizes)), name_of);
INSTANTIATE_TEST_SUITE_P(Rtl, LargeProofTest, testing::ValuesIn(proofs_with(&Proof::large)), name_of);

}  // namespace
}  // namespace hybrid
