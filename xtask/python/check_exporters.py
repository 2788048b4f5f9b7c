"""Makes FMUs with exporters of others, and has the `fmu` command open, check and run them.

The exporters are PythonFMU, and the container of fmu_manipulation_toolbox around an FMU of ours (x' = -x from 1).

Usage: check_exporters.py FMU_COMMAND FOLDER DAHLQUIST_FMU
Prints a line for everything that failed, and `N passed, M failed`.
"""

import csv
import json
import math
import os
import re
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

# a' = b's x times -4, less 2 a; b' = a's x, less 3 b; both begin at 1. No FMU declares its feed-through or restores snapshots.
PAIR = """
[simulation]
stop = 1.0
step = 0.01
[components.a]
fmu = "Decay.fmu"
[components.b]
fmu = "Decay.fmu"
set = { k = 3.0 }
[[connections]]
from = "a.x"
to = "b.u"
[[connections]]
from = "b.x"
to = "a.u"
gain = -4.0
"""

# Error control: a short run, because inputs that cannot be interpolated take ten times the steps for a tenth of the tolerance.
TOLERANCES, TOLERATED_STOP = (1e-3, 1e-4, 1e-5), 0.1
# The largest error in tolerances, and the power of the tolerance with which errors fall at least.
MOST, POWER = 30, 0.85
STEPPED = ("jacobi", "gauss-seidel", "iterated-gauss-seidel", "newton")

CONTAINER = {"name": "Container.fmu", "step_size": 0.01}


def build_python(folder, *options):
    """Writes the slave and exports it."""
    folder.mkdir(exist_ok=True)
    script = folder / "decay.py"
    script.write_text(SLAVE, encoding="utf-8")
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(script), "-d", str(folder)]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    return folder / "Decay.fmu"


def build_container(folder, inside):
    """Puts an FMU into a container."""
    shutil.copy(inside, folder / "Dahlquist.fmu")
    (folder / "container.json").write_text(json.dumps(CONTAINER | {"fmu": ["Dahlquist.fmu"]}), encoding="utf-8")
    program = Path(sys.executable).with_name("fmucontainer")
    command = [program, "-container", "container.json", "-fmu-directory", str(folder)]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "Container.fmu"


