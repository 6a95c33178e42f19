// A block of RTL, compiled by Verilator, with its simulated time and an optional waveform.
//
//   VerilatedBlock<Vgreedy_pass_16> block(shape.waveform);
//   block->a = 3;
//   block.settle();          // a combinational block
//   block.clock(block->clk); // a clocked one: one cycle
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <memory>
#include <string>

namespace hybrid {

template <class Model>
class VerilatedBlock {
 public:
  /// Writes all signals to `waveform` (FST format, for GTKWave) if that is not empty.
  explicit VerilatedBlock(const std::string& waveform = {}) : model_(&context_) {
    if (waveform.empty()) return;
    context_.traceEverOn(true);
    trace_ = std::make_unique<VerilatedFstC>();
    model_.trace(trace_.get(), 99);
    trace_->open(waveform.c_str());
  }
  ~VerilatedBlock() {
    if (trace_) trace_->close();
    model_.final();
  }
  VerilatedBlock(const VerilatedBlock&) = delete;
  VerilatedBlock& operator=(const VerilatedBlock&) = delete;

  Model* operator->() { return &model_; }

  /// Computes the outputs from the inputs, then calls `change` if there is one. One time step of the
  /// waveform.
  void settle(auto... change) {
    model_.eval();
    (change(), ...);
    if (trace_) trace_->dump(context_.time());
    context_.timeInc(1);
  }
  /// One cycle: the rising edge, after which the outputs are read and new inputs written, ends it.
  void clock(CData& clk) {
    clk = 0;
    settle();
    clk = 1;
    settle();
  }

 private:
  VerilatedContext context_;
  Model model_;
  std::unique_ptr<VerilatedFstC> trace_;
};

}  // namespace hybrid
