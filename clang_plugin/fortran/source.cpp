#include "clang_plugin/fortran/source.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace hybrid::fortran {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSentinel = "hyb$";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Returns the position after the sentinel; 0 when the line is not a directive.
std::size_t directive_at(std::string_view line, Form form) {
  const std::size_t at = skip_blanks(line, 0);
  if (at == line.size()) return 0;
  const char first = lower(line[at]);
  if (first != '!' && (form == Form::free || at != 0 || (first != 'c' && first != '*'))) return 0;
  const std::string_view word = line.substr(at + 1, kSentinel.size());
  const bool same = std::equal(word.begin(), word.end(), kSentinel.begin(), kSentinel.end(),
                               [](char a, char b) { return lower(a) == b; });
  return same ? at + 1 + kSentinel.size() : 0;
}

// Returns the end of the code in a line, without a comment and the blanks before it.
std::size_t end_of_code(std::string_view line, std::size_t at) {
  char quote = 0;
  std::size_t end = at;
  for (; at < line.size(); ++at) {
    if (quote == 0 && line[at] == '!') break;
    if (quote != 0 ? line[at] == quote : line[at] == '\'' || line[at] == '"')
      quote = quote != 0 ? '\0' : line[at];
    if (!is_blank(line[at])) end = at + 1;
  }
  return end;
}

// Returns the position after the `#` of a preprocessor line; 0 for other lines. In fixed form a `#` in the
// sixth column is a continuation.
std::size_t after_hash(std::string_view line, Form form) {
  const std::size_t at = skip_blanks(line, 0);
  if (at == line.size() || line[at] != '#' || (form == Form::fixed && at == 5)) return 0;
  return skip_blanks(line, at + 1);
}

std::string word_at(std::string_view line, std::size_t at) {
  std::string word;
  for (; at < line.size() && is_word(line[at]); ++at) word += lower(line[at]);
  return word;
}

// Returns the position after Fortran's `include`; 0 for other lines. flang permits blanks in the word, and a
// 0 in the sixth column before it.
std::size_t after_include(std::string_view line, Form form) {
  std::size_t at = skip_blanks(line, 0);
  if (form == Form::fixed && at == 5 && line.size() > at && line[at] == '0') at = skip_blanks(line, at + 1);
  for (const char c : std::string_view("include")) {
    if (at == line.size() || lower(line[at]) != c) return 0;
    at = skip_blanks(line, at + 1);
  }
  return at;
}

// Returns the change of the depth in #if ... #endif after this line: 1, 0 or -1.
int condition_depth_change(std::string_view line, Form form) {
  const std::size_t hash = after_hash(line, form);
  if (hash == 0) return 0;
  const std::string word = word_at(line, hash);
  return word == "if" || word == "ifdef" || word == "ifndef" ? 1 : word == "endif" ? -1 : 0;
}

class Reader {
 public:
  Reader(Form form, const std::vector<std::string>& folders, const ReadFile& read)
      : folders_(folders), read_(read) {
    source_.form = form;
  }

  Source read(const std::string& path, const std::string& text) {
    add_file(path, text, kNotIncluded);
    for (std::size_t i = 0; i < source_.lines.size(); ++i) {
      const std::string& line = source_.lines[i].text;
      if (!follows(i)) expect_complete();
      if (const std::size_t at = directive_at(line, source_.form); at != 0) {
        add_directive(i, at);
        continue;
      }
      expect_complete();
      add_names(line);
    }
    expect_complete();
    return std::move(source_);
  }

 private:
  // Adds a file's lines, with those of other files in place of the lines that include them.
  void add_file(const std::string& path, const std::string& text, std::size_t included_at) {
    open_files_.push_back(path);
    std::size_t number = 0;
    for (const std::string& line : lines_of(text)) {
      ++number;
      conditions_ += condition_depth_change(line, source_.form);
      const auto include = read_include(line, source_.form);
      if (include && include->name.empty())
        source_.unknown_from = std::min(source_.unknown_from, source_.lines.size());
      const Line here{path, number, line, conditions_ > 0, included_at};
      if (!include || include->name.empty() || !add_included(*include, here)) source_.lines.push_back(here);
    }
    open_files_.pop_back();
  }

