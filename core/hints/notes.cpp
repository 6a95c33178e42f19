#include "core/hints/notes.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace hybrid {
namespace {

using Bytes = std::span<const std::byte>;

// `size` bytes at `at`, or nothing where they are not all there.
std::optional<Bytes> part(Bytes bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  return bytes.subspan(at, size);
}

template <class T>
std::optional<T> item(Bytes bytes, std::uint64_t at) {
  const auto found = part(bytes, at, sizeof(T));
  if (!found) return std::nullopt;
  T value;
  std::memcpy(&value, found->data(), sizeof value);
  return value;
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class ElfNotes {
 public:
  ElfNotes(Bytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::vector<HintUnit> read() {
    const auto header = item<Elf64_Ehdr>(bytes_, 0);
    if (!header) refuse("ends within its header");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
      throw UserError(file_ + ": an ELF file that is not 64-bit little-endian",
                      "Hints are read from such only.");
    // A program's segments are what the library sees of it when it runs; an object has sections only.
    if (header->e_type == ET_EXEC || header->e_type == ET_DYN) segments(*header);
    if (units_.empty()) sections(*header);
    return superseding_units(std::move(units_));
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw UserError(file_ + ": damaged ELF file: " + problem);
  }

  void segments(const Elf64_Ehdr& header) {
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
      const auto segment = item<Elf64_Phdr>(bytes_, header.e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) refuse("segment header " + std::to_string(i) + " lies behind the file's end");
      if (segment->p_type != PT_NOTE) continue;
      notes(segment->p_offset, segment->p_filesz, segment->p_align, "segment " + std::to_string(i));
    }
  }

  void sections(const Elf64_Ehdr& header) {
    if (header.e_shoff == 0) return;
    const auto first = item<Elf64_Shdr>(bytes_, header.e_shoff);
    if (!first) refuse("its section headers lie behind the file's end");
    // More sections than the header can count: the first one has the number.
    const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first->sh_size;
    if (count > bytes_.size() / sizeof(Elf64_Shdr)) refuse("it has more section headers than bytes for them");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto section = item<Elf64_Shdr>(bytes_, header.e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) refuse("section header " + std::to_string(i) + " lies behind the file's end");
      if (section->sh_type != SHT_NOTE) continue;
      notes(section->sh_offset, section->sh_size, section->sh_addralign, "section " + std::to_string(i));
    }
  }

  void notes(std::uint64_t at, std::uint64_t size, std::uint64_t alignment, const std::string& place) {
    const auto found = part(bytes_, at, size);
    if (!found) refuse(place + " lies behind the file's end");
    const bool whole = for_each_hint_note(
        *found, alignment, [&](Bytes descriptor) { units_.push_back(read_hint_unit(descriptor, file_)); });
    if (!whole) refuse("the notes of " + place + " end within a note");
  }

  Bytes bytes_;
  const std::string& file_;
  std::vector<HintUnit> units_;
};

bool is_elf(Bytes bytes) { return text_of(bytes).starts_with(ELFMAG); }

constexpr std::string_view kArchive = "!<arch>\n";

// A member's header: name 16, date 12, owner 6, group 6, mode 8, size 10, "`\n".
constexpr std::size_t kMemberHeader = 60;

std::string_view member_name(std::string_view field, std::string_view long_names) {
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    std::size_t at = 0;
    std::from_chars(field.data() + 1, field.data() + field.size(), at);
    if (at < long_names.size()) field = long_names.substr(at);
  }
  return field.substr(0, field.find_first_of("/\n"));
}

std::vector<HintUnit> read_archive(Bytes bytes, const std::string& path) {
  std::vector<HintUnit> units;
  std::string_view long_names;
  for (std::uint64_t at = kArchive.size(); at < bytes.size();) {
    const auto header = part(bytes, at, kMemberHeader);
    std::uint64_t size = 0;
    const std::string_view text = header ? text_of(*header) : std::string_view();
    const bool good = header && text.substr(58) == "`\n" &&
                      std::from_chars(text.data() + 48, text.data() + 58, size).ec == std::errc();
    const auto content = good ? part(bytes, at + kMemberHeader, size) : std::nullopt;
    if (!content) throw UserError(path + ": damaged archive: no whole member at byte " + std::to_string(at));
    if (text.starts_with("// ")) long_names = text_of(*content);
    if (is_elf(*content)) {
      const std::string name = path + "(" + std::string(member_name(text.substr(0, 16), long_names)) + ")";
      std::vector<HintUnit> found = ElfNotes(*content, name).read();
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
  constexpr std::string_view kName{HYBRID_NOTE_NAME, sizeof HYBRID_NOTE_NAME};  // with its zero
  for (std::uint64_t at = 0; at < notes.size();) {
    const auto header = item<Elf64_Nhdr>(notes, at);
    if (!header) return false;
    const auto name = part(notes, at + sizeof *header, header->n_namesz);
    const std::uint64_t descriptor_at = at + rounded(sizeof *header + header->n_namesz);
    const auto descriptor = part(notes, descriptor_at, header->n_descsz);
    if (!name || !descriptor) return false;
    if (header->n_type == HYBRID_NOTE_TYPE && text_of(*name) == kName) visit(*descriptor);
    at = descriptor_at + rounded(header->n_descsz);
  }
  return true;
}

std::vector<HintUnit> read_hint_units(const std::string& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) throw UserError(path + ": cannot be read: Is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Bytes bytes = std::as_bytes(std::span(content));
  if (content.starts_with(kArchive)) return read_archive(bytes, path);
  if (!is_elf(bytes))
    throw UserError(path + ": not an ELF file and not a static archive",
                    "Give an executable, a shared library, an object file or a lib*.a.");
  return ElfNotes(bytes, path).read();
}

std::vector<LoadedHintUnit> loaded_hint_units(const dl_phdr_info& object, const std::string& name,
                                              std::vector<std::string>& refused) {
  std::vector<LoadedHintUnit> loaded;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    const auto* begin = reinterpret_cast<const std::byte*>(object.dlpi_addr + segment.p_vaddr);
    const auto visit = [&](Bytes descriptor) {
      try {
        loaded.push_back(
            {read_hint_unit(descriptor, name), reinterpret_cast<const hybrid_unit*>(descriptor.data())});
      } catch (const UserError& e) {
        refused.emplace_back(e.what());
      }
    };
    if (!for_each_hint_note({begin, segment.p_memsz}, segment.p_align, visit))
      refused.push_back(name + ": the notes of segment " + std::to_string(i) + " end within a note");
  }
  const auto is_whole = [](const LoadedHintUnit& l) { return (l.unit.flags & HYBRID_UNIT_WHOLE) != 0; };
  if (std::any_of(loaded.begin(), loaded.end(), is_whole))
    std::erase_if(loaded, [&](const LoadedHintUnit& l) { return !is_whole(l); });
  return loaded;
}

const void* hint_address(const LoadedHintUnit& loaded, std::uint32_t address) {
  if (loaded.unit.addresses == 0 || address >= loaded.unit.address_count) return nullptr;
  const auto* field = reinterpret_cast<const std::byte*>(loaded.at) + offsetof(hybrid_unit, addresses_low);
  const void* pointer = nullptr;
  std::memcpy(static_cast<void*>(&pointer), field + loaded.unit.addresses + address * sizeof pointer,
              sizeof pointer);
  return pointer;
}

}  // namespace hybrid
