// The properties of formal/*.sv that are proved, each with faults in the design that it must find.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace hybrid {

struct Fault {
  std::string file, text, replacement;  // one place in one file
};

struct Proof {
  std::string module;  // of formal/MODULE.sv
  int property = 0;
  struct Sizes {
    std::vector<int> all, large;  // N; large: those that take longer
  } sizes;
  struct Bound {
    int steps = 0;              // of a clocked design, from the reset on; 0: a combinational design
    bool by_induction = false;  // a proof without bound; `steps` limits the length of the induction
  } bound;
  // Looked for at the last size, or at the first large one; of small designs also at the first size.
  std::vector<Fault> faults;
};

/// For GoogleTest.
inline void PrintTo(const Proof& proof, std::ostream* out) {
  *out << proof.module << ", property " << proof.property;
}

/// The files of each module's design.
inline const std::map<std::string, std::vector<std::string>> kDesigns{
    {"greedy_formal", {"greedy_array.sv", "greedy_pass.sv"}},
    {"greedy_rows_formal", {"greedy_rows.sv", "greedy_pass.sv", "greedy_array.sv"}},
    {"matching_matrix_formal",
     {"matching_matrix.sv", "matching_logic.sv", "greedy_pass.sv", "greedy_array.sv"}},
    {"n_queue_formal", {"n_queue.sv"}},
    {"level_wise_formal", {"level_wise_block.sv", "level_wise_engine.sv", "level_wise_rows.sv"}},
    {"level_wise_tree_formal",
     {"level_wise.sv", "level_wise_block.sv", "level_wise_engine.sv", "level_wise_rows.sv",
      "level_wise_array.sv", "level_wise_cell.sv"}},
    {"level_wise_slots_formal", {"level_wise_slots.sv"}},
    {"level_wise_cell_formal", {"level_wise_cell.sv"}},
    {"level_wise_pair_formal",
     {"level_wise_issue.sv", "level_wise_queues.sv", "level_wise_block.sv", "level_wise_engine.sv",
      "level_wise_rows.sv"}},
    {"slot_scheduler_formal", {"slot_scheduler.sv", "greedy_pass.sv", "greedy_array.sv"}},
    {"matching_formal", {"matching_logic.sv"}},
    {"wormhole_formal", {"wormhole_scheduler.sv"}},
    {"round_robin_formal", {"wormhole_scheduler.sv"}},
    {"worm_queues_formal", {"worm_queues.sv", "worm_nic.sv", "n_queue.sv"}},
    {"wormhole_node_formal", {"wormhole_node.sv", "worm_queues.sv", "n_queue.sv", "wormhole_scheduler.sv"}},
    {"circuit_node_formal", {"circuit_node.sv", "wormhole_scheduler.sv"}},
    {"hybrid_node_formal",
     {"hybrid_node.sv", "switch_node.sv", "slot_scheduler.sv", "greedy_pass.sv", "greedy_array.sv",
      "tdm_controller.sv", "wormhole_node.sv", "worm_queues.sv", "n_queue.sv", "wormhole_scheduler.sv"}},
    {"matching_vector_formal",
     {"matching_vector.sv", "matching_logic.sv", "greedy_pass.sv", "greedy_array.sv"}},
    {"nic_formal", {"formal/nic_pe.sv", "nic.sv", "nic_requests.sv", "n_queue.sv"}},
    {"circuit_nic_formal", {"formal/nic_pe.sv", "circuit_nic.sv", "n_queue.sv"}},
    {"hybrid_nic_formal",
     {"formal/nic_pe.sv", "hybrid_nic.sv", "nic.sv", "nic_requests.sv", "worm_nic.sv", "n_queue.sv"}},
    {"uart_formal", {"uart.sv"}},
    {"frames_formal", {"frame_receiver.sv", "frame_transmitter.sv", "fcs.sv"}},
    {"device_formal", {"device.sv"}},
};

