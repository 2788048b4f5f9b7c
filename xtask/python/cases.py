"""Runs of every example that any importer can make, and the curves that they must give.

`cases(path, description)` lists them for an FMU: with the defaults of the FMU, with other start values of parameters,
states and inputs, and with inputs that change. A new model needs a function here, marked with `@of("ModelName")`.
"""

import math
import zipfile
from dataclasses import dataclass, field

import numpy as np

from curves import Bridge, Woodpecker, ball, blocked_pendulum, linear, motor, runge_kutta, two_rate


@dataclass
class Case:
    """One run, and what it must give."""

    name: str
    stop: float
    # For an array of times, the outputs by name.
    wanted: object
    start: dict = field(default_factory=dict)
    # Rows of (time, value, ...) for the names in `inputs`.
    inputs: tuple = ()
    rows: tuple = ()
    # Times at which outputs jump: compare away from them.
    jumps: object = ()
    # The model ends its simulation here.
    end: float = math.inf
    # Where small errors grow, as a factor on what is allowed.
    sensitivity: float = 1.0

    def signals(self):
        """The inputs as FMPy takes them."""
        if not self.inputs:
            return None
        kinds = {bool: np.bool_, int: np.int32, float: np.double}
        types = [(name, kinds[type(value)]) for name, value in zip(self.inputs, self.rows[0][1:])]
        return np.array(list(self.rows), dtype=[("time", np.double), *types])

    def deviations(self, times, result, allowed, width):
        """For each output its name, the largest deviation, and what is allowed: a part of its largest value. Points
        closer than `width` to a jump may have either of its sides."""
        times = np.asarray(times, dtype=float)
        inside = times <= self.stop * (1.0 + 1e-9)
        times = np.minimum(times[inside], self.stop)
        jumps = np.asarray(self.jumps, dtype=float).reshape(1, -1)
        close = np.any(np.abs(times[:, None] - jumps) <= width, axis=1)
        before, after = self.wanted(np.maximum(times - width, 0.0)), self.wanted(np.minimum(times + width, self.stop))
        rows = []
        for name, wanted in self.wanted(times).items():
            found = np.asarray(result[name], dtype=float)[inside]
            sides = (before[name], wanted, after[name])
            either = np.min([np.abs(found - side) for side in sides], axis=0)
            slack = np.abs(np.diff(wanted[~close], prepend=wanted[:1])).max() if np.any(~close) else 0.0
            distance = np.where(close, np.maximum(either - slack, 0.0), np.abs(found - wanted))
            scale = np.max(np.abs(wanted)) or 1.0
            rows.append((name, float(np.max(distance)), allowed * self.sensitivity * float(scale)))
        return rows


CASES = {}


def of(model):
    """Enters a function into the table."""

    def enter(function):
        CASES[model] = function
        return function

    return enter


def cases(path, description):
    """The runs of an FMU."""
    return CASES[description.modelName](path, description)


def step(before, after, at, stop):
    """Rows of an input that jumps."""
    return ((0.0, before), (at, before), (at, after), (stop, after))


@of("BouncingBall")
def bouncing_ball(_path, _description):
    def run(name, start, **parameters):
        bounces = ball(np.zeros(1), **parameters)[2]
        # A ball that bounces ever faster makes every error larger: up to the last visible bounces.
        stop = float(bounces[3])
        heights = lambda times: dict(zip(("h", "v"), ball(times, **parameters)))
        return Case(name, stop, heights, start, jumps=bounces, sensitivity=5.0)

    return [
        run("defaults", {}),
        run("start values", {"h": 1.5, "e": 0.5, "g": -3.7}, h=1.5, e=0.5, g=3.7),
    ]


