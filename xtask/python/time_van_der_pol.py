"""Races `fmu simulate` against FMPy with CVode on a stiff Van der Pol oscillator (Model Exchange, the same FMU).

Usage: time_van_der_pol.py FMU_COMMAND FMU MU STOP TOLERANCE ROUNDS

Prints six numbers: seconds of the simulation alone (ours, FMPy), seconds of the whole process (ours, FMPy), and the
largest error of x0 at the recorded points (ours, FMPy) against FMPy with a tolerance of 1e-12.
"""

import contextlib
import csv
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np

command, fmu, mu, stop, tolerance, rounds = sys.argv[1:]
mu, stop, tolerance, rounds = float(mu), float(stop), float(tolerance), int(rounds)
STEP = stop / 200
settings = {
    "start_values": {"mu": mu},
    "stop_time": stop,
    "output_interval": STEP,
    "fmi_type": "ModelExchange",
    "solver": "CVode",
    "set_stop_time": False,
    "output": ["x0"],
}


def quiet(*arguments, **options):
    with contextlib.redirect_stdout(io.StringIO()):
        return fmpy.simulate_fmu(*arguments, **(settings | options))


def seconds(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


with tempfile.TemporaryDirectory() as folder:
    table = str(Path(folder) / "out.csv")
    ours = [command, "simulate", fmu, "--interface", "me", "--solver", "bdf", "--set", f"mu={mu}", "--stop", str(stop)]
    ours += ["--output-step", str(STEP), "--tolerance", str(tolerance), "--record", "x0", "--output", table, "--json"]
    theirs = [sys.executable, "-c", f"import fmpy; fmpy.simulate_fmu({fmu!r}, relative_tolerance={tolerance!r}, **{settings!r})"]
    inner, process = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(ours, check=True, capture_output=True, text=True)
        process.append(time.perf_counter() - begin)
        inner.append(json.loads(done.stdout)["seconds"]["total"])
    with open(table, newline="") as file:
        rows = list(csv.reader(file))[1:]
    found = np.array([[float(value) for value in row] for row in rows])
    fmpy_process = min(seconds(lambda: subprocess.run(theirs, check=True, capture_output=True)) for _ in range(rounds))
    # Unpacked and read before: what is left is the simulation.
    unpacked, description = fmpy.extract(fmu), fmpy.read_model_description(fmu, validate=False)
    loop = {"model_description": description, "relative_tolerance": tolerance}
    fmpy_inner = min(seconds(lambda: quiet(unpacked, **loop)) for _ in range(rounds))
    result, reference = quiet(unpacked, **loop), quiet(unpacked, **(loop | {"relative_tolerance": 1e-12}))

grid = np.linspace(0, stop, 201)


def error(times, values):
    return np.max(np.abs(np.interp(grid, times, values) - np.interp(grid, reference["time"], reference["x0"])))


errors = error(found[:, 0], found[:, 1]), error(result["time"], result["x0"])
print(min(inner), fmpy_inner, min(process), fmpy_process, *errors)
