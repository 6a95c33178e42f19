#include "clang_plugin/fortran/rewrite.h"

#include <algorithm>
#include <array>

#include "clang_plugin/fortran/directive.h"
#include "core/hint_abi.h"

namespace hybrid::fortran {
namespace {

constexpr std::string_view kPrefix = "hybrid_0_";  // of the generated names

// Fortran interfaces of the markers, with C types.
struct Marker {
  std::string_view name, symbol;
  std::vector<std::string_view> arguments, declarations;
  std::string_view result;  // type of a function's result
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
  Writer(const Unit& unit, const UnitFile& file, const std::vector<std::string>& copies)
      : unit_(unit), file_(file), source_(file.source), copies_(copies) {
    for (const char c : file.path) (quoted_ += c == '"' || c == '\\' ? "\\" : "") += c;
  }

  std::string write() {
    mark(1);
    return file_.wrong.empty() ? with_calls() : with_errors();
  }

 private:
  std::string with_calls() {
    const std::vector<Directive>& directives = file_.directives;
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
  // Writes the errors in place, so that flang reports them only if it reads these lines.
  std::string with_errors() {
    auto wrong = file_.wrong.begin();
    for (std::size_t line = 1; line <= source_.lines.size(); ++line) {
      copy(line);
      for (; wrong != file_.wrong.end() && wrong->at.line == line; ++wrong) {
        mark(line);
        (out_ += "#error ").append(wrong->what()) += "\n";
        mark(line + 1);
      }
    }
    return std::move(out_);
  }

  // Copies a line. The preprocessor may skip line markers between #ifdef and #endif, so another one follows
  // each preprocessor line.
  void copy(std::size_t line) {
    const std::string text = with_included_path(line);
    out_ += text + "\n";
    if (text.starts_with('#') && !text.ends_with('\\')) mark(line + 1);
  }
  // Returns the line. An include line gets the path of the included file, because this file moves to another
  // folder.
  std::string with_included_path(std::size_t line) {
    const std::string& text = source_.lines[line - 1];
    const auto& includes = source_.includes;
    while (include_ < includes.size() && includes[include_].line < line) ++include_;
    if (include_ == includes.size() || includes[include_].line != line) return text;
    const Included& found = file_.included[include_];
    if (found.file == Included::kNone) return text;
    if (unit_.files[found.file].changes) return with_name(text, includes[include_], copies_[found.file]);
    return found.in_own_folder ? with_name(text, includes[include_], found.path) : text;
  }
  void mark(std::size_t line) { out_ += "# " + std::to_string(line) + " \"" + quoted_ + "\"\n"; }

  // Writes a statement on separate lines, with the directive's line number.
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
  // Returns the length of the piece at `at` that must not be split: a word, a string, or one character.
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
  std::string replaced(const Expression& expression) {
    const std::string& text = expression.text;
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
        return name == "hybrid_" + what || (name == what && !is_called && !unit_.names.contains(what));
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
        if (directive.condition) condition(*directive.condition);
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
    for (const Marker& marker : markers()) {
      if (used_.contains(std::string(marker.name))) interface(marker, marker.name, marker.symbol);
      if (marker.name == "rank" && used_.contains("size")) interface(marker, "size", HYBRID_MARKER_SIZE);
    }
    put("end interface");
    if (used_.contains("ready")) put("integer(4) :: " + prefixed("scope"));
    for (const std::string& constant : constants_) put(constant);
    for (const std::string& statement : statements_) put(statement);
    put("end block");
  }
  void interface(const Marker& marker, std::string_view name, std::string_view symbol) {
    const std::string kind = marker.result.empty() ? "subroutine" : "function";
    std::string arguments;
    for (const std::string_view argument : marker.arguments)
      (arguments += arguments.empty() ? "" : ", ") += argument;
    put(kind + " " + prefixed(name) + "(" + arguments + ") bind(c, name=\"" + std::string(symbol) + "\")");
    for (const std::string_view declaration : marker.declarations) put(std::string(declaration));
    if (!marker.result.empty()) put(std::string(marker.result) + " :: " + prefixed(name));
    put("end " + kind);
  }

  const Unit& unit_;
  const UnitFile& file_;
  const Source& source_;
  const std::vector<std::string>& copies_;
  std::string quoted_, out_;
  std::size_t line_ = 0, include_ = 0;
  std::vector<std::string> statements_, constants_;
  std::set<std::string> used_;
};

}  // namespace

std::string rewrite(const Unit& unit, std::size_t file, const std::vector<std::string>& copies) {
  return Writer(unit, unit.files[file], copies).write();
}

}  // namespace hybrid::fortran