  bool add_included(const IncludeLine& include, const Line& from) {
    std::vector<std::string> folders{""};
    if (include.search_own_folder)
      folders.insert(folders.begin(), fs::path(from.path).parent_path().string());
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const std::string& folder : folders) {
      const std::string path = (fs::path(folder) / include.name).lexically_normal().string();
      const auto text = read_(path);
      if (!text) continue;
      if (std::find(open_files_.begin(), open_files_.end(), path) != open_files_.end()) return false;
      source_.includes.push_back(from);
      add_file(path, *text, source_.includes.size() - 1);
      return true;
    }
    return false;
  }

  void add_names(std::string_view line) {
    if (line.empty() || (source_.form == Form::fixed && !is_blank(line[0]) && std::isdigit(line[0]) == 0))
      return;
    const std::size_t end = end_of_code(line, 0);
    for (std::size_t at = 0; at < end; ++at) {
      if (line[at] == '\'' || line[at] == '"') {
        at = std::min(line.find(line[at], at + 1), end);
        continue;
      }
      if (!is_word(line[at])) continue;
      const std::string word = word_at(line.substr(0, end), at);
      at += word.size();
      const std::size_t next = skip_blanks(line.substr(0, end), at);
      if (next == end || line[next] != '(') source_.names.insert(word);
      --at;
    }
  }

  // Whether line `i` and the one before are neighbours in a file.
  bool follows(std::size_t i) const {
    if (i == 0) return false;
    const Line &line = source_.lines[i], &before = source_.lines[i - 1];
    return line.path == before.path && line.number == before.number + 1;
  }

  // Adds line `i`, a directive with its text from `at` on.
  void add_directive(std::size_t i, std::size_t at) {
    const Line& added = source_.lines[i];
    const std::string& line = added.text;
    std::size_t end = end_of_code(line, at);
    bool continues = false;
    if (source_.form == Form::fixed) {
      // Only after a sentinel in the first columns can the sixth one have a continuation sign.
      if (at == 1 + kSentinel.size() && at < line.size() && !is_blank(line[at]) && line[at] != '0')
        continues = true;
      if (continues || (at < line.size() && line[at] == '0')) ++at;
    } else {
      continues = open_;
      const std::size_t first = skip_blanks(line, at);
      if (open_ && first < end && line[first] == '&') at = first + 1;
      open_ = end > at && line[end - 1] == '&';
      if (open_) --end;
    }
    end = std::max(at, end);
    if (continues && (source_.directives.empty() || source_.directives.back().last + 1 != i || !follows(i))) {
      source_.wrong.push_back({{i, at}, "this '!hyb$' line continues no directive"});
      return;
    }
    if (!continues) {
      source_.directives.emplace_back().first = i;
    } else {
      source_.directives.back().places.pop_back();
    }
    DirectiveText& directive = source_.directives.back();
    directive.last = i;
    for (; at < end; ++at) {
      directive.text += line[at];
      directive.places.push_back({i, at + 1});
    }
    directive.places.push_back({i, end + 1});
  }

  // Reports a directive whose continuation line is missing.
  void expect_complete() {
    if (!std::exchange(open_, false)) return;
    source_.wrong.push_back({source_.directives.back().places.back(),
                             "expected a '!hyb$' line after the '&' that ends this one"});
  }

  const std::vector<std::string>& folders_;
  const ReadFile& read_;
  Source source_;
  std::vector<std::string> open_files_;
  int conditions_ = 0;  // depth in #if ... #endif
  bool open_ = false;   // free form: the line before ended with '&'
};

}  // namespace

Form form_of(const std::string& path) {
  std::string end = path.substr(std::min(path.rfind('.'), path.size()));
  std::transform(end.begin(), end.end(), end.begin(), lower);
  for (const char* const fixed : {".f", ".for", ".fpp", ".ftn", ".f77"})
    if (end == fixed) return Form::fixed;
  return Form::free;
}

std::optional<IncludeLine> read_include(std::string_view line, Form form) {
  constexpr std::string_view kWord = "include";
  const std::size_t hash = after_hash(line, form);
  if (hash != 0 && word_at(line, hash) != kWord) return std::nullopt;
  const std::size_t at = hash != 0 ? skip_blanks(line, hash + kWord.size()) : after_include(line, form);
  if (at == 0 || at >= line.size()) return std::nullopt;
  IncludeLine include;
  char quote = line[at];
  if (hash != 0 && quote == '<') {
    quote = '>';
    include.search_own_folder = false;
  } else if (hash != 0 && is_word(quote)) {
    return include;
  } else if (quote != '"' && (hash != 0 || quote != '\'')) {
    return std::nullopt;
  }
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == quote) {
      // In a Fortran string a quote is written twice.
      if (hash != 0 || i + 1 == line.size() || line[i + 1] != quote)
        return include.name.empty() ? std::nullopt : std::optional(include);
      ++i;
    }
    include.name += line[i];
  }
  return std::nullopt;
}

Source read_source(const std::string& path, const std::string& text, Form form,
                   const std::vector<std::string>& folders, const ReadFile& read) {
  return Reader(form, folders, read).read(path, text);
}

}  // namespace hybrid::fortran
