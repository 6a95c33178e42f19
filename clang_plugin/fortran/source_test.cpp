// Included Fortran files: where they are found, and the directives in them.
#include "clang_plugin/fortran/source.h"

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

/// Returns `path`, with includes from `files`.
Source source_of(const Files& files, const std::string& path = "app.f90",
                 const std::vector<std::string>& folders = {}) {
  return read_source(path, files.at(path), form_of(path), folders,
                     [&](const std::string& name) -> std::optional<std::string> {
                       const auto found = files.find(name);
                       return found == files.end() ? std::nullopt : std::optional(found->second);
                     });
}

/// Returns the errors that flang does not report, each as "path:line: message".
std::vector<std::string> wrong_in(const Files& files) {
  const Source source = source_of(files);
  std::vector<std::string> errors;
  for (const Wrong& one : rewrite(source).wrong)
    errors.push_back(source.lines[one.at.line].path + ":" + std::to_string(source.lines[one.at.line].number) +
                     ": " + one.text);
  return errors;
}

std::string rewritten(const Files& files, const std::string& path = "app.f90") {
  return rewrite(source_of(files, path)).text;
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
}

TEST(IncludedFiles, AreFoundAsFlangDoes) {
  const Files files{
      {"src/app.f90", "include 'a'\n#include <a>\ninclude 'b'\ninclude 'c'\ninclude '/d'\ninclude 'e'\n"},
      {"src/a", "1"},
      {"a", "2"},
      {"b", "3"},
      {"inc/b", ""},
      {"inc/c", "include 'in/c'\n#include \"a\"\n"},
      {"inc/in/c", "include '../c'\ninclude 'b'\n"},
      {"more/c", ""},
      {"/d", "4"}};
  std::vector<std::string> lines;
  for (const Line& line : source_of(files, "src/app.f90", {"inc", "more"}).lines)
    lines.push_back(line.path + ":" + std::to_string(line.number) + " " + line.text);
  EXPECT_THAT(lines, ElementsAre("src/a:1 1", "a:1 2", "b:1 3", "inc/in/c:1 include '../c'", "b:1 3", "a:1 2",
                                 "/d:1 4", "src/app.f90:6 include 'e'"));
}

TEST(IncludedFiles, ReplaceTheirIncludeLines) {
  const Files files{{"src/app.f90", "a\ninclude 'one' ! c\nb\n#ifndef W\n#include \"one\"\n#endif\nc\n"},
                    {"src/one", "x\n!hyb$ flush\ny\n"}};
  const std::string text = rewritten(files, "src/app.f90");
  EXPECT_THAT(text,
              testing::StartsWith("# 1 \"src/app.f90\"\na\n# 1 \"src/one\"\nx\n# 2 \"src/one\"\nblock\n"));
  EXPECT_THAT(text, HasSubstr("# 3 \"src/one\"\ny\n# 3 \"src/app.f90\"\nb\n#ifndef W\n# 1 \"src/one\"\nx\n"));
  EXPECT_THAT(text, testing::EndsWith("y\n# 6 \"src/app.f90\"\n#endif\n# 7 \"src/app.f90\"\nc\n"));
}

TEST(IncludedFiles, AreOfTheSourcesForm) {
  const Files files{{"app.F", "      include 'ring.inc'\n"},
                    {"ring.inc", "chyb$ phase(ring)\n!hyb$& preload\n"}};
  EXPECT_THAT(rewritten(files, "app.F"), HasSubstr("\n      block\n"));
}

TEST(IncludedFiles, ShareNamesAndPhases) {
  const std::string directive = "!hyb$ phase(p) connections(rank -> size)\n";
  EXPECT_THAT(rewritten({{"app.f90", "integer rank\ninclude 'p'\n"}, {"p", directive}}),
              HasSubstr("(int(rank, 8), int(hybrid_0_size(), 8))"));
  EXPECT_THAT(rewritten({{"app.f90", "include 'p'\n" + directive}, {"p", "integer size\n"}}),
              HasSubstr("(int(hybrid_0_rank(), 8), int(size, 8))"));
  for (const Files& files : {Files{{"app.f90", "!hyb$ phase(p)\ninclude 'p'\n"}, {"p", "!hyb$ end\n"}},
                             Files{{"app.f90", "include 'p'\n!hyb$ end\n"}, {"p", "!hyb$ phase(p)\n"}},
                             Files{{"app.f90", "#include PHASE\n!hyb$ end\n"}}})
    EXPECT_THAT(wrong_in(files), IsEmpty());
  EXPECT_THAT(wrong_in({{"app.f90", "include 'p'\n!hyb$ phase(p)\n"}, {"p", "\n!hyb$ end\n"}}),
              ElementsAre("p:2: '!hyb$ end' without a phase before it"));
}

TEST(WrongFortranDirectives, AreContinuedOnlyByTheNextLineOfTheirFile) {
  EXPECT_THAT(wrong_in({{"app.f90", "!hyb$ phase(p) &\ninclude 'a'\n"}, {"a", "!hyb$ preload\n"}}),
              AllOf(testing::Contains(HasSubstr("app.f90:1: expected a '!hyb$' line after the '&'")),
                    testing::Contains(HasSubstr("a:1: unknown directive 'preload'"))));
  EXPECT_THAT(wrong_in({{"app.f90", "include 'a'\n!hyb$ preload\n"}, {"a", "!hyb$ phase(p) &\n"}}),
              testing::Contains(HasSubstr("a:1: expected a '!hyb$' line after the '&'")));
}

TEST(WrongFortranDirectives, AreLocatedByTheFilesThatIncludeTheirs) {
  const Source source =
      source_of({{"app.f90", "x\ninclude 'a'\n"}, {"a", "include 'b'\n"}, {"b", "!hyb$ of\n"}});
  std::vector<std::string> places;
  for (std::size_t at = source.lines.at(1).included_at; at != kNotIncluded;
       at = source.includes[at].included_at)
    places.push_back(source.includes[at].path + ":" + std::to_string(source.includes[at].number));
  EXPECT_THAT(places, ElementsAre("a:1", "app.f90:2"));
}

TEST(WrongFortranDirectives, ThatAnIfMaySkipAreReportedByFlang) {
  const Files files{{"app.f90", "include 'a'\n#if 0\ninclude 'b'\n#endif\n"},
                    {"a", "!hyb$ fluhs\ninclude 'c'\n"},
                    {"b", "x\n!hyb$ phase(x) &\n!hyb$ slots(0)\n!hyb$ flush\n"},
                    {"c", "!hyb$ of\n"}};
  EXPECT_THAT(wrong_in(files), ElementsAre(HasSubstr("a:1: unknown directive 'fluhs'"),
                                           HasSubstr("c:1: unknown directive 'of'")));
  EXPECT_THAT(rewritten(files), HasSubstr("# 3 \"b\"\n#error slots: a phase has one configuration or more, "
                                          "not 0\n# 4 \"b\"\nblock\n"));
}

}  // namespace
}  // namespace hybrid::fortran
