/* Hints of a program for libhybrid: its phases and the connections that they use. The program does not link
 * the library; preload libhybrid.so to record. Without the library, or if it does not record, all calls do
 * nothing.
 *
 *     #include <hybrid.h>
 *     const int neighbors[] = {left, right};
 *     hybrid_phase_begin("exchange");
 *     hybrid_preload(neighbors, 2);
 *     ...
 *     hybrid_flush();
 *     hybrid_phase_end();
 *
 * The calls are for the time between MPI_Init and MPI_Finalize.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* dlsym, or null in a program without a dynamic linker. (A weak reference to the functions of the library
 * would always be null in programs that are linked to a fixed address.) */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

/* Function `name` of the library, or null. It is looked up once. */
static inline void* hybrid_library_function(const char* name, void** known) {
  static char absent; /* its address marks a function that does not exist */
  void* function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym ? dlsym((void*)0, name) : (void*)0;
    __atomic_store_n(known, function ? function : (void*)&absent, __ATOMIC_RELAXED);
  }
  return function == (void*)&absent ? (void*)0 : function;
}

/* Begins the phase `name` of the calling thread: a part of the program with a stable set of partners. Phases
 * may nest; the innermost is the current one. `name` is copied. */
static inline void hybrid_phase_begin(const char* name) {
  static void* known;
  void (*function)(const char*);
  *(void**)&function = hybrid_library_function("hybrid_library_phase_begin", &known);
  if (function) function(name);
}

/* Ends the innermost phase of the calling thread, if there is one. */
static inline void hybrid_phase_end(void) {
  static void* known;
  void (*function)(void);
  *(void**)&function = hybrid_library_function("hybrid_library_phase_end", &known);
  if (function) function();
}

/* Releases the connections of the calling process, since its set of partners changes. */
static inline void hybrid_flush(void) {
  static void* known;
  void (*function)(void);
  *(void**)&function = hybrid_library_function("hybrid_library_flush", &known);
  if (function) function();
}

/* Announces sends of the calling process to `count` ranks of MPI_COMM_WORLD, the most important first. While
 * the job runs, the scheduler puts their connections into preloaded slots while these have room
 * (HYBRID_PRELOAD), and treats the others as requests. The connections are added to those since the last
 * hybrid_flush(). Ranks that do not exist and ranks of the caller's own port are ignored. */
static inline void hybrid_preload(const int* ranks, int count) {
  static void* known;
  void (*function)(const int*, int);
  *(void**)&function = hybrid_library_function("hybrid_library_preload", &known);
  if (function) function(ranks, count);
}

#ifdef __cplusplus
}
#endif
