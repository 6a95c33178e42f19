/* What the compiler knew of a program's communication, as it stands in the program's files: the notes that
 * the plugin writes, `hybrid hints` prints and the library evaluates while the program runs (D 2.1.1, 5.2).
 * Plain C, fixed layout, little-endian, no pointers: a note is read from a file as well as from memory.
 *
 * A unit (one compiled file, or a whole program after the link step) has one note in the section
 * `.note.hybrid`: an ELF note with the name "hybrid" and the type HYBRID_NOTE_TYPE whose descriptor is
 *
 *     hybrid_unit, nodes[], loop variables[], loops[], sites[], phases[], strings
 *
 * one behind the other without gaps. A program has as many notes as units; a static or shared library brings
 * its own. A note is aligned to four bytes only: readers copy.
 *
 * Values are 64-bit integers. A truth is 1 or 0. Expressions are nodes: node i refers to nodes before it
 * only, so that a reader evaluates or prints in one pass and no note can make it loop. Whatever the compiler
 * did not understand makes the site dynamic (HYBRID_DYNAMIC): it is never guessed.
 */
#ifndef HYBRID_CORE_HINT_ABI_H
#define HYBRID_CORE_HINT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYBRID_NOTE_SECTION ".note.hybrid"
#define HYBRID_NOTE_NAME "hybrid"
#define HYBRID_NOTE_TYPE 0x4859
#define HYBRID_NOTE_VERSION 3u
/* No node, loop, phase or string. */
#define HYBRID_NONE 0xFFFFFFFFu

/* The head of a descriptor. `version` and `size` keep their places in every version. */
struct hybrid_unit {
  uint32_t version; /* HYBRID_NOTE_VERSION */
  uint32_t size;    /* bytes of the descriptor, this head included */
  uint32_t flags;   /* enum hybrid_unit_flag */
  uint32_t id_low;  /* a number that tells units of a program apart: of its file and content */
  uint32_t id_high;
  uint32_t node_count, variable_count, loop_count, site_count, phase_count;
  uint32_t string_bytes;
  uint32_t name;          /* string: the file compiled, or the program linked */
  uint32_t address_count; /* entries of the table below */
  /* Where HYBRID_LOAD reads: a table of address_count pointers to variables of the program, as the distance
   * in bytes from this field to the table; 0 for none. In a file only the names beside the table (the `b` of
   * the loads) can be shown. */
  int32_t addresses_low;
  int32_t addresses_high;
};

enum hybrid_unit_flag {
  /* Of the whole program: stands for the notes of all units linked into the same executable or library. Its
   * phases are those of the units, see hybrid_phase::origin_phase. */
  HYBRID_UNIT_WHOLE = 1
};

/* What a node is. a, b, c are nodes unless told otherwise; `value` is the 64-bit constant. */
enum hybrid_op {
  HYBRID_CONSTANT = 1, /* value */
  HYBRID_RANK,         /* the caller's rank in communicator a */
  HYBRID_SIZE,         /* the size of communicator a */
  HYBRID_VARIABLE,     /* the loop variable `value` (index into the variables) */
  HYBRID_LOAD,         /* read at run time: pointer `value` of the table, plus a bytes; c: the width in bytes,
                          negative for signed, so 4, -4, 8, ...; b: string, its name in the source */
  HYBRID_INPUT,        /* a value that only a run knows and nothing can read; b: string, its name */
  HYBRID_PROC_NULL,    /* MPI_PROC_NULL */
  HYBRID_ANY_SOURCE,   /* MPI_ANY_SOURCE */

  /* Integers, wrapping at 64 bits. Division and remainder truncate to zero; by zero the result is unknown. */
  HYBRID_ADD = 32,
  HYBRID_SUB,
  HYBRID_MUL,
  HYBRID_DIV,
  HYBRID_MOD,
  HYBRID_UDIV,
  HYBRID_UMOD,
  HYBRID_AND,
  HYBRID_OR,
  HYBRID_XOR,
  HYBRID_SHL,
  HYBRID_SHR,
  HYBRID_SAR,
  HYBRID_MIN,
  HYBRID_MAX,
  HYBRID_EQ,
  HYBRID_NE,
  HYBRID_LT,
  HYBRID_LE,
  HYBRID_ULT,
  HYBRID_ULE,
  HYBRID_SELECT, /* a ? b : c */
  HYBRID_TRUNC,  /* a, of which the lowest `value` bits count, extended by sign */
  HYBRID_ZEXT,   /* the same, extended by zeros */

