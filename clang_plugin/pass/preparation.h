/* Prepares a copy of the module for the analysis: MPI calls become values (values.h), functions that
 * communicate are inlined, and LLVM's passes propagate the values to their uses. The program's own code does
 * not change, and -O0 is analysed like -O2. Before and after:
 *
 *     void send(int to) { MPI_Send(..., to, ...); }      int main() {
 *     int main() {                                         r = hybrid.rank(world);
 *       MPI_Comm_rank(MPI_COMM_WORLD, &r); send(r + 1);    hybrid.site(0, ..., r + 1, ...);
 *     }                                                  } */
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <memory>
#include <vector>

#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

struct Prepared {
  std::unique_ptr<llvm::Module> module;
  std::vector<SiteOrigin> origins;
};

/* LLVM's analyses of a module. */
struct Analyses {
  Analyses();
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

/* Propagates values to their uses, and gives every loop one back edge. */
void simplify(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/* Prepares `module` and changes it: pass a copy. The functions `kept` remain, also if they are inlined
 * everywhere. `in_registers`: LLVM has already moved local variables to registers. */
Prepared prepare(std::unique_ptr<llvm::Module> module, llvm::ArrayRef<llvm::GlobalValue*> kept,
                 bool in_registers);
/* Attribute of functions that are no part of the program: copies of loops (entries.h), and functions
 * that were inlined everywhere. */
inline constexpr char kAside[] = "hybrid.aside";
/* Whether the instruction is in such a function. */
bool is_aside(const llvm::Instruction& instruction);

/* The main program: main, or flang's. */
bool is_main_program(llvm::StringRef name);

/* Whether glibc's headers use this name for a standard function that LLVM knows (versions of scanf and
 * strtol). */
bool is_renamed_by_glibc(llvm::StringRef name);

/* Whether a function outside of the module neither calls back nor writes the program's variables: functions
 * of the languages' libraries. */
bool is_harmless(const llvm::Function& function, const llvm::TargetLibraryInfo& library);
/* Whether, in addition, this call passes no function that could. */
bool is_harmless(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library);

}  // namespace hybrid::pass
