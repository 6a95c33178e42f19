#include "core/elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/hints/testing/elf_image.h"

namespace hybrid {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(ElfFile, ReadsSegmentsOfAProgram) {
  const std::string image = elf_image(ET_EXEC, "notes");
  const ElfFile elf(bytes_of(image));
  EXPECT_TRUE(elf.is_64_bit_little_endian());
  EXPECT_EQ(elf.header().e_type, ET_EXEC);
  ASSERT_EQ(elf.segment_count(), 1u);
  EXPECT_EQ(elf.section_count(), 0u);
  const Elf64_Phdr segment = elf.segment(0);
  const auto content = elf.content(segment.p_offset, segment.p_filesz, "segment 0");
  EXPECT_EQ(std::memcmp(content.data(), "notes", content.size()), 0);
}

TEST(ElfFile, ReadsSectionsOfAnObject) {
  const std::string image = elf_image(ET_REL, "notes");
  const ElfFile elf(bytes_of(image));
  EXPECT_EQ(elf.segment_count(), 0u);
  ASSERT_EQ(elf.section_count(), 1u);
  EXPECT_EQ(elf.section(0).sh_size, 5u);
}

TEST(ElfFile, TakesTheNumberOfSectionsFromTheFirstIfTheHeaderHasNone) {
  std::string image = elf_image(ET_REL, std::string(1, '\0'));
  reinterpret_cast<Elf64_Ehdr*>(image.data())->e_shnum = 0;
  EXPECT_EQ(ElfFile(bytes_of(image)).section_count(), 1u) << "sh_size of section 0 is 1";
}

TEST(ElfFile, FindsAddressesAndStrings) {
  std::string image = elf_image(ET_EXEC, std::string("one\0two\0", 8) + "end");
  Elf64_Phdr segment;
  char* const at = image.data() + image.size() - sizeof segment;
  std::memcpy(&segment, at, sizeof segment);
  segment.p_type = PT_LOAD;
  segment.p_vaddr = 0x400000;
  std::memcpy(at, &segment, sizeof segment);
  const ElfFile elf(bytes_of(image));
  EXPECT_EQ(elf.string(elf.offset_of(0x400000)), "one");
  EXPECT_EQ(elf.string(elf.offset_of(0x400004)), "two");
  EXPECT_THROW(elf.offset_of(0x3FFFFF), ElfError);
  EXPECT_THROW(elf.offset_of(0x400000 + segment.p_filesz), ElfError);
  EXPECT_THROW(elf.string(image.size()), ElfError);
}

TEST(ElfFile, AStringEndsWithTheFile) {
  const std::string image = elf_image(ET_EXEC, "") + "text";
  EXPECT_EQ(ElfFile(bytes_of(image)).string(image.size() - 4), "text");
}

TEST(ElfFile, EveryTruncatedFileThrows) {
  for (const std::uint16_t type : {ET_EXEC, ET_REL}) {
    const std::string image = elf_image(type, "notes");
    for (std::size_t size = 0; size < image.size(); ++size) {
      const std::string truncated = image.substr(0, size);
      EXPECT_EQ(ElfFile::is_elf(bytes_of(truncated)), size >= SELFMAG);
      EXPECT_THROW(
          {
            const ElfFile elf(bytes_of(truncated));
            for (std::size_t i = 0; i < elf.segment_count(); ++i) elf.segment(i);
            for (std::uint64_t i = 0; i < elf.section_count(); ++i) elf.section(i);
          },
          ElfError)
          << size;
    }
  }
}

TEST(ElfFile, OffsetsNearTheLargestNumberAreOutside) {
  const std::string image = elf_image(ET_EXEC, "notes");
  const ElfFile elf(bytes_of(image));
  EXPECT_THROW(elf.content(~std::uint64_t{0}, 2, "segment 0"), ElfError);
  EXPECT_THROW(elf.content(1, ~std::uint64_t{0}, "segment 0"), ElfError);
  EXPECT_THROW(elf.value<std::uint64_t>(~std::uint64_t{0} - 3), ElfError);
}

}  // namespace
}  // namespace hybrid