  /* Doubles: their 64 bits stand for them. */
  HYBRID_FADD = 64,
  HYBRID_FSUB,
  HYBRID_FMUL,
  HYBRID_FDIV,
  HYBRID_FNEG,
  HYBRID_FABS,
  HYBRID_FEQ,
  HYBRID_FNE,
  HYBRID_FLT,
  HYBRID_FLE,
  HYBRID_FROM_INT,
  HYBRID_TO_INT, /* TO_INT truncates to zero */
  HYBRID_SQRT,
  HYBRID_CBRT,
  HYBRID_POW,
  HYBRID_LOG,
  HYBRID_LOG2,
  HYBRID_LOG10,
  HYBRID_EXP,
  HYBRID_FLOOR,
  HYBRID_CEIL,
  HYBRID_ROUND,

  /* Communicators: their value is nothing that can be calculated with. */
  HYBRID_WORLD = 128, /* MPI_COMM_WORLD */
  HYBRID_SELF,        /* MPI_COMM_SELF */
  HYBRID_DUP,         /* of a */
  HYBRID_SPLIT,       /* of a, by color b and key c; both as each rank of a would have them */
  HYBRID_CART,        /* of a; b: list of the dimensions' sizes, c: list of truths, who wraps; value: reorder.
                         A size of 0 is for MPI_Dims_create to find */
  HYBRID_CART_SUB,    /* of a Cartesian a; b: list of truths, which dimensions stay */
  HYBRID_UNKNOWN_COMMUNICATOR,

  HYBRID_LIST = 144, /* a: an element, b: the rest of the list or HYBRID_NONE */

  /* Of Cartesian communicators. */
  HYBRID_COORDINATE, /* of the caller in a, along dimension `value` */
  HYBRID_CART_RANK,  /* in a, at the coordinates of list b */
  HYBRID_SHIFT,      /* MPI_Cart_shift in a along dimension b by c: `value` 0 the source, 1 the destination */
  HYBRID_TRANSLATE,  /* rank b of communicator a, in communicator c; HYBRID_PROC_NULL if not in there */
  HYBRID_MEMBER,     /* truth: the caller is in a; 0 where a is MPI_COMM_NULL to it */

  /* What the loop `value` leaves when it ends. The expressions in a turn are of the loop's variables;
   * variables of loops around it have the values that they have where it is asked. */
  HYBRID_AFTER = 160, /* a in the turn that its condition ended */
  HYBRID_ENTRY        /* of a table that it fills: in each turn it writes c to place b, or nothing where b is
                         negative. What it wrote last to place a, which is not of a turn; unknown if nothing */
};

struct hybrid_node {
  uint32_t op;
  uint32_t a, b, c;
  int32_t value_low;
  int32_t value_high;
};

/* A value that changes from one turn of a loop to the next. */
struct hybrid_variable {
  uint32_t first; /* node: outside the loop */
  uint32_t next;  /* node: of the loop's own variables and those of loops around it */
  uint32_t name;  /* string or HYBRID_NONE */
};

/* A loop around sites. While `condition` holds, a turn; then all variables step at once. */
struct hybrid_loop {
  uint32_t parent;    /* the loop around it or HYBRID_NONE; stands before it */
  uint32_t condition; /* node; HYBRID_NONE: not understood, the sites in it are dynamic unless they do not
                         depend on this loop's variables */
  uint32_t first_variable, variable_count;
};

enum hybrid_class {
  HYBRID_STATIC = 1, /* of constants, rank, size and loops: known once the number of ranks is (D 2.1.1) */
  HYBRID_ANALYSABLE, /* dynamically analysable: of values that the program has read before the phase begins */
  HYBRID_DYNAMIC     /* known when the message leaves */
};

enum hybrid_site_kind { HYBRID_SEND = 1, HYBRID_RECEIVE, HYBRID_COLLECTIVE, HYBRID_ONE_SIDED };

/* A call that communicates. MPI_Sendrecv is two sites. */
struct hybrid_site {
  uint32_t file, line, column,
      function;              /* strings file and function; 0 where there is no debug information */
  uint32_t call;             /* string: "MPI_Isend" */
  uint16_t kind, site_class; /* enum hybrid_site_kind, enum hybrid_class */
  uint32_t communicator;     /* node */
  uint32_t peer;             /* node: rank in the communicator; of a collective its root, or HYBRID_NONE */
  uint32_t tag;              /* node or HYBRID_NONE */
  uint32_t count;            /* node: elements sent, or HYBRID_NONE where not understood */
  uint32_t type_size;        /* node: bytes of an element, or HYBRID_NONE */
  uint32_t guard;            /* node: the call is made only where this holds, of a collective as far
                                as that is known; HYBRID_NONE: always */
  uint32_t loop;             /* the innermost loop around it, or HYBRID_NONE */
  uint32_t phase;            /* the phase it belongs to, or HYBRID_NONE */
  uint32_t reason;           /* string: why it is not static, what would help; or HYBRID_NONE */
};