@of("VanDerPol")
def van_der_pol(_path, _description):
    def self_excited(times):
        steps = 40_000
        states = runge_kutta(lambda t, x: (x[1], (1.0 - x[0] * x[0]) * x[1] - x[0]), (2.0, 0.0), 20.0, steps)
        grid = np.linspace(0.0, 20.0, steps + 1)
        return {"x0": np.interp(times, grid, states[:, 0]), "x1": np.interp(times, grid, states[:, 1])}

    # Without damping it is a harmonic oscillator around u.
    around = lambda t: {"x0": 0.5 + 1.5 * np.cos(t), "x1": -1.5 * np.sin(t)}

    def pushed(t):
        late = np.maximum(t - 4.0, 0.0)
        return {"x0": 2.0 * np.cos(t) + 0.5 * (1.0 - np.cos(late)), "x1": -2.0 * np.sin(t) + 0.5 * np.sin(late)}

    return [
        Case("defaults", 20.0, self_excited, sensitivity=5.0),
        Case("start values", 10.0, around, {"mu": 0.0, "u": 0.5}),
        Case("inputs", 10.0, pushed, {"mu": 0.0}, ("u",), step(0.0, 0.5, 4.0, 10.0)),
    ]


@of("Dahlquist")
def dahlquist(_path, _description):
    return [
        Case("defaults", 10.0, lambda t: {"x": np.exp(-t)}),
        Case("start values", 2.0, lambda t: {"x": 3.0 * np.exp(-2.0 * t)}, {"k": 2.0, "x": 3.0}),
    ]


@of("Stair")
def stair(_path, _description):
    whole = np.arange(1.0, 13.0)
    return [
        Case("defaults", 12.0, lambda t: {"count": np.floor(t + 1e-9)}, jumps=whole, end=10.0),
        Case("start values", 12.0, lambda t: {"count": np.floor(t + 1e-9)}, {"steps": 3}, jumps=whole, end=3.0),
    ]


@of("Feedthrough")
def feedthrough(_path, _description):
    def outputs(real, sampled, integer, boolean, fixed=2.0):
        def wanted(t):
            full = lambda value: np.full(len(t), float(value)) if np.ndim(value) == 0 else value
            real_, sampled_, integer_, boolean_ = (
                value(t) if callable(value) else full(value) for value in (real, sampled, integer, boolean)
            )
            return {
                "real_out": fixed * 0.5 * real_ + 3.0, "sampled_out": sampled_, "integer_out": integer_ + 1.0,
                "boolean_out": 1.0 - boolean_,
            }

        return wanted

    late = lambda t: (t >= 1.0 - 1e-9).astype(float)
    names = ("real_in", "sampled_in", "integer_in", "boolean_in")
    rows = (
        (0.0, 1.0, 0.0, 3, False), (1.0, 1.0, 0.0, 3, False), (1.0, -2.0, 7.5, 41, True), (2.0, -2.0, 7.5, 41, True),
    )
    return [
        Case("defaults", 2.0, outputs(0.0, 0.0, 0.0, 0.0)),
        Case("start values", 2.0, outputs(7.0, -0.5, 41.0, 1.0, fixed=4.0),
             {"real_in": 7.0, "sampled_in": -0.5, "integer_in": 41, "boolean_in": True, "fixed": 4.0}),
        Case("inputs", 2.0,
             outputs(lambda t: 1.0 - 3.0 * late(t), lambda t: 7.5 * late(t), lambda t: 3.0 + 38.0 * late(t), late),
             {}, names, rows, jumps=(1.0,)),
    ]


@of("Resource")
def resource(path, _description):
    with zipfile.ZipFile(path) as archive:
        _title, *numbers = archive.read("resources/calibration.txt").decode("utf-8").split("\n")
    coefficients = [float(number) for number in numbers if number.strip()][::-1]
    constant = lambda volts: lambda t: {"pressure": np.full(len(t), np.polyval(coefficients, volts))}
    jump = lambda t: {"pressure": np.polyval(coefficients, np.where(t >= 0.5 - 1e-9, 4.0, 2.0))}
    return [
        Case("defaults", 1.0, constant(1.0)),
        Case("start values", 1.0, constant(3.5), {"voltage": 3.5}),
        Case("inputs", 1.0, jump, {}, ("voltage",), step(2.0, 4.0, 0.5, 1.0), jumps=(0.5,)),
    ]


