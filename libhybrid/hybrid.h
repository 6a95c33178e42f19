/* What a program can tell libhybrid about itself. All of it is optional: without the library (or under one that
 * does not record) every call is a test of a null pointer, so that the program needs neither the library at link
 * time nor a second build.
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

#if defined(__GNUC__)
#define HYBRID_OPTIONAL __attribute__((weak))
#else
#define HYBRID_OPTIONAL
#endif

/* The library's side; null where it is absent. */
HYBRID_OPTIONAL void hybrid_library_phase_begin(const char *name);
HYBRID_OPTIONAL void hybrid_library_phase_end(void);
HYBRID_OPTIONAL void hybrid_library_flush(void);

/* From here on the calling thread is in the phase `name`: a stretch of the program with one stable set of
 * partners. Phases nest; the innermost counts. `name` is copied. Between MPI_Init and MPI_Finalize. */
static inline void hybrid_phase_begin(const char *name) {
  if (hybrid_library_phase_begin) hybrid_library_phase_begin(name);
}

/* Ends the innermost phase of the calling thread. Without one it does nothing. */
static inline void hybrid_phase_end(void) {
  if (hybrid_library_phase_end) hybrid_library_phase_end();
}

/* The set of partners changes here: connections held for the old one are of no more use. */
static inline void hybrid_flush(void) {
  if (hybrid_library_flush) hybrid_library_flush();
}

#ifdef __cplusplus
}
#endif

#endif
