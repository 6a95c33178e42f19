// Frames on a serial line: HDLC-like framing of RFC 1662. A frame is its content and the FCS-16 of the
// content, low byte first, ended by a flag; a flag or an escape inside becomes an escape and the byte with
// bit 5 inverted. Any damage to a frame shows as a wrong FCS (all errors of up to 16 consecutive bits, others
// with probability 1 - 2^-16); the next flag starts anew. docs/hardware.md describes the contents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hybrid {

inline constexpr std::uint8_t kFrameFlag = 0x7e, kFrameEscape = 0x7d, kFrameInvert = 0x20;

/// The FCS-16 of RFC 1662 (CRC-16/X-25 before the final inversion), one byte further. Starts with 0xffff;
/// over content and inverted FCS it ends with kGoodFcs.
constexpr std::uint16_t fcs_after(std::uint16_t fcs, std::uint8_t byte) {
  fcs ^= byte;
  for (int bit = 0; bit < 8; ++bit)
    fcs = static_cast<std::uint16_t>((fcs >> 1) ^ ((fcs & 1) != 0 ? 0x8408 : 0));
  return fcs;
}
inline constexpr std::uint16_t kFirstFcs = 0xffff, kGoodFcs = 0xf0b8;

/// Appends the frame of `content` to `line`.
inline void append_frame(std::span<const std::uint8_t> content, std::vector<std::uint8_t>& line) {
  const auto append = [&line](std::uint8_t byte) {
    const bool escaped = byte == kFrameFlag || byte == kFrameEscape;
    if (escaped) line.push_back(kFrameEscape);
    line.push_back(escaped ? byte ^ kFrameInvert : byte);
  };
  std::uint16_t fcs = kFirstFcs;
  for (const std::uint8_t byte : content) {
    fcs = fcs_after(fcs, byte);
    append(byte);
  }
  append(static_cast<std::uint8_t>(~fcs & 0xff));
  append(static_cast<std::uint8_t>(static_cast<std::uint16_t>(~fcs) >> 8));
  line.push_back(kFrameFlag);
}

/// Finds the frames in a stream of bytes. Frames that are longer than any of the protocol are ignored.
class FrameReader {
 public:
  static constexpr std::size_t kLongest = 1024;  // bytes

  /// Takes the next byte. Returns true if it ends a frame without damage: content() is then valid until the
  /// next call.
  bool take(std::uint8_t byte) {
    if (complete_) bytes_.clear();
    complete_ = false;
    if (byte == kFrameFlag) {
      const bool good = !escape_ && bytes_.size() > 2 && bytes_.size() < kLongest && fcs_ == kGoodFcs;
      fcs_ = kFirstFcs;
      escape_ = false;
      complete_ = true;  // the next byte starts a frame
      if (!good) bytes_.clear();
      return good;
    }
    if (byte == kFrameEscape) {
      escape_ = true;
      return false;
    }
    if (escape_) byte ^= kFrameInvert;
    escape_ = false;
    fcs_ = fcs_after(fcs_, byte);
    if (bytes_.size() < kLongest) bytes_.push_back(byte);
    return false;
  }
  std::span<const std::uint8_t> content() const { return {bytes_.data(), bytes_.size() - 2}; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint16_t fcs_ = kFirstFcs;
  bool escape_ = false, complete_ = false;
};

}  // namespace hybrid
