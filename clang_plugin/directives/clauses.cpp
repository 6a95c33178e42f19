#include "clang_plugin/directives/clauses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "clang_plugin/directives/patterns.h"

namespace hybrid::directives {
namespace {

using Kind = Directive::Kind;
using Names = std::span<const std::string_view>;

// Number of changed, added or removed characters between two words.
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

// Whether it is a name.
bool is_name(std::string_view word) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return std::all_of(word.begin(), word.end(), is_part) &&
         std::isdigit(static_cast<unsigned char>(word.front())) == 0;
}

class Reader {
 public:
  Reader(const std::vector<Word>& words, const std::string& sentinel, bool ignores_case)
      : words_(words), sentinel_(sentinel), ignores_case_(ignores_case) {}

  Directive read() {
    static constexpr std::array kKinds{Kind::phase, Kind::condition, Kind::end,
                                       Kind::flush, Kind::off,       Kind::on};
    if (is_end()) fail("expected phase, condition, end, flush, off or on after '" + sentinel_ + "'");
    const std::size_t kind = one_of("directive", kDirectives);
    directive_.kind = kKinds[kind];
    if (directive_.kind == Kind::phase) {
      read_name();
      read_clauses();
    } else if (directive_.kind == Kind::condition) {
      directive_.condition = read_one("condition", "one expression");
      read_clauses();
      if (directive_.pattern.empty() && directive_.connections.empty())
        fail("'" + sentinel_ + " condition' needs a working set: pattern(...) or connections(...)");
    } else if (!is_end()) {
      fail("unexpected " + here() + " after '" + sentinel_ + " " + std::string(kDirectives[kind]) + "'");
    }
    return std::move(directive_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw WrongDirective(at_, text); }

  bool is_end() const { return at_ == words_.size(); }
  bool is(std::string_view sign, std::size_t at) const {
    return at < words_.size() && !words_[at].is_string && words_[at].text == sign;
  }
  bool is(std::string_view sign) const { return is(sign, at_); }
  std::string here() const { return is_end() ? "the end of the directive" : "'" + words_[at_].text + "'"; }

  void expect(const std::string& sign, const std::string& where) {
    if (!is(sign)) fail("expected '" + sign + "' " + where + ", not " + here());
    ++at_;
  }

  // Takes the next word, which must be one of `names`. Returns its index in them.
  std::size_t one_of(const std::string& what, Names names) {
    std::string word = is_end() || words_[at_].is_string ? "" : words_[at_].text;
    if (ignores_case_)
      std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view best;
    std::size_t least = word.size() / 3 + 1;
    std::string all;
    for (const std::string_view& name : names) {
      if (name == word) return ++at_, static_cast<std::size_t>(&name - names.data());
      (all += all.empty() ? "" : ", ") += name;
      if (const std::size_t far = distance(word, name); far < least || (far == least && best.empty()))
        least = far, best = name;
    }
    throw WrongDirective(at_,
                         "unknown " + what + " " + here() + " of '" + sentinel_ + "'; " +
                             (best.empty() ? "known: " + all : "did you mean '" + std::string(best) + "'?"),
                         std::string(best));
  }

  // Reads (name) or ("any name").
  void read_name() {
    expect("(", "after 'phase'");
    if (is_end() || (!words_[at_].is_string && !is_name(words_[at_].text)))
      fail("expected the phase's name, a word or a string, not " + here());
    directive_.name = words_[at_].text;
    if (directive_.name.empty()) fail("a phase needs a name");
    ++at_;
    expect(")", "after the phase's name");
  }

  void read_clauses() {
    std::vector<std::size_t> seen;
    while (!is_end()) {
      if (is(",")) {  // optional between clauses, as in OpenMP
        ++at_;
        continue;
      }
      const std::size_t clause = one_of("clause", kClauses);
      const std::string name(kClauses[clause]);
      if (std::find(seen.begin(), seen.end(), clause) != seen.end())
        throw WrongDirective(at_ - 1, "'" + name + "' is given twice");
      if (directive_.kind == Kind::condition && name != "pattern" && name != "connections")
        throw WrongDirective(
            at_ - 1, "'" + name + "' is a clause of 'phase'; 'condition' takes pattern and connections");
      seen.push_back(clause);
      read_clause(name);
    }
  }

  void read_clause(const std::string& clause) {
    if (clause == "preload") {
      directive_.preload = true;
    } else if (clause == "flush") {
      directive_.flush = true;
    } else if (clause == "condition") {
      directive_.condition = read_one(clause, "one expression");
    } else if (clause == "pattern") {
      read_pattern();
    } else if (clause == "connections") {
      read_connections();
    } else {
      directive_.slots = read_one(clause, "one number");
      check(*directive_.slots, error_of_slots);
    }
  }

  void read_pattern() {
    expect("(", "after 'pattern'");
    const std::size_t found = one_of("pattern", kPatterns);
    directive_.pattern = kPatterns[found];
    if (is(")")) {
      ++at_;
      return;
    }
    if (!is(",")) fail("expected ',' or ')' after the pattern's name, not " + here());
    directive_.dimensions = read_values("pattern");
    const std::size_t given = directive_.dimensions.size(), takes = kNumbers[found];
    if (given != takes)
      throw WrongDirective(directive_.dimensions[std::min(given, takes + 1) - 1].begin,
                           "the pattern '" + directive_.pattern + "' takes " +
                               (takes == 0   ? "no numbers"
                                : takes == 1 ? "one number"
                                             : std::to_string(takes) + " numbers") +
                               ", not " + std::to_string(given));
    for (const Expression& dimension : directive_.dimensions)
      check(dimension, [&](long long number) { return error_of_dimension(directive_.pattern, number); });
  }

  void read_connections() {
    if (!is("(")) expect("(", "after 'connections'");
    for (const Expression& pair : read_values("connections")) {
      std::size_t arrow = pair.begin;
      for (int depth = 0; arrow < pair.end && (depth != 0 || !is("->", arrow)); ++arrow)
        depth += nesting(arrow);
      if (arrow == pair.begin || arrow + 1 >= pair.end)
        throw WrongDirective(
            pair.begin,
            "a connection is 'source -> destination'; put parentheses around members of pointers");
      directive_.connections.push_back({{pair.begin, arrow}, {arrow + 1, pair.end}});
    }
  }

  Expression read_one(const std::string& clause, const std::string& takes) {
    const std::size_t start = at_;
    if (!is("(")) expect("(", "after '" + clause + "'");
    const std::vector<Expression> values = read_values(clause);
    if (values.size() != 1) throw WrongDirective(start, "'" + clause + "' takes " + takes);
    return values.front();
  }

  // Reads values from the '(' or ',' before the first one to the ')' after the last one.
  std::vector<Expression> read_values(const std::string& clause) {
    std::vector<Expression> values;
    std::size_t begin = ++at_;
    for (int depth = 0; !is_end(); ++at_) {
      if (depth == 0 && (is(",") || is(")"))) {
        if (begin == at_) fail("expected an expression in '" + clause + "'");
        values.push_back({begin, at_});
        begin = at_ + 1;
        if (!is(")")) continue;
        ++at_;
        return values;
      }
      if (is(";") || is("{") || is("}")) fail("expected an expression in '" + clause + "', not " + here());
      depth += nesting(at_);
    }
    fail("expected ')' at the end of '" + clause + "'");
  }
  int nesting(std::size_t at) const {
    return is("(", at) || is("[", at) ? 1 : is(")", at) || is("]", at) ? -1 : 0;
  }

  void check(const Expression& expression, const auto& error_of) const {
    const auto number = literal(expression);
    if (const std::string error = number ? error_of(*number) : ""; !error.empty())
      throw WrongDirective(expression.begin, error);
  }
  // Returns the value of a whole number with optional signs; nothing for other expressions.
  std::optional<long long> literal(const Expression& expression) const {
    long long sign = 1;
    std::size_t at = expression.begin;
    for (; at + 1 < expression.end && (is("-", at) || is("+", at)); ++at) sign = is("-", at) ? -sign : sign;
    const std::string& digits = words_[at].text;
    if (at + 1 != expression.end || digits.find_first_not_of("0123456789") != digits.npos)
      return std::nullopt;
    return sign * std::strtoll(digits.c_str(), nullptr, 10);
  }

  const std::vector<Word>& words_;
  const std::string& sentinel_;
  const bool ignores_case_;
  std::size_t at_ = 0;
  Directive directive_;
};

}  // namespace

std::string error_of_slots(long long number) {
  return number < 1 ? "slots: a phase has one configuration or more, not " + std::to_string(number) : "";
}

std::string error_of_dimension(const std::string& pattern, long long number) {
  return number < 0 && pattern != "shift"
             ? "the pattern '" + pattern + "' takes no number below zero: " + std::to_string(number)
             : "";
}

Directive read_directive(const std::vector<Word>& words, const std::string& sentinel, bool ignores_case) {
  return Reader(words, sentinel, ignores_case).read();
}

}  // namespace hybrid::directives
