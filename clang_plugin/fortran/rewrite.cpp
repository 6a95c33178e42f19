#include "clang_plugin/fortran/rewrite.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "clang_plugin/directives/clauses.h"
#include "core/hint_abi.h"

namespace hybrid::fortran {
namespace {

using directives::Directive;
using directives::Expression;

constexpr std::string_view kPrefix = "hybrid_0_";  // of the generated names

// Fortran interfaces of the markers, with C types.
struct Marker {
  std::string_view name, symbol, arguments;
  std::vector<std::string_view> declarations;
};
const std::array<Marker, 11>& markers() {
  static const std::array<Marker, 11> all{{
      {"begin",
       HYBRID_MARKER_PHASE_BEGIN,
       "n, f, s",
       {"type(*) :: n", "integer(4), value :: f", "integer(8), value :: s"}},
      {"pattern",
       HYBRID_MARKER_PATTERN,
       "n, m, a, b, c, d",
       {"type(*) :: n", "integer(4), value :: m", "integer(8), value :: a, b, c, d"}},
      {"connection", HYBRID_MARKER_CONNECTION, "a, b", {"integer(8), value :: a, b"}},
      {"condition",
       HYBRID_MARKER_CONDITION,
       "a",
       {"integer(8), value :: a", "integer(8) :: hybrid_0_condition"}},
      {"ready", HYBRID_MARKER_PHASE_READY, "s", {"integer(4) :: s"}},
      {"end", HYBRID_MARKER_PHASE_END, "", {}},
      {"flush", HYBRID_MARKER_FLUSH, "", {}},
      {"off", HYBRID_MARKER_OFF, "", {}},
      {"on", HYBRID_MARKER_ON, "", {}},
      {"rank", HYBRID_MARKER_RANK, "", {"integer(4) :: hybrid_0_rank"}},
      {"size", HYBRID_MARKER_SIZE, "", {"integer(4) :: hybrid_0_size"}},
  }};
  return all;
}

// Returns the length of the piece at `at` that must not be split: a word, a string, or one character.
std::size_t piece_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  if (text[at] == '\'' || text[at] == '"') {
    // A quote in it is written twice.
    while (end < text.size() &&
           (text[end] != text[at] || (end + 1 < text.size() && text[end + 1] == text[at])))
      end += text[end] == text[at] ? 2 : 1;
    return std::min(end + 1, text.size()) - at;
  }
  while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
  return end - at;
}

class Writer {
 public:
  explicit Writer(const Source& source) : source_(source) {}

