#include "core/hints/notes.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <fstream>

#include "core/hints/testing/elf_image.h"
#include "core/hints/testing/unit_builder.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

using testing::HasSubstr;

std::string foreign_note() {
  const std::uint32_t header[3] = {4, 5, NT_GNU_BUILD_ID};
  return std::string(reinterpret_cast<const char*>(header), sizeof header) +
         std::string("GNU\0abcde\0\0\0", 12);
}

std::string member(std::string name, const std::string& content) {
  name.resize(48, ' ');
  std::string size = std::to_string(content.size());
  size.resize(10, ' ');
  return name + size + "`\n" + content + (content.size() % 2 != 0 ? "\n" : "");
}

class Notes : public testing::Test {
 protected:
  static std::string file(const std::string& content) {
    std::ofstream("file", std::ios::binary) << content;
    return "file";
  }
  static std::string error_of(const std::string& path) {
    try {
      read_hint_units(path);
    } catch (const UserError& e) {
      return e.what();
    }
    return "not rejected";
  }

  UnitBuilder a_{"a.c"}, b_{"b.c"};
  const TemporaryWorkingDirectory root_;
};

TEST_F(Notes, AreFoundAmongOtherNotesInObjectsAndPrograms) {
  for (const std::uint16_t type : {ET_REL, ET_EXEC, ET_DYN}) {
    const auto units =
        read_hint_units(file(elf_image(type, foreign_note() + a_.note() + foreign_note() + b_.note())));
    ASSERT_EQ(units.size(), 2u) << type;
    EXPECT_EQ(units[0].text(units[0].name), "a.c");
    EXPECT_EQ(units[1].text(units[1].name), "b.c");
  }
  EXPECT_TRUE(read_hint_units(file(elf_image(ET_REL, foreign_note()))).empty());
}

TEST_F(Notes, OfAnArchiveAreNamedByMember) {
  const std::string archive = "!<arch>\n" + member("/", "symbols") +
                              member("//", "a_name_that_is_long.o/\n") +
                              member("/0", elf_image(ET_REL, a_.note())) +
                              member("b.o/", elf_image(ET_REL, b_.note())) + member("readme.txt/", "text");
  const auto units = read_hint_units(file(archive));
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].file, "file(a_name_that_is_long.o)");
  EXPECT_EQ(units[1].file, "file(b.o)");
  EXPECT_THAT(error_of(file(archive.substr(0, archive.size() - 3))), HasSubstr("damaged archive"));
}

TEST_F(Notes, RejectOtherFiles) {
  EXPECT_THAT(error_of("nowhere"), HasSubstr("nowhere: no such file"));
  EXPECT_THAT(error_of("."), HasSubstr(".: is a directory"));
  EXPECT_THAT(error_of(file("#!/bin/sh\n")), HasSubstr("file: not an ELF file and not a static archive"));
  EXPECT_THAT(error_of(file("")), HasSubstr("not an ELF file"));
}

TEST_F(Notes, OfATruncatedFileAreRejected) {
  const std::string good = elf_image(ET_EXEC, foreign_note() + a_.note());
  for (std::size_t size = SELFMAG; size < good.size(); size += 3)
    EXPECT_THAT(error_of(file(good.substr(0, size))), HasSubstr("file: ")) << size;
}

dl_phdr_info loaded(const std::string& notes, ElfW(Phdr) & segment) {
  segment.p_type = PT_NOTE;
  segment.p_vaddr = reinterpret_cast<ElfW(Addr)>(notes.data());
  segment.p_memsz = notes.size();
  segment.p_align = 4;
  dl_phdr_info info{};
  info.dlpi_phdr = &segment;
  info.dlpi_phnum = 1;
  return info;
}

TEST_F(Notes, OfARunningProgramHaveTheirAddressInMemory) {
  const std::string notes = foreign_note() + a_.note();
  ElfW(Phdr) segment{};
  std::vector<std::string> rejected;
  const auto units = loaded_hint_units(loaded(notes, segment), "program", rejected);
  ASSERT_EQ(units.size(), 1u);
  EXPECT_TRUE(rejected.empty());
  EXPECT_EQ(reinterpret_cast<const char*>(units[0].at), notes.data() + foreign_note().size() + 20);
  EXPECT_EQ(units[0].unit.text(units[0].unit.name), "a.c");
}

TEST_F(Notes, DamagedNotesOfARunningProgramAreReportedAndSkipped) {
  std::string damaged = a_.note();
  damaged[20] = 9;  // the version
  const std::string notes = damaged + b_.note();
  ElfW(Phdr) segment{};
  std::vector<std::string> rejected;
  EXPECT_EQ(loaded_hint_units(loaded(notes, segment), "program", rejected).size(), 1u);
  ASSERT_EQ(rejected.size(), 1u);
  EXPECT_THAT(rejected[0], HasSubstr("program: a unit has hints of version 9"));
}

}  // namespace
}  // namespace hybrid
