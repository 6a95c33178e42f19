// Whether no port has two connections of a set of a module with parameter N. Bit u * N + v: (u,v).
function automatic logic is_permutation(input logic [N*N-1:0] set);
  logic [N-1:0] outputs, row;
  outputs = '0;
  is_permutation = 1;
  for (int u = 0; u < N; u++) begin
    row = set[u*N+:N];
    if ((row & (row - 1'b1)) != 0 || (row & outputs) != 0) is_permutation = 0;
    outputs = outputs | row;
  end
endfunction
