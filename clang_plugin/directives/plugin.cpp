// The plugin as clang sees it: `clang -fplugin=libhybrid_clang.so`. Brings the pass along that stands beside
// it, so that one flag loads both halves. Arguments (-fplugin-arg-hybrid-...):
//   no-pass        directives only
//   no-warnings, error-warnings        -Wno-hybrid, -Werror=hybrid
#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang_plugin/directives/markers.h"
#include "clang_plugin/directives/placement.h"
#include "clang_plugin/directives/pragma.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace hybrid::directives {

namespace {

class Consumer final : public clang::ASTConsumer {
 public:
  Consumer(Warnings warnings, std::shared_ptr<const bool> directives)
      : warnings_(warnings), directives_(std::move(directives)) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    // Most sources have none, though what was read from a precompiled header may.
    const bool any = *directives_ || context.getExternalSource();
    if (any && !context.getDiagnostics().hasErrorOccurred()) check_placement(context, warnings_);
  }

 private:
  Warnings warnings_;
  std::shared_ptr<const bool> directives_;
};

std::filesystem::path own_file() {
  Dl_info info{};
  static const char here = 0;
  return dladdr(&here, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

class ForgetLinesPass : public llvm::PassInfoMixin<ForgetLinesPass> {
 public:
  static bool isRequired() { return true; }  // at -O0 too
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    return llvm::StripDebugInfo(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

class Action final : public clang::PluginASTAction {
 protected:
  bool ParseArgs(const clang::CompilerInstance& compiler,
                 const std::vector<std::string>& arguments) override {
    clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
    // Another clang has its things in other places: nothing more of it may be touched.
    if (const unsigned major = CLANG_VERSION_MAJOR;
        clang::getClangFullVersion().find(" " + std::to_string(major) + ".") == std::string::npos) {
      diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                     "hybrid: this plugin is for clang %0, but this is %1"))
          << std::to_string(major) << clang::getClangFullVersion();
      return false;
    }
    for (const std::string& argument : arguments) {
      if (argument == "no-pass") {
        pass_ = false;
      } else if (argument == "no-warnings") {
        warnings_ = Warnings::off;
      } else if (argument == "error-warnings") {
        warnings_ = Warnings::errors;
      } else {
        diagnostics.Report(diagnostics.getCustomDiagID(
            clang::DiagnosticsEngine::Error,
            "hybrid: unknown plugin argument '%0'; known: no-pass, no-warnings, error-warnings"))
            << argument;
        return false;
      }
    }
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.setPredefines(preprocessor.getPredefines() +
                               marker_declarations(compiler.getLangOpts().CPlusPlus));
    std::shared_ptr<const bool> directives = register_pragma(compiler, warnings_);
    if (pass_) add_pass(compiler);
    return std::make_unique<Consumer>(warnings_, std::move(directives));
  }

  /// Before the main action: code is generated with what the directives became.
  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  static void add_pass(clang::CompilerInstance& compiler) {
    const std::filesystem::path pass = own_file().replace_filename("libhybrid_pass.so");
    std::vector<std::string>& plugins = compiler.getCodeGenOpts().PassPlugins;
    std::error_code error;
    if (!std::filesystem::exists(pass, error)) return;
    for (const std::string& plugin : plugins)
      if (std::filesystem::path(plugin).filename() == pass.filename()) return;
    plugins.push_back(pass.string());
    // Hints say where in the source a call stands: known to the passes, and nothing of it in the object (as
    // for -Rpass).
    if (clang::CodeGenOptions& options = compiler.getCodeGenOpts();
        options.getDebugInfo() == llvm::codegenoptions::NoDebugInfo) {
      options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
      // Those after ours would only carry them along.
      options.PassBuilderCallbacks.push_back([](llvm::PassBuilder& builder) {
        builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
          passes.addPass(ForgetLinesPass());
        });
      });
    }
  }

  bool pass_ = true;
  Warnings warnings_ = Warnings::on;
};

}  // namespace

static clang::FrontendPluginRegistry::Add<Action> registered("hybrid",
                                                             "#pragma hybrid: communication phases");

}  // namespace hybrid::directives
