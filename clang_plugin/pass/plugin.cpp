/* What clang, flang and opt load: the pass at the start of every pipeline. */
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "clang_plugin/pass/embedded.h"
#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/marks.h"
#include "clang_plugin/pass/note_writer.h"

namespace {

using namespace llvm;

class HybridPass : public PassInfoMixin<HybridPass> {
 public:
  static bool isRequired() { return true; } /* at -O0 too */

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    using namespace hybrid::pass;
    EmbeddedUnit unit;
    const bool has_hints = communicates(module);
    if (has_hints) forget_bodies_of_markers(module);
    unit.code = code_of(module);
    if (has_hints) {
      const auto can_be_named = [&](const std::string& name) {
        return module.getNamedGlobal(name) != nullptr;
      };
      const Directives directives = find_directives(module);
      const Extraction extraction = extract(CloneModule(module), nullptr, directives.phases, can_be_named);
      const WrittenNote note = write_note(module, extraction, module.getSourceFileName(), false);
      write_marks(module, directives, extraction.procedures, note.unit);
      unit.id_low = note.id_low;
      unit.id_high = note.id_high;
      unit.procedures = extraction.procedures;
    }
    embed(module, unit);
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
