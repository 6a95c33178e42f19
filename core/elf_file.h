// ElfFile: bounds-checked reader of a 64-bit little-endian ELF file in memory.
//
//   const ElfFile elf(bytes);
//   for (std::size_t i = 0; i < elf.segment_count(); ++i)
//     if (elf.segment(i).p_type == PT_NOTE) ...
//
// Nothing is read before it is requested, so that a damaged part matters only to a reader that needs it. All
// functions throw ElfError for a part that is not inside the file.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace hybrid {

/// A damaged ELF file. what() is the problem, without the name of the file.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `size` bytes at `offset` of `bytes`; nullopt if they are not all inside.
std::optional<std::span<const std::byte>> bytes_at(std::span<const std::byte> bytes, std::uint64_t offset,
                                                   std::uint64_t size);

/// A value of type T at `offset` of `bytes`, which need no alignment; nullopt if it is not inside.
template <class T>
std::optional<T> value_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  const auto found = bytes_at(bytes, offset, sizeof(T));
  if (!found) return std::nullopt;
  T value;
  std::memcpy(&value, found->data(), sizeof value);
  return value;
}

class ElfFile {
 public:
  /// Requires: `bytes` outlive the object, and is_elf(bytes).
  explicit ElfFile(std::span<const std::byte> bytes);

  /// Whether `bytes` begin with the magic number of an ELF file.
  static bool is_elf(std::span<const std::byte> bytes);

  const Elf64_Ehdr& header() const { return header_; }
  /// All other functions require this: the fields of the header have the expected layout.
  bool is_64_bit_little_endian() const {
    return header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB;
  }

  std::size_t segment_count() const { return header_.e_phnum; }
  Elf64_Phdr segment(std::size_t i) const;
  std::uint64_t section_count() const;
  Elf64_Shdr section(std::uint64_t i) const;

  /// The bytes of a segment or section; `name` is its name in the error.
  std::span<const std::byte> content(std::uint64_t offset, std::uint64_t size, std::string_view name) const;
  /// The value at `offset`.
  template <class T>
  T value(std::uint64_t offset) const {
    const auto found = value_at<T>(bytes_, offset);
    if (!found) throw ElfError("a value is outside the file");
    return *found;
  }
  /// The string at `offset`, up to its zero or the end of the file. Valid as long as the bytes.
  std::string_view string(std::uint64_t offset) const;
  /// The offset in the file of the byte at `address` in memory, by the PT_LOAD segments.
  std::uint64_t offset_of(std::uint64_t address) const;

 private:
  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
};

}  // namespace hybrid
