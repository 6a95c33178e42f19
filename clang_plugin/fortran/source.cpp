#include "clang_plugin/fortran/source.h"

#include <algorithm>
#include <cctype>

namespace hybrid::fortran {
namespace {

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

// Where the text behind the sentinel begins; 0 where the line is no directive's.
std::size_t directive_at(std::string_view line, Form form) {
  const std::size_t at = behind_blanks(line, 0);
  if (at == line.size()) return 0;
  const char first = small(line[at]);
  if (first != '!' && (form == Form::free || at != 0 || (first != 'c' && first != '*'))) return 0;
  const std::string_view word = line.substr(at + 1, kSentinel.size());
  const bool same = std::equal(word.begin(), word.end(), kSentinel.begin(), kSentinel.end(),
                               [](char a, char b) { return small(a) == b; });
  return same ? at + 1 + kSentinel.size() : 0;
}

// The end of what stands before a comment and the blanks in front of it.
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

void add_names(std::string_view line, Form form, Names& names) {
  if (line.empty() || (form == Form::fixed && !is_blank(line[0]) && std::isdigit(line[0]) == 0)) return;
  const std::size_t end = end_of_code(line, 0);
  for (std::size_t at = 0; at < end; ++at) {
    if (line[at] == '\'' || line[at] == '"') {
      at = std::min(line.find(line[at], at + 1), end);
      continue;
    }
    if (!is_word(line[at])) continue;
    std::string word;
    for (; at < end && is_word(line[at]); ++at) word += small(line[at]);
    const std::size_t next = behind_blanks(line.substr(0, end), at);
    if (next == end || line[next] != '(') names.insert(word);
    --at;
  }
}

class Reader {
 public:
  Reader(std::string_view text, Form form) {
    source_.form = form;
    source_.lines = lines_of(text);
  }

  Source read() {
    for (line_ = 1; line_ <= source_.lines.size(); ++line_) {
      const std::string& line = source_.lines[line_ - 1];
      if (const std::size_t at = directive_at(line, source_.form); at != 0) {
        add(line, at);
        continue;
      }
      expect_no_more();
      add_include(line);
      add_names(line, source_.form, source_.names);
    }
    expect_no_more();
    return std::move(source_);
  }

 private:
  void add(const std::string& line, std::size_t at) {
    std::size_t end = end_of_code(line, at);
    bool goes_on = false;
    if (source_.form == Form::fixed) {
      // Only a sentinel in the first columns leaves the sixth for the sign of a line that goes on.
      if (at == 1 + kSentinel.size() && at < line.size() && !is_blank(line[at]) && line[at] != '0')
        goes_on = true;
      if (goes_on || (at < line.size() && line[at] == '0')) ++at;
    } else {
      goes_on = open_;
      const std::size_t first = behind_blanks(line, at);
      if (open_ && first < end && line[first] == '&') at = first + 1;
      open_ = end > at && line[end - 1] == '&';
      if (open_) --end;
    }
    end = std::max(at, end);
    if (goes_on && (source_.directives.empty() || source_.directives.back().last + 1 != line_)) {
      source_.wrong.emplace_back(Place{line_, at}, "this line of '!hyb$' goes on from no directive");
      return;
    }
    if (!goes_on) {
      source_.directives.emplace_back().first = line_;
    } else {
      source_.directives.back().places.pop_back();
    }
    DirectiveText& directive = source_.directives.back();
    directive.last = line_;
    for (; at < end; ++at) {
      directive.text += line[at];
      directive.places.push_back({line_, at + 1});
    }
    directive.places.push_back({line_, end + 1});
  }

  void add_include(const std::string& line) {
    conditions_ += deeper_in_conditions(line, source_.form);
    if (auto include = read_include(line, source_.form)) {
      include->line = line_;
      include->conditional = conditions_ > 0;
      source_.includes.push_back(*std::move(include));
    }
  }

  void expect_no_more() {
    if (!open_) return;
    open_ = false;
    source_.wrong.emplace_back(source_.directives.back().places.back(),
                               "expected a '!hyb$' line after the '&' that ends this one");
  }

  Source source_;
  std::size_t line_ = 0;
  int conditions_ = 0;  // that the line is between
  bool open_ = false;   // free form: the line before ended with '&'
};

}  // namespace

Form form_of(const std::string& path) {
  std::string end = path.substr(std::min(path.rfind('.'), path.size()));
  std::transform(end.begin(), end.end(), end.begin(), small);
  for (const char* const fixed : {".f", ".for", ".fpp", ".ftn", ".f77"})
    if (end == fixed) return Form::fixed;
  return Form::free;
}

Source read_source(std::string_view text, Form form) { return Reader(text, form).read(); }

}  // namespace hybrid::fortran
