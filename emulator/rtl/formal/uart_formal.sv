// Properties of uart.sv, transmitter into receiver, with 4 clocks a bit, from the reset on, for all bytes: each byte
// arrives once, in order and unchanged, at most 46 clocks after it was taken. The receiver sees each level of the line
// up to one clock late; how late, changes in every clock. PROPERTY selects one:
//   0 any time: N bytes, with pauses
//   1 in succession: N bytes without a pause
module uart_formal #(
    parameter int N = 2,  // bytes
    parameter int PROPERTY = 0
) (
    input logic clk,
    input logic send,
    input logic [7:0] send_byte,
    input logic late
);
  logic [1:0] started = 0;
  logic tx_1;
  wire tx, ready, received;
  wire [7:0] received_byte;
  wire taken = started == 3 && send && ready;
  uart #(.CLOCKS(4)) port (
      .clk(clk), .reset(started != 3), .rx(late ? tx_1 : tx), .tx(tx), .received(received),
      .received_byte(received_byte), .send(taken), .ready(ready), .send_byte(send_byte)
  );
  // The bytes that have not arrived, the oldest first.
  logic [1:0] waiting = 0;
  logic [7:0] oldest, next;
  logic [5:0] age = 0;  // clocks since the oldest was taken
  logic [2:0] bytes = 0;
  wire arrives = started == 3 && received;
  always_ff @(posedge clk) begin
    tx_1 <= tx;
    if (started != 3) started <= started + 1'b1;
    waiting <= waiting + 2'(taken) - 2'(arrives);
    bytes <= bytes + 3'(taken);
    if (taken) next <= send_byte;
    if (arrives || waiting == 0) oldest <= waiting == 2 ? next : send_byte;
    age <= waiting == 0 || arrives ? '0 : age + 1'b1;
  end
  always_comb begin
    assume (32'(bytes) < N ? PROPERTY == 0 || send : !send);
    if (started == 3) assert (waiting != 3 && (!arrives || (waiting != 0 && received_byte == oldest)) && age < 46);
  end
endmodule
