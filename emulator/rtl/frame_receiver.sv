// Receives frames (RFC 1662, emulator/device/serial_frame.h) into a ring of four buffers of BYTES bytes. A frame with a
// wrong FCS, of more than BYTES - 1 bytes of content, or for which no buffer is free, leaves no trace.
//
// `full` is 1 while a frame waits; its content is `length` bytes, read at `address` with one clock of delay. `done`
// frees its buffer.
module frame_receiver #(
    parameter int BYTES = 256,  // a power of 2, at least 4
    localparam int B = $clog2(BYTES)
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         received,
    input  logic [  7:0] received_byte,
    output logic         full,
    output logic [B-1:0] length,
    input  logic [B-1:0] address,
    output logic [  7:0] data,
    input  logic         done
);
  localparam logic [7:0] Flag = 8'h7e, Escape = 8'h7d, Invert = 8'h20;

  localparam logic [B:0] TooLong = (B + 1)'(BYTES + 2);

  logic [7:0] buffers[4*BYTES];
  logic [B-1:0] lengths[4];
  logic [1:0] write_buffer, read_buffer;
  logic [2:0] waiting;  // frames
  logic [B:0] count;  // bytes of the frame so far, with the FCS, up to TooLong
  logic [15:0] sum, next_sum;
  logic escaped;

  wire [7:0] value = escaped ? received_byte ^ Invert : received_byte;
  fcs check (
      .old(sum),
      .value(value),
      .next(next_sum)
  );
  wire good = sum == 16'hf0b8 && !escaped && count > 2 && count < TooLong && waiting != 4;
  wire ends = received && received_byte == Flag;
  wire stores = received && received_byte != Flag && received_byte != Escape;

  assign full = waiting != 0;
  assign length = lengths[read_buffer];
  // While all buffers wait, a further frame would overwrite the oldest one.
  always_ff @(posedge clk) begin
    if (stores && count < (B + 1)'(BYTES) && waiting != 4) buffers[{write_buffer, count[B-1:0]}] <= value;
    data <= buffers[{read_buffer, address}];
  end
  always_ff @(posedge clk) begin
    if (stores) begin
      sum <= next_sum;
      if (count != TooLong) count <= count + 1'b1;
    end
    // A frame whose first bytes had no buffer is not stored, even if there is one at its end.
    if (stores && waiting == 4) count <= TooLong;
    if (received) escaped <= received_byte == Escape;
    if (ends) begin
      sum <= 16'hffff;
      count <= 0;
      if (good) begin
        lengths[write_buffer] <= B'(count - (B + 1)'(2));
        write_buffer <= write_buffer + 1'b1;
      end
    end
    if (done) read_buffer <= read_buffer + 1'b1;
    waiting <= waiting + 3'(ends && good) - 3'(done);
    if (reset) begin
      sum <= 16'hffff;
      count <= 0;
      escaped <= 0;
      write_buffer <= 0;
      read_buffer <= 0;
      waiting <= 0;
    end
  end
endmodule
