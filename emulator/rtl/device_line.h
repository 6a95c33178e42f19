// The design of the FPGA (device.sv), run by Verilator, with the bytes on its serial line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "VDevice.h"
#include "emulator/rtl/verilated_block.h"

namespace hybrid {

class DeviceLine {
 public:
  static constexpr int kBitClocks = 4;                 // the parameter CLOCKS of VDevice
  static constexpr int kByteClocks = 10 * kBitClocks;  // start bit, 8 bits, stop bit

  DeviceLine() {
    design_->rx = 1;
    design_->reset = 1;
    for (int clock = 0; clock < 4; ++clock) design_.clock(design_->clk);
    design_->reset = 0;
  }

  /// Sends a byte to the design after those sent before.
  void send(std::uint8_t byte) { to_design_.push_back(byte); }
  /// Bytes that have not started.
  std::size_t waiting() const { return to_design_.size(); }
  /// Whether a byte is on the line to the design.
  bool line_in_use() const { return rx_bits_ + rx_clocks_ > 0; }
  /// Whether the design or its line does anything.
  bool active() { return design_->busy != 0 || design_->tx == 0 || sending_ || line_in_use(); }

  /// One clock. Returns the byte from the design that it completes.
  std::optional<std::uint8_t> clock() {
    drive_rx();
    design_.clock(design_->clk);
    return sample_tx();
  }

 private:
  void drive_rx() {
    if (rx_clocks_ == 0) {
      if (rx_bits_ == 0 && !to_design_.empty()) {
        rx_shift_ = static_cast<unsigned>(to_design_.front()) << 1 | 0x200;  // start bit 0, stop bit 1
        to_design_.pop_front();
        rx_bits_ = 10;
      }
      if (rx_bits_ == 0) return;
      design_->rx = rx_shift_ & 1;
      rx_shift_ = rx_shift_ >> 1 | 0x200;
      --rx_bits_;
      rx_clocks_ = kBitClocks;
    }
    --rx_clocks_;
  }

  std::optional<std::uint8_t> sample_tx() {
    if (!sending_) {
      if (design_->tx != 0) return {};
      sending_ = true;
      tx_clocks_ = kBitClocks + kBitClocks / 2;  // the middle of bit 0
      tx_bits_ = 0;
    }
    if (--tx_clocks_ != 0) return {};
    tx_clocks_ = kBitClocks;
    if (tx_bits_++ < 8) {
      tx_byte_ = static_cast<std::uint8_t>(tx_byte_ >> 1 | (design_->tx != 0 ? 0x80 : 0));
      return {};
    }
    sending_ = false;
    return tx_byte_;
  }

  VerilatedBlock<VDevice> design_;
  std::deque<std::uint8_t> to_design_;
  unsigned rx_shift_ = 0;
  int rx_bits_ = 0, rx_clocks_ = 0, tx_bits_ = 0, tx_clocks_ = 0;
  bool sending_ = false;  // the design sends a byte
  std::uint8_t tx_byte_ = 0;
};

}  // namespace hybrid
