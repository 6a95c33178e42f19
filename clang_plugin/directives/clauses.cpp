#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/LiteralSupport.h"
#include "clang_plugin/directives/directives.h"
#include "clang_plugin/directives/patterns.h"

namespace hybrid::directives {

namespace {

using clang::DiagnosticsEngine;
using clang::FixItHint;
using clang::SourceLocation;
using clang::StringRef;
using clang::Token;
namespace tok = clang::tok;

/// Returns the name of `known` closest to `written`, or "".
template <std::size_t N>
StringRef closest_name(StringRef written, const std::array<std::string_view, N>& known) {
  StringRef best;
  unsigned least = static_cast<unsigned>(written.size()) / 3 + 1;
  for (const StringRef name : known) {
    if (const unsigned distance = written.edit_distance(name, true, least); distance <= least) {
      least = distance;
      best = name;
      if (distance == 0) break;
    }
  }
  return best;
}

std::string spelling(const clang::Preprocessor& preprocessor, const Token& token) {
  return token.is(tok::eod) ? "the end of the line" : "'" + preprocessor.getSpelling(token) + "'";
}

class Reader {
 public:
  Reader(clang::Preprocessor& preprocessor, SourceLocation at) : preprocessor_(preprocessor) {
    directive_.at = at;
    next();
  }

  std::optional<Directive> read() {
    std::optional<Directive> result;
    if (read_name() && read_clauses()) result = std::move(directive_);
    while (token_.isNot(tok::eod)) next();
    return result;
  }

 private:
  void next() { preprocessor_.Lex(token_); }
  StringRef word() const {
    return token_.getIdentifierInfo() == nullptr ? StringRef() : token_.getIdentifierInfo()->getName();
  }
  bool fail(const std::string& text) {
    report_error(preprocessor_, token_.getLocation(), text);
    return false;
  }
  bool expect(tok::TokenKind kind, const char* what, const std::string& where) {
    if (token_.isNot(kind))
      return fail(std::string("expected ") + what + " " + where + ", not " + spelling(preprocessor_, token_));
    next();
    return true;
  }
  template <std::size_t N>
  bool fail_unknown(const char* what, const std::array<std::string_view, N>& known) {
    const StringRef closest = closest_name(word(), known);
    DiagnosticsEngine& diagnostics = preprocessor_.getDiagnostics();
    if (closest.empty()) {
      std::string all;
      for (const std::string_view name : known) (all += all.empty() ? "" : ", ") += name;
      return fail("unknown " + std::string(what) + " " + spelling(preprocessor_, token_) +
                  " of '#pragma hybrid'; known: " + all);
    }
    const unsigned id = diagnostics.getCustomDiagID(DiagnosticsEngine::Error,
                                                    "unknown %0 %1 of '#pragma hybrid'; did you mean '%2'?");
    diagnostics.Report(token_.getLocation(), id)
        << what << spelling(preprocessor_, token_) << closest
        << FixItHint::CreateReplacement(clang::CharSourceRange::getTokenRange(token_.getLocation()), closest);
    return false;
  }

  bool read_name() {
    using Kind = Directive::Kind;
    const std::pair<const char*, Kind> kinds[] = {{"phase", Kind::phase}, {"condition", Kind::condition},
                                                  {"end", Kind::end},     {"flush", Kind::flush},
                                                  {"off", Kind::off},     {"on", Kind::on}};
    const auto* const found = std::find_if(std::begin(kinds), std::end(kinds),
                                           [&](const auto& kind) { return word() == kind.first; });
    if (found == std::end(kinds)) {
      if (token_.is(tok::eod))
        return fail("expected phase, condition, end, flush, off or on after '#pragma hybrid'");
      return fail_unknown("directive", kDirectives);
    }
    directive_.kind = found->second;
    next();
    if (directive_.kind == Kind::phase) return read_phase_name();
    if (directive_.kind == Kind::condition) return read_condition();
    return token_.is(tok::eod) || fail("unexpected " + spelling(preprocessor_, token_) +
                                       " after '#pragma hybrid " + found->first + "'");
  }

  /// Reads (name) or ("any name").
  bool read_phase_name() {
    if (!expect(tok::l_paren, "'('", "after 'phase'")) return false;
    if (token_.is(tok::string_literal)) {
      const clang::StringLiteralParser literal(token_, preprocessor_);
      if (literal.hadError) return false;
      directive_.name = literal.GetString().str();
    } else if (token_.isAnyIdentifier() || !word().empty()) {
      directive_.name = word().str();
    } else {
      return fail("expected the phase's name, a word or a string, not " + spelling(preprocessor_, token_));
    }
    if (directive_.name.empty()) return fail("a phase needs a name");
    next();
    return expect(tok::r_paren, "')'", "after the phase's name");
  }

  bool read_condition() {
    std::vector<Tokens> values;
    if (!read_list("condition", values)) return false;
    if (values.size() != 1) return fail("'condition' takes one expression");
    directive_.condition = values.front();
    if (directive_.kind == Directive::Kind::condition) {
      directive_.name = "if";
      for (const Token& token : values.front()) directive_.name += " " + preprocessor_.getSpelling(token);
    }
    return true;
  }

