#include "clang_plugin/fortran/rewrite.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "clang_plugin/fortran/directive.h"
#include "core/hint_abi.h"

namespace hybrid::fortran {
namespace {

constexpr std::string_view kPrefix = "hybrid_0_";  // of names that no program has

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The markers as Fortran calls them: of C's types, so that all units agree.
struct Marker {
  std::string_view name, symbol;
  std::vector<std::string_view> arguments, declarations;
  std::string_view result;  // its type, of a function
};
const std::array<Marker, 10>& markers() {
  static const std::array<Marker, 10> all{{
      {"begin",
       HYBRID_MARKER_PHASE_BEGIN,
       {"n", "f", "s"},
       {"type(*) :: n", "integer(4), value :: f", "integer(8), value :: s"},
       ""},
      {"pattern",
       HYBRID_MARKER_PATTERN,
       {"n", "m", "a", "b", "c", "d"},
       {"type(*) :: n", "integer(4), value :: m", "integer(8), value :: a, b, c, d"},
       ""},
      {"connection", HYBRID_MARKER_CONNECTION, {"a", "b"}, {"integer(8), value :: a, b"}, ""},
      {"condition", HYBRID_MARKER_CONDITION, {"a"}, {"integer(8), value :: a"}, "integer(8)"},
      {"ready", HYBRID_MARKER_PHASE_READY, {"s"}, {"integer(4) :: s"}, ""},
      {"end", HYBRID_MARKER_PHASE_END, {}, {}, ""},
      {"flush", HYBRID_MARKER_FLUSH, {}, {}, ""},
      {"off", HYBRID_MARKER_OFF, {}, {}, ""},
      {"on", HYBRID_MARKER_ON, {}, {}, ""},
      {"rank", HYBRID_MARKER_RANK, {}, {}, "integer(4)"},
  }};
  return all;
}

class Writer {
 public:
  Writer(const Source& source, const std::string& path) : source_(source) {
    for (const char c : path) (quoted_ += c == '"' || c == '\\' ? "\\" : "") += c;
  }

  std::string write(const std::vector<Directive>& directives) {
    mark(1);
    std::size_t line = 1;
    for (std::size_t i = 0; i < directives.size(); ++i) {
      const DirectiveText& text = source_.directives[i];
      for (; line < text.first; ++line) copy(line);
      line_ = text.first;
      write(directives[i]);
      line = text.last + 1;
      mark(line);
    }
    for (; line <= source_.lines.size(); ++line) copy(line);
    return std::move(out_);
  }

 private:
  // The preprocessor may pass over line markers between #ifdef and #endif: behind such lines comes one more.
  void copy(std::size_t line) {
    const std::string& text = source_.lines[line - 1];
    out_ += text + "\n";
    if (text.starts_with('#') && !text.ends_with('\\')) mark(line + 1);
  }
  void mark(std::size_t line) { out_ += "# " + std::to_string(line) + " \"" + quoted_ + "\"\n"; }

  // A statement on lines of its own that count as the directive's.
  void put(const std::string& statement) {
    mark(line_);
    if (source_.form == Form::free) {
      out_ += statement + "\n";
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
    out_ += text + "\n";
  }
  // Of what must not be cut: a word, a string.
  static std::size_t piece_at(const std::string& text, std::size_t at) {
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

  static std::string own(std::string_view name) { return std::string(kPrefix) + std::string(name); }

  // A constant for a marker that takes a pointer to one.
  std::string constant(const std::string& text) {
    constexpr std::size_t kPart = 40;
    const std::string name = own("text_" + std::to_string(constants_.size()));
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
    return own(marker);
  }
  // An expression as a 64-bit number, `rank` and `size` where they are the job's.
  std::string number(const Expression& expression) { return "int(" + replaced(expression) + ", 8)"; }
  std::string replaced(const Expression& expression) {
    const std::string& text = expression.text;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t piece = piece_at(text, at);
      std::string name = text.substr(at, piece);
      const std::size_t before = text.find_last_not_of(' ', at == 0 ? text.npos : at - 1);
      const bool is_member = at != 0 && before != text.npos && text[before] == '%';
      at += piece;
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
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
        phase(directive);
        break;
      case Kind::condition: {
        Directive then = directive;
        then.condition.reset();
        condition(*directive.condition);
        phase(then);
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

  void phase(const Directive& directive) {
    const int flags =
        (directive.preload ? HYBRID_PHASE_PRELOAD : 0) | (directive.flush ? HYBRID_PHASE_FLUSH : 0);
    call("begin", constant(directive.name) + ", " + std::to_string(flags) + "_4, " +
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
    call("ready", own("scope"));
  }
  void condition(const Expression& holds) {
    statements_.push_back("if (" + use("condition") + "(merge(1_8, 0_8, " + replaced(holds) +
                          ")) /= 0_8) then");
  }

  // The statements with what they need declared around them.
  void block() {
    put("block");
    put("interface");
    for (const Marker& marker : markers()) {
      if (used_.contains(std::string(marker.name))) interface(marker, marker.name, marker.symbol);
      if (marker.name == "rank" && used_.contains("size")) interface(marker, "size", HYBRID_MARKER_SIZE);
    }
    put("end interface");
    if (used_.contains("ready")) put("integer(4) :: " + own("scope"));
    for (const std::string& constant : constants_) put(constant);
    for (const std::string& statement : statements_) put(statement);
    put("end block");
  }
  void interface(const Marker& marker, std::string_view name, std::string_view symbol) {
    const std::string kind = marker.result.empty() ? "subroutine" : "function";
    std::string arguments;
    for (const std::string_view argument : marker.arguments)
      (arguments += arguments.empty() ? "" : ", ") += argument;
    put(kind + " " + own(name) + "(" + arguments + ") bind(c, name=\"" + std::string(symbol) + "\")");
    for (const std::string_view declaration : marker.declarations) put(std::string(declaration));
    if (!marker.result.empty()) put(std::string(marker.result) + " :: " + own(name));
    put("end " + kind);
  }

  const Source& source_;
  std::string quoted_, out_;
  std::size_t line_ = 0;
  std::vector<std::string> statements_, constants_;
  std::set<std::string> used_;
};

}  // namespace

std::optional<std::string> rewrite(std::string_view text, const std::string& path, Form form,
                                   std::vector<WrongDirective>& wrong) {
  const Source source = read_source(text, form);
  wrong.insert(wrong.end(), source.wrong.begin(), source.wrong.end());
  std::vector<Directive> directives;
  bool has_phase = false;
  for (const DirectiveText& written : source.directives) {
    try {
      directives.push_back(read_directive(written));
      const Directive::Kind kind = directives.back().kind;
      has_phase |= kind == Directive::Kind::phase;
      if (kind == Directive::Kind::end && !has_phase)
        throw WrongDirective({written.first, written.places.front().column},
                             "'!hyb$ end' without a phase before it");
    } catch (const WrongDirective& e) {
      wrong.push_back(e);
    }
  }
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const WrongDirective& a, const WrongDirective& b) { return a.at.line < b.at.line; });
  if (!wrong.empty() || directives.empty()) return std::nullopt;
  return Writer(source, path).write(directives);
}

}  // namespace hybrid::fortran
