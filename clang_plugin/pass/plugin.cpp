/* Entry point for clang, flang and opt: registers the pass after the first simplification of each
 * function, before any inlining but that of a sample profile. The pass
 *   1. inserts markers around loops that communicate (loop_phases.h) and finds all directives (directives.h),
 *   2. analyses a copy of the module (extraction.h),
 *   3. makes inspectors for sends that no expression describes (inspectors.h),
 *   4. adds recorded connections for what is still unknown (profile.h),
 *   5. writes the note (note_writer.h) and replaces the markers by marks (marks.h). */
#include <dlfcn.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clang_plugin/pass/entries.h"
#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/inspectors.h"
#include "clang_plugin/pass/loop_phases.h"
#include "clang_plugin/pass/marks.h"
#include "clang_plugin/pass/note_writer.h"
#include "clang_plugin/pass/profile.h"
#include "clang_plugin/pass/values.h"
#include "core/readable_name.h"

namespace {

using namespace llvm;
using namespace hybrid::pass;

/* The value of an environment variable; "" if there is none. The wrappers set: HYBRID_SOURCE_NAME, the user's
 * name of a file that was rewritten before its compilation; HYBRID_PROFILES, the files of profiles, one a
 * line; HYBRID_WARNINGS, "off" or "errors"; HYBRID_LINES_FOR_HINTS (the plugin for clang, too), if line
 * tables were requested only for hints. */
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/* Reports on the hints as the compiler does. */
class Reports {
 public:
  explicit Reports(Module& module) : context_(module.getContext()), setting_(environment("HYBRID_WARNINGS")) {
    for (const Function& function : module)
      if (const DISubprogram* where = function.getSubprogram())
        subprograms_[hybrid::readable_name(function.getName())] = {&function, where};
  }

  void warn(const std::string& message) const {
    if (setting_ == "off") return;
    context_.diagnose(
        DiagnosticInfoPGOProfile(nullptr, message, setting_ == "errors" ? DS_Error : DS_Warning));
  }

  /* -Rpass-missed=hybrid: why a dynamic call that sends has no hint, and what would help. Once for copies of
   * a call. */
  void remark(const Note& note, const hybrid_site& site) {
    const auto found = subprograms_.find(note.strings.c_str() + site.function);
    if (found == subprograms_.end()) return;
    const auto& [function, where] = found->second;
    if (!remarks_.emplace(site.line, site.column, site.kind, site.reason).second) return;
    const StringRef why = note.strings.c_str() + site.reason;
    const DebugLoc at = DILocation::get(context_, site.line, site.column, const_cast<DISubprogram*>(where));
    OptimizationRemarkMissed remark("hybrid", "Communication", at, &function->getEntryBlock());
    const StringRef call = note.strings.c_str() + site.call;
    const bool fortran =
        dwarf::isFortran(static_cast<dwarf::SourceLanguage>(where->getUnit()->getSourceLanguage()));
    remark << call << " could not be analysed: " << why << "; '" << (fortran ? "!hyb$" : "#pragma hybrid")
           << " phase(...) connections(...)' can declare it";
    context_.diagnose(remark);
  }

 private:
  LLVMContext& context_;
  const std::string setting_;
  std::map<std::string, std::pair<const Function*, const DISubprogram*>> subprograms_;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>> remarks_; /* line, column, kind, reason */
};

std::vector<Profile> profiles(const Reports& reports) {
  std::vector<Profile> all;
  const std::string paths = environment("HYBRID_PROFILES");
  SmallVector<StringRef, 4> lines;
  StringRef(paths).split(lines, '\n', -1, false);
  for (const StringRef path : lines) {
    const auto buffer = MemoryBuffer::getFile(path);
    Profile profile;
    std::string problem = buffer ? "" : buffer.getError().message();
    if (buffer && read_profile((*buffer)->getBuffer().str(), profile, problem))
      all.push_back(std::move(profile));
    else
      reports.warn(path.str() + ": " + problem);
  }
  return all;
}

class HybridPass : public PassInfoMixin<HybridPass> {
 public:
  static bool isRequired() { return true; } /* at -O0 too */

  /* `in_registers`: as of prepare(). */
  explicit HybridPass(bool in_registers) : in_registers_(in_registers) {}

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    const bool has_note = any_of(module.globals(), [](const GlobalVariable& variable) {
      return variable.getSection() == HYBRID_NOTE_SECTION; /* analysed before ThinLTO's link */
    });
    const bool only_for_hints = !environment("HYBRID_LINES_FOR_HINTS").empty();
    if (!has_note && communicates(module)) add_hints(module, only_for_hints);
    if (only_for_hints) StripDebugInfo(module);
    return PreservedAnalyses::none();
  }

 private:
  /* Beside those of loops, hints contain the lines of calls only. Others make the copy of the module slower.
   */
  static void forget_lines(Module& module) {
    for (Function& function : module)
      for (Instruction& instruction : instructions(function))
        if (!isa<CallBase>(instruction)) instruction.setDebugLoc(DebugLoc());
  }

  /* `lines_only_for_hints`: the debug information will be removed. */
  void add_hints(Module& module, bool lines_only_for_hints) const {
    forget_bodies_of_markers(module);
    make_room_at_directives(module);
    mark_loops(module);
    if (lines_only_for_hints) forget_lines(module);
    const Directives directives = find_directives(module);
    InspectorMaker maker(module, directives, in_registers_);
    Extraction extraction = extract(maker.prepared(), directives.phases);
    Note& note = extraction.note;
    const Inspectors inspectors = maker.make(extraction.procedures, note);
    Reports reports(module);
    for (const hybrid_site& site : note.sites)
      if (site.site_class == HYBRID_DYNAMIC &&
          (site.kind == HYBRID_SEND || site.kind == HYBRID_ONE_SIDED)) /* no others have hints */
        reports.remark(note, site);
    for (const std::string& message : use_profiles(note, profiles(reports))) reports.warn(message);
    const std::string name = environment("HYBRID_SOURCE_NAME");
    Constant* unit = write_note(module, note, name.empty() ? module.getSourceFileName() : name);
    write_marks(module, directives, extraction.procedures, inspectors, unit);
  }

  bool in_registers_;
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
            /* Not at the start: the copy would be larger, and need the first simplification, too. */
            builder.registerPipelineEarlySimplificationEPCallback(
                [](ModulePassManager& passes, OptimizationLevel level) {
                  passes.addPass(HybridPass(level != OptimizationLevel::O0));
                });
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "hybrid") return false;
                  passes.addPass(HybridPass(false));
                  return true;
                });
          }};
}
