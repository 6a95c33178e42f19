"""Runs the commands that the documents show: lines that begin with `hybrid`, indented by four blanks, of each page in order.

Usage: documented_commands_test.py HYBRID SOURCES EXAMPLES. They run in a directory that has what they name: a program
./my_app, the example traces, command files, a request set. `hybrid` is found as for users, in PATH.
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

HYBRID, SOURCES, EXAMPLES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
PAGES = ["README.md", "docs/guide.md", "docs/advise.md", "docs/commands.md", "docs/schedule.md"]
# Not run, with the reason.
LEFT_OUT = {"hybrid recover": "needs a job that was killed",
            "hybrid hints ./my_app": "needs a program compiled with the plugin, whose tests run it",
            "hybrid replay hybrid-my_app-1 --hints": "the same"}


def commands(page):
    for line in (SOURCES / page).read_text().splitlines():
        found = re.fullmatch(r"    (?:build/bin/)?(hybrid .*?)(?: +# .*)?", line)
        if found and not any(found[1].startswith(name) for name in LEFT_OUT):
            yield found[1]


class DocumentedCommands(unittest.TestCase):
    def run_page(self, page):
        shown = list(commands(page))
        self.assertTrue(shown)
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            shutil.copy(EXAMPLES / "two_phase", folder / "my_app")
            (folder / "examples").symlink_to(SOURCES / "examples")
            (folder / "set.csv").write_text("source,destination,bytes\n0,3,4096\n1,2,128\n")
            for trace in ["bt-16", "cg-16"]:
                with tarfile.open(SOURCES / f"examples/traces/{trace}.tar.xz") as archive:
                    archive.extractall(folder)
            environment = dict(os.environ, PATH=f"{HYBRID.parent}:{os.environ['PATH']}")
            if not any(command.startswith("hybrid run") for command in shown) and "hybrid-my_app-1" in "".join(shown):
                subprocess.run("hybrid run -n 16 -- ./my_app", shell=True, cwd=folder, env=environment, check=True,
                               capture_output=True)
            for command in shown:
                with self.subTest(command):
                    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    self.assertNotIn("hybrid: note", ran.stderr)


for name in PAGES:
    setattr(DocumentedCommands, "test_" + re.sub(r"\W", "_", name), lambda self, name=name: self.run_page(name))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
