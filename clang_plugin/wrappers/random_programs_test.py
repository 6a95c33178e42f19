"""Random MPI programs: python3 random_programs_test.py HYBRIDCC HYBRIDCXX HYBRID [PROGRAMS [SEED]]

Each program has procedures that compute the destinations of their sends from globals, static counters, tables, lists and
objects on the heap, containers, function pointers, received values and what they store themselves. It is compiled by clang
without optimisation and by hybridcc at any level, and recorded; one of four also runs without the library. Required: the
same output each time; and in each procedure whose sends are all static or inspected, the connections that were hinted are
those that were used.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

RANKS = 4
COMMON = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
%(includes)s
typedef struct item { int key, peer; struct item* next; } item;
typedef struct grid { int left, right, n; int* table; int inner[8]; } grid;
static int rank, size, g0, g1, g2;
static int ga[16], gb[16];
static item* list;
static grid* field;
static MPI_Comm world, half;
static int half_rank, half_size;
static long received;
static int sent[%(ranks)d], sent_half[%(ranks)d], got[%(ranks)d];
%(declarations)s
static int wrap(int v, int n) { return (int)((unsigned)v %% (unsigned)n); }
static int twice(int x) { return 2 * (x & 1023); }
static int shift(int x) { return (x & 1023) + rank; }
static int mix(int x) { return ((x & 255) * 7 + 3) ^ g1; }
static int (*op[3])(int) = {twice, shift, mix};
__attribute__((noinline)) static int length(const item* p) { int n = 0; for (; p; p = p->next) ++n; return n; }
__attribute__((noinline)) static void put(int value, int peer) {
  ++sent[peer];
  MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
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
  field = (grid*)calloc(1, sizeof *field);
  field->table = (int*)malloc(16 * sizeof(int));
  field->n = 3;
  field->left = rank + size - 1;
  field->right = rank + 1;
  for (int i = 0; i < 16; ++i) { ga[i] = %(a)d * i + rank; gb[i] = (i * i + %(b)d) %% 29; field->table[i] = (i + rank) * %(c)d; field->inner[i / 2] = i ^ rank; }
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
  long sums[2] = {received, g0 + 3L * g1 + 5L * g2}, all[2];
  for (int i = 0; i < 16; ++i) sums[1] += ga[i] * (i + 1L) + gb[i] * 3L + field->table[i];
  for (item* p = list; p; p = p->next) sums[1] = sums[1] * 3 + p->peer %% 1000;
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%%ld %%ld\\n", all[0], all[1]);
  MPI_Finalize();
  return 0;
}
"""


