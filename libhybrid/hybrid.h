/* What a program can tell libhybrid about itself. All of it is optional: without the library (or under one
 * that does not record) every call does nothing, so that the program needs neither the library at link time
 * nor a second build.
 *
 *     #include <hybrid.h>
 *     hybrid_phase_begin("transpose");
 *     ...
 *     hybrid_phase_end();
 *
 * Link with nothing; preload libhybrid.so to record.
 */
#ifndef HYBRID_H
#define HYBRID_H

#ifdef __cplusplus
extern "C" {
#endif

/* The dynamic linker's search, where the program has one. A weak reference to the library itself would be
 * null for good in programs that are linked to a fixed address. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

/* The library's `name`, or null; looked up once. */
static inline void* hybrid_library_function(const char* name, void** known) {
  static char absent; /* its address: there is none */
  void* function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym ? dlsym((void*)0, name) : (void*)0;
    __atomic_store_n(known, function ? function : (void*)&absent, __ATOMIC_RELAXED);
  }
  return function == (void*)&absent ? (void*)0 : function;
}

/* From here on the calling thread is in the phase `name`: a stretch of the program with one stable set of
 * partners. Phases nest; the innermost counts. `name` is copied. Between MPI_Init and MPI_Finalize. */
static inline void hybrid_phase_begin(const char* name) {
  static void* known;
  void (*function)(const char*);
  *(void**)&function = hybrid_library_function("hybrid_library_phase_begin", &known);
  if (function) function(name);
}

/* Ends the innermost phase of the calling thread. Without one it does nothing. */
static inline void hybrid_phase_end(void) {
  static void* known;
  void (*function)(void);
  *(void**)&function = hybrid_library_function("hybrid_library_phase_end", &known);
  if (function) function();
}

/* The set of partners changes here: connections held for the old one are of no more use. */
static inline void hybrid_flush(void) {
  static void* known;
  void (*function)(void);
  *(void**)&function = hybrid_library_function("hybrid_library_flush", &known);
  if (function) function();
}

/* The calling process is about to send to these `count` ranks of MPI_COMM_WORLD, most wanted first: while the
 * job runs, the scheduler puts their connections into preloaded slots as far as these have room
 * (HYBRID_PRELOAD), and takes the rest for requests. Adds to what was given since the last hybrid_flush().
 * Ranks that do not exist, and the caller's own port, are passed over. Between MPI_Init and MPI_Finalize. */
static inline void hybrid_preload(const int* ranks, int count) {
  static void* known;
  void (*function)(const int*, int);
  *(void**)&function = hybrid_library_function("hybrid_library_preload", &known);
  if (function) function(ranks, count);
}

#ifdef __cplusplus
}
#endif

#endif
