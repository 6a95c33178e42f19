// Small ELF files for tests.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace hybrid {

/// An ELF file that consists of a header, `notes`, and one program header (ET_REL: section header) for them.
inline std::string elf_image(std::uint16_t type, const std::string& notes) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = type;
  const std::uint64_t behind = sizeof header + notes.size();
  std::string table;
  if (type == ET_REL) {
    Elf64_Shdr section{};
    section.sh_type = SHT_NOTE;
    section.sh_offset = sizeof header;
    section.sh_size = notes.size();
    section.sh_addralign = 4;
    header.e_shoff = behind;
    header.e_shnum = 1;
    table.assign(reinterpret_cast<const char*>(&section), sizeof section);
  } else {
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header;
    segment.p_filesz = notes.size();
    segment.p_align = 4;
    header.e_phoff = behind;
    header.e_phnum = 1;
    table.assign(reinterpret_cast<const char*>(&segment), sizeof segment);
  }
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + notes + table;
}

}  // namespace hybrid
