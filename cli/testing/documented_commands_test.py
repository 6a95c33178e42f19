"""Runs the commands that the documents show, those of each page in order: lines of indented or `sh` blocks, and `code` in
the text, that start hybrid, its compilers or mpiexec.

Usage: documented_commands_test.py HYBRID SOURCES. They run in a directory that has what they name: a program
./my_app and its source, the example traces, command files, a request set. `hybrid` is found as for users, in PATH.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HYBRID, SOURCES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
BUILD = HYBRID.parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "examples/traces/README.md",
         *sorted(f"docs/{path.name}" for path in (SOURCES / "docs").glob("*.md"))]
# Not run: the beginning of the command, and the reason. Each must occur.
LEFT_OUT = {
    "hybrid reproduce all": "takes many minutes; the tests of claims run single ones",
    "HYBRID_AT_FINALIZE=trace hybrid run -n 16 --output bt-16 ": "needs the NAS parallel benchmarks",
    "HYBRID_AT_FINALIZE=trace hybrid run -n 16 --clock cpu --output bt-16-hints ": "needs the NAS parallel benchmarks",
    "hybrid doctor --device /dev/ttyUSB1": "needs the FPGA board",
    "mpiexec -genv LD_PRELOAD PREFIX/lib/libhybrid.so": "a line of a script around MPICH's tests",
    '[ ! -e "$out" ] || hybrid replay "$out"': "a line of a script around MPICH's tests",
}
for program, needed_by in {
        "hybridcc": ["hybridcc", "hybrid hints my_app", "hybrid replay TRACE --hints my_app"],
        "hybrid-fpga-twin": ["build/bin/hybrid-fpga-twin", "build/bin/hybrid doctor --device", "build/bin/hybrid simulate"],
        "shim_bench": ["mpiexec -n 2 -genv LD_PRELOAD libhybrid.so"]}.items():
    if not (BUILD / "bin" / program).exists():
        LEFT_OUT.update(dict.fromkeys(needed_by, f"{program} is not built"))
# What stands for something else.
PLACEHOLDERS = {
    "/path/to/libhybrid.so": f"{BUILD}/lib/libhybrid.so", "LD_PRELOAD libhybrid.so": f"LD_PRELOAD {BUILD}/lib/libhybrid.so",
    "bin/shim_bench": "build/bin/shim_bench", "RESULT.json|TRACE": "bt-16", "RESULT.json": "hybrid-my_app-1/report.json -o page.html",
    "FILE.html": "page.html", "TRACE...": "bt-16-hints", "hybrid replay TRACE --hints": "hybrid replay run-of-16 --hints",
    "TRACE": "bt-16", "TERM": "slot", "--commands DIR": "--commands examples/commands/ring", "--predictor NAME": "--predictor lru",
    "--pattern NAME": "--pattern uniform", "--reconfiguration T": "--reconfiguration 1us", "--slot-length S": "--slot-length 10us",
    "--load L": "--load 0.5", "hybrid run -n 64": "hybrid run -n 4"}
# What a command in the text leaves out.
REST = {"hybrid run --repeats 5": "-n 4 -- ./my_app", "hybrid replay --per-phase": "bt-16"}
# Before a command: the job that it needs.
BEFORE = {"hybrid recover hybrid-my_app-1": "rm -r hybrid-my_app-1 && HYBRID_OUTPUT=hybrid-my_app-1 HYBRID_AT_FINALIZE=journal "
                                            f"LD_PRELOAD={BUILD}/lib/libhybrid.so mpiexec -n 16 ./my_app"}
COMMAND = re.compile(r"(?:.*\|\| |\w+=\S+ )*(?:build/bin/)?(?:hybrid[a-z-]*|mpiexec) .*")
# A small program: what it sends takes little time, also with 64 ranks.
MY_APP = {"my_app.c": """#include <mpi.h>
void exchange(int rank, int size);
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; ++i) exchange(rank, size);
  MPI_Finalize();
}
""", "exchange.c": """#include <mpi.h>
int rows = 4;
void exchange(int rank, int size) {
  int out[64] = {0}, in[64];
  MPI_Sendrecv(out, 64, MPI_INT, (rank + 1) % size, 0, in, 64, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 64, MPI_INT, (rank + rows) % size, 0, in, 64, MPI_INT, (rank + size - rows) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
"""}


def commands(page):
    """The commands of a page. In the text, `hybrid NAME` is the name of a sub-command, which has a help."""
    text = re.sub(r"^```(\w*)\n.*?^```$", lambda block: block[0] if block[1] == "sh" else "",
                  (SOURCES / page).read_text(), flags=re.S | re.M)
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(("    ", "```sh")):
            found = [re.sub(" +# .*", "", line).strip() for line in paragraph.splitlines()]
        else:
            found = [" ".join(code.split()) for code in re.findall("`([^`]+)`", paragraph)]
            found = [code + " --help" if re.fullmatch("hybrid [a-z]+", code) else code for code in found]
        yield from filter(COMMAND.fullmatch, found)


def reason_to_leave_out(command):
    return next((LEFT_OUT[beginning] for beginning in LEFT_OUT if command.startswith(beginning)), None)


def completed(command):
    for shown, meant in PLACEHOLDERS.items():
        command = re.sub(rf"(?<![^\s=]){re.escape(shown)}(?!\S)", meant, command)
    return f"{command} {REST[command]}" if command in REST else command


class DocumentedCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.shared = pathlib.Path(directory.name)
        for file, source in MY_APP.items():
            (cls.shared / file).write_text(source)
        compiler = BUILD / "bin/hybridcc"
        subprocess.run([compiler if compiler.exists() else "mpicc.mpich", "-g", "-o", "my_app", *MY_APP], cwd=cls.shared, check=True)
        for trace in ["bt-16", "cg-16", "bt-16-hints"]:
            with tarfile.open(SOURCES / f"examples/traces/{trace}.tar.xz") as archive:
                archive.extractall(cls.shared)

    def run_page(self, page):
        shown = [command for command in commands(page) if not reason_to_leave_out(command)]
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "bin").mkdir()
            (folder / "bin/mpiexec").write_text('#!/bin/sh\nexec mpiexec.mpich "$@"\n')
            (folder / "bin/mpiexec").chmod(0o755)
            environment = dict(os.environ, PATH=f"{folder}/bin:{HYBRID.parent}:{os.environ['PATH']}")

            def run(command, where=folder):
                ran = subprocess.run(command, shell=True, cwd=where, env=environment, capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stdout[-2000:] + ran.stderr)
                self.assertNotIn("hybrid: note", ran.stderr)
                return ran.stdout

            (folder / "examples").symlink_to(SOURCES / "examples")
            (folder / "build").symlink_to(BUILD)
            (folder / "set.csv").write_text("source,destination,bytes\n0,3,4096\n1,2,128\n")
            (folder / "job.sends").write_text("0,1,4096\n1,2,128\n")
            for path in self.shared.iterdir():
                (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
            if page == "CONTRIBUTING.md":
                self.add_recipes(folder, run)
            if "hybrid-my_app-1" in "".join(map(completed, shown)) and not any("hybrid run -n" in command for command in shown):
                run("hybrid run -n 16 -- ./my_app")
            for command in shown:
                with self.subTest(command):
                    if command in BEFORE:
                        run(BEFORE[command])
                    if command.endswith("&"):
                        twin = subprocess.Popen(command[:-1].split(), cwd=folder, stdout=subprocess.PIPE, text=True)
                        self.addCleanup(twin.communicate)
                        self.addCleanup(twin.terminate)
                        PLACEHOLDERS["/dev/pts/3"] = twin.stdout.readline().split("serial:")[1].strip()
                        PLACEHOLDERS["serial:/dev/pts/3"] = "serial:" + PLACEHOLDERS["/dev/pts/3"]
                        continue
                    run(completed(command))

    def add_recipes(self, folder, run):
        """Links a `hybrid` with the files of the page."""
        objects = []
        for recipe in re.findall(r"^```cpp\n(// (\S+\.cpp)\n.*?)^```", (SOURCES / "CONTRIBUTING.md").read_text(), re.S | re.M):
            source = folder / recipe[1].replace("/", "_")
            source.write_text(recipe[0])
            objects.append(str(source) + ".o")
            run(f"c++ -std=c++20 -I{SOURCES} -c {source} -o {objects[-1]}")
        self.assertTrue(objects)
        link = run("ninja -t commands -s bin/hybrid", BUILD).splitlines()[-1]
        self.assertIn(" -o bin/hybrid ", link)
        run(link.replace(" -o bin/hybrid ", f" {' '.join(objects)} -o {folder}/bin/hybrid "), BUILD)

    def test_what_is_left_out_occurs(self):
        shown = [command for page in PAGES for command in commands(page)]
        for beginning in LEFT_OUT:
            self.assertTrue(any(command.startswith(beginning) for command in shown), beginning)


for name in PAGES:
    if any(not reason_to_leave_out(command) for command in commands(name)):
        setattr(DocumentedCommands, "test_" + re.sub(r"\W", "_", name), lambda self, name=name: self.run_page(name))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
