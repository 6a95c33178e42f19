// The design of the FPGA (device.sv), run by Verilator behind a pseudo-terminal: whatever uses a serial line
// cannot tell it from a board, except by its speed. hybrid-fpga-twin is its program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace hybrid {

/// Damage to the bytes on the line, in both directions. Each is a share of the bytes.
struct LineNoise {
  double changed = 0, dropped = 0, doubled = 0;
  std::uint64_t seed = 1;
  /// Number of bytes from the host after which run() ends: a line that is unplugged. 0: never.
  std::uint64_t ends_after = 0;
};

class FpgaTwin {
 public:
  /// Opens the pseudo-terminal. Throws RunError if there is none.
  explicit FpgaTwin(const LineNoise& noise = {});
  ~FpgaTwin();
  FpgaTwin(const FpgaTwin&) = delete;
  FpgaTwin& operator=(const FpgaTwin&) = delete;

  /// The serial line for the host: "/dev/pts/3".
  const std::string& path() const;
  /// Runs the design until stop() or the end of the line. Costs no time while the line and the design are
  /// idle.
  void run();
  /// Ends run(). May be called by another thread or a signal handler.
  void stop();

 private:
  class Board;
  std::unique_ptr<Board> board_;
};

}  // namespace hybrid
