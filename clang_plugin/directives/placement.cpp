#include <algorithm>
#include <set>
#include <string>

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang_plugin/directives/clauses.h"
#include "clang_plugin/directives/directives.h"

namespace hybrid::directives {

namespace {

using namespace clang;  // NOLINT(google-build-using-namespace): names of the AST only

/// Reports a warning of the group -Whybrid.
void report_warning(DiagnosticsEngine& diagnostics, SourceLocation at, const std::string& text,
                    Warnings warnings) {
  if (warnings == Warnings::off) return;
  const unsigned id = warnings == Warnings::errors
                          ? diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0 [-Werror,-Whybrid]")
                          : diagnostics.getCustomDiagID(DiagnosticsEngine::Warning, "%0 [-Whybrid]");
  diagnostics.Report(at, id) << text;
}

class Visitor : public RecursiveASTVisitor<Visitor> {
 public:
  Visitor(ASTContext& context, Warnings warnings) : context_(context), warnings_(warnings) {}

  // Expressions that depend on template arguments are known only in the instances.
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitStmt(Stmt* statement) {
    if (isa<CompoundStmt>(statement) || isa<SwitchCase>(statement) || isa<LabelStmt>(statement) ||
        isa<AttributedStmt>(statement))
      return true;
    for (Stmt* const child : statement->children())
      if (child != nullptr && opens_directive(*child))
        error(context_.getSourceManager().getExpansionLoc(child->getBeginLoc()),
              "'#pragma hybrid' would become the body of this statement; put the body in braces");
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    const StringRef name = marker(*call);
    if (name != "__hybrid_connection" && name != "__hybrid_pattern" && name != "__hybrid_phase_begin" &&
        name != "__hybrid_condition")
      return true;
    check_numbers(*call, name);
    for (const Expr* const argument : call->arguments()) {
      if (argument->isValueDependent() || !argument->HasSideEffects(context_)) continue;
      // The argument of a condition is `(as written) != 0`.
      const Expr* written = argument->IgnoreParenImpCasts();
      if (const auto* const test = dyn_cast<BinaryOperator>(written);
          test != nullptr && name == "__hybrid_condition")
        written = test->getLHS()->IgnoreParenImpCasts();
      const SourceLocation at = written->getBeginLoc();
      const Effect found = effect(*argument);
      if (found == Effect::changes)
        error(at,
              "an expression of '#pragma hybrid' must not change anything: without the plugin it is not "
              "evaluated");
      if (found == Effect::calls && reported_.insert(at).second)
        report_warning(
            context_.getDiagnostics(), at,
            "an expression of '#pragma hybrid' calls a function that may change something; without "
            "the plugin it is "
            "not called (if it only reads, declare it __attribute__((pure)))",
            warnings_);
    }
    return true;
  }

 private:
  /// Returns the name of the called marker, or "".
  static StringRef marker(const CallExpr& call) {
    const FunctionDecl* const callee = call.getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr) return {};
    const StringRef name = callee->getName();
    return name.starts_with("__hybrid_") ? name : StringRef();
  }
  /// Checks constant numbers, which need not be literals.
  void check_numbers(const CallExpr& call, StringRef name) {
    if (name == "__hybrid_phase_begin" && call.getNumArgs() == 3) check(*call.getArg(2), error_of_slots);
    if (name != "__hybrid_pattern") return;
    const auto* const pattern = dyn_cast<clang::StringLiteral>(call.getArg(0)->IgnoreParenImpCasts());
    if (pattern == nullptr) return;
    for (unsigned i = 2; i < call.getNumArgs(); ++i)
      check(*call.getArg(i),
            [&](long long number) { return error_of_dimension(pattern->getString().str(), number); });
  }
  /// Defaults of omitted clauses, which have no parentheses, are not checked.
  void check(const Expr& argument, const auto& error_of) {
    Expr::EvalResult result;
    if (!isa<ParenExpr>(argument.IgnoreImpCasts()) || argument.isValueDependent() ||
        !argument.EvaluateAsInt(result, context_))
      return;
    if (const std::string text = error_of(result.Val.getInt().getExtValue()); !text.empty())
      error(argument.IgnoreParenImpCasts()->getBeginLoc(), text);
  }
  /// Whether the statement is the first of a replaced directive: a call, or the `if` of a condition.
  bool opens_directive(const Stmt& statement) const {
    if (const auto* const then = dyn_cast<IfStmt>(&statement); then != nullptr) {
      const auto* const call = dyn_cast<CallExpr>(then->getCond()->IgnoreParenImpCasts());
      return call != nullptr && marker(*call) == "__hybrid_condition";
    }
    const auto* const call = dyn_cast<CallExpr>(&statement);
    return call != nullptr && opens_directive(*call);
  }
  bool opens_directive(const CallExpr& call) const {
    const StringRef name = marker(call);
    return !name.empty() && name != "__hybrid_rank" && name != "__hybrid_size" &&
           name != "__hybrid_library" && name != "__hybrid_condition" &&
           !context_.getSourceManager().isWrittenInBuiltinFile(call.getBeginLoc());
  }
  enum class Effect { none, calls, changes };
  static Effect effect(const Expr& expression) {
    Effect worst = Effect::none;
    if (const auto* const call = dyn_cast<CallExpr>(&expression)) {
      const FunctionDecl* const callee = call->getDirectCallee();
      const StringRef name = marker(*call);
      const bool reads =
          callee != nullptr && (callee->hasAttr<PureAttr>() || callee->hasAttr<ConstAttr>() ||
                                callee->isConstexpr() || name == "__hybrid_rank" || name == "__hybrid_size");
      if (!reads) worst = Effect::calls;
    } else if (const auto* const unary = dyn_cast<UnaryOperator>(&expression)) {
      if (unary->isIncrementDecrementOp()) return Effect::changes;
    } else if (const auto* const binary = dyn_cast<BinaryOperator>(&expression)) {
      if (binary->isAssignmentOp()) return Effect::changes;
    } else if (isa<StmtExpr>(expression) || isa<CXXNewExpr>(expression) || isa<CXXDeleteExpr>(expression) ||
               isa<CXXThrowExpr>(expression)) {
      return Effect::changes;
    }
    for (const Stmt* const child : expression.children())
      if (const auto* const part = dyn_cast_or_null<Expr>(child); part != nullptr)
        worst = std::max(worst, effect(*part));
    return worst;
  }
  /// Reports an error once, also for several instances of a template.
  void error(SourceLocation at, const std::string& text) {
    if (!reported_.insert(at).second) return;
    DiagnosticsEngine& diagnostics = context_.getDiagnostics();
    diagnostics.Report(at, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << text;
  }

  ASTContext& context_;
  Warnings warnings_;
  std::set<SourceLocation> reported_;
};

}  // namespace

void check_placement(ASTContext& context, Warnings warnings) {
  Visitor(context, warnings).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace hybrid::directives
