// The greedy scheduler on a serial line: docs/hardware.md specifies the protocol; emulator/device/serial_device.h is
// the other end. Frames are executed in the order of their sequence numbers, each once; the answers to the last four
// are kept and sent again if the frame comes again.
module device #(
    parameter int N = 64,      // at most 127
    parameter int K = 16,      // at most 16
    parameter int CLOCKS = 12  // a bit
) (
    input  logic clk,
    input  logic reset,
    input  logic rx,
    output logic tx,
    output logic busy,   // a frame is executed
    output logic fault   // a frame came out of order since the last reset frame
);
  localparam int P = N > 1 ? $clog2(N) : 1;
  localparam int S = K > 1 ? $clog2(K) : 1;
  localparam logic [7:0] Protocol = 1, Design = 1, EndOfPass = 8'h80;

  // Line.
  logic received, line_send, line_ready;
  logic [7:0] received_byte, line_byte;
  uart #(
      .CLOCKS(CLOCKS)
  ) port (
      .clk(clk), .reset(reset), .rx(rx), .tx(tx),
      .received(received), .received_byte(received_byte),
      .send(line_send), .ready(line_ready), .send_byte(line_byte)
  );

  logic full, done;
  logic [7:0] length, address, data;
  frame_receiver receiver (
      .clk(clk), .reset(reset), .received(received), .received_byte(received_byte),
      .full(full), .length(length), .address(address), .data(data), .done(done)
  );

  // Scheduler.
  logic valid, ready, row_valid, row_ready, row_releases, row_establishes;
  logic [2:0] op;
  logic [S-1:0] slot;
  logic [P-1:0] u, v, row_input, row_released, row_established;
  greedy_rows #(
      .N(N), .K(K)
  ) scheduler (
      .clk(clk), .reset(reset), .valid(valid), .ready(ready), .op(op), .slot(slot), .u(u), .v(v),
      .row_valid(row_valid), .row_ready(row_ready), .row_input(row_input), .row_releases(row_releases),
      .row_released(row_released), .row_establishes(row_establishes), .row_established(row_established)
  );

  // Answers: four buffers of 512 bytes, by sequence number. A frame has one pass; if that releases and establishes a
  // connection at every input, the answer has 4 N + 2 bytes.
  logic [7:0] answers[2048];
  logic [8:0] answer_length[4];
  logic [3:0] pending;  // answers to send
  logic write;
  logic [8:0] written;  // bytes of this answer
  logic [7:0] write_byte;

  // Execution.
  localparam logic [3:0] Idle = 0, Control = 1, Fetch = 2, Code = 3, Second = 4, Third = 5, Issue = 6, Rows = 7,
      Row = 8, Identity = 9, Finish = 10, Leave = 11;
  logic [3:0] state, after_fetch;
  logic [6:0] expected;
  logic [1:0] sequence_;  // of the frame, mod 4: its answer's buffer
  logic [2:0] part;       // byte of a row, or of the identity
  logic resets;
  logic [7:0] first;  // of a command
  wire [6:0] age = expected - data[6:0];  // 1 to 4: executed before, answer kept
  wire last_byte = address + 1'b1 == length;
  assign busy = state != Idle;
  assign row_ready = state == Row && part == 4;
  always_comb begin
    write = 0;
    write_byte = data;
    case (state)
      Control: write = !pending[data[1:0]] && (data[7] || age == 0);
      Rows: begin
        write = !row_valid && ready;
        write_byte = EndOfPass;
      end
      Row: begin
        write = part == 0 || part == 1 ? row_releases : part != 4 && row_establishes;
        write_byte = part[0] ? {part[1], part[1] ? 7'(row_established) : 7'(row_released)} : 8'(row_input);
      end
      Identity: begin
        write = part < 4;
        write_byte = part == 0 ? Protocol : part == 1 ? Design : part == 2 ? 8'(N) : 8'(K);
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk) if (write) answers[{state == Control ? data[1:0] : sequence_, written}] <= write_byte;

  logic set_pending, sent;
  logic [1:0] sending;
  always_ff @(posedge clk) begin
    done  <= 0;
    valid <= 0;
    set_pending <= 0;
    if (write) written <= written + 1'b1;
    case (state)
      Idle: begin
        address <= 0;
        written <= 0;
        part <= 0;
        if (full && !done) begin
          state <= Fetch;
          after_fetch <= Control;
        end
      end
      // The byte at `address` is in `data` one clock later.
      Fetch: state <= after_fetch;
      // While the buffer's previous answer is on the line, wait.
      Control:
      if (!pending[data[1:0]]) begin
        sequence_ <= data[1:0];
        resets <= data[7];
        address <= 1;
        after_fetch <= Code;
        if (data[7]) begin
          expected <= data[6:0] + 1'b1;
          fault <= 0;
          op <= 0;
          valid <= 1;
          state <= Issue;
        end else if (age == 0) begin
          expected <= expected + 1'b1;
          state <= length == 1 ? Finish : Fetch;
        end else begin
          if (age <= 4) set_pending <= 1;
          else fault <= 1;
          state <= Leave;
        end
      end
      Code: begin
        first <= data;
        address <= address + 1'b1;
        state <= last_byte ? Finish : Fetch;
        after_fetch <= Second;
      end
      Second: begin
        address <= address + 1'b1;
        state <= Fetch;
        after_fetch <= Third;
        slot <= S'(first);
        u <= P'(data);
        v <= P'(data);
        if (!first[7]) begin  // request or withdraw
          op <= data[7] ? 3'd1 : 3'd2;
          u <= P'(first);
          valid <= 1;
          state <= Issue;
        end else if (first[6:4] == 3'd2) begin  // drop
          op <= 4;
          valid <= 1;
          state <= Issue;
        end else if (last_byte) state <= Finish;
      end
      Third: begin  // pass or hold
        op <= first[4] ? 3'd3 : 3'd5;
        v <= P'(data);
        address <= address + 1'b1;
        valid <= 1;
        state <= Issue;
      end
      // `valid` is 1 in this state's first clock. Other commands than a pass need no answer.
      Issue: state <= op == 5 ? Rows : resets ? Identity : address == length ? Finish : Fetch;
      Rows: begin
        part <= 0;
        if (row_valid) state <= Row;
        else if (ready) state <= Finish;  // a pass is the last command of its frame
      end
      Row: begin
        part <= part + 1'b1;
        if (part == 4) state <= Rows;
      end
      Identity: begin
        if (part < 4) part <= part + 1'b1;
        else if (ready) state <= Finish;
      end
      Finish: begin
        answer_length[sequence_] <= written;
        set_pending <= 1;
        state <= Leave;
      end
      Leave: begin
        done  <= 1;
        state <= Idle;
      end
      default: state <= Idle;
    endcase
    if (state == Issue) after_fetch <= Code;
    // A command is taken when the scheduler is ready.
    if (valid && !ready) begin
      valid <= 1;
      state <= Issue;
    end
    pending <= (pending | (4'(set_pending) << sequence_)) & ~(4'(sent) << sending);
    if (reset) begin
      state <= Idle;
      valid <= 0;
      done <= 0;
      set_pending <= 0;
      pending <= 0;
      expected <= 0;
      fault <= 0;
    end
  end

  // Sends the pending answers in the order of their numbers.
  logic sends;
  logic byte_ready;  // `answer_byte` is the byte at `sent_bytes`
  logic [8:0] sent_bytes;
  logic [7:0] answer_byte;
  logic taken;
  always_ff @(posedge clk) answer_byte <= answers[{sending, sent_bytes}];
  frame_transmitter transmitter (
      .clk(clk), .reset(reset), .valid(sends && byte_ready), .value(answer_byte),
      .last(sent_bytes + 1'b1 == answer_length[sending]), .taken(taken), .sent(sent),
      .send(line_send), .ready(line_ready), .send_byte(line_byte)
  );
  always_ff @(posedge clk) begin
    byte_ready <= sends && !taken;
    if (!sends) begin
      sent_bytes <= 0;
      byte_ready <= 0;
      if (pending[sending]) sends <= 1;
      else sending <= sending + 1'b1;
    end else if (taken) sent_bytes <= sent_bytes + 1'b1;
    if (sent) begin
      sends   <= 0;
      sending <= sending + 1'b1;
    end
    if (reset) begin
      sends   <= 0;
      sending <= 0;
    end
  end
endmodule
