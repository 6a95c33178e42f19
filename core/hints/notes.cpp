#include "core/hints/notes.h"

#include <link.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/elf_file.h"

namespace hybrid {
namespace {

using FileBytes = std::span<const std::byte>;

std::string_view as_text(FileBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Appends the units of the notes in a segment or section.
void read_notes(const ElfFile& elf, std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
                const std::string& place, const std::string& file, std::vector<HintUnit>& units) {
  const bool complete =
      for_each_hint_note(elf.content(offset, size, place), alignment,
                         [&](FileBytes descriptor) { units.push_back(read_hint_unit(descriptor, file)); });
  if (!complete) throw ElfError("the notes of " + place + " end within a note");
}

std::vector<HintUnit> read_elf(FileBytes bytes, const std::string& file) try {
  const ElfFile elf(bytes);
  if (!elf.is_64_bit_little_endian())
    throw UserError(file + ": an ELF file that is not 64-bit little-endian",
                    "Hints are read from 64-bit little-endian files only.");
  std::vector<HintUnit> units;
  // A program's segments contain what the library reads at run time. An object has sections only.
  if (elf.header().e_type == ET_EXEC || elf.header().e_type == ET_DYN) {
    for (std::size_t i = 0; i < elf.segment_count(); ++i) {
      const Elf64_Phdr segment = elf.segment(i);
      if (segment.p_type != PT_NOTE) continue;
      read_notes(elf, segment.p_offset, segment.p_filesz, segment.p_align, "segment " + std::to_string(i),
                 file, units);
    }
  }
  if (units.empty()) {
    const std::uint64_t count = elf.section_count();
    for (std::uint64_t i = 0; i < count; ++i) {
      const Elf64_Shdr section = elf.section(i);
      if (section.sh_type != SHT_NOTE) continue;
      read_notes(elf, section.sh_offset, section.sh_size, section.sh_addralign,
                 "section " + std::to_string(i), file, units);
    }
  }
  return units;
} catch (const ElfError& e) {
  throw UserError(file + ": damaged ELF file: " + e.what());
}

constexpr std::string_view kArchive = "!<arch>\n";

// The header of a member: name 16, date 12, owner 6, group 6, mode 8, size 10, "`\n".
constexpr std::size_t kMemberHeader = 60;

std::string_view member_name(std::string_view field, std::string_view long_names) {
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    std::size_t at = 0;
    std::from_chars(field.data() + 1, field.data() + field.size(), at);
    if (at < long_names.size()) field = long_names.substr(at);
  }
  return field.substr(0, field.find_first_of("/\n"));
}

std::vector<HintUnit> read_archive(FileBytes bytes, const std::string& path) {
  std::vector<HintUnit> units;
  std::string_view long_names;
  for (std::uint64_t at = kArchive.size(); at < bytes.size();) {
    const auto header = bytes_at(bytes, at, kMemberHeader);
    std::uint64_t size = 0;
    const std::string_view text = header ? as_text(*header) : std::string_view();
    const bool good = header && text.substr(58) == "`\n" &&
                      std::from_chars(text.data() + 48, text.data() + 58, size).ec == std::errc();
    const auto content = good ? bytes_at(bytes, at + kMemberHeader, size) : std::nullopt;
    if (!content) throw UserError(path + ": damaged archive: no whole member at byte " + std::to_string(at));
    if (text.starts_with("// ")) long_names = as_text(*content);
    if (ElfFile::is_elf(*content)) {
      const std::string name = path + "(" + std::string(member_name(text.substr(0, 16), long_names)) + ")";
      std::vector<HintUnit> found = read_elf(*content, name);
      std::move(found.begin(), found.end(), std::back_inserter(units));
    }
    at += kMemberHeader + size + size % 2;
  }
  return units;
}

}  // namespace

bool for_each_hint_note(std::span<const std::byte> notes, std::size_t alignment,
                        const std::function<void(std::span<const std::byte>)>& visit) {
  const std::uint64_t step = alignment == 8 ? 8 : 4;
  const auto rounded = [step](std::uint64_t size) { return (size + step - 1) / step * step; };
  constexpr std::string_view kName{HYBRID_NOTE_NAME, sizeof HYBRID_NOTE_NAME};  // with the final zero
  for (std::uint64_t at = 0; at < notes.size();) {
    const auto header = value_at<Elf64_Nhdr>(notes, at);
    if (!header) return false;
    const auto name = bytes_at(notes, at + sizeof *header, header->n_namesz);
    const std::uint64_t descriptor_at = at + rounded(sizeof *header + header->n_namesz);
    const auto descriptor = bytes_at(notes, descriptor_at, header->n_descsz);
    if (!name || !descriptor) return false;
    if (header->n_type == HYBRID_NOTE_TYPE && as_text(*name) == kName) visit(*descriptor);
    at = descriptor_at + rounded(header->n_descsz);
  }
  return true;
}

std::vector<HintUnit> read_hint_units(const std::string& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) throw UserError(unreadable(path, EISDIR));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(unreadable(path, errno));
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const FileBytes bytes = std::as_bytes(std::span(content));
  if (content.starts_with(kArchive)) return read_archive(bytes, path);
  if (!ElfFile::is_elf(bytes))
    throw UserError(path + ": not an ELF file and not a static archive",
                    "Give an executable, a shared library, an object file or a lib*.a.");
  return read_elf(bytes, path);
}

std::vector<HintUnit> require_hint_units(const std::string& path, const std::string& subject) {
  std::vector<HintUnit> units = read_hint_units(path);
  if (units.empty())
    throw UserError(subject + ": it contains no hints",
                    "Compile it with hybridcc, hybridcxx or hybridfort. A program compiled with these has no "
                    "hints if its own code makes no MPI call that communicates.");
  return units;
}

std::vector<LoadedHintUnit> loaded_hint_units(const dl_phdr_info& object, const std::string& name,
                                              std::vector<std::string>& rejected) {
  std::vector<LoadedHintUnit> loaded;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
    const auto* begin = reinterpret_cast<const std::byte*>(object.dlpi_addr + segment.p_vaddr);
    const auto visit = [&](FileBytes descriptor) {
      try {
        loaded.push_back(
            {read_hint_unit(descriptor, name), reinterpret_cast<const hybrid_unit*>(descriptor.data())});
      } catch (const UserError& e) {
        rejected.emplace_back(e.what());
      }
    };
    if (!for_each_hint_note({begin, segment.p_memsz}, segment.p_align, visit))
      rejected.push_back(name + ": the notes of segment " + std::to_string(i) + " end within a note");
  }
  return loaded;
}

}  // namespace hybrid
