"""Validates every FMU given with FMPy and simulates it, as Model Exchange with CVode and as Co-Simulation: with FMPy's
defaults against what cases.py says, with tight tolerances against what expectations.py says, and the two interfaces
against each other.

Usage: check_fmus.py A.fmu B.fmu ...   Prints a line for everything that failed, and `N passed, M failed` at the end.
"""

import contextlib
import io
import shutil
import sys
import traceback
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model
from fmpy.validation import validate_fmu

from cases import cases
from expectations import EXPECTATIONS


class Checks:
    """Counts what passed, and says what failed."""

    def __init__(self):
        self.passed = self.failed = 0
        self.model = ""

    def that(self, condition, sentence):
        """One check."""
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {self.model}: {sentence}")

    def equal(self, what, found, wanted):
        """Equality of anything but floating-point numbers."""
        self.that(found == wanted, f"{what} is {found!r}, not {wanted!r}")

    def close(self, what, found, wanted, tolerance):
        """Numbers or arrays of numbers: the largest difference is at most `tolerance`."""
        found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
        if found.shape != wanted.shape:
            self.that(False, f"{what} has the shape {found.shape}, not {wanted.shape}")
            return
        distance = np.abs(found - wanted)
        worst = int(np.argmax(distance)) if distance.size else 0
        largest = float(distance.flat[worst]) if distance.size else 0.0
        self.that(
            bool(np.all(distance <= tolerance)),
            f"{what} is off by {largest:.3g} (allowed: {tolerance:.3g}) at entry {worst}: "
            f"{found.flat[worst] if found.size else None}, not {wanted.flat[worst] if wanted.size else None}",
        )


class Fmu:
    """One FMU, and how it is simulated."""

    def __init__(self, path, interface):
        self.path = str(path)
        self.interface = interface
        self.description = fmpy.read_model_description(self.path, validate=False)
        self.name = self.description.modelName

    @property
    def is_model_exchange(self):
        """Whether it is simulated by an integrator outside."""
        return self.interface == "ModelExchange"

    def input_times(self, times, interval):
        """When FMPy has set the inputs that go with an output: as Co-Simulation where the step to it began."""
        return times if self.is_model_exchange else np.maximum(times - interval, 0.0)

    def simulate(self, **options):
        """`fmpy.simulate_fmu`, tight tolerance, and no message from the FMU: as Model Exchange with CVode, as
        Co-Simulation with the FMU's own integrator and a communication step from one output to the next."""
        messages = []

        def logger(environment, instance, status, category, message):
            messages.append(message.decode("utf-8", "replace"))

        settings = {"fmi_type": self.interface, "relative_tolerance": 1e-9, "logger": logger}
        if self.is_model_exchange:
            settings |= {"solver": "CVode", "record_events": True}
        with contextlib.redirect_stdout(io.StringIO()):  # FMPy prints a line for every input that is not given
            result = fmpy.simulate_fmu(self.path, **(settings | options))
        if messages:
            raise AssertionError(f"the FMU logged: {messages[0]}")
        return result

    def simulate_plainly(self, case):
        """`fmpy.simulate_fmu` as a person calls it: all settings are FMPy's own."""
        options = {"fmi_type": self.interface, "stop_time": case.stop}
        if case.name == "defaults":
            options = {"fmi_type": self.interface}
        if case.start:
            options["start_values"] = case.start
        if case.inputs:
            options["input"] = case.signals()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):  # what is not about a missing input is a message of the FMU
            result = fmpy.simulate_fmu(self.path, **options)
        said = [line for line in printed.getvalue().splitlines() if "missing input" not in line]
        if said:
            raise AssertionError(f"the FMU logged: {said[0]}")
        return result

    @contextlib.contextmanager
    def instance(self):
        """An instance, just instantiated, to be called function by function."""
        folder = fmpy.extract(self.path)
        model = FMU2Model(
            guid=self.description.guid,
            unzipDirectory=folder,
            modelIdentifier=self.description.modelExchange.modelIdentifier,
            instanceName=self.name,
        )
        model.instantiate()
        model.setupExperiment()
        try:
            yield Instance(model, self.description)
        finally:
            model.freeInstance()
            shutil.rmtree(folder, ignore_errors=True)