@of("HeatRod")
def heat_rod(_path, description):
    # One variable per element in FMI 2.0, one array in FMI 3.0.
    elements = [variable for variable in description.modelVariables if variable.name.split("[")[0] == "temperature"]
    cells = int(sum(np.prod(variable.shape) if variable.shape else 1 for variable in elements))
    places = np.arange(1, cells + 1) / (cells + 1)
    modes = np.arange(1, cells + 1)
    # The sine modes are eigenvectors of the discrete heat equation, each with its own decay.
    decays = 4.0 * 1.1e-4 * (cells + 1) ** 2 * np.sin(modes * np.pi / (2 * (cells + 1))) ** 2
    sines = np.sin(np.pi * np.outer(modes, places))

    def mean(times, before, left, right):
        steady = left + (right - left) * places
        amplitudes = 2.0 / (cells + 1) * sines @ (before - steady)
        means = sines.mean(axis=1)
        return np.mean(steady) + np.exp(-np.outer(times, decays)) @ (amplitudes * means)

    cold = np.full(cells, 293.15)

    def jump(t):
        steady = 293.15 + (353.15 - 293.15) * (1.0 - places)
        amplitudes = 2.0 / (cells + 1) * sines @ (cold - steady)
        then = steady + sines.T @ (np.exp(-decays * 400.0) * amplitudes)
        late = np.maximum(t - 400.0, 0.0)
        return {"mean": np.where(t < 400.0, mean(t, cold, 353.15, 293.15), mean(late, then, 313.15, 293.15))}

    return [
        Case("defaults", 1000.0, lambda t: {"mean": mean(t, cold, 373.15, 293.15)}),
        Case("start values", 1000.0, lambda t: {"mean": mean(t, cold, 303.15, 313.15)},
             {"left": 303.15, "right": 313.15}),
        Case("inputs", 1000.0, jump, {}, ("left",), step(353.15, 313.15, 400.0, 1000.0)),
    ]


@of("DCMotor")
def dc_motor(_path, _description):
    def constant(volts, torque):
        def wanted(times):
            matrix = motor(5e-4)
            matrix[1, 3] = -torque / 5e-4
            states = np.array([m @ [0.0, 0.0, volts, 1.0] for m in linear(matrix, times)])
            return {"current": states[:, 0], "speed": states[:, 1]}

        return wanted

    def jump(times):
        early, late = linear(motor(5e-4), np.minimum(times, 0.5)), linear(motor(5e-4), np.maximum(times - 0.5, 0.0))
        states = []
        for m, n, t in zip(early, late, times):
            x = m @ [0.0, 0.0, 24.0, 1.0]
            x[2] = 24.0 if t < 0.5 else 12.0
            states.append(n @ x)
        states = np.array(states)
        return {"current": states[:, 0], "speed": states[:, 1]}

    return [
        Case("defaults", 1.0, constant(24.0, 0.0)),
        Case("start values", 1.0, constant(12.0, 0.02), {"voltage": 12.0, "load": 0.02}),
        Case("inputs", 1.0, jump, {}, ("voltage",), step(24.0, 12.0, 0.5, 1.0)),
    ]


@of("DrivenMotor")
def driven_motor(_path, _description):
    def run(supply, ramp):
        def wanted(times):
            rising = motor(1e-3)
            rising[2, 3] = supply / ramp
            begin = np.array([m @ [0.0, 0.0, 0.0, 1.0] for m in linear(rising, np.minimum(times, ramp))])
            after = linear(motor(1e-3), np.maximum(times - ramp, 0.0))
            states = np.array([m @ state for m, state in zip(after, begin)])
            return {"power": states[:, 0] * states[:, 2]}

        return wanted

    return [
        Case("defaults", 2.0, run(24.0, 0.5)),
        Case("start values", 2.0, run(12.0, 0.25), {"supply": 12.0, "ramp": 0.25}),
    ]


