#include "clang_plugin/fortran/directive.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "clang_plugin/directives/patterns.h"

namespace hybrid::fortran {
namespace {

using directives::kClauses;
using directives::kDirectives;
using directives::kNumbers;
using directives::kPatterns;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Returns the value of a whole number with an optional sign; nothing for other text.
std::optional<long long> literal(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("+- ");
  if (digits == text.npos || text.find_first_not_of("0123456789", digits) != text.npos) return std::nullopt;
  const auto minus = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(digits), '-');
  const long long number = std::strtoll(text.c_str() + digits, nullptr, 10);
  return minus % 2 == 1 ? -number : number;
}

class Reader {
 public:
  explicit Reader(const DirectiveText& text) : all_(text), text_(text.text) { skip(); }

  Directive read() {
    using Kind = Directive::Kind;
    static constexpr std::array kKinds{Kind::phase, Kind::condition, Kind::end,
                                       Kind::flush, Kind::off,       Kind::on};
    const std::size_t start = at_;
    const std::string name = word();
    const auto* const found = std::find(kDirectives.begin(), kDirectives.end(), name);
    if (found == kDirectives.end()) {
      if (start == text_.size())
        fail(start, "expected phase, condition, end, flush, off or on after '!hyb$'");
      fail_unknown(start, "directive", kDirectives);
    }
    directive_.kind = kKinds[static_cast<std::size_t>(found - kDirectives.begin())];
    if (directive_.kind == Kind::phase) {
      read_name();
    } else if (directive_.kind == Kind::condition) {
      read_condition();
      directive_.name = "if " + directive_.condition->text;
    } else if (at_ != text_.size()) {
      fail(at_, "unexpected " + here(at_) + " after '!hyb$ " + name + "'");
    }
    read_clauses();
    return std::move(directive_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& text) const {
    throw WrongDirective(all_.places[at], text);
  }
  template <std::size_t N>
  [[noreturn]] void fail_unknown(std::size_t at, const std::string& what,
                                 const std::array<std::string_view, N>& known) const {
    const std::string written = spelt(at);
    std::string_view best;
    std::size_t least = written.size() / 3 + 1;
    std::string all;
    for (const std::string_view name : known) {
      (all += all.empty() ? "" : ", ") += name;
      if (const std::size_t far = distance(written, name); far < least || (far == least && best.empty()))
        least = far, best = name;
    }
    fail(at, "unknown " + what + " '" + written + "' of '!hyb$'; " +
                 (best.empty() ? "known: " + all : "did you mean '" + std::string(best) + "'?"));
  }

  // Returns the word or sign at a place, in lower case.
  std::string spelt(std::size_t at) const {
    std::string text;
    for (std::size_t i = at; i < text_.size() && is_word(text_[i]); ++i) text += lower(text_[i]);
    if (text.empty() && at < text_.size()) text = text_[at];
    return text;
  }
  std::string here(std::size_t at) const {
    return at == text_.size() ? "the end of the directive" : "'" + spelt(at) + "'";
  }
  void skip() { at_ = skip_blanks(text_, at_); }
  std::string word() {
    std::string text;
    if (at_ < text_.size() && is_word(text_[at_])) text = spelt(at_);
    at_ += text.size();
    skip();
    return text;
  }
  bool is(char sign) const { return at_ < text_.size() && text_[at_] == sign; }
  void expect(char sign, const std::string& where) {
    if (!is(sign)) fail(at_, std::string("expected '") + sign + "' " + where + ", not " + here(at_));
    ++at_;
    skip();
  }
  // Returns the position after a literal's closing quote.
  std::size_t end_of_string(std::size_t at) const {
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
      if (text_[at] != quote) continue;
      if (at + 1 < text_.size() && text_[at + 1] == quote)
        ++at;
      else
        return at + 1;
    }
    fail(at, std::string("expected ") + quote + " at the end of the string");
  }

  void read_name() {
    expect('(', "after 'phase'");
    const std::size_t start = at_;
    if (is('\'') || is('"')) {
      const std::size_t end = end_of_string(at_);
      for (std::size_t i = at_ + 1; i + 1 < end; ++i) {
        directive_.name += text_[i];
        if (text_[i] == text_[at_]) ++i;
      }
      at_ = end;
      skip();
    } else {
      const std::size_t begin = at_;
      directive_.name = text_.substr(begin, word().size());
    }
    if (directive_.name.empty())
      fail(start, text_[start] == '\'' || text_[start] == '"'
                      ? "a phase needs a name"
                      : "expected the phase's name, a word or a string, not " + here(start));
    expect(')', "after the phase's name");
  }

