/* The module that is analysed: a copy in which MPI calls are values (values.h) and LLVM has carried these to
 * where they are used. The program's own code never sees any of it, so that -O0 is analysed like -O2. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_PREPARATION_H
#define HYBRID_CLANG_PLUGIN_PASS_PREPARATION_H

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

/* Metadata of the analysed module's stores and calls: the function that they were written in. */
inline constexpr char kWrittenIn[] = "hybrid.in";

struct Prepared {
  std::unique_ptr<llvm::Module> module;
  std::vector<SiteOrigin> origins;
  /* Functions by name, and the functions that each may call, before inlining; "" among them: code that is not
   * in the module and could write the program's variables; kComplete: where what MPI has begun may end. */
  std::map<std::string, std::set<std::string>> calls;
};

/* `outside`, of a whole program: the symbols that code outside of the module uses; all others are the
 * module's own. Null for a unit. The module is changed: give a copy. */
Prepared prepare(std::unique_ptr<llvm::Module> module, const std::set<std::string>* outside);

/* What glibc's headers call functions of the standard that LLVM knows: scanf and strtol in versions. */
bool is_renamed_by_glibc(llvm::StringRef name);

/* Functions outside of the module that neither call back nor write the program's variables: the libraries of
 * the languages. */
bool is_harmless(const llvm::Function& function, const llvm::TargetLibraryInfo& library);
/* And does this call not hand over a function that could? */
bool is_harmless(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library);

}  // namespace hybrid::pass

#endif