@of("Controller")
def controller(_path, _description):
    def run(error, kp=2.0, ki=0.5):
        """A PI controller that samples every 0.1 s; `error(t)` is reference minus measurement."""

        def wanted(times):
            sampled = 0.1 * np.arange(0, 60)
            errors = np.array([error(t) for t in sampled])
            integral = np.cumsum(0.1 * errors)
            count = np.floor(times / 0.1 + 1e-6).astype(int)
            return {"command": kp * errors[count] + ki * integral[count], "samples": count + 1.0}

        return wanted

    samples = 0.1 * np.arange(0, 60)
    rows = ((0.0, 1.0, 0.0), (1.05, 3.0, 0.5), (5.0, 3.0, 0.5))
    return [
        Case("defaults", 5.0, run(lambda t: 1.0), jumps=samples),
        Case("start values", 5.0, run(lambda t: 2.5, kp=1.0, ki=0.2),
             {"reference": 3.0, "measurement": 0.5, "kp": 1.0, "ki": 0.2}, jumps=samples),
        Case("inputs", 5.0, run(lambda t: 1.0 if t < 1.05 else 2.5), {}, ("reference", "measurement"), rows,
             jumps=samples),
    ]


@of("TwoRate")
def drive(_path, _description):
    def run(name, start, **parameters):
        return Case(name, 1.0, lambda t: dict(zip(("phi", "omega"), two_rate(t, **parameters))), start)

    return [
        run("defaults", {}),
        run("start values", {"reference": 0.3, "tau": 0.02, "slow": 0.03, "fast": 0.01},
            reference=0.3, tau=0.02, slow=0.03, fast=0.01),
        # Between two samples of the position controller, which sees the new value at 0.51.
        Case("inputs", 1.0,
             lambda t: dict(zip(("phi", "omega"), two_rate(t, reference=lambda at: 1.0 if at < 0.505 else 0.2))),
             {}, ("reference",), step(1.0, 0.2, 0.505, 1.0)),
    ]


@of("Probe")
def probe(_path, _description):
    def wanted(rate, late_rate=0.0, at=0.0):
        def curves(t):
            x = 1.0 + rate * t + late_rate * np.maximum(t - at, 0.0)
            return {"x": x, "whole": x}

        return curves

    rows = ((0.0, 0.0, 0.0), (1.1, 0.0, 0.0), (1.1, 0.25, 0.5), (2.0, 0.25, 0.5))
    return [
        Case("defaults", 2.0, wanted(1.0)),
        Case("start values", 2.0, wanted(0.75), {"k": 0.5, "u": 0.25}),
        # A tunable parameter as a column: FMPy sets it in continuous-time mode, where it has to wait for an event.
        Case("inputs", 2.0, wanted(1.0, 0.75, 1.1), {}, ("u", "drift"), rows),
    ]


@of("DiodeBridge")
def diode_bridge(_path, _description):
    def run(name, stop, **parameters):
        times, voltages, currents = Bridge(**parameters).curves(stop, 1000)
        wanted = lambda at: {"vc": np.interp(at, times, voltages), "current": np.interp(at, times, currents)}
        return Case(name, stop, wanted, parameters, sensitivity=5.0)

    return [
        run("defaults", 0.02),
        run("start values", 0.01, amplitude=-6.0, frequency=100.0, load=200.0),
    ]


@of("Woodpecker")
def woodpecker(_path, _description):
    def run(name, **start):
        # Events that follow each other make every error larger: up to the second hit.
        stop = 0.16
        wanted, events = Woodpecker(**start).curves(stop)
        return Case(name, stop, wanted, start, jumps=events, sensitivity=5.0)

    return [run("defaults"), run("start values", z=0.01, phi_b=-0.5)]


@of("BlockedPendulum")
def pendulum(_path, _description):
    def run(name, stop, start, **parameters):
        wanted, impacts = blocked_pendulum(stop, **parameters)
        return Case(name, stop, wanted, start, jumps=impacts, sensitivity=5.0)

    return [
        # It begins near the top, where errors grow: up to the second impact.
        run("defaults", 4.0, {}),
        run("start values", 6.0, {"theta": 2.5, "g0": 3.7, "l": 0.5}, theta=2.5, g=3.7, l=0.5),
    ]
