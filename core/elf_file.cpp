#include "core/elf_file.h"

#include <string>

namespace hybrid {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<std::span<const std::byte>> bytes_at(std::span<const std::byte> bytes, std::uint64_t offset,
                                                   std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

ElfFile::ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  if (!header) throw ElfError("ends within its header");
  header_ = *header;
}

bool ElfFile::is_elf(std::span<const std::byte> bytes) { return text_of(bytes).starts_with(ELFMAG); }

Elf64_Phdr ElfFile::segment(std::size_t i) const {
  const auto segment = value_at<Elf64_Phdr>(bytes_, header_.e_phoff + i * sizeof(Elf64_Phdr));
  if (!segment) throw ElfError("segment header " + std::to_string(i) + " lies behind the file's end");
  return *segment;
}

std::uint64_t ElfFile::section_count() const {
  if (header_.e_shoff == 0) return 0;
  const auto first = value_at<Elf64_Shdr>(bytes_, header_.e_shoff);
  if (!first) throw ElfError("its section headers lie behind the file's end");
  // If the number of sections does not fit into the header, the first section contains it.
  const std::uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first->sh_size;
  if (count > bytes_.size() / sizeof(Elf64_Shdr))
    throw ElfError("it has more section headers than bytes for them");
  return count;
}

Elf64_Shdr ElfFile::section(std::uint64_t i) const {
  const auto section = value_at<Elf64_Shdr>(bytes_, header_.e_shoff + i * sizeof(Elf64_Shdr));
  if (!section) throw ElfError("section header " + std::to_string(i) + " lies behind the file's end");
  return *section;
}

std::span<const std::byte> ElfFile::content(std::uint64_t offset, std::uint64_t size,
                                            std::string_view name) const {
  const auto found = bytes_at(bytes_, offset, size);
  if (!found) throw ElfError(std::string(name) + " lies behind the file's end");
  return *found;
}

std::string_view ElfFile::string(std::uint64_t offset) const {
  if (offset >= bytes_.size()) throw ElfError("a string is outside the file");
  const std::string_view rest = text_of(bytes_).substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::uint64_t ElfFile::offset_of(std::uint64_t address) const {
  for (std::size_t i = 0; i < segment_count(); ++i) {
    const Elf64_Phdr s = segment(i);
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return s.p_offset + (address - s.p_vaddr);
  }
  throw ElfError("no segment contains an address");
}

}  // namespace hybrid
