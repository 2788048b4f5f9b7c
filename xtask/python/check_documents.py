"""Runs the commands that people read, as they are printed: those of documentation/index.html of every FMU given or, without
an FMU, those of the README of a new model. A program stands in for the browser that shows plots, and keeps the page.

Usage: check_documents.py FMU RUNTIME FOLDER [A.fmu B.fmu ...]   FMU is the program `fmu`, RUNTIME the folder of the crate
fmu-runtime, FOLDER is for what is built. Prints a line for everything that failed, and `N passed, M failed` at the end.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from importlib.metadata import requires
from pathlib import Path

import fmpy

BROWSER = """import sys, urllib.request
page = urllib.request.urlopen(sys.argv[1]).read()
open("page.part", "wb").write(page)
import os; os.rename("page.part", "page.html")
"""


class Reader:
    """A person in a folder, with a shell, FMPy, and a browser."""

    def __init__(self, folder, fmu, target):
        self.folder = Path(folder)
        (self.folder / "browser.py").write_text(BROWSER)
        programs = [str(Path(sys.executable).parent), str(Path(fmu).parent), os.environ["PATH"]]
        # With a trailing &, Python does not wait for the browser, which needs an answer first.
        self.variables = os.environ | {
            "PATH": ":".join(programs), "CARGO_TARGET_DIR": str(target),
            "BROWSER": f"{sys.executable} {self.folder / 'browser.py'} %s &",
        }
        self.passed = self.failed = 0

    def that(self, condition, sentence):
        self.passed, self.failed = self.passed + bool(condition), self.failed + (not condition)
        if not condition:
            print(f"FAILED {sentence}", flush=True)

    def run(self, command, what):
        """One command of a shell, or a program in Python; whether it ends well, and what it prints."""
        shell = ["bash", "-c", command] if is_shell(command) else [sys.executable, "-c", command]
        done = subprocess.run(shell, cwd=self.folder, env=self.variables, capture_output=True, text=True, check=False)
        self.that(done.returncode == 0, f"{what}: `{command}` ends with {done.returncode}: {done.stderr[-1000:]}")
        return done

    def see(self, command, names, what):
        """A command that shows a plot: the page that the browser gets has a curve for each of the names."""
        page = self.folder / "page.html"
        page.unlink(missing_ok=True)
        if self.run(command, what).returncode != 0:
            return
        for _ in range(100):
            if page.exists():
                break
            time.sleep(0.1)
        shown = page.read_text() if page.exists() else ""
        missing = [name for name in names if f'"name":"{name}"' not in shown]
        self.that(not missing, f"{what}: `{command}` shows no curve of {missing}")


def is_shell(command):
    return re.match(r"(fmpy|cargo|fmu) ", command) is not None


def outputs_of(path):
    description = fmpy.read_model_description(str(path), validate=False)
    return [
        variable.name for variable in description.modelVariables
        if variable.causality == "output" and variable.type != "String"
    ]


def check_page(reader, path):
    """The commands of documentation/index.html."""
    with zipfile.ZipFile(path) as archive:
        page = archive.read("documentation/index.html").decode("utf-8")
    commands = [html.unescape(text) for text in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)]
    reader.that(
        [is_shell(command) for command in commands] == [True, False],
        f"{path.stem}: its page has a command of a shell and a program in Python, not {commands}",
    )
    shutil.copy(path, reader.folder)
    for command in commands:
        reader.see(command, outputs_of(path), path.stem)


def check_readme(reader, runtime):
    """The commands of the README of a new model."""
    shutil.copy(Path(runtime).parent / "Cargo.lock", reader.folder)
    (reader.folder / "Cargo.toml").write_text("[workspace]\nresolver = '2'\nmembers = []\n")
    reader.run(f"fmu new-model heat-pump --runtime-path '{runtime}'", "a new model")
    readme = (reader.folder / "heat-pump" / "README.md").read_text()
    commands = re.findall(r"^\|.*\| `(.*?)`", readme, re.MULTILINE)
    reader.that([command.split()[0] for command in commands] == ["cargo", "fmu", "fmpy"], f"README has {commands}")
    for command in commands:
        if command.startswith("fmpy "):
            reader.see(command, outputs_of(reader.folder / "HeatPump.fmu"), "README")
            continue
        done = reader.run(command, "README")
        if command.startswith("cargo test"):
            reader.that("2 passed" in done.stdout, f"`{command}` runs both tests: {done.stdout}")
    (extra,) = re.findall(r"pip install fmpy\[(\w+)\]", readme)
    brought = [line for line in requires("fmpy") if f"extra == '{extra}'" in line]
    reader.that(any(line.startswith("plotly") for line in brought), f"fmpy[{extra}] brings what plots: {brought}")


def main(fmu, runtime, target, paths):
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(folder, fmu, target)
        for path in paths:
            check_page(reader, Path(path))
        if not paths:
            check_readme(reader, os.path.abspath(runtime))
    print(f"{reader.passed} passed, {reader.failed} failed")
    return 1 if reader.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], sys.argv[4:]))
