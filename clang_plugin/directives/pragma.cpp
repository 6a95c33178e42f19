#include "clang/Lex/Pragma.h"

#include <memory>
#include <utility>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang_plugin/directives/directives.h"

namespace hybrid::directives {

namespace {

using clang::Preprocessor;
using clang::SourceLocation;
using clang::StringRef;
using clang::Token;
namespace tok = clang::tok;

/// Builds a stream of tokens, all located at the directive. Their spelling is in a buffer of the
/// preprocessor, so that they can be printed.
class TokenWriter {
 public:
  TokenWriter(Preprocessor& preprocessor, SourceLocation at) : preprocessor_(preprocessor), at_(at) {}

  TokenWriter& word(StringRef name) {
    Token& token = add(tok::identifier, name);
    // Keywords are not identifiers: "int" gets its own token kind.
    clang::IdentifierInfo* const info = preprocessor_.getIdentifierInfo(name);
    token.setIdentifierInfo(info);
    token.setKind(info->getTokenID());
    return *this;
  }
  TokenWriter& sign(tok::TokenKind kind, const char* spelt) {
    add(kind, spelt);
    return *this;
  }
  TokenWriter& open() { return sign(tok::l_paren, "("); }
  TokenWriter& close() { return sign(tok::r_paren, ")"); }
  TokenWriter& comma() { return sign(tok::comma, ","); }
  TokenWriter& semicolon() { return sign(tok::semi, ";"); }
  TokenWriter& number(long long value) {
    literal(tok::numeric_constant, std::to_string(value));
    return *this;
  }
  TokenWriter& string(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    literal(tok::string_literal, quoted + "\"");
    return *this;
  }
  TokenWriter& tokens(const Tokens& written) {
    open();
    tokens_.insert(tokens_.end(), written.begin(), written.end());
    return close();
  }
  /// name();
  TokenWriter& call(StringRef name) { return word(name).open().close().semicolon(); }

  void enter() {
    auto stream = std::make_unique<Token[]>(tokens_.size());
    std::copy(tokens_.begin(), tokens_.end(), stream.get());
    preprocessor_.EnterTokenStream(std::move(stream), tokens_.size(), /*DisableMacroExpansion=*/true,
                                   /*IsReinject=*/false);
  }

 private:
  Token& add(tok::TokenKind kind, StringRef spelt) {
    Token token;
    token.startToken();
    token.setKind(kind);
    preprocessor_.CreateString(spelt, token, at_, at_);
    token.setKind(kind);
    tokens_.push_back(token);
    return tokens_.back();
  }
  void literal(tok::TokenKind kind, const std::string& spelt) { add(kind, spelt); }

  Preprocessor& preprocessor_;
  SourceLocation at_;
  std::vector<Token> tokens_;
};

class HybridPragma final : public clang::PragmaHandler {
 public:
  HybridPragma(clang::CompilerInstance& compiler, std::shared_ptr<bool> any)
      : PragmaHandler("hybrid"), compiler_(compiler), any_(std::move(any)) {
    // Tracks the blocks around a directive: the parser does not provide them.
    compiler.getPreprocessor().setTokenWatcher([this](const Token& token) {
      if (token.is(tok::l_brace)) {
        open_.push_back(0);
      } else if (token.is(tok::r_brace) && !open_.empty()) {
        open_.pop_back();
      }
    });
  }

  void HandlePragma(Preprocessor& preprocessor, clang::PragmaIntroducer introducer, Token& first) override {
    *any_ = true;
    const SourceLocation at = introducer.Loc.isValid() ? introducer.Loc : first.getLocation();
    std::optional<Directive> directive = read_directive(preprocessor, first.getLocation());
    if (!directive) return;
    if (open_.empty() || outside_functions())
      return report_error(preprocessor, at, "'#pragma hybrid' must be in the body of a function");
    replace_names(*directive);
    TokenWriter out(preprocessor, at);
    switch (directive->kind) {
      case Directive::Kind::phase:
        end_phase(out, open_.size() - 1);
        write_phase(out, *directive);
        break;
      case Directive::Kind::condition:
        write_condition(out, *directive);
        break;
      case Directive::Kind::end:
        if (!end_innermost(out))
          return report_error(preprocessor, at, "'#pragma hybrid end' without a phase that is open here");
        break;
      case Directive::Kind::flush:
        out.call("__hybrid_flush");
        break;
      case Directive::Kind::off:
        out.call("__hybrid_off");
        break;
      case Directive::Kind::on:
        out.call("__hybrid_on");
        break;
    }
    out.enter();
  }

 private:
  void write_phase(TokenWriter& out, const Directive& directive) {
    if (directive.flush) out.call("__hybrid_flush");
    open_.back() = begin(out, directive);
  }

  /// Writes a conditional working set: an empty phase inside the enclosing one.
  void write_condition(TokenWriter& out, const Directive& directive) {
    if (directive.condition) write_if(out, *directive.condition);
    Directive then = directive;
    then.condition.reset();
    begin(out, then);
    out.sign(tok::r_brace, "}");
  }