  Rewritten write() {
    for (const Wrong& wrong : source_.wrong) report(wrong);
    auto directive = source_.directives.begin();
    for (std::size_t line = 0; line < source_.lines.size();) {
      const std::size_t first = line;
      if (directive != source_.directives.end() && directive->first == line) {
        rewrite(*directive);
        line = directive->last + 1;
        ++directive;
      } else {
        copy(line++);
      }
      for (auto error = errors_.lower_bound(first); error != errors_.end() && error->first < line; ++error) {
        mark(error->first);
        (result_.text += "#error " + error->second) += "\n";
      }
    }
    std::sort(result_.wrong.begin(), result_.wrong.end(), [](const Wrong& a, const Wrong& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
    return std::move(result_);
  }

 private:
  void report(const Wrong& wrong) {
    if (source_.lines[wrong.at.line].conditional)
      errors_.emplace(wrong.at.line, wrong.text);
    else
      result_.wrong.push_back(wrong);
  }

  // Copies a line. The preprocessor may skip line markers between #ifdef and #endif, so another one follows
  // each preprocessor line.
  void copy(std::size_t line) {
    const Line& copied = source_.lines[line];
    if (copied.path != path_ || copied.number != next_) mark(line);
    result_.text += copied.text + "\n";
    next_ = copied.text.starts_with('#') && !copied.text.ends_with('\\') ? 0 : copied.number + 1;
    path_ = copied.path;
  }
  void mark(std::size_t line) {
    result_.text += "# " + std::to_string(source_.lines[line].number) + " \"";
    for (const char c : source_.lines[line].path) (result_.text += c == '"' || c == '\\' ? "\\" : "") += c;
    result_.text += "\"\n";
    next_ = 0;
  }

  void rewrite(const DirectiveText& text) {
    text_ = &text;
    try {
      const Directive directive = directives::read_directive(words(), "!hyb$", /*ignores_case=*/true);
      has_phase_ |= directive.kind == Directive::Kind::phase || source_.unknown_from < text.first;
      if (directive.kind == Directive::Kind::end && !has_phase_)
        throw directives::WrongDirective(0, "'!hyb$ end' without a phase before it");
      write(directive);
    } catch (const directives::WrongDirective& wrong) {
      report({text.places[wrong.at < ends_.size() ? begins_[wrong.at] : text.text.size()], wrong.what()});
    }
  }

  // Divides the directive's text, and sets the places of its words.
  std::vector<directives::Word> words() {
    const std::string& text = text_->text;
    std::vector<directives::Word> words;
    begins_.clear();
    ends_.clear();
    for (std::size_t at = skip_blanks(text, 0); at < text.size(); at = skip_blanks(text, ends_.back())) {
      const bool is_string = text[at] == '\'' || text[at] == '"';
      const std::size_t length = text.compare(at, 2, "->") == 0 ? 2 : piece_at(text, at);
      begins_.push_back(at);
      ends_.push_back(at + length);
      std::string word = text.substr(at, length);
      if (is_string) {
        if (length == 1 || word.back() != word.front())
          throw directives::WrongDirective(words.size(),
                                           std::string("expected ") + text[at] + " at the end of the string");
        const std::string quoted = std::exchange(word, "");
        for (std::size_t i = 1; i + 1 < quoted.size(); i += quoted[i] == quoted[0] ? 2 : 1) word += quoted[i];
      }
      words.push_back({word, is_string});
    }
    return words;
  }

  // Writes a statement on separate lines, with the directive's line number.
  void put(const std::string& statement) {
    mark(text_->first);
    if (source_.form == Form::free) {
      result_.text += statement + "\n";
      return;
    }
    constexpr std::size_t kColumns = 66;  // from the seventh to the 72nd
    std::string text = "      ";
    std::size_t used = 0;
    for (std::size_t at = 0; at < statement.size();) {
      const std::size_t piece = piece_at(statement, at);
      if (used != 0 && used + piece > kColumns) {
        text += "\n     &";
        used = 0;
      }
      text.append(statement, at, piece);
      used += piece;
      at += piece;
    }
    result_.text += text + "\n";
  }
  static std::string prefixed(std::string_view name) { return std::string(kPrefix) + std::string(name); }

  // Adds a constant for a marker with a pointer argument. Returns its name.
  std::string constant(const std::string& text) {
    constexpr std::size_t kPart = 40;
    const std::string name = prefixed("text_" + std::to_string(constants_.size()));
    std::string value;
    for (std::size_t at = 0; at < text.size(); at += kPart) {
      value += "'";
      for (const char c : text.substr(at, kPart)) value += c == '\'' ? std::string("''") : std::string(1, c);
      value += "'//";
    }
    constants_.push_back("character(" + std::to_string(text.size() + 1) + "), save :: " + name + " = " +
                         value + "char(0)");
    return name;
  }
  void call(std::string_view marker, const std::string& arguments = "") {
    statements_.push_back("call " + use(marker) + "(" + arguments + ")");
  }
  std::string use(std::string_view marker) {
    used_.insert(std::string(marker));
    return prefixed(marker);
  }
  // Returns an expression as a 64-bit number, with `rank` and `size` of the job replaced.
  std::string number(const Expression& expression) { return "int(" + replaced(expression) + ", 8)"; }
  std::string written(const Expression& expression) const {
    const std::size_t begin = begins_[expression.begin];
    return text_->text.substr(begin, ends_[expression.end - 1] - begin);
  }
  std::string replaced(const Expression& expression) {
    const std::string text = written(expression);
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t piece = piece_at(text, at);
      std::string name = text.substr(at, piece);
      const std::size_t before = text.find_last_not_of(' ', at == 0 ? text.npos : at - 1);
      const bool is_member = at != 0 && before != text.npos && text[before] == '%';
      at += piece;
      std::transform(name.begin(), name.end(), name.begin(), lower);
      std::size_t next = at;
      while (next < text.size() && text[next] == ' ') ++next;
      const bool is_called = next < text.size() && text[next] == '(';
      const auto jobs = [&](const std::string& what) {
        return name == "hybrid_" + what || (name == what && !is_called && !source_.names.contains(what));
      };
      if (!is_member && jobs("rank"))
        result += use("rank") + "()";
      else if (!is_member && jobs("size"))
        result += use("size") + "()";
      else
        result.append(text, at - piece, piece);
    }
    return result;
  }

  void write(const Directive& directive) {
    using Kind = Directive::Kind;
    statements_.clear();
    constants_.clear();
    used_.clear();
    switch (directive.kind) {
      case Kind::phase:
        call("end");
        if (directive.flush) call("flush");
        phase(directive, directive.name);
        break;
      case Kind::condition: {
        Directive then = directive;
        then.condition.reset();
        condition(*directive.condition);
        phase(then, "if " + written(*directive.condition));
        call("end");
        statements_.emplace_back("end if");
        break;
      }
      case Kind::end:
        call("end");
        break;
      case Kind::flush:
        call("flush");
        break;
      case Kind::off:
        call("off");
        break;
      case Kind::on:
        call("on");
        break;
    }
    block();
  }

  void phase(const Directive& directive, const std::string& name) {
    const int flags =
        (directive.preload ? HYBRID_PHASE_PRELOAD : 0) | (directive.flush ? HYBRID_PHASE_FLUSH : 0);
    call("begin", constant(name) + ", " + std::to_string(flags) + "_4, " +
                      (directive.slots ? number(*directive.slots) : "0_8"));
    if (directive.condition) condition(*directive.condition);
    if (!directive.pattern.empty()) {
      std::string arguments =
          constant(directive.pattern) + ", " + std::to_string(directive.dimensions.size()) + "_4";
      for (std::size_t i = 0; i < 4; ++i)
        arguments += ", " + (i < directive.dimensions.size() ? number(directive.dimensions[i]) : "0_8");
      call("pattern", arguments);
    }
    for (const Directive::Connection& connection : directive.connections)
      call("connection", number(connection.from) + ", " + number(connection.to));
    if (directive.condition) statements_.emplace_back("end if");
    call("ready", prefixed("scope"));
  }
  void condition(const Expression& holds) {
    statements_.push_back("if (" + use("condition") + "(merge(1_8, 0_8, " + replaced(holds) +
                          ")) /= 0_8) then");
  }

  // Writes the statements in a block with their declarations.
  void block() {
    put("block");
    put("interface");
    for (const Marker& marker : markers())
      if (used_.contains(std::string(marker.name))) interface(marker);
    put("end interface");
    if (used_.contains("ready")) put("integer(4) :: " + prefixed("scope"));
    for (const std::string& constant : constants_) put(constant);
    for (const std::string& statement : statements_) put(statement);
    put("end block");
  }
  // A marker that declares its own name is a function.
  void interface(const Marker& marker) {
    const std::string name = prefixed(marker.name);
    const bool is_function = !marker.declarations.empty() && marker.declarations.back().ends_with(name);
    const std::string kind = is_function ? "function" : "subroutine";
    put(kind + " " + name + "(" + std::string(marker.arguments) + ") bind(c, name=\"" +
        std::string(marker.symbol) + "\")");
    for (const std::string_view declaration : marker.declarations) put(std::string(declaration));
    put("end " + kind);
  }

  const Source& source_;
  Rewritten result_;
  std::map<std::size_t, std::string> errors_;  // by line, for flang
  std::string path_;
  std::size_t next_ = 0;  // the number of the line that flang expects in `path_`; 0: unknown
  bool has_phase_ = false;
  const DirectiveText* text_ = nullptr;
  std::vector<std::size_t> begins_, ends_;  // of the directive's words, in its text
  std::vector<std::string> statements_, constants_;
  std::set<std::string> used_;
};

}  // namespace

Rewritten rewrite(const Source& source) { return Writer(source).write(); }

}  // namespace hybrid::fortran
