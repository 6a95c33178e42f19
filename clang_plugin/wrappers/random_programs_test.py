"""Random MPI programs: python3 random_programs_test.py HYBRIDCC HYBRIDCXX HYBRID [PROGRAMS [SEED]]

Each program has procedures that compute the destinations of their sends from globals, static counters, tables, lists and
objects on the heap, containers, function pointers, attributes, received values and what they and their callees store; in
loops, switches, jumps and phases of directives. They send themselves or call others that send. Some throw exceptions or
end the program. It is compiled by clang without optimisation and by hybridcc at any level, and recorded; one of four also runs
without the library. Required: the same output each time; and in each phase whose sends are all static or inspected, the
connections that were hinted are those that were used.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RANKS = 4
INCLUDES = "".join(f"#include <{name}>\n" for name in ("algorithm", "array", "functional", "map", "memory", "string", "vector"))
COMMON = """
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%(includes)s
typedef struct item { int key, peer; struct item* next; } item;
typedef struct grid { int left, right, n; int* table; int inner[8]; } grid;
static int rank, size, g0, g1, g2;
static int ga[16], gb[16];
static int* alias = ga;
static item* list;
static grid* field;
static MPI_Comm world, half, cart;
static int half_rank, half_size, key;
static long received;
static int sent[%(ranks)d], sent_half[%(ranks)d], sent_dup[%(ranks)d], got[%(ranks)d];
static MPI_Request ready[4];
static int payload = 5;
static int wrap(int v, int n) { return (int)((unsigned)v %% (unsigned)n); }
static int ahead(int from, int by) { return wrap((int)((unsigned)from + (unsigned)by), size); }
static int twice(int x) { return 2 * (x & 1023); }
static int shift(int x) { return (x & 1023) + rank; }
static int mix(int x) { return ((x & 255) * 7 + 3) ^ g1; }
static int deep(int n) { return n <= 0 ? rank : deep(n - 1) + n; }
static int (*op[4])(int) = {twice, shift, mix, deep};
static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int total(int n, ...) {
  va_list all;
  unsigned sum = 0;
  va_start(all, n);
  while (n-- > 0) sum += (unsigned)va_arg(all, int);
  va_end(all);
  return (int)(sum & 4095);
}
__attribute__((noinline)) static int length(const item* p) { int n = 0; for (; p; p = p->next) ++n; return n; }
__attribute__((noinline)) static void change(int at, int to) { alias[at & 7] = to & 4095; }
static void rise(int at, int by) { alias[at & 7] = (alias[at & 7] + (by & 15)) & 4095; }
#define TWO(a, b) { int to = (a); ++sent[to]; MPI_Send(&payload, 1, MPI_INT, to, 1, MPI_COMM_WORLD); \\
    to = wrap(b, size); ++sent[to]; MPI_Send(&payload, 1, MPI_INT, to, 1, MPI_COMM_WORLD); }