  /// Begins a phase. Returns the number of the variable that ends it.
  std::size_t begin(TokenWriter& out, const Directive& directive) {
    const std::string variable = scope(++scopes_);
    out.word("__hybrid_phase_begin").open().string(directive.name).comma();
    out.number((directive.preload ? 1 : 0) + (directive.flush ? 2 : 0)).comma();
    if (directive.slots) {
      out.tokens(*directive.slots);
    } else {
      out.number(0);
    }
    out.close().semicolon();
    write_working_set(out, directive);
    // Not first: the first statement must be an expression, which check_placement() finds in a body without
    // braces.
    out.word("int").word(variable).word("__attribute__").open().open().word("cleanup").open();
    out.word("__hybrid_scope_end").close().close().close().sign(tok::equal, "=").number(0).semicolon();
    out.word("__hybrid_phase_ready").open().sign(tok::amp, "&").word(variable).close().semicolon();
    return scopes_;
  }

  void write_working_set(TokenWriter& out, const Directive& directive) {
    if (directive.condition) write_if(out, directive.condition.value());
    if (!directive.pattern.empty()) {
      out.word("__hybrid_pattern").open().string(directive.pattern).comma();
      out.number(static_cast<long long>(directive.dimensions.size()));
      for (std::size_t i = 0; i < 4; ++i) {
        out.comma();
        if (i < directive.dimensions.size()) {
          out.tokens(directive.dimensions[i]);
        } else {
          out.number(0);
        }
      }
      out.close().semicolon();
    }
    for (const Connections& connection : directive.connections)
      out.word("__hybrid_connection")
          .open()
          .tokens(connection.from)
          .comma()
          .tokens(connection.to)
          .close()
          .semicolon();
    if (directive.condition) out.sign(tok::r_brace, "}");
  }

  /// Opens a conditional block. The condition is the argument of a marker, so that it is checked like other
  /// expressions.
  static void write_if(TokenWriter& out, const Tokens& condition) {
    out.word("if").open().word("__hybrid_condition").open().tokens(condition);
    out.sign(tok::exclaimequal, "!=").number(0).close().close().sign(tok::l_brace, "{");
  }

  static std::string scope(std::size_t number) { return "__hybrid_scope_" + std::to_string(number); }

  /// Ends the phase of the block at `depth`, if it has one.
  bool end_phase(TokenWriter& out, std::size_t depth) {
    if (open_[depth] == 0) return false;
    out.word("__hybrid_scope_end").open().sign(tok::amp, "&").word(scope(open_[depth])).close().semicolon();
    return true;
  }
  bool end_innermost(TokenWriter& out) {
    for (std::size_t depth = open_.size(); depth > 0; --depth) {
      if (!end_phase(out, depth - 1)) continue;
      // The phase of the current block has ended. That of an outer block may be open on other paths.
      if (depth == open_.size()) open_[depth - 1] = 0;
      return true;
    }
    return false;
  }

  /// Replaces `rank` and `size`, unless the program has such a variable, by the caller's in MPI_COMM_WORLD.
  void replace_names(Directive& directive) {
    for (Tokens& dimension : directive.dimensions) replace_names(dimension);
    for (Connections& connection : directive.connections) {
      replace_names(connection.from);
      replace_names(connection.to);
    }
    if (directive.slots) replace_names(*directive.slots);
    if (directive.condition) replace_names(*directive.condition);
  }
  void replace_names(Tokens& tokens) {
    Tokens result;
    for (const Token& token : tokens) {
      const StringRef name = token.is(tok::identifier) ? token.getIdentifierInfo()->getName() : StringRef();
      const bool rank = name == "hybrid_rank" || (name == "rank" && !visible(token));
      const bool size = name == "hybrid_size" || (name == "size" && !visible(token));
      if (!rank && !size) {
        result.push_back(token);
        continue;
      }
      Token call = token;
      Preprocessor& preprocessor = compiler_.getPreprocessor();
      call.setIdentifierInfo(preprocessor.getIdentifierInfo(rank ? "__hybrid_rank" : "__hybrid_size"));
      result.push_back(call);
      for (const auto& [kind, spelt] : {std::pair{tok::l_paren, "("}, std::pair{tok::r_paren, ")"}}) {
        Token sign;
        sign.startToken();
        preprocessor.CreateString(spelt, sign, token.getLocation(), token.getLocation());
        sign.setKind(kind);
        result.push_back(sign);
      }
    }
    tokens = std::move(result);
  }
  /// Whether the directive is in the braces of a type or of a list of values. Unknown in C++, where a class
  /// contains function bodies.
  bool outside_functions() const {
    return compiler_.hasSema() && !compiler_.getLangOpts().CPlusPlus &&
           compiler_.getSema().getCurFunctionOrMethodDecl() == nullptr;
  }
  /// Whether a variable of this name is visible. In the body of a member function inside its class names
  /// cannot be looked up yet: they are assumed to be visible.
  bool visible(const Token& token) {
    if (!compiler_.hasSema()) return true;
    clang::Sema& sema = compiler_.getSema();
    if (sema.getCurFunctionDecl() == nullptr || sema.getCurScope() == nullptr) return true;
    clang::LookupResult result(sema, clang::DeclarationName(token.getIdentifierInfo()), token.getLocation(),
                               clang::Sema::LookupOrdinaryName);
    result.suppressDiagnostics();
    return sema.LookupName(result, sema.getCurScope());
  }

  clang::CompilerInstance& compiler_;
  std::shared_ptr<bool> any_;
  std::vector<std::size_t> open_;  // by block: the number of its open phase's variable, or 0
  std::size_t scopes_ = 0;
};

}  // namespace

std::shared_ptr<const bool> register_pragma(clang::CompilerInstance& compiler) {
  const auto any = std::make_shared<bool>(false);
  compiler.getPreprocessor().AddPragmaHandler(new HybridPragma(compiler, any));  // takes ownership
  return any;
}

}  // namespace hybrid::directives
