"""Races `fmu simulate` against FMPy with CVode on a stiff model with many events (Model Exchange, the same FMU).

Usage: time_building.py FMU_COMMAND FMU STOP STEP ROUNDS

Both run at several tolerances. Errors are the largest at the recorded points, against an explicit method with a
tolerance of 1e-10. Seconds are CPU time: of the whole process of ours, and of the simulation alone of FMPy. Prints the
CPU time that ours takes for the error that FMPy has at 1e-6 (between two tolerances, interpolated), FMPy's CPU time,
that error, and the events, steps and factorizations of ours at 1e-6.
"""

import csv
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np

command, fmu = sys.argv[1:3]
stop, step, rounds = float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
OURS = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
THEIRS = 1e-6
grid = np.arange(1, round(stop / step) + 1) * step


def ours(folder, solver, tolerance):
    """CPU seconds, the values at the grid, and what the command says."""
    table = Path(folder) / "out.csv"
    arguments = [command, "simulate", fmu, "--interface", "me", "--solver", solver, "--tolerance", str(tolerance)]
    arguments += ["--stop", str(stop), "--output-step", str(step), "--output", str(table), "--json"]
    seconds = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    with open(table, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    values = np.array([[float(value) for value in row] for row in rows])
    return min(seconds), at_grid(values[:, 0], values[:, 1:]), header[1:], json.loads(done.stdout)


def at_grid(times, values):
    """The last row at each point of the grid."""
    rows = np.searchsorted(times, grid * (1 + 1e-12), side="right") - 1
    assert np.allclose(times[rows], grid, rtol=1e-9), "a point of the grid is missing"
    return values[rows]


with tempfile.TemporaryDirectory() as folder:
    _, reference, names, _ = ours(folder, "tsit45", 1e-10)
    points = []
    for tolerance in OURS:
        seconds, values, _, said = ours(folder, "bdf", tolerance)
        points.append((np.max(np.abs(values - reference)), seconds))
        print(f"ours {tolerance:g}: error {points[-1][0]:.3e}, {seconds:.3f} s", file=sys.stderr)
        if tolerance == THEIRS:
            summary = said
    unpacked, description = fmpy.extract(fmu), fmpy.read_model_description(fmu, validate=False)
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        result = fmpy.simulate_fmu(
            unpacked,
            model_description=description,
            relative_tolerance=THEIRS,
            stop_time=stop,
            output_interval=step,
            fmi_type="ModelExchange",
            solver="CVode",
            set_stop_time=False,
        )
        seconds.append(time.process_time() - begin)
    values = at_grid(result["time"], np.stack([result[name] for name in names], axis=1))
    error = np.max(np.abs(values - reference))
    print(f"FMPy {THEIRS:g}: error {error:.3e}, {min(seconds):.3f} s", file=sys.stderr)

# From the most exact to the least; the CPU time at the error of FMPy lies between two of them.
points.sort()
errors, times = zip(*points)
same = math.exp(np.interp(math.log(error), np.log(errors), np.log(times)))
events = sum(summary["events"][kind] for kind in ("state", "time"))
print(same, min(seconds), error, events, summary["steps"], summary["factorizations"])