  bool read_clauses() {
    if (directive_.kind != Directive::Kind::phase && directive_.kind != Directive::Kind::condition)
      return true;
    std::vector<std::string> seen;
    while (token_.isNot(tok::eod)) {
      if (token_.is(tok::comma)) {  // optional between clauses, as in OpenMP
        next();
        continue;
      }
      const std::string clause = word().str();
      if (std::find(kClauses.begin(), kClauses.end(), clause) == kClauses.end())
        return fail_unknown("clause", kClauses);
      if (std::find(seen.begin(), seen.end(), clause) != seen.end())
        return fail("'" + clause + "' is given twice");
      const bool of_phase =
          clause == "slots" || clause == "preload" || clause == "flush" || clause == "condition";
      if (of_phase && directive_.kind == Directive::Kind::condition)
        return fail("'" + clause + "' is a clause of 'phase'; 'condition' takes pattern and connections");
      seen.push_back(clause);
      next();
      if (!read_clause(clause)) return false;
    }
    if (directive_.kind == Directive::Kind::condition && directive_.pattern.empty() &&
        directive_.connections.empty())
      return fail("'#pragma hybrid condition' needs a working set: pattern(...) or connections(...)");
    return true;
  }

  bool read_clause(const std::string& clause) {
    if (clause == "preload") return directive_.preload = true;
    if (clause == "flush") return directive_.flush = true;
    if (clause == "condition") return read_condition();
    if (clause == "pattern") return read_pattern();
    if (clause == "connections") return read_connections();
    std::vector<Tokens> values;
    if (!read_list(clause, values)) return false;
    if (values.size() != 1) return fail("'slots' takes one number");
    directive_.slots = values.front();
    return true;
  }

  bool read_pattern() {
    if (!expect(tok::l_paren, "'('", "after 'pattern'")) return false;
    const auto* const found = std::find(kPatterns.begin(), kPatterns.end(), std::string_view(word()));
    if (found == kPatterns.end()) return fail_unknown("pattern", kPatterns);
    directive_.pattern = word().str();
    next();
    if (token_.is(tok::r_paren)) {
      next();
      return true;
    }
    if (token_.isNot(tok::comma))
      return fail("expected ',' or ')' after the pattern's name, not " + spelling(preprocessor_, token_));
    if (!read_values("pattern", directive_.dimensions)) return false;
    const std::size_t given = directive_.dimensions.size();
    const std::size_t takes = kNumbers[static_cast<std::size_t>(found - kPatterns.begin())];
    if (given == takes) return true;
    report_error(preprocessor_, directive_.dimensions[std::min(given, takes + 1) - 1].front().getLocation(),
                 "the pattern '" + directive_.pattern + "' takes " +
                     (takes == 0   ? "no numbers"
                      : takes == 1 ? "one number"
                                   : std::to_string(takes) + " numbers") +
                     ", not " + std::to_string(given));
    return false;
  }

  bool read_connections() {
    if (token_.isNot(tok::l_paren)) return expect(tok::l_paren, "'('", "after 'connections'");
    const SourceLocation open = token_.getLocation();
    std::vector<Tokens> pairs;
    if (!read_values("connections", pairs)) return false;
    for (const Tokens& pair : pairs) {
      const auto depth_zero_arrow = [&] {
        int depth = 0;
        for (auto token = pair.begin(); token != pair.end(); ++token) {
          depth += token->isOneOf(tok::l_paren, tok::l_square)   ? 1
                   : token->isOneOf(tok::r_paren, tok::r_square) ? -1
                                                                 : 0;
          if (depth == 0 && token->is(tok::arrow)) return token;
        }
        return pair.end();
      };
      const auto arrow = depth_zero_arrow();
      if (arrow == pair.end() || arrow == pair.begin() || arrow + 1 == pair.end()) {
        report_error(preprocessor_, pair.empty() ? open : pair.front().getLocation(),
                     "a connection is 'source -> destination'; put parentheses around members of pointers");
        return false;
      }
      directive_.connections.push_back({Tokens(pair.begin(), arrow), Tokens(arrow + 1, pair.end())});
    }
    return true;
  }

  bool read_list(const std::string& clause, std::vector<Tokens>& values) {
    if (token_.isNot(tok::l_paren)) return expect(tok::l_paren, "'('", "after '" + clause + "'");
    return read_values(clause, values);
  }

  /// Reads values from the '(' or ',' before the first one to the ')' after the last one.
  bool read_values(const std::string& clause, std::vector<Tokens>& values) {
    next();
    int depth = 0;
    values.emplace_back();
    for (; token_.isNot(tok::eod); next()) {
      if (depth == 0 && token_.isOneOf(tok::comma, tok::r_paren)) {
        if (values.back().empty()) return fail("expected an expression in '" + clause + "'");
        if (token_.is(tok::r_paren)) {
          next();
          return true;
        }
        values.emplace_back();
        continue;
      }
      depth += token_.isOneOf(tok::l_paren, tok::l_square)   ? 1
               : token_.isOneOf(tok::r_paren, tok::r_square) ? -1
                                                             : 0;
      if (token_.isOneOf(tok::semi, tok::l_brace, tok::r_brace))
        return fail("expected an expression in '" + clause + "', not " + spelling(preprocessor_, token_));
      values.back().push_back(token_);
    }
    return fail("expected ')' at the end of '" + clause + "'");
  }

  clang::Preprocessor& preprocessor_;
  Directive directive_;
  Token token_{};
};

}  // namespace

void report_error(clang::Preprocessor& preprocessor, SourceLocation at, const std::string& text) {
  DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
  diagnostics.Report(at, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << text;
}

void report_warning(DiagnosticsEngine& diagnostics, SourceLocation at, const std::string& text,
                    Warnings warnings) {
  if (warnings == Warnings::off) return;
  const unsigned id = warnings == Warnings::errors
                          ? diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0 [-Werror,-Whybrid]")
                          : diagnostics.getCustomDiagID(DiagnosticsEngine::Warning, "%0 [-Whybrid]");
  diagnostics.Report(at, id) << text;
}

std::optional<Directive> read_directive(clang::Preprocessor& preprocessor, SourceLocation at) {
  return Reader(preprocessor, at).read();
}

}  // namespace hybrid::directives