inline std::vector<Proof> proofs() {
  std::vector<Proof> all;
  const auto sizes = [](std::vector<int> some, std::vector<int> large = {}) {
    return Proof::Sizes{std::move(some), std::move(large)};
  };
  const Proof::Bound combinational{};
  const auto clocks = [](int steps) { return Proof::Bound{steps, false}; };
  const auto induction = [](int steps) { return Proof::Bound{steps, true}; };
  const auto add = [&all](const char* module, int property, Proof::Sizes sizes, Proof::Bound bound,
                          const char* file, const char* text, const char* replacement) {
    all.push_back({module, property, std::move(sizes), bound, {{file, text, replacement}}});
  };
  // A further fault of the property before.
  const auto also = [&all](const char* file, const char* text, const char* replacement) {
    all.back().faults.push_back({file, text, replacement});
  };

  // Table 5.2 as it is printed: a cell that finds both ports in use toggles, as for a release.
  add("greedy_formal", 0, sizes({3, 4}, {5}), combinational, "greedy_array.sv",
      "(establish[I] & ~a[I] & ~d[J])", "(establish[I] & ~(a[I] ^ d[J]))");
  // Table 5.1 without B*.
  add("greedy_formal", 1, sizes({3, 4}, {5}), combinational, "greedy_pass.sv",
      "row_request & ~row_established", "row_request");
  // An input counts as busy although it has no connection.
  add("greedy_formal", 2, sizes({3, 4}, {5}), combinational, "greedy_pass.sv", "inputs_in_use[i] = |row_slot",
      "inputs_in_use[i] = 1");
  // The priority of the outputs does not rotate.
  add("greedy_formal", 3, sizes({3, 4}, {5}), combinational, "greedy_pass.sv",
      "N'({2{row_request & ~row_established}} >> b)", "row_request & ~row_established");
  // The computation by rows ignores the ports that a row released.
  add("greedy_formal", 4, sizes({3, 4}), combinational, "greedy_array.sv", "(in_use & ~released) | chosen",
      "in_use | chosen");
  // An input gets several outputs; a withdrawn request stays.
  add("greedy_rows_formal", 0, sizes({3}, {4}), clocks(7), "greedy_rows.sv", "chosen = may & (~may + 1'b1)",
      "chosen = may");
  add("greedy_rows_formal", 1, sizes({2}), clocks(14), "greedy_rows.sv", "kind == Withdraw ? r & ~to_bit : r",
      "r");
  // An input keeps its output when it gets another one; the search ends one step too early.
  add("matching_matrix_formal", 0, sizes({2}, {3}), clocks(21), "matching_matrix.sv",
      "matching[u*N+:N] <= One << output_", "matching[u*N+:N] <= matching[u*N+:N] | One << output_");
  add("matching_matrix_formal", 1, sizes({2}, {3}), clocks(21), "matching_matrix.sv",
      "{1'b0, step} + 1'b1 == odd_steps", "{1'b0, step} + 2'd2 == odd_steps");
  // A queue that lets one word too many in.
  add("n_queue_formal", 0, sizes({2}, {4}), clocks(12), "n_queue.sv", "if (pushes) tail[destination]",
      "if (push) tail[destination]");
  // Words are written to the queue that is read.
  add("n_queue_formal", 1, sizes({2}), clocks(12), "n_queue.sv", "words[{destination, push_at[D-1:0]}] <= in",
      "words[{source, push_at[D-1:0]}] <= in");
  // Without the forwarding between a request and the second one after it; and the third. The first 16
  // clocks clear the rows.
  add("level_wise_formal", 0, sizes({4}), clocks(26), "level_wise_rows.sv",
      "({W{same_2 && writes}} & taken) | ", "");
  add("level_wise_formal", 1, sizes({4}), clocks(26), "level_wise_rows.sv",
      " | ({W{same_3 && old_writes}} & old_taken)", "");
  // The block of nodes ignores that the request before has the same link.
  add("level_wise_formal", 2, sizes({4}), clocks(26), "level_wise_engine.sv",
      "(up_again && l_up_link == c_up_link) || ", "");
  add("level_wise_formal", 3, sizes({4}), clocks(26), "level_wise_engine.sv",
      " || (down_again && l_down_link == c_down_link)", "");
  // The row of the destination's switch is that of the source's switch. The first 17 clocks clear the
  // rows.
  add("level_wise_tree_formal", 0, sizes({}, {4}), clocks(30), "level_wise.sv",
      "delta[e*R+:R] = {a_destination[R-1:P]", "delta[e*R+:R] = {a_source[R-1:P]");
  // The rows of nodes stay in their subtrees. The first 8 clocks clear.
  add("level_wise_tree_formal", 1, sizes({2}), clocks(21), "level_wise_array.sv",
      "nodes_free <= ends[2] ? nodes_left[NextEnd*W+:W] : ", "nodes_free <= ");
  // In the loop: a source with its link in use; only the destination's row; no free port at level 1. The
  // first 8 clocks clear the rows.
  add("level_wise_slots_formal", 0, sizes({2}), clocks(22), "level_wise_slots.sv",
      "row_source[source_link] && ", "");
  add("level_wise_slots_formal", 1, sizes({2}), clocks(22), "level_wise_slots.sv", "row_up_0 & row_down_0",
      "row_down_0");
  add("level_wise_slots_formal", 2, sizes({2}), clocks(22), "level_wise_slots.sv",
      " && (toggles || turn != 2 || common_1 != 0)", "");
  // A cell of the array: a link stays free when it is taken; every free link is taken.
  add("level_wise_cell_formal", 0, sizes({2, 4}), clocks(8), "level_wise_cell.sv", "up <= up & ~takes",
      "up <= up");
  add("level_wise_cell_formal", 1, sizes({2, 4}), clocks(8), "level_wise_cell.sv", "below = below >> 1",
      "below = below");
  // Without the forwarding to the next request, with two engines. The first 8 clocks clear the rows.
  add("level_wise_pair_formal", 0, sizes({4}), clocks(20), "level_wise_engine.sv",
      " & ~({W{c_forwards}} & taken)", "");
  // No clock without requests between requests with different `crossed`.
  add("level_wise_pair_formal", 1, sizes({4}), clocks(20), "level_wise_issue.sv", "changes && has != 2'b00",
      "0");
  // A bank does not know what the other engine took.
  also("level_wise_block.sv", ".taken(crossed_out ? down_taken[O*W+:W] : down_taken[e*W+:W])",
       ".taken(down_taken[e*W+:W])");
  // A pair of queues with one request is never the next one.
  add("level_wise_pair_formal", 2, sizes({4}), clocks(20), "level_wise_issue.sv",
      " || (other_has != 2'b00 && has == 2'b00)", "");
  // A preload leaves its connections in other slots, too.
  add("slot_scheduler_formal", 0, sizes({2, 3}), induction(4), "slot_scheduler.sv",
      "configuration : after_slots[i*M+:M] & ~configuration", "configuration : after_slots[i*M+:M]");
  // Requests for the next output, too.
  add("slot_scheduler_formal", 1, sizes({2, 3}, {4}), induction(4), "slot_scheduler.sv", ".request(after_r)",
      ".request(after_r | (after_r << 1))");
  // A request stays when it is released, and in a flush; a connection stays in a flush.
  also("slot_scheduler.sv", "closed  = release_ & kept_r", "closed  = '0");
  also("slot_scheduler.sv", "kept_r = requests & ~flushed", "kept_r = requests");
  also("slot_scheduler.sv", "= slots[i*M+:M] & ~flushed", "= slots[i*M+:M]");
  // The priority reaches only N of the N^2 connections; no pass begins; the priority does not rotate.
  add("slot_scheduler_formal", 2, sizes({2}), induction(10), "slot_scheduler.sv",
      "32'(once_b) == N - 1 ? '0 : once_b + 1'b1", "once_b");
  also("slot_scheduler.sv", "runs = effect", "runs = 0");
  add("slot_scheduler_formal", 4, sizes({3}, {4}), induction(4), "slot_scheduler.sv",
      ".a(pass_a), .b(pass_b)", ".a('0), .b('0)");
  // Connections to release are no work.
  add("slot_scheduler_formal", 3, sizes({2, 3}), induction(8), "slot_scheduler.sv", " || unrequested != 0",
      "");
  // The path's inputs keep the outputs that they had, too.
  add("matching_formal", 0, sizes({2, 3}, {4}), combinational, "matching_logic.sv",
      "(toggle[u*N+:N] & slot[u*N+:N]) | target", "toggle[u*N+:N] | target");
  // Several paths at once.
  add("matching_formal", 1, sizes({2, 3}, {4}), combinational, "matching_logic.sv",
      "target = found & (~found + 1'b1)", "target = found");
  // The search ends one step too early.
  add("matching_formal", 2, sizes({2}), combinational, "matching_logic.sv", "(P + 1)'(i) < odd_steps",
      "(P + 1)'(i) + 1 < odd_steps");
  // An input gets several outputs in a pass.
  add("wormhole_formal", 0, sizes({2}), clocks(10), "wormhole_scheduler.sv",
      "inputs_left = inputs_left & ~chosen;", "");
  // A granted request stays.
  add("wormhole_formal", 1, sizes({2, 3}), clocks(8), "wormhole_scheduler.sv",
      "requests <= wanted & ~granted", "requests <= wanted");
  // An output serves the input again that it has just served.
  add("round_robin_formal", 0, sizes({2, 3, 4}), induction(4), "wormhole_scheduler.sv", "sum((P + 1)'(u), 1)",
      "P'(u)");
  add("round_robin_formal", 2, sizes({2, 3, 4}), induction(4), "wormhole_scheduler.sv", "sum((P + 1)'(u), 1)",
      "P'(u)");
  // The outputs are served in one order.
  add("round_robin_formal", 1, sizes({2, 3, 4}), induction(4), "wormhole_scheduler.sv",
      "if (granted != 0) p <= sum({1'b0, p}, 1);", "");
  // The NIC has one place more than the queue.
  add("worm_queues_formal", 0, sizes({2}), clocks(12), "worm_nic.sv", "{N{C'(PLACES)}}",
      "{N{C'(PLACES + 1)}}");
  // Words leave without a grant.
  add("worm_queues_formal", 1, sizes({2}), clocks(10), "worm_queues.sv", ".pull(pulls)", ".pull(open)");
  // Outputs are free while inputs hold them.
  add("wormhole_node_formal", 0, sizes({2}), clocks(10), "wormhole_node.sv",
      "if (releases[u]) released_outputs", "if (holds[u]) released_outputs");
  add("circuit_node_formal", 0, sizes({2}), clocks(10), "circuit_node.sv",
      "if (release_[u]) released_outputs", "if (connected[u]) released_outputs");
  // A granted request stays.
  add("wormhole_node_formal", 1, sizes({2}), clocks(10), "wormhole_scheduler.sv",
      "requests <= wanted & ~granted", "requests <= wanted");
  add("circuit_node_formal", 1, sizes({2}), clocks(12), "wormhole_scheduler.sv",
      "requests <= wanted & ~granted", "requests <= wanted");
  // Every output gets the word of input 0.
  add("wormhole_node_formal", 2, sizes({2}), clocks(10), "wormhole_node.sv", "= words[u*WIDTH+:WIDTH]",
      "= words[0+:WIDTH]");
  // Inputs stay in use.
  add("circuit_node_formal", 2, sizes({2}), clocks(12), "circuit_node.sv", ".release_inputs(release_)",
      ".release_inputs('0)");
  // Worms leave when their slot begins at the controller, not in the fabric.
  add("hybrid_node_formal", 0, sizes({2}), clocks(12), "hybrid_node.sv", "later[SKEW-2])", "worms_granted)");
  // A slot shows the connections of another one, too.
  also("switch_node.sv", "shown = visible[i*M+:M]", "shown = visible[i*M+:M] | visible[0+:M]");
  // A released request stays; connections to the next output, too.
  add("hybrid_node_formal", 1, sizes({2}), clocks(8), "slot_scheduler.sv", "closed  = release_ & kept_r",
      "closed  = '0");
  also("slot_scheduler.sv", ".request(after_r)", ".request(after_r | (after_r << 1))");
  // The edges have connections of other slots; the search ends one step too early.
  add("matching_vector_formal", 0, sizes({}, {2}), clocks(32), "matching_vector.sv",
      "request & ~established : '0", "request : '0");
  add("matching_vector_formal", 1, sizes({2}), clocks(32), "matching_vector.sv",
      "{1'b0, step} + 1'b1 == odd_steps", "{1'b0, step} + 2'd2 == odd_steps");
  // The link carries words of one queue only.
  add("nic_formal", 0, sizes({2}), clocks(7), "nic.sv", ".source(grant)", ".source('0)");
  // A lost connection is not requested again; circuits with data are released; the time-out is a clock
  // longer.
  add("nic_formal", 1, sizes({2}), clocks(7), "nic_requests.sv", "again = lost & waits", "again = '0");
  add("nic_formal", 2, sizes({2}), clocks(7), "nic_requests.sv", "released = released & ~waits",
      "released = released");
  add("nic_formal", 3, sizes({2}), clocks(9), "nic_requests.sv", "age[j*BITS+:BITS] >= timeout",
      "age[j*BITS+:BITS] > timeout");
  // What is requested again after a flush stays.
  also("nic_requests.sv", "next_due = unsent", "next_due = '0");
  // A worm does not wait for the end of the circuit's data, and gets the link with it; the circuit overtakes
  // worms.
  add("hybrid_nic_formal", 0, sizes({2}), clocks(8), "hybrid_nic.sv", "!circuit_pulls && !keeps", "1'b1");
  add("hybrid_nic_formal", 1, sizes({2}), clocks(9), "nic.sv", " && !under_way[grant]", "");
  // What is requested again after a flush stays.
  add("hybrid_nic_formal", 2, sizes({2}), clocks(9), "nic_requests.sv", "next_due = unsent", "next_due = '0");
  // Words leave without a circuit; the offer of a requested circuit requests it again; a circuit is released
  // while a message enters.
  add("circuit_nic_formal", 0, sizes({2}), clocks(8), "circuit_nic.sv", "pulls = (holds & ~empty) != 0",
      "pulls = ~empty != 0");
  add("circuit_nic_formal", 1, sizes({2}), clocks(8), "circuit_nic.sv", "offered_to & ~requested & ~held",
      "offered_to & ~held");
  add("circuit_nic_formal", 2, sizes({2}), clocks(8), "circuit_nic.sv",
      "(entering ? One << entering_to : '0) | offered_to", "offered_to");
  // The buffer that is read is the one that is written; the FCS is ignored.
  add("frames_formal", 0, sizes({1}, {2}), clocks(10), "frame_receiver.sv", "buffers[{read_buffer, address}]",
      "buffers[{write_buffer, address}]");
  add("frames_formal", 1, sizes({1}), clocks(8), "frame_receiver.sv", "sum == 16'hf0b8 && ", "");
  // The receiver samples at the end of a bit; the transmitter sends no stop bit.
  add("uart_formal", 0, sizes({1}), clocks(54), "uart.sv", "C'(CLOCKS / 2 - 1)", "C'(CLOCKS - 1)");
  add("uart_formal", 1, sizes({2}), clocks(96), "uart.sv", "tx_bits <= 10", "tx_bits <= 9");
  // A frame that comes again is executed again; the oldest answer is lost; an answer changes on the line.
  add("device_formal", 0, sizes({2}), clocks(18), "device.sv", "          expected <= expected + 1'b1;\n",
      "");
  add("device_formal", 1, sizes({2}), clocks(18), "device.sv", "if (age <= 4) set_pending",
      "if (age <= 3) set_pending");
  add("device_formal", 2, sizes({2}), clocks(18), "device.sv", "write = !pending[data[1:0]] && (data[7]",
      "write = (data[7]");
  return all;
}

}  // namespace hybrid
