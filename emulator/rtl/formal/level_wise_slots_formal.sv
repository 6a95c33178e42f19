// level_wise_slots.sv never finds a path over a held link, whatever was found and toggled before. A model watches one
// arbitrary link of one arbitrary slot: of a node (PROPERTY = 0), up from a switch of level 0 (1), down to a switch of
// level 1 (2).
module level_wise_slots_formal #(
    parameter int N = 2,  // W
    parameter int PROPERTY = 0,
    localparam int P = $clog2(N)
) (
    input logic clk,
    input logic valid,
    input logic toggle,
    input logic slot,
    input logic [3*P-1:0] source,
    input logic [3*P-1:0] destination,
    input logic [P-1:0] given_p0,
    input logic [P-1:0] given_p1,
    input logic any_slot,
    input logic [2*P-1:0] any_switch,
    input logic [P-1:0] any_link
);
  logic started = 0;
  wire reset = !started;
  logic watched_slot, held = 0;
  logic [2*P-1:0] watched_switch;
  logic [P-1:0] watched_link;
  logic c_toggle, c_slot;
  logic [3*P-1:0] c_source, c_destination;
  wire ready, done, granted;
  wire [1:0] turn;
  wire [P-1:0] p0, p1;
  level_wise_slots #(.W(N), .K(2)) slots (
      .clk(clk), .reset(reset), .ready(ready), .valid(valid), .toggle(toggle), .slot(slot), .source(source),
      .destination(destination), .given_p0(given_p0), .given_p1(given_p1),
      .done(done), .granted(granted), .turn(turn), .p0(p0), .p1(p1)
  );
  wire on_path = PROPERTY == 0 ? c_source == {watched_switch, watched_link} :
      PROPERTY == 1 ? turn != 0 && {c_source[3*P-1:P], p0} == {watched_switch, watched_link} :
      turn == 2 && {c_destination[3*P-1:2*P], p0, p1} == {watched_switch, watched_link};
  wire uses = done && granted && c_slot == watched_slot && on_path;
  always_ff @(posedge clk) begin
    started <= 1;
    if (reset) begin
      watched_slot <= any_slot;
      watched_switch <= any_switch;
      watched_link <= any_link;
    end
    if (ready && valid) begin
      c_toggle <= toggle;
      c_slot <= slot;
      c_source <= source;
      c_destination <= destination;
    end
    if (uses && !reset) held <= !held;
  end
  always_comb if (started) assert (!(uses && held && !c_toggle));
endmodule
