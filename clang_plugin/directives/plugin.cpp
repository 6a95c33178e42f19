// Entry point of the plugin: `clang -fplugin=libhybrid_clang.so`. It also loads the pass from the same
// folder, so that one flag loads both parts. Arguments (-fplugin-arg-hybrid-...):
//   no-pass        directives only
//   no-warnings, error-warnings        -Wno-hybrid, -Werror=hybrid
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang_plugin/directives/directives.h"

namespace hybrid::directives {

namespace {

class Consumer final : public clang::ASTConsumer {
 public:
  Consumer(Warnings warnings, std::shared_ptr<const bool> directives)
      : warnings_(warnings), directives_(std::move(directives)) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    // Most sources have no directives; a precompiled header may have some.
    const bool any = *directives_ || context.getExternalSource();
    if (any && !context.getDiagnostics().hasErrorOccurred()) check_placement(context, warnings_);
  }

 private:
  Warnings warnings_;
  std::shared_ptr<const bool> directives_;
};

std::filesystem::path plugin_file() {
  Dl_info info{};
  static const char here = 0;
  return dladdr(&here, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

class Action final : public clang::PluginASTAction {
 protected:
  bool ParseArgs(const clang::CompilerInstance& compiler,
                 const std::vector<std::string>& arguments) override {
    clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
    // Another version of clang has other data layouts: nothing else of it may be used.
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
    std::shared_ptr<const bool> directives = register_pragma(compiler);
    if (pass_) add_pass(compiler);
    return std::make_unique<Consumer>(warnings_, std::move(directives));
  }

  /// Before the main action, so that code is generated for the replaced directives.
  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  static void add_pass(clang::CompilerInstance& compiler) {
    const std::filesystem::path pass = plugin_file().replace_filename("libhybrid_pass.so");
    std::vector<std::string>& plugins = compiler.getCodeGenOpts().PassPlugins;
    std::error_code error;
    if (!std::filesystem::exists(pass, error)) return;
    for (const std::string& plugin : plugins)
      if (std::filesystem::path(plugin).filename() == pass.filename()) return;
    plugins.push_back(pass.string());
    // Hints contain source lines. Line tables are generated for the pass, which removes them, and not written
    // to the object (as for -Rpass).
    if (clang::CodeGenOptions& options = compiler.getCodeGenOpts();
        options.getDebugInfo() == llvm::codegenoptions::NoDebugInfo) {
      options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
      setenv("HYBRID_LINES_FOR_HINTS", "1", 1);
    } else {
      unsetenv("HYBRID_LINES_FOR_HINTS");  // of another unit in this process
    }
  }

  bool pass_ = true;
  Warnings warnings_ = Warnings::on;
};

}  // namespace

static clang::FrontendPluginRegistry::Add<Action> registered("hybrid",
                                                             "#pragma hybrid: communication phases");

}  // namespace hybrid::directives
