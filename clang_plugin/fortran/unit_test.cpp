// Included Fortran files: where they are found, which of them change, and the errors of directives in them.
#include "clang_plugin/fortran/unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "clang_plugin/fortran/rewrite.h"

namespace hybrid::fortran {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

/// Returns the unit of `source`, with includes from `files`.
Unit unit_of(const Files& files, const std::string& source = "app.f90",
             const std::vector<std::string>& folders = {}) {
  return read_unit(source, files.at(source), form_of(source), folders,
                   [&](const std::string& path) -> std::optional<std::string> {
                     const auto found = files.find(path);
                     return found == files.end() ? std::nullopt : std::optional(found->second);
                   });
}

std::vector<std::string> paths(const Unit& unit) {
  std::vector<std::string> paths;
  paths.reserve(unit.files.size());
  for (const UnitFile& file : unit.files) paths.push_back(file.path);
  return paths;
}

/// Returns the errors of a unit's files, each as "path:line: message", with "(path)" if flang may not read
/// the file.
std::vector<std::string> wrong_in(const Unit& unit) {
  std::vector<std::string> errors;
  for (const UnitFile& file : unit.files)
    for (const WrongDirective& one : file.wrong)
      errors.push_back((file.is_read ? file.path : "(" + file.path + ")") + ":" +
                       std::to_string(one.at.line) + ": " + one.what());
  return errors;
}

/// Returns the new texts of the files that change, by path. The copies are "copies/NUMBER".
Files rewritten(const Unit& unit) {
  std::vector<std::string> copies;
  copies.reserve(unit.files.size());
  for (std::size_t i = 0; i < unit.files.size(); ++i) copies.push_back("copies/" + std::to_string(i));
  Files texts;
  for (std::size_t i = 0; i < unit.files.size(); ++i)
    if (unit.files[i].changes) texts[unit.files[i].path] = rewrite(unit, i, copies);
  return texts;
}

TEST(IncludeLines, AreThoseOfFlang) {
  const auto name = [](const char* line, Form form = Form::free) {
    const auto include = read_include(line, form);
    return include ? include->name : "none";
  };
  EXPECT_EQ(name("include 'a'"), "a");
  EXPECT_EQ(name("\tInclude\"it's\" ! more"), "it's");
  EXPECT_EQ(name("include 'it''s'"), "it's");
  EXPECT_EQ(name("     0in clude 'a'", Form::fixed), "a");
  EXPECT_EQ(name(" # include \"a\" // more"), "a");
  EXPECT_EQ(name("#include <a>"), "a");
  EXPECT_EQ(name("#include NAME"), "") << "a macro";
  for (const char* const none :
       {"", "include", "include = 'a'", "include 'a", "! include 'a'", "#include 'a'", "#include_next \"a\"",
        "include ''", "10 include 'a'", "#if include 'a'"})
    EXPECT_EQ(name(none), "none") << none;
  for (const char* const none : {"cinclude 'a'", "     #include 'a'", "     1include 'a'"})
    EXPECT_EQ(name(none, Form::fixed), "none") << none;
  const auto renamed = [](const std::string& line, const std::string& to) {
    return with_name(line, read_include(line, Form::free).value_or(IncludeLine()), to);
  };
  EXPECT_EQ(renamed("  include 'a' ! b", "o'n"), "  include 'o''n' ! b");
  EXPECT_EQ(renamed("#include <a> x", "b"), "#include \"b\" x");
}

TEST(Units, FindFilesAsFlangDoes) {
  const Files files{
      {"src/app.f90", "include 'a'\n#include <a>\ninclude 'b'\ninclude 'c'\ninclude '/d'\ninclude 'e'\n"},
      {"src/a", ""},
      {"a", ""},
      {"b", ""},
      {"inc/b", ""},
      {"inc/c", "include 'in/c'\n#include \"a\"\n"},
      {"inc/in/c", "include '../c'\ninclude 'c'\n"},
      {"more/c", ""},
      {"/d", ""}};
  const Unit unit = unit_of(files, "src/app.f90", {"inc", "more"});
  EXPECT_THAT(paths(unit), ElementsAre("src/app.f90", "src/a", "a", "b", "inc/c", "inc/in/c", "/d"));
  EXPECT_EQ(unit.files[0].included[5].file, Included::kNone) << "flang reports that there is no e";
  EXPECT_EQ(unit.files[5].included[0].file, 4u) << "the same file by another path";
  EXPECT_THAT(rewritten(unit), IsEmpty()) << "there is no directive";
}

TEST(Units, ChangeOnlyFilesThatLeadToDirectives) {
  const Files files{
      {"src/app.f90", "include 'one'\ninclude 'plain'\ninclude 'way' ! c\ninclude 'b'\ninclude 'one'\n"},
      {"src/one", "x\n!hyb$ flush\ny\n"},
      {"src/plain", ""},
      {"src/way", "#ifndef W\n#define W\n#include \"one\"\n#include \"way\"\n#endif\n"},
      {"b", ""}};
  const Files texts = rewritten(unit_of(files, "src/app.f90"));
  EXPECT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts.at("src/app.f90"),
            "# 1 \"src/app.f90\"\ninclude 'copies/1'\ninclude 'src/plain'\ninclude 'copies/3' ! c\n"
            "include 'b'\ninclude 'copies/1'\n");
  EXPECT_THAT(texts.at("src/one"), AllOf(testing::StartsWith("# 1 \"src/one\"\nx\n# 2 \"src/one\"\nblock\n"),
                                         testing::EndsWith("# 3 \"src/one\"\ny\n")));
  EXPECT_THAT(texts.at("src/way"),
              HasSubstr("#include \"copies/1\"\n# 4 \"src/way\"\n#include \"copies/3\"\n"));
}

