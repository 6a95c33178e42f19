#include "cli/program.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/mpiexec.h"
#include "core/error.h"

namespace hybrid {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A little ELF file: one segment loaded at kBase, its dynamic section, its strings.
class ElfImage {
 public:
  explicit ElfImage(bool interpreter, const std::vector<std::string>& needed) {
    constexpr std::uint64_t kBase = 0x400000;
    std::string strings(1, '\0');
    std::vector<Elf64_Dyn> dynamic;
    for (const std::string& library : needed) {
      dynamic.push_back({DT_NEEDED, {strings.size()}});
      strings += library + '\0';
    }
    const std::size_t segments = interpreter ? 3 : 2;
    const std::size_t dynamic_at = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
    const std::size_t strings_at = dynamic_at + (dynamic.size() + 2) * sizeof(Elf64_Dyn);
    dynamic.push_back({DT_STRTAB, {kBase + strings_at}});
    dynamic.push_back({DT_NULL, {0}});

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments);
    append(header);
    Elf64_Phdr load{}, dynamic_segment{}, interp{};
    load.p_type = PT_LOAD;
    load.p_vaddr = kBase;
    load.p_filesz = strings_at + strings.size();
    dynamic_segment.p_type = PT_DYNAMIC;
    dynamic_segment.p_offset = dynamic_at;
    dynamic_segment.p_filesz = dynamic.size() * sizeof(Elf64_Dyn);
    interp.p_type = PT_INTERP;
    append(load);
    append(dynamic_segment);
    if (interpreter) append(interp);
    for (const Elf64_Dyn& entry : dynamic) append(entry);
    bytes_ += strings;
  }

  std::string write(std::size_t length = std::string::npos) const {
    const std::string path = testing::TempDir() + "program_test_elf_" + std::to_string(::getpid());
    std::ofstream(path, std::ios::binary) << bytes_.substr(0, length);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  template <class T>
  void append(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_;
};

TEST(Linkage, ReadsThisTest) {
  const auto linkage = read_linkage("/proc/self/exe");
  ASSERT_TRUE(linkage);
  EXPECT_TRUE(linkage->dynamic);
  EXPECT_THAT(linkage->needed, Contains(StartsWith("libc.so")));
}

TEST(Linkage, ReadsNeededInOrder) {
  const auto linkage = read_linkage(ElfImage(true, {"libmpich.so.12", "libc.so.6"}).write());
  ASSERT_TRUE(linkage);
  EXPECT_THAT(linkage->needed, ElementsAre("libmpich.so.12", "libc.so.6"));
}

TEST(Linkage, EveryTruncatedFileIsRefusedOrReadSafely) {
  const ElfImage image(true, {"libmpich.so.12", "libc.so.6"});
  for (std::size_t length = 0; length < image.size(); ++length) {
    const auto linkage = read_linkage(image.write(length));
    if (linkage && linkage->needed.size() == 2) {
      EXPECT_EQ(linkage->needed[0], "libmpich.so.12") << length;
    }
  }
}

TEST(Linkage, AScriptHasNoLinkageAndPasses) {
  const std::string path = testing::TempDir() + "program_test_script_" + std::to_string(::getpid());
  std::ofstream(path) << "#!/bin/sh\n";
  EXPECT_FALSE(read_linkage(path));
  EXPECT_NO_THROW(check_linkage(path));
}

TEST(Linkage, MpichAndCompatibleLibrariesPass) {
  EXPECT_NO_THROW(check_linkage(ElfImage(true, {"libmpich.so.12"}).write()));
  EXPECT_NO_THROW(check_linkage(ElfImage(true, {"libmpi.so.12"}).write()));
  EXPECT_NO_THROW(check_linkage(ElfImage(true, {"libc.so.6"}).write()));
}

TEST(Linkage, OpenMpiIsRefusedByName) {
  for (const char* library :
       {"libmpi.so.40", "libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libopen-rte.so.40"}) {
    try {
      check_linkage(ElfImage(true, {"libm.so.6", library}).write());
      ADD_FAILURE() << library;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(library), HasSubstr("mpicc.mpich")));
    }
  }
}

TEST(Linkage, StaticProgramsAreRefused) {
  EXPECT_THROW(check_linkage(ElfImage(false, {}).write()), UserError);
}

TEST(FindProgram, SearchesPathOnlyForNamesWithoutSlash) {
  EXPECT_THAT(find_program("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_THROW(find_program("./sh"), UserError);
}

TEST(Launcher, IsRecognisedByItsVersionText) {
  const LauncherKind hydra =
      recognise_launcher("HYDRA build details:\n    Version:                                 4.0.2\n");
  EXPECT_TRUE(hydra.hydra);
  EXPECT_EQ(hydra.name, "MPICH's Hydra 4.0.2");
  EXPECT_EQ(recognise_launcher("mpiexec (OpenRTE) 4.1.4").name, "Open MPI");
  EXPECT_FALSE(recognise_launcher("mpirun (Open MPI) 5.0.1").hydra);
  EXPECT_EQ(recognise_launcher("slurm 22.05.8").name, "Slurm");
  EXPECT_FALSE(recognise_launcher("").hydra);
}

}  // namespace
}  // namespace hybrid
