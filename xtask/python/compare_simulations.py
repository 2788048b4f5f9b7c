"""Simulates every FMU given with `fmu simulate` and with FMPy, and compares: the same values at every point within ten
times the tolerance, the same events to 1e-6 s. Model Exchange with every solver that adapts its steps, and
Co-Simulation where an FMU offers it. FMUs with inputs a second time, with inputs that jump.

Usage: compare_simulations.py FMU_COMMAND A.fmu B.fmu ...   Prints a line for everything that failed, and
`N passed, M failed` at the end.
"""

import contextlib
import csv
import io
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import fmpy
import numpy as np

TOLERANCE = 1e-6
SOLVERS = ["bdf", "esdirk34", "tr-bdf2", "tsit45"]
# 1000 cells: one solver, and a short while, are enough for a build without optimization.
SHORT = {"HeatRod": (["bdf"], 0.05, 0.01)}
# The state event of Probe falls together with a time event, and impacts cross their indicator once more on the way back:
# whether that is one event or two is a matter of roundings. cases.py and the papers have the impacts.
LEFT_OUT = {"BlockedPendulum", "Probe", "Woodpecker"}


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def that(self, condition, sentence):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {sentence}")


def driven(description, stop):
    """A table of all continuous inputs, which jump down and up; FMPy holds them over an output step, so a slope would not
    be the same for both. None where there are no inputs."""
    inputs = [
        v for v in description.modelVariables
        if v.causality == "input" and v.type == "Real" and v.variability == "continuous"
    ]
    if not inputs:
        return None
    table = np.zeros(6, dtype=[("time", float)] + [(v.name, float) for v in inputs])
    table["time"] = [0, 0.3 * stop, 0.3 * stop, 0.7 * stop, 0.7 * stop, stop]
    for v in inputs:
        start = float(v.start)
        size = 0.1 * max(1.0, abs(start))
        table[v.name] = [start, start, start - size, start - size, start + size, start + size]
    return table


def with_fmpy(path, interface, stop, step, names, inputs=None):
    """FMPy's results, and the times of its events."""
    with contextlib.redirect_stdout(io.StringIO()):
        result = fmpy.simulate_fmu(
            path,
            fmi_type="ModelExchange" if interface == "me" else "CoSimulation",
            solver="CVode",
            stop_time=stop,
            output_interval=step,
            step_size=step if interface == "cs" else None,
            # Tight, so that what is left of the difference is ours.
            relative_tolerance=1e-12,
            record_events=True,
            set_stop_time=False,
            output=names,
            input=inputs,
        )
    return result, events(result["time"])


def events(times):
    """The times of events have two rows; one that ends the simulation does not count, since FMPy records it once."""
    found = times[1:][np.diff(times) == 0]
    return found[found < times[-1] - 1e-9]


def with_fmu(command, path, interface, solver, stop, step, names, inputs=None):
    """Our results as columns, and the times of our events."""
    with tempfile.TemporaryDirectory() as folder:
        table, drawing = Path(folder) / "out.csv", Path(folder) / "out.svg"
        arguments = [command, "simulate", path, "--interface", interface, "--solver", solver, "--stop", str(stop)]
        arguments += ["--output-step", str(step), "--tolerance", str(TOLERANCE), "--output", str(table)]
        arguments += ["--plot", str(drawing)]
        for name in names:
            arguments += ["--record", name]
        if inputs is not None:
            source = Path(folder) / "in.csv"
            with source.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(inputs.dtype.names)
                writer.writerows([repr(float(value)) for value in row] for row in inputs)
            arguments += ["--input", str(source)]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(done.stderr.strip())
        if not drawing.read_text().startswith("<svg"):
            raise AssertionError("no drawing")
        with table.open(newline="") as file:
            header, *rows = csv.reader(file)
    columns = {name: np.array([float(row[at]) for row in rows]) for at, name in enumerate(header)}
    return columns, events(columns["time"])


def at_grid(times, values, grid):
    """The last row at each point of the grid: after an event, if there is one."""
    rows = np.searchsorted(times, grid * (1 + 1e-12) + 1e-12, side="right") - 1
    return values[rows]


def compare(checks, label, ours, theirs, names, grid, jumps):
    (columns, our_events), (result, their_events) = ours, theirs
    same = len(our_events) == len(their_events)
    checks.that(same, f"{label}: {len(our_events)} events, FMPy has {len(their_events)}")
    if same and len(our_events):
        worst = np.max(np.abs(our_events - their_events))
        checks.that(worst <= 1e-6, f"{label}: event times differ by {worst:.3g}")
    away = np.ones(len(grid), dtype=bool)
    for jump in jumps:
        away &= np.abs(grid - jump) > 1e-5
    for name in names:
        a = at_grid(columns["time"], columns[name], grid)[away]
        b = at_grid(result["time"], np.asarray(result[name], dtype=float), grid)[away]
        scale = max(1.0, np.max(np.abs(b), initial=0.0))
        worst = np.max(np.abs(a - b), initial=0.0) / scale
        checks.that(worst <= 10 * TOLERANCE, f"{label}: {name} differs by {worst:.3g} of its size")


def check(checks, command, path):
    description = fmpy.read_model_description(path, validate=False)
    model = description.modelName
    experiment = description.defaultExperiment
    stop = float(experiment.stopTime) if experiment and experiment.stopTime else 1.0
    step = stop / 50
    solvers = SOLVERS
    if model in SHORT:
        solvers, stop, step = SHORT[model]
    names = [v.name for v in description.modelVariables if v.causality == "output" and v.type != "String"][:20]
    grid = np.linspace(0, stop, round(stop / step) + 1)
    if description.modelExchange:
        theirs = with_fmpy(path, "me", stop, step, names)
        # Where FMPy ended, because the FMU did.
        reached = grid[grid <= theirs[0]["time"][-1] + 1e-9]
        for solver in solvers:
            ours = with_fmu(command, path, "me", solver, stop, step, names)
            compare(checks, f"{model}, {solver}", ours, theirs, names, reached, theirs[1])
        inputs = driven(description, stop)
        if inputs is not None:
            theirs = with_fmpy(path, "me", stop, step, names, inputs)
            reached = grid[grid <= theirs[0]["time"][-1] + 1e-9]
            for solver in solvers:
                ours = with_fmu(command, path, "me", solver, stop, step, names, inputs)
                compare(checks, f"{model} with inputs, {solver}", ours, theirs, names, reached, theirs[1])
    if description.coSimulation:
        theirs = with_fmpy(path, "cs", stop, step, names)
        reached = grid[grid <= theirs[0]["time"][-1] + 1e-9]
        ours = with_fmu(command, path, "cs", "bdf", stop, step, names)
        compare(checks, f"{model}, co-simulation", ours, theirs, names, reached, [])


def main():
    checks = Checks()
    command, *paths = sys.argv[1:]
    for path in paths:
        if Path(path).stem in LEFT_OUT:
            continue
        before = checks.failed
        try:
            check(checks, command, path)
        except Exception:
            checks.that(False, f"{Path(path).stem}: {traceback.format_exc().strip()}")
        verdict = "ok" if checks.failed == before else "FAILED"
        print(f"{Path(path).stem:<16} {verdict}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


main()