enum hybrid_phase_kind { HYBRID_PHASE_LOOP = 1, HYBRID_PHASE_PROCEDURE, HYBRID_PHASE_DIRECTIVE };
enum hybrid_phase_flag {
  HYBRID_PHASE_PRELOAD = 1, /* its connections are established before its first message */
  HYBRID_PHASE_FLUSH = 2,   /* those of the phase before are given up where it begins */
  HYBRID_PHASE_MERGED = 4   /* of a loop: it sends nothing, or nothing else than what is around it, which has
                               its sites. Its marks mean nothing */
};

/* A stretch of the program with one working set. */
struct hybrid_phase {
  uint32_t name, file, line; /* strings name and file */
  uint16_t kind, flags;
  uint32_t parent;     /* the phase around it, or HYBRID_NONE */
  uint32_t condition;  /* node: only then this working set (D 5.2.3), or HYBRID_NONE */
  uint32_t pattern;    /* string, the directive's or as recognised, or HYBRID_NONE */
  uint32_t dimensions; /* list of nodes, the pattern's, or HYBRID_NONE */
  uint32_t
      connections; /* list of alternating source and destination nodes in MPI_COMM_WORLD, or HYBRID_NONE */
  uint32_t slots;  /* 0: as many as it takes */
  /* In a whole program's note: the phase is number origin_phase of the unit with this identity (id_low and
   * id_high there), whose marks tell when it begins. Otherwise HYBRID_NONE, 0 and 0. */
  uint32_t origin_phase, origin_low, origin_high;
  /* What recorded runs showed of a phase that has dynamic sends: list of constants, by threes the number of
   * ranks of the run, a connection's source and its destination in MPI_COMM_WORLD; or HYBRID_NONE. Holds in
   * jobs of just that number of ranks. */
  uint32_t profile;
};

/* What compiled programs call, if the library is there (found by dlsym, as in hybrid.h). */
enum hybrid_mark {
  HYBRID_MARK_BEGIN = 1,
  HYBRID_MARK_END,
  HYBRID_MARK_FLUSH,
  HYBRID_MARK_OFF,
  HYBRID_MARK_ON
};

/* `unit`: the calling unit's descriptor in memory; `phase`: index in it, or HYBRID_NONE. `value`: what the
 * directive's condition came to when the mark was reached (1 without one). */
typedef void hybrid_library_mark_function(const struct hybrid_unit* unit, uint32_t phase, uint32_t mark,
                                          int64_t value);
#define HYBRID_LIBRARY_MARK "hybrid_library_compiled_mark"

/* Marker calls that stand for directives between the two halves of the plugin. The front end puts them into
 * the program, as functions of the unit's own that do without the pass what can be done without a note; the
 * pass turns them into phases of the note and calls of the function above, and removes them. Names and
 * patterns are string constants; numbers are any integer expressions. A phase is open from `ready` to the
 * first `scope_end` with the same variable on the way, which its block's end makes sure of. */
#define HYBRID_MARKER_PHASE_BEGIN                                                                      \
  "__hybrid_phase_begin"                             /* (const char* name, int flags, long long slots) \
                                                      */
#define HYBRID_MARKER_CONDITION "__hybrid_condition" /* long long (long long holds), its argument */
#define HYBRID_MARKER_PATTERN "__hybrid_pattern"     /* (const char* pattern, int count, long long dims...) */
#define HYBRID_MARKER_CONNECTION "__hybrid_connection" /* (long long from, long long to) */
#define HYBRID_MARKER_PHASE_READY                                                                       \
  "__hybrid_phase_ready"                             /* (int* scope) ends the clauses of the last begin \
                                                      */
#define HYBRID_MARKER_SCOPE_END "__hybrid_scope_end" /* (int* scope) */
#define HYBRID_MARKER_PHASE_END "__hybrid_phase_end" /* () ends the innermost phase */
#define HYBRID_MARKER_FLUSH "__hybrid_flush"         /* () */
#define HYBRID_MARKER_RANK "__hybrid_rank"           /* int () the caller's rank in MPI_COMM_WORLD */
#define HYBRID_MARKER_SIZE "__hybrid_size"           /* int () the size of MPI_COMM_WORLD */
#define HYBRID_MARKER_OFF "__hybrid_off"             /* () nothing is extracted from here on ... */
#define HYBRID_MARKER_ON "__hybrid_on"               /* () ... to here */

#ifdef __cplusplus
}
#endif

#endif