class Procedure:
    """One procedure with sends."""

    def __init__(self, number, rng, cxx):
        self.number, self.rng, self.cxx = number, rng, cxx
        self.depth, self.loops, self.names, self.lines, self.statics = 1, [], ["p0", "p1"], [], []
        self.locals = 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, depth=2):
        """An expression of type int, without undefined behaviour."""
        rng = self.rng
        leaves = ["rank", "size", "g0", "g1", "g2", str(rng.randrange(-3, 9)), "field->left", "field->right", "field->n", "list->peer"] \
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
            lambda: f"twice({sub()})",
            lambda: f"length(list) + ({sub()})",
        ]
        if self.cxx:
            forms += [lambda: f"near[static_cast<std::size_t>({sub()}) % near.size()]", lambda: f"by_key.at(({sub()}) & 3)",
                      lambda: f"shapes[static_cast<std::size_t>(({sub()}) & 1)]->next({sub()})"]
        return "(" + rng.choice(forms)() + ")"

    def condition(self):
        return self.rng.choice([f"({self.value(1)}) % 2 == 0", f"({self.value(1)}) < ({self.value(1)})", "rank % 2 == 0", "rank > 0",
                                f"(({self.value(1)}) & 3) != 1"])

    def send(self):
        rng = self.rng
        kind = rng.choices(["world", "dup", "half", "wrapper", "isend", "persistent"], [5, 2, 2, 2, 2, 0.5])[0]
        peer = self.value(rng.choice([1, 2, 2, 3]))
        name = f"d{self.locals}"
        self.locals += 1
        self.line("{")
        self.depth += 1
        self.line(f"int {name} = wrap({peer}, {'half_size' if kind == 'half' else 'size'}), v = {rng.randrange(99)} + {name};")
        if kind == "wrapper":
            self.line(f"put(v, {name});")
        else:
            counts, tag = ("sent_half", 2) if kind == "half" else ("sent", 1)
            comm = {"half": "half"}.get(kind, "MPI_COMM_WORLD")
            if kind == "dup":
                counts, tag, comm = "sent_dup", 3, "world"
            self.line(f"++{counts}[{name}];")
            if kind == "isend":
                self.line("MPI_Request q;")
                self.line(f"MPI_Isend(&v, 1, MPI_INT, {name}, {tag}, {comm}, &q);")
                self.line("MPI_Wait(&q, MPI_STATUS_IGNORE);")
            elif kind == "persistent":
                self.line("MPI_Request q;")
                self.line(f"MPI_Send_init(&v, 1, MPI_INT, {name}, {tag}, {comm}, &q);")
                self.line("MPI_Start(&q);")
                self.line("MPI_Wait(&q, MPI_STATUS_IGNORE);")
                self.line("MPI_Request_free(&q);")
            else:
                self.line(f"MPI_Send(&v, 1, MPI_INT, {name}, {tag}, {comm});")
        self.depth -= 1
        self.line("}")

    def store(self):
        rng = self.rng
        target = rng.choice(["g0", "g1", "g2", f"ga[({self.value(1)}) & 15]", f"field->table[({self.value(1)}) & 15]", "field->left", "field->n",
                             "list->peer"] + [n for n in self.names if n.startswith("l")])
        value = self.value(1)
        self.line(f"{target} = " + (f"1 + (({value}) & 3);" if target == "field->n" else f"({value}) & 4095;"))

    def block(self, statements, nesting):
        rng = self.rng
        for _ in range(statements):
            what = rng.choices(["send", "loop", "if", "local", "store", "list", "static", "exchange", "array", "switch", "leave"],
                               [3, 3 if nesting else 0, 2 if nesting else 0, 3, 2, 2 if nesting else 0, 2, 0.2 if nesting == 2 else 0, 1.5,
                                1 if nesting else 0, 1])[0]
            if what == "send":
                self.send()
            elif what == "store":
                self.store()
            elif what == "local":
                name = f"l{self.locals}"
                self.locals += 1
                self.line(f"int {name} = {self.value()};")
                self.names.append(name)
            elif what == "static":
                name = f"s{self.number}_{len(self.statics)}"
                self.statics.append(name)
                self.line(f"{name} = ({name} * {rng.randrange(2, 6)} + {self.value(1)}) & 255;")
                self.names.append(name)
            elif what == "exchange":
                name = f"r{self.locals}"
                self.locals += 1
                self.line(f"int {name} = {self.value(1)};")
                self.line(f"MPI_Bcast(&{name}, 1, MPI_INT, 0, MPI_COMM_WORLD);")
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
                if self.loops:
                    self.line(f"if ({self.condition()}) " + rng.choice(["break;", "continue;"]))
            else:
                self.nest(what, nesting)

    def nest(self, what, nesting):
        rng = self.rng
        loops, names = list(self.loops), list(self.names)
        if what == "if":
            self.line(f"if ({self.condition()}) {{")
            inner_loops = loops
        elif what == "loop":
            i = f"i{self.locals}"
            self.locals += 1
            bound = rng.choice(["3", "4", "field->n", "size", f"wrap({self.value(1)}, 5)"])
            self.line(rng.choice([f"for (int {i} = 0; {i} < {bound}; ++{i}) {{", f"for (int {i} = {bound}; {i}-- > 0;) {{"]))
            inner_loops = loops + [i]
        elif what == "list":
            p = f"p{self.locals}x"
            self.locals += 1
            self.line(f"for (item* {p} = list; {p}; {p} = {p}->next) {{")
            inner_loops = loops + [f"{p}->peer", f"{p}->key"]
        else:
            self.line(f"switch (wrap({self.value(1)}, 3)) {{")
            self.depth += 1
            for case in ("case 0:", "case 1:", "default:"):
                self.line(case + " {")
                self.depth += 1
                self.loops = []  # no break or continue of an outer loop
                self.block(1, 0)
                self.names = list(names)
                self.loops = loops
                self.depth -= 1
                self.line("} break;")
            self.depth -= 1
            self.line("}")
            return
        self.loops = inner_loops
        self.depth += 1
        self.block(rng.randrange(1, 4), nesting - 1)
        self.depth -= 1
        self.line("}")
        self.loops, self.names = loops, names

    def text(self):
        self.block(self.rng.randrange(1, 4), 2)
        self.send()
        head = "".join(f"static int {s};\n" for s in self.statics)
        attribute = self.rng.choice(["__attribute__((noinline)) static", "static", "__attribute__((noinline))"])
        return head + f"{attribute} void phase{self.number}(int p0, int p1) {{\n" + "\n".join(self.lines) + "\n}\n"