def environment():
    """FMUs of PythonFMU expect that Python is in the process: the command takes the library of the first `python3` in the
    search path. None where Python has no shared library."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    if not name.startswith("libpython") or ".so" not in name:
        return None
    return dict(os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


class Check:
    """Counts what is as it should be."""

    def __init__(self, command):
        self.command, self.passed, self.failed = command, 0, 0

    def that(self, fmu, condition, sentence):
        """Takes a condition, and prints what is wrong where it does not hold."""
        self.passed, self.failed = self.passed + bool(condition), self.failed + (not condition)
        if not condition:
            print(f"FAILED {fmu.name}: {sentence}")

    def run(self, fmu, *arguments, **options):
        """Runs a command on an FMU."""
        return subprocess.run([self.command, *arguments, str(fmu)], capture_output=True, text=True, **options)

    def judged(self, fmu, tool, variables, run_flag, env):
        """The FMU is opened, and judged without an error: it runs everywhere. Returns the findings."""
        info = self.run(fmu, "info", "--json")
        self.that(fmu, info.returncode == 0, f"fmu info ends with {info.returncode}: {info.stderr}")
        said = json.loads(info.stdout or "{}")
        self.that(fmu, said.get("generationTool", "").startswith(tool), "the tool is not named")
        names = [variable["name"] for variable in said.get("variables", [])]
        self.that(fmu, names == variables, f"the variables are {names}")
        check = self.run(fmu, "check", "--json", "--timeout", "3", *run_flag, env=env)
        findings = json.loads(check.stdout or "{}").get("findings", [])
        errors = [finding for finding in findings if finding["severity"] == "error"]
        self.that(fmu, check.returncode == 0 and not errors, f"fmu check ends with {check.returncode}: {errors}")
        # Null pointers crash both: that is a line in the report, and everything after it is still there.
        crashes = [finding for finding in findings if "the process ended" in finding["problem"]]
        later = [finding for finding in findings if finding["rule"] == "R13a"]
        self.that(fmu, not run_flag or (crashes and later), f"no crash, or nothing after it: {findings}")

    def simulated(self, fmu, settings, solution, env=None):
        """A run to 1 s agrees with the closed form."""
        table = fmu.with_suffix(".csv")
        settings = ["--stop", "1", "--output-step", "0.1", *settings, "--output", str(table)]
        simulate = self.run(fmu, "simulate", *settings, env=env)
        self.that(fmu, simulate.returncode == 0, f"fmu simulate ends with {simulate.returncode}: {simulate.stderr}")
        rows = []
        if table.is_file():
            with open(table, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        errors = [abs(float(row["x"]) - solution(float(row["time"]))) for row in rows]
        self.that(fmu, len(rows) == 11 and max(errors) < 1e-6, f"the decay is wrong: {rows}")

    def coupled(self, fmu, env):
        """Two FMUs that declare nothing: the advice can be followed, its result is right, and refusals name what works."""
        system = fmu.with_name("pair.toml")
        system.write_text(PAIR, encoding="utf-8")
        advised = self.run(system, "couple", "--advise", env=env)
        said = advised.stdout
        known = advised.returncode == 0 and "unstable" not in said
        self.that(system, known, f"fmu couple --advise says: {said}{advised.stderr}")
        algorithm = re.search('take: algorithm = "([a-z-]+)", step = ([0-9.e-]+)', said)
        self.that(system, algorithm, f"the advice has another form: {said}")
        if not algorithm:
            return
        for step in (float(algorithm[2]), 0.5 * float(algorithm[2])):
            ran = self.run(system, "couple", "--algorithm", algorithm[1], "--step", str(step), env=env)
            rows = list(csv.DictReader(ran.stdout.splitlines()))
            self.that(system, ran.returncode == 0 and rows, f"what is advised ends with {ran.returncode}: {ran.stderr}")
            errors = [abs(float(row["a.x"]) - pair_at(float(row["time"]))[0]) for row in rows]
            worst = max(errors, default=1)
            self.that(system, worst < 2 * step, f"at a step of {step} the error is {worst}")
        # Whatever is refused names something else, and that runs.
        for refused in (["--algorithm", "newton"], ["--correction", "consistent"], ["--correction", "linear"]):
            ran = self.run(system, "couple", *refused, env=env)
            named = [word for word in ("newton", "stabilized", "aggregate") if re.search(f"take .*{word}", ran.stderr)]
            self.that(system, ran.returncode == 1 and "take" in ran.stderr and not named, f"{refused}: {ran.stderr}")
        for works in ("jacobi", "gauss-seidel"):
            ran = self.run(system, "couple", "--algorithm", works, env=env)
            self.that(system, ran.returncode == 0, f"{works} is named by refusals and ends with {ran.returncode}")

    def pair(self, fmu, env, *arguments):
        """Couples the pair. Returns how it ended, and the errors of both outputs as parts of 1 + max |x|."""
        system = fmu.with_name("pair.toml")
        system.write_text(PAIR, encoding="utf-8")
        ran = self.run(system, "couple", *arguments, env=env)
        rows = list(csv.DictReader(ran.stdout.splitlines())) if ran.returncode == 0 else []
        exact = [pair_at(float(row["time"])) for row in rows]
        worst = 0.0 if rows else math.inf
        for output, name in enumerate(("a.x", "b.x")):
            size = 1 + max((abs(x[output]) for x in exact), default=0)
            worst = max([worst, *(abs(float(row[name]) - x[output]) / size for row, x in zip(rows, exact))])
        return ran, worst

    def refuses_tolerances(self, fmu, env):
        """FMUs that cannot go back: error control is refused with the cause, and fixed steps converge with order 1."""
        for algorithm in (*STEPPED, "stabilized", "aggregate"):
            ran, _ = self.pair(fmu, env, "--algorithm", algorithm, "--tolerance", "1e-3")
            causes = ["canGetAndSetFMUstate", "fixed step"] if algorithm != "aggregate" else ["no Model Exchange interface"]
            clear = ran.returncode == 1 and all(cause in ran.stderr for cause in causes)
            self.that(fmu, clear, f"{algorithm} with a tolerance ends with {ran.returncode}: {ran.stderr}")
        for algorithm in ("jacobi", "gauss-seidel"):
            steps = (0.02, 0.01, 0.005)
            errors = [self.pair(fmu, env, "--algorithm", algorithm, "--step", str(step))[1] for step in steps]
            order = math.log2(errors[1] / errors[2]) if 0 < errors[2] < math.inf else math.nan
            self.that(fmu, abs(order - 1) < 0.1, f"{algorithm}: errors {errors} at steps {steps}, order {order:.2f}")

    def keeps_tolerances(self, fmu, env):
        """FMUs that can go back: every algorithm keeps its tolerance, and errors fall in proportion to it."""
        for algorithm in STEPPED:
            errors = []
            for tolerance in TOLERANCES:
                arguments = ["--algorithm", algorithm, "--tolerance", str(tolerance), "--stop", str(TOLERATED_STOP)]
                ran, error = self.pair(fmu, env, *arguments)
                errors.append(error / tolerance)
                kept = ran.returncode == 0 and errors[-1] <= MOST
                self.that(fmu, kept, f"{algorithm}, {tolerance}: {errors[-1]:.2f} tolerances: {ran.stderr}")
            # A loose tolerance may be kept better than it asks for, so an error below 1 counts as 1.
            ratio = max(errors[-1], 1) / max(errors[0], 1)
            power = 1 - math.log(ratio) / math.log(TOLERANCES[0] / TOLERANCES[-1])
            self.that(fmu, power >= POWER, f"{algorithm}: {errors} tolerances fall with the power {power:.2f}")


def pair_at(time):
    """The solution of the pair, by the series of the exponential of its matrix."""
    x, term = [1.0, 1.0], [1.0, 1.0]
    for order in range(1, 60):
        term = [time / order * (-2 * term[0] - 4 * term[1]), time / order * (term[0] - 3 * term[1])]
        x = [x[0] + term[0], x[1] + term[1]]
    return x


def main(command, folder, dahlquist):
    """All checks."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    check = Check(command)

    fmu, with_python = build_python(folder), environment()
    if with_python is None:
        print("Python is not a shared library here: the FMU of PythonFMU is not run")
    variables = ["x", "k", "u", "steps", "positive", "label"]
    check.judged(fmu, "PythonFMU", variables, [] if with_python is None else ["--run"], with_python)
    if with_python is not None:
        settings = ["--set", "k=3", "--set", "u=1.5"]
        check.simulated(fmu, settings, lambda time: 0.5 + 0.5 * math.exp(-3 * time), with_python)
        check.coupled(fmu, with_python)
        check.refuses_tolerances(fmu, with_python)
        check.keeps_tolerances(build_python(folder / "state", "--handle-state"), with_python)

    fmu = build_container(folder, dahlquist)
    check.judged(fmu, "FMUContainer", ["time", "x"], ["--run"], None)
    check.simulated(fmu, [], lambda time: math.exp(-time))

    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
