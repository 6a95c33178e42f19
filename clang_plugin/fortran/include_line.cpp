#include "clang_plugin/fortran/include_line.h"

namespace hybrid::fortran {
namespace {

// Behind the `#` of a line of the preprocessor; 0 where the line is none of its. In fixed form a `#` in the
// sixth column goes on with a statement.
std::size_t behind_hash(std::string_view line, Form form) {
  const std::size_t at = behind_blanks(line, 0);
  if (at == line.size() || line[at] != '#' || (form == Form::fixed && at == 5)) return 0;
  return behind_blanks(line, at + 1);
}

std::string word_at(std::string_view line, std::size_t at) {
  std::string word;
  for (; at < line.size() && is_word(line[at]); ++at) word += small(line[at]);
  return word;
}

// Behind `include` as Fortran has it: flang lets blanks be in the word, and a 0 in the sixth column before
// it.
std::size_t behind_include(std::string_view line, Form form) {
  std::size_t at = behind_blanks(line, 0);
  if (form == Form::fixed && at == 5 && line.size() > at && line[at] == '0') at = behind_blanks(line, at + 1);
  for (const char c : std::string_view("include")) {
    if (at == line.size() || small(line[at]) != c) return 0;
    at = behind_blanks(line, at + 1);
  }
  return at;
}

}  // namespace

std::optional<IncludeLine> read_include(std::string_view line, Form form) {
  constexpr std::string_view kWord = "include";
  const std::size_t hash = behind_hash(line, form);
  if (hash != 0 && word_at(line, hash) != kWord) return std::nullopt;
  const std::size_t at = hash != 0 ? behind_blanks(line, hash + kWord.size()) : behind_include(line, form);
  if (at == 0 || at >= line.size()) return std::nullopt;
  IncludeLine include;
  include.begin = at;
  char quote = line[at];
  if (hash != 0 && quote == '<') {
    quote = '>';
    include.beside = false;
  } else if (hash != 0 && is_word(quote)) {
    return include;
  } else if (quote != '"' && (hash != 0 || quote != '\'')) {
    return std::nullopt;
  }
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == quote) {
      // In a string of Fortran's a quote is written twice.
      if (hash != 0 || i + 1 == line.size() || line[i + 1] != quote) {
        include.end = i + 1;
        return include.name.empty() ? std::nullopt : std::optional(include);
      }
      ++i;
    }
    include.name += line[i];
  }
  return std::nullopt;
}

std::string with_name(const std::string& line, const IncludeLine& include, const std::string& name) {
  const bool is_fortrans = line[behind_blanks(line, 0)] != '#';
  const char quote = is_fortrans ? line[include.begin] : '"';
  std::string quoted(1, quote);
  for (const char c : name) quoted.append(is_fortrans && c == quote ? 2 : 1, c);
  return line.substr(0, include.begin) + quoted + quote + line.substr(include.end);
}

int deeper_in_conditions(std::string_view line, Form form) {
  const std::size_t hash = behind_hash(line, form);
  if (hash == 0) return 0;
  const std::string word = word_at(line, hash);
  return word == "if" || word == "ifdef" || word == "ifndef" ? 1 : word == "endif" ? -1 : 0;
}

}  // namespace hybrid::fortran
