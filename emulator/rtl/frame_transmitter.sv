// Sends frames (RFC 1662): takes the bytes of a frame one by one and adds escapes, FCS and flag. `valid` and `value`
// stay until `taken`; `last` marks the last byte of the content. `sent` is 1 for a clock when the flag is at the UART.
module frame_transmitter (
    input  logic       clk,
    input  logic       reset,
    input  logic       valid,
    input  logic [7:0] value,
    input  logic       last,
    output logic       taken,
    output logic       sent,
    // UART
    output logic       send,
    input  logic       ready,
    output logic [7:0] send_byte
);
  localparam logic [7:0] Flag = 8'h7e, Escape = 8'h7d, Invert = 8'h20;
  localparam logic [1:0] Content = 0, Low = 1, High = 2, End = 3;

  logic [1:0] part;
  logic [15:0] sum, next_sum;
  fcs check (
      .old(sum),
      .value(value),
      .next(next_sum)
  );
  logic escaped;  // the escape of this byte is sent
  logic [7:0] plain;
  always_comb begin
    case (part)
      Content: plain = value;
      Low: plain = ~sum[7:0];
      High: plain = ~sum[15:8];
      default: plain = Flag;
    endcase
  end
  wire special = part != End && (plain == Flag || plain == Escape);
  wire step = send && ready && (!special || escaped);  // the byte is done
  assign send = part != Content || valid;
  assign send_byte = !special ? plain : escaped ? plain ^ Invert : Escape;
  assign taken = step && part == Content;
  assign sent = step && part == End;
  always_ff @(posedge clk) begin
    if (send && ready) escaped <= special && !escaped;
    if (step)
      case (part)
        Content: begin
          sum <= next_sum;
          if (last) part <= Low;
        end
        Low: part <= High;
        High: part <= End;
        End: begin
          part <= Content;
          sum <= 16'hffff;
        end
      endcase
    if (reset) begin
      part <= Content;
      sum <= 16'hffff;
      escaped <= 0;
    end
  end
endmodule
