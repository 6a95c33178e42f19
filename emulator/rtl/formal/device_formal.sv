// Properties of device.sv from the reset on, for every sequence of frames, with arbitrary parts: serial line, scheduler,
// and transmitter. PROPERTY selects one:
//   0 once: commands go to the scheduler only while a frame with the next number is executed, and a reset only in a reset
//     frame; the next number is that of the last executed frame plus 1
//   1 answers: exactly the executed frames and the last four before get an answer, in the buffer of their number
//   2 buffers: no byte of an answer changes until it is sent
module device_formal #(
    parameter int N = 2,
    parameter int PROPERTY = 0
) (
    input logic clk,
    input logic any_full,
    input logic [7:0] any_control,
    input logic [1:0] any_length,
    input logic [7:0] any_data,
    input logic any_ready,
    input logic any_row,
    input logic any_taken,
    input logic any_sent
);
  logic started = 0;
  device #(.N(N), .K(2), .CLOCKS(4)) board (.clk(clk), .reset(!started), .rx(1'b1), .tx(), .busy(), .fault());
  // Inputs of the parts, and registers of the device, by name.
  (* hierconn *) wire \board.receiver.any_full , \board.scheduler.any_ready , \board.scheduler.any_row ;
  (* hierconn *) wire \board.transmitter.any_taken , \board.transmitter.any_sent ;
  (* hierconn *) wire [7:0] \board.receiver.any_data , \board.receiver.any_length ;
  (* hierconn *) wire \board.done , \board.valid , \board.set_pending , \board.write , \board.sent ;
  (* hierconn *) wire [2:0] \board.op ;
  (* hierconn *) wire [7:0] \board.address ;
  (* hierconn *) wire [1:0] \board.sequence_ , \board.sending ;
  (* hierconn *) wire [3:0] \board.pending , \board.state ;

  // The frame that waits, and the next number.
  logic full = 0;
  logic [7:0] control = 0, address_1 = 0;
  logic [1:0] length = 0;
  logic [6:0] next = 0;
  logic answered = 0;  // the frame
  logic [3:0] complete = '0;  // answers to send
  wire resets = control[7];
  wire [6:0] age = next - control[6:0];
  wire answers = answered || \board.set_pending ;
  assign \board.receiver.any_full = full;
  assign \board.receiver.any_data = address_1 == 0 ? control : any_data;
  assign \board.receiver.any_length = {6'd0, length};
  assign \board.scheduler.any_ready = any_ready;
  assign \board.scheduler.any_row = any_row;
  assign \board.transmitter.any_taken = any_taken;
  assign \board.transmitter.any_sent = any_sent && complete[\board.sending ];
  wire [1:0] buffer = \board.state == 1 ? control[1:0] : \board.sequence_ ;
  always_ff @(posedge clk) begin
    started <= 1;
    address_1 <= \board.address ;
    if (started && (!full || \board.done )) begin
      full <= any_full;
      control <= any_control;
      length <= any_length;
      answered <= 0;
    end else if (\board.set_pending ) answered <= 1;
    if (started && \board.done )
      if (resets || age == 0) next <= control[6:0] + 1'b1;
    complete <= started ? (complete | (4'(\board.set_pending ) << \board.sequence_ ))
                              & ~(4'(\board.sent ) << \board.sending )
                        : '0;
  end
  always_comb begin
    assume (any_length != 0);
    if (started && PROPERTY == 0 && \board.valid ) assert (full && (\board.op == 0 ? resets : !resets && age == 0));
    if (started && PROPERTY == 1 && \board.set_pending ) assert (!answered && \board.sequence_ == control[1:0]);
    if (started && PROPERTY == 1 && \board.done ) assert (answers == (resets || age <= 4));
    if (started && PROPERTY == 2 && \board.write ) assert (!complete[buffer]);
  end
endmodule

// The parts, with the inputs of the module above as outputs.
module uart #(
    parameter int CLOCKS = 12
) (
    input  logic clk, input logic reset, input logic rx, output logic tx,
    output logic received, output logic [7:0] received_byte,
    input  logic send, output logic ready, input logic [7:0] send_byte
);
  assign tx = 1;
  assign received = 0;
  assign received_byte = '0;
  assign ready = 1;
endmodule
module frame_receiver (
    input logic clk, input logic reset, input logic received, input logic [7:0] received_byte,
    output logic full, output logic [7:0] length, input logic [7:0] address, output logic [7:0] data, input logic done
);
  wire any_full;
  wire [7:0] any_length, any_data;
  assign full = any_full;
  assign length = any_length;
  assign data = any_data;
endmodule
module frame_transmitter (
    input logic clk, input logic reset, input logic valid, input logic [7:0] value, input logic last,
    output logic taken, output logic sent, output logic send, input logic ready, output logic [7:0] send_byte
);
  wire any_taken, any_sent;
  assign taken = valid && any_taken;
  assign sent = any_sent;
  assign send = 0;
  assign send_byte = '0;
endmodule
module greedy_rows #(
    parameter int N = 2, parameter int K = 2, localparam int P = $clog2(N), localparam int S = $clog2(K)
) (
    input logic clk, input logic reset, input logic valid, output logic ready, input logic [2:0] op, input logic [S-1:0] slot,
    input logic [P-1:0] u, input logic [P-1:0] v,
    output logic row_valid, input logic row_ready, output logic [P-1:0] row_input, output logic row_releases,
    output logic [P-1:0] row_released, output logic row_establishes, output logic [P-1:0] row_established
);
  wire any_ready, any_row;
  assign ready = any_ready;
  assign row_valid = any_row;
  assign row_input = '0;
  assign row_releases = 1;
  assign row_released = '0;
  assign row_establishes = 1;
  assign row_established = '0;
endmodule
