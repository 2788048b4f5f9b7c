"""Makes an FMU with PythonFMU, an exporter of someone else, and has the `fmu` command open, check and run it.

Usage: check_pythonfmu.py FMU_COMMAND FOLDER   Prints a line for everything that failed, and `N passed, M failed`.
"""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

SLAVE = '''
import math

from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String


class Decay(Fmi2Slave):
    """x' = u - k x, solved exactly in every step."""

    author = "the tests"
    description = "Exponential decay"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.x, self.k, self.u, self.steps, self.positive, self.label = 1.0, 2.0, 0.0, 0, True, "decay"
        parameter, tunable = Fmi2Causality.parameter, Fmi2Variability.tunable
        self.register_variable(Real("x", causality=Fmi2Causality.output))
        self.register_variable(Real("k", causality=parameter, variability=tunable))
        self.register_variable(Real("u", causality=Fmi2Causality.input))
        self.register_variable(Integer("steps", causality=Fmi2Causality.output))
        self.register_variable(Boolean("positive", causality=Fmi2Causality.output))
        self.register_variable(String("label", causality=parameter, variability=tunable))

    def do_step(self, current_time, step_size):
        end = self.u / self.k
        self.x = end + (self.x - end) * math.exp(-self.k * step_size)
        self.steps += 1
        self.positive = self.x > 0
        return True
'''

# What PythonFMU is known to leave out or get wrong; a later version may know better.
DEVIATIONS = {"M3", "V3", "X4a", "R4", "R12"}


def build(folder):
    """Writes the slave and exports it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script = folder / "decay.py"
    script.write_text(SLAVE, encoding="utf-8")
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(script), "-d", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "Decay.fmu"


def environment():
    """Libraries of PythonFMU expect that Python is in the process already."""
    folder, name = (sysconfig.get_config_var(key) or "" for key in ("LIBDIR", "INSTSONAME"))
    library = Path(folder) / name
    if not name.startswith("libpython") or ".so" not in name:
        return None
    # Some systems keep it where the loader looks anyway.
    return dict(os.environ, LD_PRELOAD=str(library) if library.is_file() else name)


def main(command, folder):
    """All checks."""
    fmu = build(Path(folder))
    passed = failed = 0

    def that(condition, sentence):
        nonlocal passed, failed
        passed, failed = passed + bool(condition), failed + (not condition)
        if not condition:
            print(f"FAILED {fmu.name}: {sentence}")

    def run(*arguments, **options):
        return subprocess.run([command, *arguments, str(fmu)], capture_output=True, text=True, **options)

    info = run("info", "--json")
    that(info.returncode == 0, f"fmu info ends with {info.returncode}: {info.stderr}")
    said = json.loads(info.stdout or "{}")
    that(said.get("generationTool", "").startswith("PythonFMU"), "the tool is not named")
    names = [variable["name"] for variable in said.get("variables", [])]
    that(names == ["x", "k", "u", "steps", "positive", "label"], f"the variables are {names}")

    preloaded = environment()
    run_flag = [] if preloaded is None else ["--run"]
    if preloaded is None:
        print("Python is no shared library here: the FMU of PythonFMU is not run")
    check = run("check", "--json", *run_flag, env=preloaded)
    that(check.returncode in (0, 1), f"fmu check ends with {check.returncode}: {check.stderr}")
    findings = json.loads(check.stdout or "{}").get("findings", [])
    errors = {finding["rule"] for finding in findings if finding["severity"] == "error"}
    that(errors <= DEVIATIONS, f"unexpected errors: {[f for f in findings if f['rule'] in errors - DEVIATIONS]}")
    # Null pointers crash it: that is a line in the report, and everything after it is still there.
    crashes = [finding for finding in findings if "the process ended" in finding["problem"]]
    later = [finding for finding in findings if finding["rule"] == "R13"]
    that(preloaded is None or (crashes and later), f"no crash, or nothing after it: {findings}")

    if preloaded is not None:
        table = fmu.with_suffix(".csv")
        settings = ["--stop", "1", "--output-step", "0.1", "--set", "k=3", "--set", "u=1.5", "--output", str(table)]
        simulate = run("simulate", *settings, env=preloaded)
        that(simulate.returncode == 0, f"fmu simulate ends with {simulate.returncode}: {simulate.stderr}")
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        exact = [0.5 + 0.5 * math.exp(-3 * float(row["time"])) for row in rows]
        errors = [abs(float(row["x"]) - x) for row, x in zip(rows, exact)]
        that(len(rows) == 11 and max(errors) < 1e-12, f"the decay is wrong: {rows}")

    print(f"{passed} passed, {failed} failed")
    return failed == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
