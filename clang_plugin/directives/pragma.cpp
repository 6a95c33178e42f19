#include "clang/Lex/Pragma.h"

#include <memory>
#include <utility>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/LiteralSupport.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang_plugin/directives/clauses.h"
#include "clang_plugin/directives/directives.h"
#include "core/hint_abi.h"
#include "llvm/Support/raw_ostream.h"

namespace hybrid::directives {

namespace {

using clang::DiagnosticsEngine;
using clang::Preprocessor;
using clang::SourceLocation;
using clang::StringRef;
using clang::Token;
namespace tok = clang::tok;

using Tokens = std::vector<Token>;

void report_error(Preprocessor& preprocessor, SourceLocation at, const std::string& text,
                  const std::string& instead = "") {
  DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
  const auto report = diagnostics.Report(at, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"));
  report << text;
  if (!instead.empty())
    report << clang::FixItHint::CreateReplacement(clang::CharSourceRange::getTokenRange(at), instead);
}

/// Builds a stream of tokens, all located at the directive. Their spelling is in a buffer of the
/// preprocessor, so that they can be printed.
class TokenWriter {
 public:
  TokenWriter(Preprocessor& preprocessor, SourceLocation at) : preprocessor_(preprocessor), at_(at) {}

  TokenWriter& code(const std::string& text) {
    clang::Lexer lexer(SourceLocation(), preprocessor_.getLangOpts(), text.data(), text.data(),
                       text.data() + text.size());
    Token token;
    while (!lexer.LexFromRawLexer(token) || token.isNot(tok::eof)) {
      const StringRef spelt(lexer.getBufferLocation() - token.getLength(), token.getLength());
      clang::IdentifierInfo* const info =
          token.is(tok::raw_identifier) ? preprocessor_.getIdentifierInfo(spelt) : nullptr;
      // Keywords are not identifiers: "int" has its own token kind.
      const tok::TokenKind kind = info != nullptr ? info->getTokenID() : token.getKind();
      token.startToken();
      token.setKind(kind);
      preprocessor_.CreateString(spelt, token, at_, at_);
      if (info != nullptr) token.setIdentifierInfo(info);
      tokens_.push_back(token);
    }
    return *this;
  }
  TokenWriter& expression(const Tokens& written) {
    code("(");
    tokens_.insert(tokens_.end(), written.begin(), written.end());
    return code(")");
  }

  void enter() {
    auto stream = std::make_unique<Token[]>(tokens_.size());
    std::copy(tokens_.begin(), tokens_.end(), stream.get());
    preprocessor_.EnterTokenStream(std::move(stream), tokens_.size(), /*DisableMacroExpansion=*/true,
                                   /*IsReinject=*/false);
  }

 private:
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
    const std::vector<Word> words = read_words(preprocessor);
    try {
      write(preprocessor, at, read_directive(words, "#pragma hybrid", /*ignores_case=*/false));
    } catch (const WrongDirective& wrong) {
      report_error(preprocessor, tokens_[wrong.at].getLocation(), wrong.what(), wrong.instead);
    }
  }

 private:
  /// Reads the rest of the line into `tokens_`, with its end.
  std::vector<Word> read_words(Preprocessor& preprocessor) {
    std::vector<Word> words;
    tokens_.assign(1, Token());
    for (preprocessor.Lex(tokens_.back()); tokens_.back().isNot(tok::eod);
         preprocessor.Lex(tokens_.emplace_back())) {
      words.push_back({preprocessor.getSpelling(tokens_.back())});
      if (tokens_.back().isNot(tok::string_literal)) continue;
      const clang::StringLiteralParser literal(tokens_.back(), preprocessor);
      if (!literal.hadError) words.back() = {literal.GetString().str(), true};
    }
    return words;
  }

  void write(Preprocessor& preprocessor, SourceLocation at, const Directive& directive) {
    if (open_.empty() || outside_functions())
      return report_error(preprocessor, at, "'#pragma hybrid' must be in the body of a function");
    TokenWriter out(preprocessor, at);
    switch (directive.kind) {
      case Directive::Kind::phase:
        end_phase(out, open_.size() - 1);
        if (directive.flush) out.code("__hybrid_flush();");
        open_.back() = begin(out, directive, directive.name);
        break;
      case Directive::Kind::condition:
        write_condition(out, directive);
        break;
      case Directive::Kind::end:
        if (!end_innermost(out))
          return report_error(preprocessor, at, "'#pragma hybrid end' without a phase that is open here");
        break;
      case Directive::Kind::flush:
        out.code("__hybrid_flush();");
        break;
      case Directive::Kind::off:
        out.code("__hybrid_off();");
        break;
      case Directive::Kind::on:
        out.code("__hybrid_on();");
        break;
    }
    out.enter();
  }

  /// Writes a conditional working set: an empty phase inside the enclosing one.
  void write_condition(TokenWriter& out, const Directive& directive) {
    write_if(out, *directive.condition);
    std::string name = "if";
    for (std::size_t i = directive.condition->begin; i < directive.condition->end; ++i)
      name += " " + compiler_.getPreprocessor().getSpelling(tokens_[i]);
    Directive then = directive;
    then.condition.reset();
    begin(out, then, name);
    out.code("}");
  }

  /// Begins a phase. Returns the number of the variable that ends it.
  std::size_t begin(TokenWriter& out, const Directive& directive, const std::string& name) {
    std::string quoted;
    llvm::raw_string_ostream(quoted).write_escaped(name);
    const int flags =
        (directive.preload ? HYBRID_PHASE_PRELOAD : 0) | (directive.flush ? HYBRID_PHASE_FLUSH : 0);
    out.code("__hybrid_phase_begin(\"" + quoted + "\", " + std::to_string(flags) + ", ");
    write(out, directive.slots);
    out.code(");");
    write_working_set(out, directive);
    // Not first: the first statement must be an expression, which check_placement() finds in a body without
    // braces.
    const std::string variable = scope(++scopes_);
    out.code("int " + variable + " __attribute__((cleanup(__hybrid_scope_end))) = 0;");
    out.code("__hybrid_phase_ready(&" + variable + ");");
    return scopes_;
  }

  void write_working_set(TokenWriter& out, const Directive& directive) {
    if (directive.condition) write_if(out, *directive.condition);
    if (!directive.pattern.empty()) {
      const std::size_t count = directive.dimensions.size();
      out.code("__hybrid_pattern(\"" + directive.pattern + "\", " + std::to_string(count));
      for (std::size_t i = 0; i < 4; ++i)
        write(out.code(","), i < count ? std::optional(directive.dimensions[i]) : std::nullopt);
      out.code(");");
    }
    for (const Directive::Connection& connection : directive.connections) {
      out.code("__hybrid_connection(").expression(written(connection.from));
      out.code(",").expression(written(connection.to)).code(");");
    }
    if (directive.condition) out.code("}");
  }

  /// Writes an expression, or 0.
  void write(TokenWriter& out, const std::optional<Expression>& expression) {
    if (expression)
      out.expression(written(*expression));
    else
      out.code("0");
  }

  /// Opens a conditional block. The condition is the argument of a marker, so that it is checked like other
  /// expressions.
  void write_if(TokenWriter& out, const Expression& condition) {
    out.code("if (__hybrid_condition(").expression(written(condition)).code(" != 0)) {");
  }

  static std::string scope(std::size_t number) { return "__hybrid_scope_" + std::to_string(number); }

  /// Ends the phase of the block at `depth`, if it has one.
  bool end_phase(TokenWriter& out, std::size_t depth) {
    if (open_[depth] == 0) return false;
    out.code("__hybrid_scope_end(&" + scope(open_[depth]) + ");");
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

  /// The tokens of an expression. `rank` and `size`, unless the program has such a variable, are replaced by
  /// the caller's in MPI_COMM_WORLD.
  Tokens written(const Expression& expression) {
    Tokens result;
    for (std::size_t i = expression.begin; i < expression.end; ++i) {
      const Token& token = tokens_[i];
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
    return result;
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
  Tokens tokens_;                  // of the directive
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