class Instance:
    """FMPy's model, with variables by name: `instance["h"]`, `instance["h"] = 1.0`."""

    def __init__(self, model, description):
        self.model = model
        self.variables = {variable.name: variable for variable in description.modelVariables}

    def _function(self, prefix, variable):
        kind = "Integer" if variable.type == "Enumeration" else variable.type
        return getattr(self.model, prefix + kind)

    def __getitem__(self, name):
        variable = self.variables[name]
        value = self._function("get", variable)([variable.valueReference])[0]
        return value.decode("utf-8") if variable.type == "String" else value

    def __setitem__(self, name, value):
        variable = self.variables[name]
        self._function("set", variable)([variable.valueReference], [value])

    def start(self):
        """Through initialization and the first event to continuous-time mode."""
        self.model.enterInitializationMode()
        self.model.exitInitializationMode()
        self.update_discrete_states()
        self.model.enterContinuousTimeMode()

    def jacobian(self, unknowns, knowns):
        """The matrix of partial derivatives: one directional derivative a column."""
        rows = [self.variables[name].valueReference for name in unknowns]
        columns = [self.variables[name].valueReference for name in knowns]
        return np.array([self.model.getDirectionalDerivative(rows, [column], [1.0]) for column in columns]).T

    def update_discrete_states(self):
        """The event iteration; gives the next event time, or None."""
        while True:
            needed, terminate, _, _, defined, time = self.model.newDiscreteStates()
            if terminate:
                raise AssertionError("the model ends the simulation")
            if not needed:
                return time if defined else None


def check(path, checks):
    """Validation and simulation of one FMU."""
    checks.model = Path(path).stem
    problems = validate_fmu(str(path))
    for problem in problems:
        checks.that(False, f"FMPy's validator: {problem}")
    checks.that(not problems, f"FMPy's validator finds {len(problems)} problem(s)")
    exchanged, simulated = Fmu(path, "ModelExchange"), Fmu(path, "CoSimulation")
    if exchanged.name not in EXPECTATIONS:
        checks.that(False, "there is nothing in expectations.py to compare it with; write it")
        return
    for fmu in (exchanged, simulated):
        checks.model = f"{Path(path).stem} as {fmu.interface}"
        for case in cases(fmu.path, fmu.description):
            check_case(fmu, case, checks)
        EXPECTATIONS[fmu.name](fmu, checks)
    checks.model = Path(path).stem
    compare(exchanged, simulated, checks)


# With a relative tolerance of 1e-5 for each step, which FMPy's CVode has by default; errors of a run add up.
ALLOWED = 1e-3


def check_case(fmu, case, checks):
    """A run with FMPy's defaults against the closed form."""
    try:
        result = fmu.simulate_plainly(case)
    except Exception as error:  # noqa: BLE001: a failure of this run, not of the others
        checks.that(False, f"simulate_fmu with {case.name} fails: {error}")
        return
    times = result["time"]
    if case.end < case.stop:
        checks.close(f"{case.name}: the end, which the model decides", times[-1], case.end, 1e-6)
    else:
        checks.that(times[-1] >= case.stop * (1 - 1e-9), f"{case.name}: the run ends at {times[-1]}, not {case.stop}")
    for name, worst, allowed in case.deviations(times, result, ALLOWED, 1e-3 * case.stop):
        checks.that(worst <= allowed, f"{name} with {case.name} is off by {worst:.3g} (allowed: {allowed:.3g})")


def compare(exchanged, simulated, checks):
    """The same experiment through both interfaces: the same outputs, away from events."""
    experiment = exchanged.description.defaultExperiment
    stop = float(experiment.stopTime) if experiment is not None and experiment.stopTime else 1.0
    outputs = [
        variable.name
        for variable in exchanged.description.modelVariables
        if variable.causality == "output" and variable.type == "Real" and variable.variability == "continuous"
    ]
    if not outputs:
        return
    # The end of a long experiment is often rest, and its cost is not.
    stop = min(stop, 100.0)
    settings = {"stop_time": stop, "output_interval": stop / 50, "output": outputs[:20]}
    one, other = exchanged.simulate(**settings), simulated.simulate(**settings)
    end = min(one["time"][-1], other["time"][-1])
    times = other["time"][other["time"] <= end]
    events = one["time"][1:][np.diff(one["time"]) == 0.0]
    away = np.array([np.all(np.abs(events - time) > 1e-3 * stop) for time in times])
    for name in outputs[:20]:
        wanted = np.interp(times, one["time"], one[name])[away]
        found = other[name][: len(times)][away]
        scale = 1e-5 * (1.0 + float(np.max(np.abs(one[name]))))
        checks.close(f"{name}, as Co-Simulation against Model Exchange", found, wanted, scale)


def main(paths):
    """All FMUs; an exception is a failure of the one, not the end of all."""
    checks = Checks()
    for path in paths:
        before = checks.passed, checks.failed
        try:
            check(path, checks)
        except Exception:  # noqa: BLE001: whatever it is, the others come next
            checks.that(False, traceback.format_exc())
        passed, failed = checks.passed - before[0], checks.failed - before[1]
        print(f"{Path(path).stem:>16}  {passed} good, {failed} bad", flush=True)
    if not paths:
        checks.that(False, "no FMU was given")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