# Half of the programs have none.
FURTHER_FLAGS = [[]] * 6 + [["-fsanitize=undefined", "-fno-sanitize-recover=all"], ["-fno-inline"], ["-fno-pie", "-no-pie"],
                            ["-fstack-protector-all", "-ftrivial-auto-var-init=pattern"], ["-fno-strict-aliasing", "-fwrapv"],
                            ["-ffunction-sections", "-Wl,--gc-sections"]]


INCLUDES = "#include <map>\n#include <memory>\n#include <vector>"


def program(seed):
    """The source of a program, and whether it is C++."""
    rng = random.Random(seed)
    cxx = rng.random() < 0.35
    declarations = "static int sent_dup[%d];" % RANKS
    includes = setup = ""
    if cxx:
        includes = INCLUDES
        declarations += """
static std::vector<int> near;
static std::map<int, int> by_key;
struct Shape { virtual ~Shape() = default; virtual int next(int x) const = 0; };
struct Ring final : Shape { int next(int x) const override { return (x & 1023) + 1; } };
struct Jump final : Shape { int by; explicit Jump(int b) : by(b) {} int next(int x) const override { return (x & 1023) + by; } };
static std::vector<std::unique_ptr<Shape>> shapes;
"""
        setup = """  for (int i = 0; i < 6; ++i) near.push_back(rank + i * i);
  for (int i = 0; i < 4; ++i) by_key[i] = rank + 2 * i;
  shapes.push_back(std::make_unique<Ring>());
  shapes.push_back(std::make_unique<Jump>(rank + 2));
"""
    procedures = [Procedure(n, rng, cxx) for n in range(rng.randrange(3, 9))]
    texts = [p.text() for p in procedures]
    body = []
    for p in procedures:
        arguments = ", ".join(rng.choice(["it", "rank + 1", "g0", "ga[it & 15]", str(rng.randrange(9))]) for _ in range(2))
        body.append(f"    phase{p.number}({arguments});")
        body.append("    collect(MPI_COMM_WORLD, sent, size, 1);\n    collect(half, sent_half, half_size, 2);\n    collect(world, sent_dup, size, 3);")
        if rng.random() < 0.4:
            body.append("    " + rng.choice(["g0 = (g0 + 3) & 63;", "ga[it & 15] ^= 5;", "list->peer = rank + it;", "field->table[it & 15] += 2;",
                                            "field->right = rank + 1 + it;"]))
    values = {name: rng.randrange(1, 9) for name in "abcd"}
    return (COMMON % {"includes": includes, "declarations": declarations, "ranks": RANKS} + "\n".join(texts)
            + MAIN % {**values, "length": rng.randrange(1, 6), "iterations": rng.randrange(1, 5), "setup": setup, "body": "\n".join(body)}, cxx)


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
        found = classes.get(phase["phase"], set())
        if not found or phase["phase"] == "main":
            continue
        if found <= {"static", "inspected"}:
            exact += 1
            if phase["hinted"] != phase["used"] or phase["hinted_and_used"] != phase["used"]:
                raise AssertionError(f"{phase['phase']}: its sends are exact, but {phase}")
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
