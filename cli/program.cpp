#include "cli/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "core/elf_file.h"
#include "core/error.h"
#include "core/shell.h"

namespace hybrid {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// A file mapped into memory; empty if it cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapping != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(mapping), size};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

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
    throw UserError(unreadable(name, error.value()), "Give the path of the program, after --.");
  if (std::filesystem::is_directory(status))
    throw UserError("'" + name + "' is a directory, not a program",
                    "Give the path of the program, after --.");
  if (!is_executable_file(name))
    throw UserError("'" + name + "' is not executable", "If it is a program: chmod +x " + shell_quoted(name));
  return name;
}

std::optional<Linkage> read_linkage(const std::string& path) try {
  const MappedFile file(path);
  if (!ElfFile::is_elf(file.bytes())) return std::nullopt;
  const ElfFile elf(file.bytes());
  if (!elf.is_64_bit_little_endian() || elf.header().e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  Linkage linkage;
  std::optional<Elf64_Phdr> dynamic;
  for (std::size_t i = 0; i < elf.segment_count(); ++i) {
    const Elf64_Phdr segment = elf.segment(i);
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
    if (segment.p_type == PT_INTERP) linkage.dynamic = true;
  }
  if (!dynamic) return linkage;

  std::uint64_t strings = 0;
  std::vector<std::uint64_t> names;
  const std::uint64_t entries = dynamic->p_filesz / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0; i < entries; ++i) {
    const auto entry = elf.value<Elf64_Dyn>(dynamic->p_offset + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
  }
  for (const std::uint64_t name : names)
    linkage.needed.emplace_back(elf.string(elf.offset_of(strings + name)));
  return linkage;
} catch (const ElfError&) {
  return std::nullopt;
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
