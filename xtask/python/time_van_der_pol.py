"""Races `fmu simulate` against FMPy with CVode on a stiff Van der Pol oscillator (Model Exchange, the same FMU).

Usage: time_van_der_pol.py FMU_COMMAND FMU MU STOP TOLERANCE ROUNDS

Prints six numbers: seconds of the simulation alone (ours, FMPy), seconds of the whole process (ours, FMPy), and the
largest error of x0 at the recorded points (ours, FMPy). The reference is an explicit method with a tolerance of 1e-9,
since CVode gives up on the fast layers at such tolerances.
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


def read(arguments, table):
    """Runs the command once more, and reads the table that it writes."""
    subprocess.run(arguments, check=True, capture_output=True)
    with open(table, newline="") as file:
        return np.array([[float(value) for value in row] for row in list(csv.reader(file))[1:]])


with tempfile.TemporaryDirectory() as folder:
    table = str(Path(folder) / "out.csv")
    ours = [command, "simulate", fmu, "--interface", "me", "--set", f"mu={mu}", "--stop", str(stop)]
    ours += ["--output-step", str(STEP), "--record", "x0", "--output", table, "--json"]
    exact = [*ours, "--solver", "tsit45", "--tolerance", "1e-9"]
    ours += ["--solver", "bdf", "--tolerance", str(tolerance)]
    theirs = [sys.executable, "-c", f"import fmpy; fmpy.simulate_fmu({fmu!r}, relative_tolerance={tolerance!r}, **{settings!r})"]
    inner, process = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(ours, check=True, capture_output=True, text=True)
        process.append(time.perf_counter() - begin)
        took = json.loads(done.stdout)["seconds"]
        inner.append(took["inFmu"] + took["outside"])
    found = read(ours, table)
    fmpy_process = min(seconds(lambda: subprocess.run(theirs, check=True, capture_output=True)) for _ in range(rounds))
    # Unpacked, read and instantiated before: what is left is the simulation.
    unpacked, description = fmpy.extract(fmu), fmpy.read_model_description(fmu, validate=False)
    loop = {"model_description": description, "relative_tolerance": tolerance}
    fmpy_inner = []
    for _ in range(rounds):
        instance = fmpy.instantiate_fmu(unpacked, description, "ModelExchange")
        begin = time.perf_counter()
        result = quiet(unpacked, fmu_instance=instance, **loop)
        fmpy_inner.append(time.perf_counter() - begin)
        instance.freeInstance()
    reference = read(exact, table)

grid = np.linspace(0, stop, 201)


def error(times, values):
    return np.max(np.abs(np.interp(grid, times, values) - np.interp(grid, reference[:, 0], reference[:, 1])))


errors = error(found[:, 0], found[:, 1]), error(result["time"], result["x0"])
print(min(inner), min(fmpy_inner), min(process), fmpy_process, *errors)