static void (*volatile hidden)(int, int) = change;
static int agree(int v) { MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD); return v; }
__attribute__((noinline)) static void put(int value, int peer) {
  ++sent[peer];
  MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
}
%(put_if)s static void put_if(int value, int peer, int how) {
  if (how > 1) {
    put(value, ahead(peer, 0));
  } else if (how < 1 || !rank) {
    ++sent_dup[ahead(peer, how)];
    MPI_Send(&value, 1, MPI_INT, ahead(peer, how), 3, world);
  }
}
%(fan)s static void fan(MPI_Comm comm, int* counts, int tag, int from, int n) {
  MPI_Request all[4];
  int many = 0;
  for (int i = 0; i < n; ++i) {
    int to = wrap(ahead(from, i * i), comm == half ? half_size : size);
    if (i == 2 && !counts[to]) break;
    ++counts[to];
    MPI_Isend(&payload, 1, MPI_INT, to, tag, comm, &all[many++]);
  }
  MPI_Waitall(many, all, MPI_STATUSES_IGNORE);
}
%(down)s static void down(int steps, int peer) {
  if (steps <= 0) return;
  ++sent[peer];
  MPI_Send(&steps, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
  down(steps - 1, ahead(peer, steps));
}
static void collect(MPI_Comm comm, int* counts, int n, int tag) {
  MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, comm);
  for (int s = 0; s < n; ++s)
    for (int k = 0; k < got[s]; ++k) {
      int value;
      MPI_Recv(&value, 1, MPI_INT, s, tag, comm, MPI_STATUS_IGNORE);
      received += value * 3L + s;
    }
  for (int s = 0; s < n; ++s) counts[s] = 0;
}
static void collect_all(void) {
  collect(MPI_COMM_WORLD, sent, size, 1);
  collect(half, sent_half, half_size, 2);
  collect(world, sent_dup, size, 3);
}
static void finish(void) {
  collect_all();
  long sums[2] = {received, g0 + 3L * g1 + 5L * g2}, all[2];
  for (int i = 0; i < 16; ++i) sums[1] += ga[i] * (i + 1L) + gb[i] * 3L + field->table[i];
  for (item* p = list; p; p = p->next) sums[1] = sums[1] * 3 + p->peer %% 1000;
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%%ld %%ld\\n", all[0], all[1]);
  for (int i = 0; i < 4; ++i) MPI_Request_free(&ready[i]);
  MPI_Finalize();
}
__attribute__((noinline)) static void stop(int peer) {
  ++sent[wrap(peer, size)];
  MPI_Send(&payload, 1, MPI_INT, wrap(peer, size), 1, MPI_COMM_WORLD);
  finish();
  exit(0);
}
%(declarations)s
"""
MAIN = """
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_split(MPI_COMM_WORLD, rank %% 2, -rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  const int sizes[2] = {2, %(ranks)d / 2}, wraps[2] = {%(a)d %% 2, %(b)d %% 2};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, wraps, 0, &cart);
  field = (grid*)calloc(1, sizeof *field);
  field->table = (int*)malloc(16 * sizeof(int));
  field->n = 3;
  field->left = rank + size - 1;
  field->right = rank + 1;
  for (int i = 0; i < 16; ++i) { ga[i] = %(a)d * i + rank; gb[i] = (i * i + %(b)d) %% 29; field->table[i] = (i + rank) * %(c)d; field->inner[i / 2] = i ^ rank; }
  for (int i = 0; i < 4; ++i) MPI_Send_init(&payload, 1, MPI_INT, (rank + i * %(d)d) %% size, 1, MPI_COMM_WORLD, &ready[i]);
  for (int i = 0; i < %(length)d; ++i) {
    item* p = (item*)malloc(sizeof *p);
    p->key = i;
    p->peer = rank + i * %(d)d;
    p->next = list;
    list = p;
  }
%(setup)s
  for (int it = 0; it < %(iterations)d; ++it) {
%(body)s
  }
  finish();
  return 0;
}
"""
CXX = """
static std::vector<int> near;
static std::map<int, int> by_key;
struct Shape {
  virtual ~Shape() = default;
  virtual int next(int x) const = 0;
  virtual void post(int value, int peer) const { put_if(value, peer, 0); }
};
struct Ring final : Shape { int next(int x) const override { return (x & 1023) + 1; } };
struct Jump final : Shape {
  int by;
  explicit Jump(int b) : by(b) {}
  int next(int x) const override { return (x & 1023) + by; }
  void post(int value, int peer) const override {
    ++sent[ahead(peer, by)];
    MPI_Send(&value, 1, MPI_INT, ahead(peer, by), 1, MPI_COMM_WORLD);
  }
};
static std::vector<std::unique_ptr<Shape>> shapes;
static std::function<int(int)> step = [](int x) { return (x & 255) + g2; };
struct Late { int value, peer; ~Late() { ++sent[peer]; MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD); } };
template <int By> static void hop(int value, int peer) {
  ++sent[ahead(peer, By)];
  MPI_Send(&value, 1, MPI_INT, ahead(peer, By), 1, MPI_COMM_WORLD);
}
"""
CXX_SETUP = """  for (int i = 0; i < 6; ++i) near.push_back(rank + i * i);
  for (int i = 0; i < 4; ++i) by_key[i] = rank + 2 * i;
  shapes.push_back(std::make_unique<Ring>());
  shapes.push_back(std::make_unique<Jump>(rank + 2));
