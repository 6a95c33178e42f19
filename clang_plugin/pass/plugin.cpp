/* Entry point for clang, flang and opt: registers the pass at the start of every pipeline. The pass
 *   1. inserts markers around loops that communicate (loop_phases.h) and finds all directives (directives.h),
 *   2. stores the numbers of calls that may communicate (call_places.h),
 *   3. analyses a copy of the module (extraction.h), keeps locals that hints need (kept_locals.h), and
 * analyses again,
 *   4. embeds the unoptimised code for the link step (embedded.h),
 *   5. makes inspectors for sends that no hint describes (inspectors.h),
 *   6. writes the note (note_writer.h), replaces the markers by marks (marks.h), and names internal variables
 *      (own_variables.h). */
#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "clang_plugin/pass/call_places.h"
#include "clang_plugin/pass/embedded.h"
#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/inspectors.h"
#include "clang_plugin/pass/kept_locals.h"
#include "clang_plugin/pass/loop_phases.h"
#include "clang_plugin/pass/marks.h"
#include "clang_plugin/pass/note_writer.h"
#include "clang_plugin/pass/own_variables.h"

namespace {

using namespace llvm;

/* Returns the user's name of the source: HYBRID_SOURCE_NAME for a file that was rewritten before its
 * compilation. */
std::string source_name(const Module& module) {
  const char* given = std::getenv("HYBRID_SOURCE_NAME");
  return given && *given ? given : module.getSourceFileName();
}

hybrid::pass::Extraction extracted(std::unique_ptr<Module> module, const hybrid::pass::Directives& directives,
                                   hybrid::pass::Remarks remarks) {
  std::set<std::string> variables;
  for (const GlobalVariable& variable : module->globals()) variables.insert(variable.getName().str());
  return hybrid::pass::extract(
      std::move(module), nullptr, directives.phases,
      [&](const std::string& name) { return variables.contains(name); }, remarks);
}

class HybridPass : public PassInfoMixin<HybridPass> {
 public:
  static bool isRequired() { return true; } /* at -O0 too */

  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    using namespace hybrid::pass;
    EmbeddedUnit unit;
    const bool has_hints = communicates(module);
    if (has_hints) {
      forget_bodies_of_markers(module);
      mark_loops(module);
    }
    std::set<std::string> own = read_by_accessors(module);
    Directives directives;
    if (has_hints) directives = find_directives(module);
    Extraction extraction;
    const bool has_mpi = has_hints || calls_mpi(module);
    if (has_mpi || main_program(module)) own.merge(mark_call_places(module));
    KeptLocals locals(module);
    if (has_mpi) {
      /* Remarks are printed for the final results only. */
      const DiagnosticHandler* handler = module.getContext().getDiagHandlerPtr();
      const bool remarks = handler && handler->isMissedOptRemarkEnabled("hybrid");
      extraction = extracted(locals.numbered(), directives, Remarks::off);
      own.merge(extraction.own_variables);
      const bool kept = locals.keep(extraction.locals, own);
      if (has_hints && ((kept && extraction.may_improve) || remarks)) {
        extraction = extracted(CloneModule(module), directives, Remarks::on);
        own.merge(extraction.own_variables);
      }
    }
    note_names(module, own);
    unit.code = code_of(module);
    locals.give_back();
    if (has_hints) {
      const Inspectors inspectors = make_inspectors(module, extraction.procedures, extraction.note);
      classify_inspected(extraction.note, inspectors.sites);
      const WrittenNote note = write_note(module, extraction, source_name(module), false);
      write_marks(module, directives, extraction.procedures, inspectors, note.unit);
      unit.id_low = note.id_low;
      unit.id_high = note.id_high;
      unit.procedures = extraction.procedures;
      unit.inspected = inspectors.sites;
    }
    give_names(module);
    embed(module, unit);
    /* Line tables that were requested only for the hints. */
    if (const char* alone = std::getenv("HYBRID_LINES_FOR_HINTS"); alone && *alone) StripDebugInfo(module);
    return PreservedAnalyses::none();
  }
};

/* Returns the LLVM that loaded this library, if it is another version than it was built for, otherwise "".
 * Another version has other data layouts: nothing else of it may be used. Versions before 16 do not provide
 * their number, but lack a symbol of later ones. */
std::string other_host() {
  using Version = void(unsigned*, unsigned*, unsigned*);
  if (auto* get_version = reinterpret_cast<Version*>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"))) {
    unsigned major = 0, minor = 0, patch = 0;
    get_version(&major, &minor, &patch);
    if (major == LLVM_VERSION_MAJOR) return "";
    return "LLVM " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
  const bool has_its_symbols = dlsym(RTLD_DEFAULT, "_ZN4llvm15SmallVectorBaseIjE13mallocForGrowEPvmmRm");
  return has_its_symbols ? "" : "an older one";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  /* Without a registration function the host stops with an error. */
  if (const std::string other = other_host(); !other.empty()) {
    std::fprintf(
        stderr, "hybrid: this pass is for LLVM %d, but %s loaded it; use clang-%d, flang-new-%d or opt-%d\n",
        LLVM_VERSION_MAJOR, other.c_str(), LLVM_VERSION_MAJOR, LLVM_VERSION_MAJOR, LLVM_VERSION_MAJOR);
    return {LLVM_PLUGIN_API_VERSION, "hybrid", LLVM_VERSION_STRING, nullptr};
  }
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
