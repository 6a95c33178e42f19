/* What clang, flang and opt load: the pass at the start of every pipeline. */
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/note_writer.h"

namespace {

using namespace llvm;

class HybridPass : public PassInfoMixin<HybridPass> {
 public:
  static bool isRequired() { return true; } /* at -O0 too */

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    using namespace hybrid::pass;
    if (!communicates(module)) return PreservedAnalyses::all();
    const auto can_be_named = [&](const std::string& name) { return module.getNamedGlobal(name) != nullptr; };
    const Extraction extraction = extract(CloneModule(module), false, can_be_named);
    write_note(module, extraction, module.getSourceFileName(), false);
    return PreservedAnalyses::none();
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "hybrid", LLVM_VERSION_STRING, [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(HybridPass()); });
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "hybrid") return false;
                  passes.addPass(HybridPass());
                  return true;
                });
          }};
}