"""
ATTRIBUTE_SETUP = """  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(world, key, field->table);
"""

# In these snippets, $v is a value, $c a condition, $k a constant, and @ the number of the statement. Each defines x@.
DEFINITIONS = [
    "int n@ = 1 + wrap($v, 6), t@[n@]; for (int i = 0; i < n@; ++i) t@[i] = wrap($v, 99) + i; int x@ = t@[wrap($v, n@)];",
    "int* t@ = (int*)__builtin_alloca(32); for (int i = 0; i < 8; ++i) t@[i] = wrap($v, 99); int x@ = t@[($v) & 7];",
    "int t@[16]; memcpy(t@, ga, sizeof t@); memmove(t@ + $k, t@, 8 * sizeof(int)); int x@ = t@[($v) & 15];",
    "int t@[8]; memcpy(t@, field->inner, sizeof t@); qsort(t@, 8, sizeof(int), ascending); int x@ = t@[($v) & 7];",
    "int* t@ = (int*)calloc(4, 4); t@[($v) & 3] = $v; t@ = (int*)realloc(t@, 64); t@[8] = $v; int x@ = t@[$c ? 8 : 1]; free(t@);",
    "field->table = (int*)realloc(field->table, 64u + (unsigned)(($v) & 64)); int x@ = field->table[($v) & 15];",
    "int t@[8] = {$k, 1, $v}; alias = t@; change($v, $v); int x@ = t@[($v) & 7]; alias = $c ? ga : gb;",
    "int t@[8] = {0, $v}; alias = t@; hidden = $c ? change : rise; hidden($v, $v); int x@ = t@[($v) & 7]; alias = gb;",
    "rise($v, $v); int x@ = ga[$k];",
    "int* t@ = $c ? ga : field->table; t@[($v) & 7] = ($v) & 4095; int x@ = ga[($v) & 7];",
    "grid t@ = *field; t@.inner[$k] = $v; int x@ = t@.inner[($v) & 7];",
    "struct { unsigned low : 5; int high : 9; } t@; t@.low = ($v) & 31; t@.high = ($v) & 127; int x@ = t@.high - (int)t@.low;",
    "union { int word; unsigned char bytes[4]; } t@; t@.word = $v; int x@ = t@.bytes[($v) & 3];",
    "static int t@[4][4]; t@[($v) & 3][$k & 3] = ($v) & 63; int x@ = t@[$k & 3][($v) & 3];",
    "static const signed char t@[8] = {1, -1, 3, $k, 0, 2, -2, 5}; int x@ = t@[($v) & 7];",
    "int x@ = 0; for (int *p = ga + $k, *end = ga + 9; p != end && ($c); ++p) x@ += *p & 31;",
    "char t@[16]; snprintf(t@, sizeof t@, \"%d\", $v); int x@ = atoi(t@);",
    "int x@ = total(3, $v, $k, $v);",
    "double t@ = (($v) & 255) * 0.5; int x@ = (int)(t@ + $k);",
    "int x@, from@; MPI_Cart_shift(cart, $k & 1, $k, &from@, &x@);",
    "int x@, at@[2]; MPI_Cart_coords(cart, rank, 2, at@); at@[0] = ($v) & 1; at@[1] &= 1; MPI_Cart_rank(cart, at@, &x@);",
    "int x@ = 0; while ($c) { if (++x@ > $k) break; if ($c) continue; x@ += 2; }",
    "int x@ = 0; again@: if (++x@ < 4 && (($c) || ($c))) goto again@;",
    "int x@ = 1; do { x@ += 1 + (x@ & 3); } while (x@ < (($v) & 31));",
    "int x@ = wrap($v, 99); switch (wrap($v, 5)) { case 0: x@ -= 2; case 1: x@ += ($v) & 7; break; case 3: if ($c) break; default: x@ = $k; }",
    "int x@ = ($c) && (($c) || got[rank] > 1) && (received & 1) ? ($v) : ($v);",
]
ATTRIBUTE = "int *t@, found@; MPI_Comm_get_attr(world, key, &t@, &found@); int x@ = found@ ? t@[($v) & 15] : 0;"
CXX_DEFINITIONS = [
    "const auto f@ = [&, p0](int y) { return wrap(y, 64) + p0 % 64; }; int x@ = f@($v);",
    "std::function<int(int)> f@ = [p1](int y) { return (y ^ p1) & 63; }; int x@ = f@($v);",
    "if ($c) step = [w = ($v) & 15](int y) { return (y & 255) + w; }; int x@ = step($v);",
    "std::vector<int> t@; for (int i = 0; i < 5; ++i) t@.push_back($v); std::sort(t@.begin(), t@.end()); int x@ = t@[($k) % 5];",
    "int x@ = 0; try { if ($c) throw $k; x@ = $v; } catch (int e) { x@ = e; }",
    "auto t@ = std::make_unique<std::array<int, 4>>(); t@->fill($v); (*t@)[1] = $v; int x@ = (*t@)[static_cast<std::size_t>(($v) & 3)];",
    "int x@ = std::stoi(std::to_string(($v) & 255) + \"1\");",
    "std::map<int, int> t@{{$k, $v}, {9, $v}}; t@[($v) & 7] = $v; int x@ = t@.begin()->second;",
]
# These are reached by all ranks.
EXCHANGES = [
    "int x@ = agree($v);",
    "int x@ = $k, o@ = $v; MPI_Sendrecv(&o@, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 6, &x@, 1, MPI_INT,"
    " rank ? rank - 1 : MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "int x@ = 0, o@ = $v, s@ = 1 + (agree($v) & 1); MPI_Request q@[2]; MPI_Irecv(&x@, 1, MPI_INT, wrap(rank - s@, size), 7, world, &q@[0]);"
    " MPI_Isend(&o@, 1, MPI_INT, wrap(rank + s@, size), 7, world, &q@[1]); MPI_Waitall(2, q@, MPI_STATUSES_IGNORE);",
    "int x@, o@ = ($v) & 255; MPI_Allreduce(&o@, &x@, 1, MPI_INT, MPI_MAX, half);",
    "int t@[%d], o@ = $v; MPI_Allgather(&o@, 1, MPI_INT, t@, 1, MPI_INT, world); int x@ = t@[wrap($v, size)];" % RANKS,
]
# Sends to d with the arguments $s; $b: and the communicator $m.
SENDS = [
    *5 * ["MPI_Send($b);"],
    "MPI_Request q; MPI_Isend($b, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);",
    "MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}; MPI_Isend($b, &q[($c) ? 1 : 0]); MPI_Waitall(2, q, MPI_STATUSES_IGNORE);",
    "MPI_Request q; MPI_Send_init($b, &q); MPI_Start(&q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Request_free(&q);",
    "int w = 0; MPI_Sendrecv($s, &w, 1, MPI_INT, MPI_PROC_NULL, 0, $m, MPI_STATUS_IGNORE);",
    "MPI_Sendrecv_replace($s, MPI_PROC_NULL, 0, $m, MPI_STATUS_IGNORE);",
]
# Procedures that send.
CALLS = [
    "put(v, d);", "put_if(v, $v, 2);", "put_if(v, d, 0);", "put_if(v, d, $k);", "put_if(7, 1, ($c) ? 2 : 1);",
    "fan(MPI_COMM_WORLD, sent, 1, $v, 3);", "fan(half, sent_half, 2, d, wrap($v, 4));", "fan(world, sent_dup, 3, rank + 1, 2);",
    "TWO(d, $v)", "down(2, d);", "down(($v) & 3, ahead($v, 0));",
    "int k = ($v) & 3; ++sent[(rank + k * %(d)d) %% size]; MPI_Start(&ready[k]); MPI_Wait(&ready[k], MPI_STATUS_IGNORE);",
    "int n = ($v) & 3; for (int i = 0; i < n; ++i) ++sent[(rank + i * %(d)d) %% size]; MPI_Startall(n, ready);"
    " MPI_Waitall(n, ready, MPI_STATUSES_IGNORE);",
]
CXX_CALLS = ["shapes[static_cast<std::size_t>(($v) & 1)]->post(v, d);", "Late late{v, d}; if ($c) d = 0;", "hop<1>(v, $v);", "hop<2>(v, d);",
             "const auto send = [v](int to) { ++sent[to]; MPI_Send(&v, 1, MPI_INT, to, 1, MPI_COMM_WORLD); }; send(d); if ($c) send(0);"]


class Procedure:
    """One procedure with sends, or a part of main."""

    def __init__(self, number, rng, program):
        self.number, self.rng, self.cxx, self.constants = number, rng, program["cxx"], program["constants"]
        self.definitions = DEFINITIONS + 2 * CXX_DEFINITIONS * self.cxx + 6 * [ATTRIBUTE] * program["attribute"]
        self.depth, self.loops, self.names, self.lines, self.statics = 1, [], ["p0", "p1"], [], []
        self.locals, self.escapes, self.together, self.may_end = 0, [], True, False
        self.regions = 3 if rng.random() < 0.2 else 0  # phases of directives
        self.throws = program["cxx"] and number >= 0 and rng.random() < 0.3

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, depth=2):
        """An expression of type int, without undefined behaviour."""
        rng = self.rng
        leaves = ["rank", "size", "g0", "g1", "g2", str(rng.randrange(-3, 9)), "field->left", "field->right", "field->n", "list->peer", "got[0]"] \
            + 2 * self.names + 3 * self.loops
        if depth == 0:
            return rng.choice(leaves)
        sub = lambda: self.value(depth - 1)
        forms = [
            lambda: rng.choice(leaves),
            lambda: f"(int)((unsigned){sub()} + (unsigned){sub()})",
            lambda: f"(int)((unsigned){sub()} - (unsigned){sub()})",
            lambda: f"(({sub()}) & 1023) * {rng.randrange(1, 5)}",
            lambda: f"(({sub()}) ^ ({sub()}))",
            lambda: f"ga[({sub()}) & 15]",
            lambda: f"gb[({sub()}) & 15]",
            lambda: f"field->table[({sub()}) & 15]",
            lambda: f"field->inner[({sub()}) & 7]",
            lambda: f"(({sub()}) < ({sub()}) ? {sub()} : {sub()})",
            lambda: f"op[wrap({sub()}, 3)]({sub()})",
            lambda: f"op[wrap({sub()}, 4)](({sub()}) & 7)",
            lambda: f"twice({sub()})",
            lambda: f"length(list) + ({sub()} & 1023)",
        ]
        if self.cxx:
            forms += [lambda: f"near[static_cast<std::size_t>({sub()}) % near.size()]", lambda: f"by_key.at(({sub()}) & 3)",
                      lambda: f"shapes[static_cast<std::size_t>(({sub()}) & 1)]->next({sub()})"]
        return "(" + rng.choice(forms)() + ")"

    def condition(self):
        return self.rng.choice([f"({self.value(1)}) % 2 == 0", f"({self.value(1)}) < ({self.value(1)})", "rank % 2 == 0", "rank > 0",
                                f"(({self.value(1)}) & 3) != 1", f"(({self.value(1)}) & 1) && ({self.value(1)}) > 2"])

    def fill(self, snippet, **further):
        """The snippet with its values; returns its number, too."""
        self.locals += 1
        parts = {"v": lambda: self.value(1), "c": self.condition, "k": lambda: str(self.rng.randrange(6))}
        text = re.sub(r"\$(\w)", lambda m: further[m[1]] if m[1] in further else parts[m[1]](), snippet)
        return text.replace("@", str(self.locals)), self.locals

    def define(self, snippets):
        """Statements that define a variable."""
        text, number = self.fill(self.rng.choice(snippets))
        self.line(text)
        self.names.append(f"x{number}")

    def send(self):
        rng = self.rng
        counts, tag, comm, ranks = rng.choice(2 * [("sent", 1, "MPI_COMM_WORLD", "size")]
                                              + [("sent_half", 2, "half", "half_size"), ("sent_dup", 3, "world", "size")])
        peer = f"wrap({self.value(rng.choice([1, 2, 2, 3]))}, {ranks})"
        value = f"v = {rng.randrange(99)} + d;"
        if rng.random() < 0.3:
            text = f"int d = wrap({peer}, size), {value} " + rng.choice(CALLS + 4 * CXX_CALLS * self.cxx) % self.constants
        else:
            if rng.random() < 0.2:
                peer = f"({self.condition()}) ? {peer} : MPI_PROC_NULL"
            text = f"int d = {peer}, {value} if (d >= 0) ++{counts}[d]; " + rng.choice(SENDS)
        start = f"&v, 1, MPI_INT, d, {tag}"
        self.line("{ " + self.fill(text, b=f"{start}, {comm}", s=start, m=comm)[0] + " }")

    def end(self):
        """Ends the program, if all ranks agree."""
        self.may_end = True
        self.line(f"if (agree({self.value()}) % 6 == 0) {{")
        self.depth += 1
        if self.rng.random() < 0.5:
            self.send()
            self.line("finish();")
            self.line("return 0;" if self.number < 0 else "exit(0);")
        else:
            self.line(f"stop({self.value()});")
        self.depth -= 1
        self.line("}")

    def store(self):
        rng = self.rng
        target = rng.choice(["g0", "g1", "g2", f"ga[({self.value(1)}) & 15]", f"field->table[({self.value(1)}) & 15]", "field->left", "field->n",
                             "list->peer"] + [n for n in self.names if n[0] in "lx"])
        value = self.value(1)
        self.line(f"{target} = " + (f"1 + (({value}) & 3);" if target == "field->n" else f"({value}) & 4095;"))

    def block(self, statements, nesting):
        rng = self.rng
        for _ in range(statements):
            weights = {"send": 3, "local": 1.5, "define": 5, "store": 2, "static": 1, "array": 1, "leave": 1.5}
            if nesting:
                weights |= {"loop": 3, "if": 2, "list": 2, "switch": 1, "goto": 1, "duff": 0.3, "region": self.regions}
            if nesting == 2 and self.together:
                weights |= {"exchange": 1.5, "end": 0.4}
            what = rng.choices(list(weights), weights.values())[0]
            if what == "send":
                self.send()
            elif what == "store":
                self.store()
            elif what == "local":
                name = f"l{self.locals}"
                self.locals += 1
                self.line(f"int {name} = {self.value()};")
                self.names.append(name)
            elif what == "define":
                self.define(self.definitions)
            elif what == "exchange":
                self.define(EXCHANGES)
            elif what == "static":
                name = f"s{max(self.number, 0)}_{len(self.statics)}"
                self.statics.append(name)
                self.line(f"{name} = ({name} * {rng.randrange(2, 6)} + ({self.value(1)} & 255)) & 255;")
                self.names.append(name)
            elif what == "array":
                name, i = f"a{self.locals}", f"k{self.locals}"
                self.locals += 1
                self.line(f"int {name}[8], {i};")
                self.loops.append(i)
                self.line(f"for ({i} = 0; {i} < 8; ++{i}) {name}[{i}] = {self.value(1)};")
                self.loops.pop()
                self.names.append(f"{name}[({self.value(0)}) & 7]")
            elif what == "leave":
                if self.escapes:
                    self.line(f"if ({self.condition()}) " + rng.choice(self.escapes))
                elif self.number >= 0 and rng.random() < 0.3:
                    self.line(f"if ({self.condition()}) " + rng.choice(["return;", "throw 1;" if self.throws else "return;"]))
                    self.together = False
            elif what == "end":
                self.end()
            else:
                self.nest(what, nesting)

    def nest(self, what, nesting):
        """A block in a control structure."""
        rng = self.rng
        loops, names, escapes = list(self.loops), list(self.names), self.escapes
        number = self.locals
        self.locals += 1
        bound = rng.choice(["3", "4", "field->n", "size", f"wrap({self.value(1)}, 5)"])
        bodies, end = [""], "}"
        if what == "region":
            self.line(f"#pragma hybrid phase(region{number}_of_{self.number % 64})")
            self.line("{")
            end = "}\n#pragma hybrid end"
        elif what == "if":
            self.line(f"if ({self.condition()}) {{")
        elif what == "loop":
            i = f"i{number}"
            self.line(rng.choice([f"for (int {i} = 0; {i} < {bound}; ++{i}) {{", f"for (int {i} = {bound}; {i}-- > 0;) {{"]))
            self.loops, self.escapes = loops + [i], ["break;", "continue;"]
        elif what == "list":
            p = f"p{number}x"
            self.line(f"for (item* {p} = list; {p}; {p} = {p}->next) {{")
            self.loops, self.escapes = loops + [f"{p}->peer", f"{p}->key"], ["break;", "continue;"]
        elif what == "goto":
            self.line(f"{{ int i{number} = 0;" + rng.choice(["", "", f" if ({self.condition()}) goto next{number};"]) + f" turn{number}: {{")
            self.loops, self.escapes = loops + [f"i{number}"], [f"goto next{number};"]
            end = f"}} next{number}: if (++i{number} < {bound}) goto turn{number}; }}"
        elif what == "duff":
            self.line(f"{{ int i{number} = 0; switch (wrap({self.value(1)}, 2)) {{ default: do {{")
            self.loops, self.escapes = loops + [f"i{number}"], ["break;", "continue;"]
            bodies, end = ["{", "case 1: {"], f"}} while (++i{number} < {bound}); }} }}"
        else:
            self.line(f"switch (wrap({self.value(1)}, 3)) {{")
            self.escapes = ["break;"]
            bodies = ["case 0: {", "case 1: {", "default: {"]
        for body in bodies:
            if body:
                self.line(body)
            self.depth += 1
            self.block(1 if body else rng.randrange(1, 4), 0 if body else nesting - 1)
            self.depth -= 1
            self.names = list(names)
            if body:
                self.line("}" if what == "duff" else rng.choice(["} break;", "} break;", "}"]))
        self.line(end)
        self.loops, self.names, self.escapes = loops, names, escapes

    def text(self):
        self.block(self.rng.randrange(2, 5), 2)
        self.send()
        head = "".join(f"static int {s};\n" for s in self.statics)
        body = "\n".join(self.lines)
        if self.number < 0:
            return "  {\n" + head + "  int p0 = it, p1 = rank + 1;\n" + body + "\n  }"
        attribute = self.rng.choice(["__attribute__((noinline)) static", "static", "__attribute__((noinline))"])
        return head + f"{attribute} void {self.name()}(int p0, int p1) {{\n{body}\n}}\n"

    def name(self):
        """The hints of a procedure that may end the program are for the case that it does not."""
        return f"phase{self.number}" + ("_may_end" if self.may_end else "")


# Half of the programs have none.
FURTHER_FLAGS = [[]] * 6 + [["-fsanitize=undefined", "-fno-sanitize-recover=all"], ["-fno-inline"], ["-fno-pie", "-no-pie"],
                            ["-fstack-protector-all", "-ftrivial-auto-var-init=pattern"], ["-fno-strict-aliasing", "-fwrapv"],
                            ["-ffunction-sections", "-Wl,--gc-sections"]]


def program(seed):
    """The source of a program, and whether it is C++."""
    rng = random.Random(seed)
    constants = {name: rng.randrange(1, 9) for name in "abcd"}
    cxx, attribute = rng.random() < 0.35, rng.random() < 0.1
    kind = {"cxx": cxx, "attribute": attribute, "constants": constants}
    body, texts = [], []
    for number in range(rng.randrange(3, 9)):
        in_main = rng.random() < 0.05
        procedure = Procedure(-1 - number if in_main else number, rng, kind)
        text = procedure.text()
        if in_main:
            body.append(text)
        else:
            texts.append(text)
            arguments = ", ".join(rng.choice(["it", "rank + 1", "g0", "ga[it & 15]", str(rng.randrange(9))]) for _ in range(2))
            body.append(("    try { %s } catch (int) { ++g0; }" if procedure.throws else "    %s") % f"{procedure.name()}({arguments});")
        body.append("    collect_all();")
        if rng.random() < 0.4:
            body.append("    " + rng.choice(["g0 = (g0 + 3) & 63;", "ga[it & 15] ^= 5;", "list->peer = rank + it;", "field->table[it & 15] += 2;",
                                            "field->right = rank + 1 + it;", "alias = alias == ga ? gb : ga;", "payload = it;",
                                            "MPI_Comm_free(&half); MPI_Comm_split(world, (rank + it) / 2 % 2, it - rank, &half);"
                                            " MPI_Comm_rank(half, &half_rank); MPI_Comm_size(half, &half_size);"]))
    inlining = {name: rng.choice(["", "__attribute__((noinline))"]) for name in ("put_if", "fan", "down")}
    common = COMMON % {**inlining, "includes": INCLUDES if cxx else "", "declarations": CXX if cxx else "", "ranks": RANKS}
    main_part = MAIN % {**constants, "ranks": RANKS, "length": rng.randrange(1, 6), "iterations": rng.randrange(1, 5),
                        "setup": CXX_SETUP * cxx + ATTRIBUTE_SETUP * attribute, "body": "\n".join(body)}
    return common + "\n".join(texts) + main_part, cxx


def run(command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def headers(compiler, flags, folder):
    """The options that give C++ programs their headers, compiled once for these flags."""
    header = folder / ("".join(c if c.isalnum() else "_" for c in " ".join(flags)) + ".h")
    compiled = header.with_suffix(".pch")
    if not compiled.exists():
        header.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + INCLUDES)
        run([compiler, *flags, "-c", "-x", "c++-header", header, "-o", compiled])
    return ["-include-pch", compiled]


def check(seed, folder, hybridcc, hybridcxx, hybrid):
    """Returns the numbers of exact, partly exact and other procedures. Throws AssertionError."""
    text, cxx = program(seed)
    source = folder / ("p.cpp" if cxx else "p.c")
    source.write_text(text)
    rng = random.Random(seed)
    flags = [rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"]), *rng.choice(FURTHER_FLAGS), "-g", "-w"]
    compiler = hybridcxx if cxx else hybridcc
    for options, binary in [(flags, "hinted"), (["-fno-hybrid", "-O0", "-w"], "plain")]:
        compile_flags = [f for f in options if not f.startswith("-Wl,")]
        run([compiler, *options, *(headers(compiler, compile_flags, folder) if cxx else []), source, "-o", folder / binary])
    mpiexec = ["mpiexec.mpich", "-n", RANKS]
    plain = run([*mpiexec, folder / "plain"])
    recording = folder / "recording"
    subprocess.run(["rm", "-rf", recording], check=True)
    runs = {"recorded": [hybrid, "run", "-n", RANKS, "--at-finalize", "trace", "-o", recording, "--", folder / "hinted"]}
    if seed % 4 == 0:
        runs["alone"] = [*mpiexec, folder / "hinted"]
    for how, command in runs.items():
        output = run(command)
        if not output.startswith(plain):
            raise AssertionError(f"other output {how}: {output!r} instead of {plain!r}")
    report = json.loads(run([hybrid, "hints", folder / "hinted", "--check", recording, "--json", "-"]))
    exact = partly = other = 0
    classes = {}
    for unit in report["units"]:
        for site in unit["sites"]:
            if site["kind"] == "send":
                classes.setdefault(site["phase"], set()).add(site["class"])
    for phase in report["check"]["phases"]:
        name = phase["phase"]
        found = classes.get(name, set())
        if not found or name == "main" or "_may_end" in name or (name.startswith("main:") and text.count("return 0;") > 1):
            continue
        if found <= {"static", "inspected"}:
            exact += 1
            if phase["hinted"] != phase["used"] or phase["hinted_and_used"] != phase["used"]:
                raise AssertionError(f"{name}: its sends are exact, but {phase}")
        elif found & {"static", "inspected"}:
            partly += 1
        else:
            other += 1
    return exact, partly, other


def main():
    hybridcc, hybridcxx, hybrid = sys.argv[1:4]
    programs = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    counts, failed = [0, 0, 0], 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(first, first + programs):
            try:
                for i, n in enumerate(check(seed, pathlib.Path(directory), hybridcc, hybridcxx, hybrid)):
                    counts[i] += n
            except AssertionError as error:
                failed += 1
                print(f"seed {seed}: {error}", flush=True)
    print(f"{programs} programs, {failed} failed; procedures with sends: {counts[0]} exact, {counts[1]} partly, {counts[2]} not")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
