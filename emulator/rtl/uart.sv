// A serial port: 8 data bits, no parity, one stop bit; CLOCKS clocks a bit, at least 4.
module uart #(
    parameter int CLOCKS = 12,
    localparam int C = $clog2(CLOCKS + 1)
) (
    input  logic       clk,
    input  logic       reset,
    input  logic       rx,
    output logic       tx,
    // Received byte, for one clock.
    output logic       received,
    output logic [7:0] received_byte,
    // Byte to send, taken when `send` and `ready`.
    input  logic       send,
    output logic       ready,
    input  logic [7:0] send_byte
);
  // Receiver: samples each bit in its middle. A start bit that is gone by then, or a stop bit of 0, is noise.
  logic rx_1, rx_2;  // two registers against metastability
  logic [3:0] rx_bit;  // 0: idle; 1: start bit; 2 to 9: data; 10: stop bit
  logic [C-1:0] rx_clock;
  always_ff @(posedge clk) begin
    rx_1 <= rx;
    rx_2 <= rx_1;
    received <= 0;
    if (rx_bit == 0) begin
      rx_clock <= C'(CLOCKS / 2 - 1);
      if (!rx_2) rx_bit <= 1;
    end else if (rx_clock != 0) begin
      rx_clock <= rx_clock - 1'b1;
    end else begin
      rx_clock <= C'(CLOCKS - 1);
      rx_bit   <= rx_bit + 1'b1;
      if (rx_bit == 1 && rx_2) rx_bit <= 0;
      if (rx_bit >= 2 && rx_bit <= 9) received_byte <= {rx_2, received_byte[7:1]};
      if (rx_bit == 10) begin
        rx_bit   <= 0;
        received <= rx_2;
      end
    end
    if (reset) rx_bit <= 0;
  end

  // Transmitter.
  logic [3:0] tx_bits;  // left
  logic [C-1:0] tx_clock;
  logic [8:0] tx_shift;
  assign ready = tx_bits == 0;
  always_ff @(posedge clk) begin
    if (tx_bits == 0) begin
      tx <= 1;
      if (send) begin
        tx <= 0;
        tx_shift <= {1'b1, send_byte};
        tx_bits <= 10;
        tx_clock <= C'(CLOCKS - 1);
      end
    end else if (tx_clock != 0) begin
      tx_clock <= tx_clock - 1'b1;
    end else begin
      tx_clock <= C'(CLOCKS - 1);
      tx <= tx_shift[0];
      tx_shift <= {1'b1, tx_shift[8:1]};
      tx_bits <= tx_bits - 1'b1;
    end
    if (reset) begin
      tx <= 1;
      tx_bits <= 0;
    end
  end
endmodule
