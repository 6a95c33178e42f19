// The scheduler on the iCE40 HX8K breakout board (iCE40HX8K-B-EVN): its 12 MHz clock, its USB serial line at 1 Mbaud.
// LEDs: D9 a frame is executed, D8 a frame came out of order since the host's last reset, D2 always on.
module hx8k #(
    parameter int N = 64,
    parameter int K = 16
) (
    input  logic       clk,
    input  logic       rx,
    output logic       tx,
    output logic [7:0] led
);
  // The registers start at 0 when the FPGA is configured: reset for the first 15 clocks.
  logic [3:0] started = 0;
  wire reset = started != 15;
  always_ff @(posedge clk) if (reset) started <= started + 1'b1;

  logic busy, fault;
  device #(
      .N(N), .K(K), .CLOCKS(12)
  ) scheduler (
      .clk(clk), .reset(reset), .rx(rx), .tx(tx), .busy(busy), .fault(fault)
  );
  assign led = {busy, fault, 5'b0, 1'b1};
endmodule
