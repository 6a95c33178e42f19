// A Verilated model as its ports, without its class: a comparison and RtlSwitch are compiled once for all
// models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "emulator/rtl/verilated_block.h"

namespace hybrid {

/// Throws std::logic_error if a port has no bits [begin, begin + count).
inline void check_bits(std::span<const unsigned char> vector, std::size_t begin, std::size_t count) {
  if (begin + count > vector.size() * 8)
    throw std::logic_error("the Verilated model does not have these bits of a port");
}

/// Access to up to 57 bits of a vector of bytes, from bit `begin` on.
inline std::uint64_t bits(std::span<const unsigned char> vector, std::size_t begin, std::size_t count) {
  check_bits(vector, begin, count);
  std::uint64_t word = 0;
  std::memcpy(&word, vector.data() + begin / 8, (begin % 8 + count + 7) / 8);
  return word >> begin % 8 & ((std::uint64_t{1} << count) - 1);
}
inline void set_bits(std::span<unsigned char> vector, std::size_t begin, std::size_t count,
                     std::uint64_t value) {
  check_bits(vector, begin, count);
  unsigned char* const bytes = vector.data() + begin / 8;
  const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, (begin % 8 + count + 7) / 8);
  word = (word & ~(mask << begin % 8)) | (value & mask) << begin % 8;
  std::memcpy(bytes, &word, (begin % 8 + count + 7) / 8);
}

/// The bytes of a port: Verilator stores bit 0 first, in words of the host. A port that the model does not
/// have is empty: an assignment has no effect, to read it is an error.
struct Signal : std::span<unsigned char> {
  void bind(auto& port) { span::operator=({reinterpret_cast<unsigned char*>(&port), sizeof port}); }
  /// The value of a port of up to 32 bits.
  operator std::uint32_t() const {
    std::uint32_t value = 0;
    if (empty() || size() > sizeof value)
      throw std::logic_error("the Verilated model does not have this port with up to 32 bits");
    for (std::size_t i = size(); i-- > 0;) value = value << 8 | (*this)[i];
    return value;
  }
  /// Sets all bits; those from bit 64 on are 0.
  Signal& operator=(std::uint64_t value) {
    for (std::size_t i = 0; i < size(); ++i, value >>= 8) (*this)[i] = static_cast<unsigned char>(value);
    return *this;
  }
  Signal& operator=(const Signal&) = delete;
};

/// The ports of the blocks, of switch nodes and of NICs. A name that no block has had is added here.
#define HYBRID_RTL_PORTS(of)                                                                                 \
  of(slot_length) of(wormhole_length) of(guard) of(reconfiguration) of(setup) of(open) of(preload)           \
      of(preload_slot) of(configuration) of(circuit_request) of(circuit_release) of(idle) of(slot)           \
          of(connected) of(connection) of(visible) of(requests) of(arrives) of(to) of(out) of(out_word)      \
              of(clk) of(reset) of(flush) of(begins) of(granted) of(grant) of(lost) of(established)          \
                  of(request) of(release_) of(waits) of(sends) of(tail) of(destination) of(word) of(timeout) \
                      of(length) of(may_send) of(offers) of(first) of(last) of(accepted) of(by_worms)        \
                          of(credit) of(credit_of) of(in_table) of(held) of(worm) of(link_to) of(link)       \
                              of(push) of(pull) of(source) of(in) of(full) of(empty) of(occupied) of(worms)  \
                                  of(wanted) of(num_p) of(num_w) of(pass) of(s) of(slots) of(release_inputs) \
                                      of(release_outputs)

struct RtlBlock {
  /// Changes outputs each time they are computed. Empty: no change.
  using Fault = std::function<void(RtlBlock&)>;

  virtual ~RtlBlock() = default;
  virtual void settle() = 0;  // as VerilatedBlock
  /// One clock, as VerilatedBlock::clock().
  void cycle() {
    clk = 0;
    settle();
    clk = 1;
    settle();
  }
  /// A clock with `reset`.
  void initialize() {
    reset = 1;
    cycle();
    reset = 0;
  }

// NOLINTNEXTLINE(bugprone-macro-parentheses): declares the name
#define HYBRID_PORT(name) Signal name;
  HYBRID_RTL_PORTS(HYBRID_PORT)
#undef HYBRID_PORT
};

/// How to make the blocks of a design.
struct RtlModels {
  using Make = std::unique_ptr<RtlBlock>(const std::string& waveform, RtlBlock::Fault);
  Make *node, *nic = nullptr;  // node: of a switch, or the only block
  struct Faults {
    RtlBlock::Fault node{}, nic{};  // nic: of all NICs
  } faults{};
};

/// A block of class Model. Writes all signals to `waveform` if that is not empty.
template <class Model>
class VerilatedRtlBlock final : public RtlBlock {
 public:
  VerilatedRtlBlock(const std::string& waveform, Fault fault) : block_(waveform), fault_(std::move(fault)) {
    Model& model = *block_.operator->();
#define HYBRID_PORT(name) \
  if constexpr (requires { model.name; }) (name).bind(model.name);
    HYBRID_RTL_PORTS(HYBRID_PORT)
#undef HYBRID_PORT
  }
  static std::unique_ptr<RtlBlock> make(const std::string& waveform, Fault fault) {
    return std::make_unique<VerilatedRtlBlock>(waveform, std::move(fault));
  }
  void settle() override {
    block_.settle([this] {
      if (fault_) fault_(*this);
    });
  }

 private:
  VerilatedBlock<Model> block_;
  Fault fault_;
};

}  // namespace hybrid
