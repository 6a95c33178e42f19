/* Marks phases like a compiled program; its notes are made by write_compiled_notes.cpp. The argument selects
 * the case. Each rank prints one line, the same with and without the library. */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "core/hint_abi.h"
#include "libhybrid/hybrid.h"

enum { kRing, kShifted, kFresh, kPartlyUnknown, kNoSuchPhase = 17 };
enum { kMostReceived = 16 };

extern const struct hybrid_unit compiled_unit, unit_of_another_version;
static int64_t shift = 1;
static int from[kMostReceived], received;

static void mark_of(const struct hybrid_unit* unit, uint32_t phase, uint32_t mark, int64_t holds) {
  static void* known;
  hybrid_library_mark_function* function;
  *(void**)&function = hybrid_library_function(HYBRID_LIBRARY_MARK, &known);
  if (function) function(unit, phase, mark, holds, phase == kShifted ? &shift : NULL);
}
static void begin(uint32_t phase) { mark_of(&compiled_unit, phase, HYBRID_MARK_BEGIN, 1); }
static void end(uint32_t phase) { mark_of(&compiled_unit, phase, HYBRID_MARK_END, 1); }

static void send_round(int64_t by) {
  int rank, size, got = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (int)(rank + by) % size, 0, &got, 1, MPI_INT,
               (int)(rank + size - by % size) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (received < kMostReceived) from[received++] = got;
}

static void nested(void) {
  for (int i = 0; i < 3; ++i) {
    begin(kRing);
    send_round(1);
    begin(kShifted);
    send_round(shift);
    end(kShifted);
    end(kRing);
  }
}

/* shift is 1, 1, 2, 2: two different working sets. */
static void changing(void) {
  for (int i = 0; i < 4; ++i) {
    shift = 1 + i / 2;
    begin(kShifted);
    send_round(shift);
    end(kShifted);
  }
}

/* shift is 1, 2, 1, 2, 1, 2: earlier evaluations are valid again. */
static void returning(void) {
  for (int i = 0; i < 6; ++i) {
    shift = 1 + i % 2;
    begin(kShifted);
    send_round(shift);
    end(kShifted);
  }
}

static void flushing(void) {
  for (int i = 0; i < 2; ++i) {
    begin(kRing);
    end(kRing);
    for (int j = 0; j < 3; ++j) {
      begin(kFresh);
      send_round(2);
      end(kFresh);
    }
    mark_of(&compiled_unit, HYBRID_NONE, HYBRID_MARK_FLUSH, 1);
  }
}

static void conditional(void) {
  mark_of(&compiled_unit, kRing, HYBRID_MARK_BEGIN, 0);
  end(kRing);
  mark_of(&compiled_unit, kFresh, HYBRID_MARK_BEGIN, 0);
  end(kFresh);
}

static jmp_buf out;
static void jumping(void) {
  for (volatile int i = 0; i < 100; ++i) {
    if (setjmp(out) == 0) {
      begin(kRing);
      begin(kShifted);
      longjmp(out, 1);
    }
  }
  end(kRing);
  begin(kRing);
  begin(kShifted);
  begin(kFresh);
  end(kShifted); /* without the end of the inner phase, as after a jump */
  end(kRing);
}

static void disordered(void) {
  end(kRing);
  begin(kNoSuchPhase);
  end(kNoSuchPhase);
  mark_of(NULL, 0, HYBRID_MARK_BEGIN, 1);
  mark_of(NULL, 0, HYBRID_MARK_END, 1);
  mark_of(&compiled_unit, kRing, 99, 1);
  for (int i = 0; i < 2; ++i) {
    mark_of(&unit_of_another_version, 0, HYBRID_MARK_BEGIN, 1);
    mark_of(&unit_of_another_version, 0, HYBRID_MARK_END, 1);
  }
  begin(kPartlyUnknown);
  send_round(3);
  end(kPartlyUnknown);
}

/* In a phase that begins before MPI and ends after it. */
static void early(void) { send_round(1); }

static void* many(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    begin(kRing);
    begin(kShifted);
    end(kShifted);
    end(kRing);
  }
  return unused;
}
static void threads(void) {
  pthread_t others[3];
  for (int i = 0; i < 3; ++i) pthread_create(&others[i], NULL, many, NULL);
  many(NULL);
  for (int i = 0; i < 3; ++i) pthread_join(others[i], NULL);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"nested", nested},           {"changing", changing}, {"flushing", flushing},
               {"conditional", conditional}, {"jumping", jumping},   {"disordered", disordered},
               {"threads", threads},         {"early", early},       {"returning", returning}};
  const int is_early = argc == 2 && strcmp(argv[1], "early") == 0;
  begin(kRing); /* before MPI */
  end(kRing);
  if (is_early) begin(kRing);
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  MPI_Finalize();
  if (is_early) end(kRing);
  begin(kRing); /* after it */
  end(kRing);
  char line[256]; /* one write: other ranks print at the same time, and MPICH unbuffers standard output */
  int length = snprintf(line, sizeof line, "%d:", rank);
  for (int i = 0; i < received; ++i)
    length += snprintf(line + length, sizeof line - (size_t)length, " %d", from[i]);
  line[length++] = '\n';
  fwrite(line, 1, (size_t)length, stdout);
  return 0;
}