  void read_clauses() {
    const bool is_phase = directive_.kind == Directive::Kind::phase;
    if (!is_phase && directive_.kind != Directive::Kind::condition) return;
    std::vector<std::string> seen;
    while (at_ < text_.size()) {
      if (is(',')) {
        ++at_;
        skip();
        continue;
      }
      const std::size_t start = at_;
      const std::string clause = word();
      if (std::find(kClauses.begin(), kClauses.end(), clause) == kClauses.end())
        fail_unknown(start, "clause", kClauses);
      if (std::find(seen.begin(), seen.end(), clause) != seen.end())
        fail(start, "'" + clause + "' is given twice");
      if (!is_phase && clause != "pattern" && clause != "connections")
        fail(start, "'" + clause + "' is a clause of 'phase'; 'condition' takes pattern and connections");
      seen.push_back(clause);
      read_clause(clause);
    }
    if (!is_phase && directive_.pattern.empty() && directive_.connections.empty())
      fail(at_, "'!hyb$ condition' needs a working set: pattern(...) or connections(...)");
  }

  void read_clause(const std::string& clause) {
    if (clause == "preload") {
      directive_.preload = true;
    } else if (clause == "flush") {
      directive_.flush = true;
    } else if (clause == "condition") {
      read_condition();
    } else if (clause == "pattern") {
      read_pattern();
    } else if (clause == "connections") {
      read_connections();
    } else {
      const std::size_t start = at_;
      std::vector<Expression> values = read_values(clause);
      if (values.size() != 1) fail(start, "'slots' takes one number");
      if (const auto number = literal(values[0].text); number && *number < 1)
        throw WrongDirective(values[0].at,
                             "slots: a phase has one configuration or more, not " + std::to_string(*number));
      directive_.slots = values[0];
    }
  }

  void read_condition() {
    const std::size_t start = at_;
    std::vector<Expression> values = read_values("condition");
    if (values.size() != 1) fail(start, "'condition' takes one expression");
    directive_.condition = values[0];
  }

  void read_pattern() {
    expect('(', "after 'pattern'");
    const std::size_t start = at_;
    directive_.pattern = word();
    const auto* const found = std::find(kPatterns.begin(), kPatterns.end(), directive_.pattern);
    if (found == kPatterns.end()) fail_unknown(start, "pattern", kPatterns);
    if (!is(',')) return expect(')', "or ',' after the pattern's name");
    directive_.dimensions = read_values_after("pattern");
    const std::size_t given = directive_.dimensions.size();
    const std::size_t takes = kNumbers[static_cast<std::size_t>(found - kPatterns.begin())];
    if (given != takes)
      throw WrongDirective(directive_.dimensions[std::min(given, takes + 1) - 1].at,
                           "the pattern '" + directive_.pattern + "' takes " +
                               (takes == 0   ? "no numbers"
                                : takes == 1 ? "one number"
                                             : std::to_string(takes) + " numbers") +
                               ", not " + std::to_string(given));
    for (const Expression& dimension : directive_.dimensions)
      if (const auto number = literal(dimension.text); number && *number < 0 && directive_.pattern != "shift")
        throw WrongDirective(dimension.at, "the pattern '" + directive_.pattern +
                                               "' takes no number below zero: " + std::to_string(*number));
  }

  void read_connections() {
    for (const Expression& pair : read_values("connections")) {
      const std::size_t arrow = pair.text.find("->");
      if (arrow == pair.text.npos || arrow == 0 || arrow + 2 == pair.text.size())
        throw WrongDirective(pair.at, "a connection is 'source -> destination'");
      directive_.connections.push_back(
          {{trimmed(pair.text.substr(0, arrow)), pair.at}, {trimmed(pair.text.substr(arrow + 2)), pair.at}});
    }
  }

  std::vector<Expression> read_values(const std::string& clause) {
    if (!is('(')) expect('(', "after '" + clause + "'");
    return read_values_after(clause);
  }

  // Reads values from the '(' or ',' before the first one to the ')' after the last one.
  std::vector<Expression> read_values_after(const std::string& clause) {
    ++at_;
    skip();
    std::vector<Expression> values;
    int depth = 0;
    std::size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ')')) {
        const std::string text = trimmed(text_.substr(start, at_ - start));
        if (text.empty()) fail(at_, "expected an expression in '" + clause + "'");
        values.push_back({text, all_.places[start]});
        ++at_;
        skip();
        if (c == ')') return values;
        start = at_;
        continue;
      }
      if (c == '\'' || c == '"') {
        at_ = end_of_string(at_);
        continue;
      }
      if (c == ';') fail(at_, "expected an expression in '" + clause + "', not ';'");
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      ++at_;
    }
    fail(at_, "expected ')' at the end of '" + clause + "'");
  }

  const DirectiveText& all_;
  const std::string& text_;
  std::size_t at_ = 0;
  Directive directive_;
};

}  // namespace

Directive read_directive(const DirectiveText& text) { return Reader(text).read(); }

}  // namespace hybrid::fortran
