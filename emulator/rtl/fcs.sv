// The FCS-16 of RFC 1662, one byte further (emulator/device/serial_frame.h).
module fcs (
    input  logic [15:0] old,
    input  logic [ 7:0] value,
    output logic [15:0] next
);
  always_comb begin
    next = old ^ {8'h00, value};
    for (int i = 0; i < 8; i++) next = next[0] ? (next >> 1) ^ 16'h8408 : next >> 1;
  end
endmodule
