// Properties of frame_receiver.sv behind frame_transmitter.sv from the reset on, for every content of the frames and
// every wait of the line, with buffers of 4 bytes. PROPERTY selects one:
//   0 frames: a frame arrives when its flag is sent, in order, with its length and its bytes, unless all buffers wait
//   1 line: the bytes on the line are flags between frames only, and a frame with one changed bit does not arrive
module frames_formal #(
    parameter int N = 2,  // frames
    parameter int PROPERTY = 0
) (
    input logic clk,
    input logic valid,
    input logic [7:0] value,
    input logic last,
    input logic ready,
    input logic done,
    input logic change,  // a bit of this byte on the line
    input logic [2:0] any_bit,
    input logic [1:0] any_frame,
    input logic [1:0] any_byte
);
  logic started = 0, changed = 0;
  wire taken, sent, send, full, sends = started && valid;
  wire [7:0] send_byte, data;
  wire [1:0] length;
  wire received = started && send && ready;
  wire changes = PROPERTY == 1 && received && change && !changed;
  wire [7:0] line = changes ? send_byte ^ (8'd1 << any_bit) : send_byte;
  logic [1:0] at = 0;  // the byte that is read
  wire frees = started && done && full;
  frame_transmitter transmitter (
      .clk(clk), .reset(!started), .valid(sends), .value(value), .last(last), .taken(taken), .sent(sent), .send(send),
      .ready(ready && started), .send_byte(send_byte)
  );
  frame_receiver #(.BYTES(4)) receiver (
      .clk(clk), .reset(!started), .received(received), .received_byte(line), .full(full), .length(length),
      .address(watched_byte), .data(data), .done(frees)
  );

  // The watched byte of the watched frame, and the frame's length.
  logic [1:0] watched_frame = 0, watched_byte = 0;
  logic [2:0] frames = 0, frames_read = 0;
  logic [1:0] bytes = 0, watched_length = 0;
  logic [7:0] watched_value = 0;
  logic reads = 0;  // `data` is of the oldest frame
  logic stays = 0, stays_last = 0;
  logic [7:0] stays_value = 0;
  // Registers of both, by name. `expected`: of the receiver's FCS, if the line changes no bit.
  (* hierconn *) wire [15:0] \transmitter.sum ;
  (* hierconn *) wire [1:0] \transmitter.part ;
  (* hierconn *) wire \transmitter.escaped ;
  (* hierconn *) wire [15:0] \receiver.sum ;
  (* hierconn *) wire [2:0] \receiver.count , \receiver.waiting ;
  (* hierconn *) wire \receiver.escaped ;
  (* hierconn *) wire [1:0] \receiver.write_buffer , \receiver.read_buffer ;
  wire [15:0] after_low;
  fcs low (.old(\transmitter.sum ), .value(~\transmitter.sum [7:0]), .next(after_low));
  logic [15:0] expected;
  always_comb
    case (\transmitter.part )
      0, 1: expected = \transmitter.sum ;
      2: expected = after_low;
      default: expected = 16'hf0b8;
    endcase

  always_ff @(posedge clk) begin
    started <= 1;
    if (!started) watched_frame <= any_frame;
    if (!started) watched_byte <= any_byte;
    stays <= sends && !taken;
    stays_value <= value;
    stays_last <= last;
    if (taken) begin
      bytes <= bytes + 1'b1;
      if (frames == {1'b0, watched_frame} && bytes == watched_byte) watched_value <= value;
      if (frames == {1'b0, watched_frame} && last) watched_length <= bytes + 1'b1;
    end
    if (sent) begin
      frames <= frames + 1'b1;
      bytes <= '0;
    end
    if (frees) frames_read <= frames_read + 1'b1;
    reads <= full && !frees;
    if (changes) changed <= 1;
  end
  always_comb begin
    // Up to N frames of up to 3 bytes; the transmitter's source waits until a byte is taken.
    if (stays) assume (sends && value == stays_value && last == stays_last);
    assume (bytes != 2 || last);
    assume (32'(frames) < N || !valid);
    if (started) begin
      // Of all reachable states, for the solver.
      assert ((\receiver.sum == expected) == !(changed && frames == 0) && \receiver.escaped == \transmitter.escaped );
      assert ({1'b0, \receiver.count } == 4'(bytes) + (\transmitter.part [1] ? 4'(\transmitter.part ) - 4'd1 : 4'd0));
      assert (changed || (\receiver.waiting == frames - frames_read && \receiver.write_buffer == frames[1:0]
                          && \receiver.read_buffer == frames_read[1:0]));
    end
    if (started && PROPERTY == 0) begin
      assert (full == (frames != frames_read));
      if (full && frames_read == {1'b0, watched_frame}) begin
        assert (length == watched_length);
        if (reads && watched_byte < length) assert (data == watched_value);
      end
    end
    if (started && PROPERTY == 1) begin
      assert (!received || (send_byte == 8'h7e) == sent);
      // The changed bit makes no flag or escape of another byte, or the other way round.
      if (changes) assume (send_byte != 8'h7e && send_byte != 8'h7d && line != 8'h7e && line != 8'h7d);
      if (changed) assert (!full);
    end
  end
endmodule
