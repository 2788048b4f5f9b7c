"""Validates every FMU of FMI 3.0 given with FMPy and simulates it, as Model Exchange with CVode and as Co-Simulation in all four
combinations of event mode and early return: with FMPy's defaults against what cases.py says. An FMU of FMI 2.0 of the same model,
if given, must have the same results, bit by bit: as Co-Simulation without event mode, and as Model Exchange with fixed steps. Its
dependencies must be those of FMI 3.0, restricted to its knowns.

Usage: check_fmus_3.py A.fmi3.fmu A.fmu ...   Prints a line for everything that failed, and `N passed, M failed` at the end.
"""

import contextlib
import io
import sys
import traceback
from pathlib import Path

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

import dependencies_3
from cases import cases
from check_fmus import ALLOWED, Checks

# Name, interface, further arguments of `simulate_fmu`.
RUNS = (
    ("Model Exchange", "ModelExchange", {}),
    ("Co-Simulation", "CoSimulation", {}),
    ("Co-Simulation with event mode", "CoSimulation", {"use_event_mode": True}),
    ("Co-Simulation with early return", "CoSimulation", {"early_return_allowed": True}),
    (
        "Co-Simulation with event mode and early return",
        "CoSimulation",
        {"use_event_mode": True, "early_return_allowed": True},
    ),
)


def simulate(path, **options):
    """`fmpy.simulate_fmu`; whatever the FMU says is an error."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = fmpy.simulate_fmu(str(path), **options)
    said = [line for line in printed.getvalue().splitlines() if "missing input" not in line]
    if said:
        raise AssertionError(f"the FMU logged: {said[0]}")
    return result


def check_case(path, case, run, checks):
    """A run with FMPy's defaults against the closed form."""
    name, interface, further = run
    options = {"fmi_type": interface, "stop_time": case.stop} | further
    if case.name == "defaults":
        del options["stop_time"]
    if case.start:
        options["start_values"] = case.start
    if case.inputs:
        options["input"] = case.signals()
    try:
        result = simulate(path, **options)
    except Exception as error:  # noqa: BLE001: a failure of this run, not of the others
        checks.that(False, f"{name}: simulate_fmu with {case.name} fails: {error}")
        return
    times = result["time"]
    if case.end < case.stop:
        # Without early return FMPy takes the end of the communication step for the time that was reached.
        interval = 0.0 if interface == "ModelExchange" or "early_return_allowed" in further else np.max(np.diff(times))
        checks.close(f"{name}, {case.name}: the end, which the model decides", times[-1], case.end, 1e-6 + interval)
    else:
        checks.that(
            times[-1] >= case.stop * (1 - 1e-9), f"{name}, {case.name}: the run ends at {times[-1]}, not {case.stop}"
        )
    for output, worst, allowed in case.deviations(times, result, ALLOWED, 1e-3 * case.stop):
        sentence = f"{name}: {output} with {case.name} is off by {worst:.3g} (allowed: {allowed:.3g})"
        checks.that(worst <= allowed, sentence)


def flat(result, name, shape):
    """The values of an output, element by element, whether it is an array or has a variable per element."""
    if name in result.dtype.names:
        return np.asarray(result[name], dtype=float).reshape(len(result), -1)
    elements = [element for element in result.dtype.names if element.startswith(f"{name}[")]
    return np.array([result[element] for element in elements], dtype=float).T


def compare(path, other, description, checks):
    """The same experiments with the FMU of FMI 2.0."""
    experiment = description.defaultExperiment
    stop = float(experiment.stopTime) if experiment is not None and experiment.stopTime else 1.0
    outputs = [
        variable for variable in description.modelVariables if variable.causality == "output" and variable.type != "String"
    ]
    exact = [("Co-Simulation", {"fmi_type": "CoSimulation"})]
    if description.numberOfContinuousStates > 0:
        # FMPy steps from output to output. A stiff model runs away, in both versions alike.
        step = {"solver": "Euler", "step_size": stop / 2000, "output_interval": stop / 2000}
        exact.append(("Model Exchange with fixed steps", {"fmi_type": "ModelExchange"} | step))
    for name, options in exact:
        ours, theirs = simulate(path, stop_time=stop, **options), simulate(other, stop_time=stop, **options)
        checks.that(np.array_equal(ours["time"], theirs["time"]), f"{name}: other times than FMI 2.0")
        for output in outputs:
            found, wanted = (flat(result, output.name, output.shape) for result in (ours, theirs))
            is_finite = bool(np.all(np.isfinite(wanted[:3])))
            same = is_finite and found.shape == wanted.shape and np.array_equal(found, wanted, equal_nan=True)
            checks.that(same, f"{name}: {output.name} is not bit-equal to FMI 2.0")


def check(path, others, checks):
    """Validation and simulation of one FMU."""
    checks.model = Path(path).name
    problems = validate_fmu(str(path))
    for problem in problems:
        checks.that(False, f"FMPy's validator: {problem}")
    checks.that(not problems, f"FMPy's validator finds {len(problems)} problem(s)")
    description = fmpy.read_model_description(str(path))
    for case in cases(str(path), description):
        for run in RUNS:
            check_case(path, case, run, checks)
    other = others.get(description.modelName)
    if other is not None:
        compare(path, other, description, checks)
        dependencies_3.compare(path, description, other, checks)
    dependencies_3.perturb(path, description, checks)


def main(paths):
    """All FMUs; an exception is a failure of the one, not the end of all."""
    checks = Checks()
    version = {path: fmpy.read_model_description(str(path), validate=False).fmiVersion for path in paths}
    others = {
        fmpy.read_model_description(str(path), validate=False).modelName: path
        for path in paths
        if version[path].startswith("2.")
    }
    own = [path for path in paths if version[path].startswith("3.")]
    for path in own:
        before = checks.passed, checks.failed
        try:
            check(path, others, checks)
        except Exception:  # noqa: BLE001: whatever it is, the others come next
            checks.that(False, traceback.format_exc())
        passed, failed = checks.passed - before[0], checks.failed - before[1]
        print(f"{Path(path).name:>24}  {passed} good, {failed} bad", flush=True)
    if not own:
        checks.that(False, "no FMU of FMI 3.0 was given")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
