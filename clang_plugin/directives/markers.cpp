#include "clang_plugin/directives/directives.h"

namespace hybrid::directives {

namespace {

// Valid in C and in C++: it uses only built-in types, and no names that a program may use. MPICH's handles
// are integers; the assembler name of a declaration avoids conflicts with its declaration in mpi.h. When MPI
// does not run (a program without it, before MPI_Init, after MPI_Finalize), MPI must not be called and `%
// size` must not divide by zero: the result is rank 0 of 1.
constexpr const char* kMarkers = R"(
extern void* __hybrid_dlsym(void*, const char*) __asm__("dlsym") __attribute__((weak));
extern int __hybrid_initialized(int*) __asm__("PMPI_Initialized") __attribute__((weak));
extern int __hybrid_finalized(int*) __asm__("PMPI_Finalized") __attribute__((weak));
extern int __hybrid_comm_rank(int, int*) __asm__("PMPI_Comm_rank") __attribute__((weak));
extern int __hybrid_comm_size(int, int*) __asm__("PMPI_Comm_size") __attribute__((weak));
__HYBRID_MARKER void* __hybrid_library(const char* name, void** known) {
  static char absent;
  void* function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!function) {
    function = __hybrid_dlsym ? __hybrid_dlsym((void*)0, name) : (void*)0;
    __atomic_store_n(known, function ? function : (void*)&absent, __ATOMIC_RELAXED);
  }
  return function == (void*)&absent ? (void*)0 : function;
}
__HYBRID_MARKER int __hybrid_mpi_runs(void) {
  int initialized = 0;
  int finalized = 0;
  if (__hybrid_initialized) __hybrid_initialized(&initialized);
  if (__hybrid_finalized) __hybrid_finalized(&finalized);
  return initialized && !finalized;
}
__HYBRID_MARKER int __hybrid_rank(void) {
  int rank = 0;
  if (__hybrid_comm_rank && __hybrid_mpi_runs()) __hybrid_comm_rank(0x44000000, &rank);
  return rank;
}
__HYBRID_MARKER int __hybrid_size(void) {
  int size = 1;
  if (__hybrid_comm_size && __hybrid_mpi_runs()) __hybrid_comm_size(0x44000000, &size);
  return size;
}
__HYBRID_MARKER void __hybrid_phase_begin(const char* name, int flags, long long slots) {
  static void* known;
  void* function = __hybrid_library("hybrid_library_phase_begin", &known);
  (void)flags;
  (void)slots;
  if (function) ((void (*)(const char*))function)(name);
}
__HYBRID_MARKER void __hybrid_phase_end(void) {
  static void* known;
  void* function = __hybrid_library("hybrid_library_phase_end", &known);
  if (function) ((void (*)(void))function)();
}
__HYBRID_MARKER void __hybrid_flush(void) {
  static void* known;
  void* function = __hybrid_library("hybrid_library_flush", &known);
  if (function) ((void (*)(void))function)();
}
__HYBRID_MARKER void __hybrid_pattern(const char* pattern, int count, long long a, long long b, long long c,
                                      long long d) {
  static void* known;
  void* function = __hybrid_library("hybrid_library_pattern", &known);
  long long dimensions[4];
  dimensions[0] = a;
  dimensions[1] = b;
  dimensions[2] = c;
  dimensions[3] = d;
  if (function) ((void (*)(const char*, int, const long long*))function)(pattern, count, dimensions);
}
__HYBRID_MARKER void __hybrid_connection(long long from, long long to) {
  static void* known;
  void* function = __hybrid_library("hybrid_library_preload", &known);
  int rank = (int)to;
  if (function && __hybrid_mpi_runs() && from == __hybrid_rank() && to == rank) ((void (*)(const int*, int))function)(&rank, 1);
}
__HYBRID_MARKER long long __hybrid_condition(long long holds) { return holds; }
__HYBRID_MARKER void __hybrid_phase_ready(int* scope) { *scope = 1; }
__HYBRID_MARKER void __hybrid_off(void) {}
__HYBRID_MARKER void __hybrid_on(void) {}
__HYBRID_MARKER void __hybrid_scope_end(int* scope) {
  if (*scope) {
    *scope = 0;
    __hybrid_phase_end();
  }
}
)";

}  // namespace

std::string marker_declarations(bool cplusplus) {
  // No warnings about code that is not the program's.
  std::string text =
      "\n#ifndef __HYBRID_MARKER\n#pragma clang diagnostic push\n"
      "#pragma clang diagnostic ignored \"-Weverything\"\n";
  if (cplusplus) text += "extern \"C\" {\n";
  text += "#define __HYBRID_MARKER static __inline__ __attribute__((unused, nothrow))\n";
  text += kMarkers;
  if (cplusplus) text += "}\n";
  return text + "#pragma clang diagnostic pop\n#endif\n";
}

}  // namespace hybrid::directives