TEST(Units, AreOfTheSourcesForm) {
  const Files files{{"app.F", "      include 'ring.inc'\n"},
                    {"ring.inc", "chyb$ phase(ring)\n!hyb$& preload\n"}};
  EXPECT_THAT(rewritten(unit_of(files, "app.F")).at("ring.inc"), HasSubstr("\n      block\n"));
}

TEST(Units, ShareNamesAndPhases) {
  const std::string directive = "!hyb$ phase(p) connections(rank -> size)\n";
  EXPECT_THAT(rewritten(unit_of({{"app.f90", "integer rank\ninclude 'p'\n"}, {"p", directive}})).at("p"),
              HasSubstr("(int(rank, 8), int(hybrid_0_size(), 8))"));
  EXPECT_THAT(
      rewritten(unit_of({{"app.f90", "include 'p'\n" + directive}, {"p", "integer size\n"}})).at("app.f90"),
      HasSubstr("(int(hybrid_0_rank(), 8), int(size, 8))"));
  for (const Files& files : {Files{{"app.f90", "!hyb$ phase(p)\ninclude 'p'\n"}, {"p", "!hyb$ end\n"}},
                             Files{{"app.f90", "include 'p'\n!hyb$ end\n"}, {"p", "!hyb$ phase(p)\n"}},
                             Files{{"app.f90", "#include PHASE\n!hyb$ end\n"}}})
    EXPECT_THAT(wrong_in(unit_of(files)), IsEmpty());
  EXPECT_THAT(wrong_in(unit_of({{"app.f90", "include 'p'\n!hyb$ phase(p)\n"}, {"p", "\n!hyb$ end\n"}})),
              ElementsAre("p:2: '!hyb$ end' without a phase before it"));
}

TEST(WrongFortranDirectives, InFilesThatAnIfMaySkipAreReportedByFlang) {
  const Files files{{"app.f90", "include 'a'\n#if 0\ninclude 'b'\ninclude 'c'\n#endif\n"},
                    {"a", "!hyb$ fluhs\ninclude 'c'\n"},
                    {"b", "x\n!hyb$ phase(x) &\n!hyb$ slots(0)\n!hyb$ flush\ninclude 'd'\n"},
                    {"c", "!hyb$ of\n"},
                    {"d", "!hyb$ onn\n"}};
  const Unit unit = unit_of(files);
  EXPECT_THAT(
      wrong_in(unit),
      ElementsAre(HasSubstr("a:1: unknown directive 'fluhs'"), HasSubstr("c:1: unknown directive 'of'"),
                  HasSubstr("(b):3: slots: a phase has"), HasSubstr("(d):1: unknown directive 'onn'")));
  EXPECT_EQ(rewritten(unit).at("b"),
            "# 1 \"b\"\nx\n!hyb$ phase(x) &\n!hyb$ slots(0)\n# 3 \"b\"\n"
            "#error slots: a phase has one configuration or more, not 0\n# 4 \"b\"\n!hyb$ flush\n"
            "include 'copies/4'\n");
}

}  // namespace
}  // namespace hybrid::fortran
