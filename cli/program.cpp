#include "cli/program.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include "core/error.h"

namespace hybrid {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Reads plain structures out of a file; a read past its end fails.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {}

  template <class T>
  bool read(std::uint64_t offset, T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(&value), sizeof value));
  }
  bool read_string(std::uint64_t offset, std::string& text) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(std::getline(file_, text, '\0'));
  }

 private:
  std::ifstream file_;
};

struct Segments {
  std::vector<Elf64_Phdr> loaded;
  std::optional<Elf64_Phdr> dynamic;
  bool interpreter = false;
};

std::optional<Segments> read_segments(ElfFile& file) {
  Elf64_Ehdr header{};
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  Segments segments;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.read(header.e_phoff + i * sizeof segment, segment)) return std::nullopt;
    if (segment.p_type == PT_LOAD) segments.loaded.push_back(segment);
    if (segment.p_type == PT_DYNAMIC) segments.dynamic = segment;
    if (segment.p_type == PT_INTERP) segments.interpreter = true;
  }
  return segments;
}

// Where in the file the byte at `address` of the loaded image is.
std::optional<std::uint64_t> file_offset(const Segments& segments, std::uint64_t address) {
  for (const Elf64_Phdr& s : segments.loaded)
    if (address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) return s.p_offset + (address - s.p_vaddr);
  return std::nullopt;
}

// Open MPI's libmpi has major version 20 or more; MPICH and those compatible with it have libmpi.so.12, and
// Debian's MPICH libmpich.so.12.
bool is_open_mpi(std::string_view library) {
  if (library.starts_with("libopen-rte.") || library.starts_with("libopen-pal.")) return true;
  for (std::string_view stem : {"libmpi.so.", "libmpi_cxx.so.", "libmpi_mpifh.so.", "libmpi_usempif08.so."})
    if (library.starts_with(stem))
      return std::atoi(std::string(library.substr(stem.size())).c_str()) >= 20;  // NOLINT(cert-err34-c)
  return false;
}

}  // namespace

std::optional<std::string> find_on_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + std::string(name);
    if (is_executable_file(candidate)) return candidate;
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

std::string find_program(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    if (const auto found = find_on_path(name)) return *found;
    std::error_code ignored;
    throw UserError("no program '" + name + "' on PATH",
                    std::filesystem::exists(name, ignored)
                        ? "There is one here: give it as ./" + name + "."
                        : "Give the path of the program, for instance ./my_app.");
  }
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  if (!std::filesystem::exists(status))
    throw UserError("no program '" + name + "'", "Give the path of the program, after --.");
  if (std::filesystem::is_directory(status))
    throw UserError("'" + name + "' is a directory, not a program",
                    "Give the path of the program, after --.");
  if (!is_executable_file(name))
    throw UserError("'" + name + "' is not executable", "If it is a program: chmod +x " + name);
  return name;
}

std::optional<Linkage> read_linkage(const std::string& path) {
  ElfFile file(path);
  const auto segments = read_segments(file);
  if (!segments) return std::nullopt;
  Linkage linkage{segments->interpreter, {}};
  if (!segments->dynamic) return linkage;

  std::uint64_t strings = 0;
  std::vector<std::uint64_t> names;
  const std::uint64_t entries = segments->dynamic->p_filesz / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0; i < entries; ++i) {
    Elf64_Dyn entry{};
    if (!file.read(segments->dynamic->p_offset + i * sizeof entry, entry)) return std::nullopt;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
  }
  for (std::uint64_t name : names) {
    const auto offset = file_offset(*segments, strings + name);
    std::string library;
    if (!offset || !file.read_string(*offset, library)) return std::nullopt;
    linkage.needed.push_back(std::move(library));
  }
  return linkage;
}

void check_linkage(const std::string& path) {
  const auto linkage = read_linkage(path);
  if (!linkage) return;
  if (!linkage->dynamic)
    throw UserError("'" + path + "' is linked statically, so that libhybrid.so cannot be loaded into it",
                    "Link it dynamically (without -static), with mpicc.mpich.");
  for (const std::string& library : linkage->needed)
    if (is_open_mpi(library))
      throw UserError(
          "'" + path + "' is linked to Open MPI (" + library + "); libhybrid.so is made for MPICH",
          "Rebuild it with mpicc.mpich, mpicxx.mpich or mpif90.mpich (Debian: libmpich-dev).");
}

}  // namespace hybrid
