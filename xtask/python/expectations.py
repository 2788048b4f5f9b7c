"""What each example must compute: closed forms and tight references, one function per model.

A new model needs a function here, marked with `@expectation("ModelName")`; it gets the FMU (`fmu.simulate(...)` gives
FMPy's result array) and `checks` (`that`, `equal`, `close`). It is called once for each interface.
"""

import math
import zipfile

import fmpy
import numpy as np

from curves import Bridge, Woodpecker, ball, blocked_pendulum, linear, motor, runge_kutta, two_rate

EXPECTATIONS = {}


def expectation(model):
    """Enters a function into the table."""

    def enter(function):
        EXPECTATIONS[model] = function
        return function

    return enter


def check_jacobian(instance, checks, unknowns, knowns, wanted):
    """Directional derivatives against an analytic Jacobian, to 1e-12 of the largest entry of each row."""
    found, wanted = instance.jacobian(unknowns, knowns), np.array(wanted, dtype=float)
    for row, name in enumerate(unknowns):
        scale = max(np.max(np.abs(wanted[row])), 1e-300)
        checks.close(f"the gradient of {name}", found[row] / scale, wanted[row] / scale, 1e-12)


@expectation("BouncingBall")
def bouncing_ball(fmu, checks):
    # The last bounces are lower than a coarser absolute tolerance can see.
    result = fmu.simulate(
        stop_time=3.0, output_interval=0.01, relative_tolerance=1e-11, output=["h", "v", "resting"]
    )
    times = result["time"]
    heights, velocities, bounces = ball(times)
    # The velocity jumps at a bounce: compare away from them. An event time is right to the solver's tolerance, and
    # what is wrong with one is wrong with all that follow.
    away = np.all(np.abs(times[:, None] - bounces[None, :]) > 1e-4, axis=1)
    checks.close("h", result["h"][away], heights[away], 1e-6)
    checks.close("v", result["v"][away], velocities[away], 5e-4)
    checks.that(bool(np.all(result["h"] > -1e-6)), "the ball is below the ground")
    checks.equal("the ball at the end: resting", bool(result["resting"][-1]), True)
    # FMPy's own tolerance is coarser, and yet one bounce is one event: the nominal height shows the solver what matters.
    plain = fmpy.simulate_fmu(fmu.path, fmi_type=fmu.interface)
    lowest, last = float(np.min(plain["h"])), plain[-1]
    checks.that(lowest > -1e-4, f"with FMPy's defaults the ball is at h = {lowest}, below the ground")
    checks.equal("with FMPy's defaults at the end: h, v, resting", (last["h"], last["v"], bool(last["resting"])), (0.0, 0.0, True))
    if fmu.is_model_exchange:
        twice = int(np.sum(np.diff(plain["time"]) == 0.0))
        checks.equal("with FMPy's defaults: number of events", twice, len(bounces))
        checks.that(len(plain) < 2000, f"with FMPy's defaults there are {len(plain)} rows")
    checks.close("the ball at the end: h, v", [result["h"][-1], result["v"][-1]], [0.0, 0.0], 0.0)
    at_rest = times[result["resting"].astype(bool)]
    # Between two communication points it is not visible.
    checks.close("time of rest", at_rest[0], bounces[-1], 1e-4 if fmu.is_model_exchange else 0.01)
    # Every bounce is an event, and FMPy records the two sides of each: twice the same time.
    if fmu.is_model_exchange:
        twice = int(np.sum(np.diff(times) == 0.0))
        checks.equal("number of events", twice, len(bounces))

    higher = fmu.simulate(stop_time=0.6, start_values={"h": 1.5, "e": 0.5}, output=["h", "v"])
    times = higher["time"]
    heights, velocities, bounces = ball(times, h=1.5, e=0.5)
    away = np.abs(times - bounces[0]) > 1e-6
    checks.close("h from 1.5 m", higher["h"][away], heights[away], 1e-6)


@expectation("VanDerPol")
def van_der_pol(fmu, checks):
    end, steps, every = 10.0, 100_000, 1000
    for mu in (1.0, 3.0):
        reference = runge_kutta(
            lambda t, x: (x[1], mu * ((1.0 - x[0] * x[0]) * x[1]) - x[0]), (2.0, 0.0), end, steps
        )[::every]
        result = fmu.simulate(stop_time=end, output_interval=end * every / steps, start_values={"mu": mu},
                              output=["x0", "x1"])
        checks.close(f"x0, mu = {mu}", result["x0"], reference[:, 0], 1e-5)
        checks.close(f"x1, mu = {mu}", result["x1"], reference[:, 1], 2e-5)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance["mu"] = 5.0
        instance.start()
        instance["x0"], instance["x1"], instance["u"] = 1.5, -0.3, 0.7
        check_jacobian(
            instance,
            checks,
            ["der(x0)", "der(x1)", "x0"],
            ["x0", "x1", "u"],
            [[0.0, 1.0, 0.0], [5.0 * (-2.0 * 1.5 * -0.3) - 1.0, 5.0 * (1.0 - 1.5**2), 1.0], [1.0, 0.0, 0.0]],
        )


@expectation("Dahlquist")
def dahlquist(fmu, checks):
    result = fmu.simulate(stop_time=10.0, output_interval=0.1, output=["x"])
    checks.close("x", result["x"], np.exp(-result["time"]), 1e-7)
    result = fmu.simulate(stop_time=1.0, output_interval=0.1, start_values={"k": 5.0, "x": -2.0}, output=["x"])
    checks.close("x with k = 5", result["x"], -2.0 * np.exp(-5.0 * result["time"]), 1e-7)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance["k"], instance["x"] = 0.3, 2.0
        instance.model.enterInitializationMode()
        check_jacobian(instance, checks, ["der(x)"], ["x", "k"], [[-0.3, -2.0]])


@expectation("Stair")
def stair(fmu, checks):
    result = fmu.simulate(stop_time=12.0, output_interval=0.2, output=["count"])
    times = result["time"]
    away = np.abs(times - np.round(times)) > 1e-6
    checks.close("count", result["count"][away], np.floor(times[away]), 0.0)
    checks.close("the end, which the model decides", times[-1], 10.0, 1e-9)
    result = fmu.simulate(stop_time=12.0, output_interval=0.2, start_values={"steps": 3}, output=["count"])
    checks.close("the end of a stair with 3 steps", result["time"][-1], 3.0, 1e-9)


@expectation("Feedthrough")
def feedthrough(fmu, checks):
    signal = np.array([(0.0, 1.0), (1.0, 3.0), (2.0, -1.0)], dtype=[("time", float), ("real_in", float)])
    result = fmu.simulate(stop_time=2.0, output_interval=0.1, input=signal, output=["real_out", "product", "shift"])
    wanted = np.interp(fmu.input_times(result["time"], 0.1), signal["time"], signal["real_in"]) + 3.0
    checks.close("real_out", result["real_out"], wanted, 1e-12)
    checks.close("product", result["product"], np.full(len(result), 1.0), 0.0)
    checks.close("shift", result["shift"], np.full(len(result), 3.0), 0.0)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance["fixed"] = 4.0
        instance.model.enterInitializationMode()
        inputs = {"real_in": 7.0, "sampled_in": -0.5, "integer_in": 41, "boolean_in": True, "direction_in": 2}
        for name, value in (inputs | {"string_in": "w\u00f6rld"}).items():
            instance[name] = value
        wanted = {
            "real_out": 4.0 * 0.5 * -7.0 + 3.0, "sampled_out": -0.5, "integer_out": 42, "boolean_out": False,
            "direction_out": 2, "string_out": "Hello, w\u00f6rld!", "product": 2.0, "directed": -7.0,
        }
        for name, value in wanted.items():
            checks.equal(f"{name} in initialization mode", instance[name], value)
        instance.model.exitInitializationMode()
        instance["direction_in"] = 3
        instance["tunable"] = 1.0
        instance.update_discrete_states()
        checks.equal("real_out with nothing going through", instance["real_out"], 3.0)
        checks.equal("product with another tunable", instance["product"], 4.0)
    with fmu.instance() as instance:
        instance["fixed"], instance["tunable"] = 4.0, 0.25
        instance.start()
        check_jacobian(instance, checks, ["real_out"], ["real_in", "time"], [[1.0, 0.0]])


@expectation("Resource")
def resource(fmu, checks):
    with zipfile.ZipFile(fmu.path) as archive:
        title, *numbers = archive.read("resources/calibration.txt").decode("utf-8").split("\n")
    coefficients = [float(number) for number in numbers if number.strip()]
    signal = np.array([(0.0, 0.0), (1.0, 5.0)], dtype=[("time", float), ("voltage", float)])
    result = fmu.simulate(stop_time=1.0, output_interval=0.1, input=signal, output=["pressure", "count"])
    wanted = np.polyval(coefficients[::-1], 5.0 * fmu.input_times(result["time"], 0.1))
    checks.close("pressure", result["pressure"], wanted, 1e-12 * np.max(np.abs(wanted)))
    checks.equal("count", int(result["count"][-1]), len(coefficients))
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance.model.enterInitializationMode()
        checks.equal("title", instance["title"], title)


@expectation("HeatRod")
def heat_rod(fmu, checks):
    # The sine modes are eigenvectors of the discrete heat equation, too: each decays by itself, exactly.
    cells = sum(variable.name.startswith("temperature[") for variable in fmu.description.modelVariables)
    end, mean = 1000.0, 300.0
    angle = np.pi / (cells + 1) * np.arange(1, cells + 1)
    rate = 1.1e-4 * (cells + 1) ** 2
    profile = np.zeros(cells)
    initial = np.zeros(cells)
    for mode, amplitude in ((1, 20.0), (3, 5.0)):
        decay = 4.0 * rate * math.sin(mode * math.pi / (2 * (cells + 1))) ** 2
        initial += amplitude * np.sin(mode * angle)
        profile += amplitude * np.sin(mode * angle) * math.exp(-decay * end)
    names = [f"temperature[{i + 1}]" for i in range(cells)]
    start = {name: mean + value for name, value in zip(names, initial)}
    ends = np.array([(0.0, mean, mean)], dtype=[("time", float), ("left", float), ("right", float)])
    result = fmu.simulate(
        stop_time=end, output_interval=end, relative_tolerance=1e-8, output=names + ["mean"],
        start_values=start, input=ends,
    )
    final = np.array([result[name][-1] for name in names])
    checks.close("temperatures", final, mean + profile, 1e-4)
    checks.close("mean", result["mean"][-1], mean + np.mean(profile), 1e-4)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance.start()
        count = sum(name.startswith("temperature[") for name in instance.variables)
        rate = instance["rate"]
        names = [f"temperature[{i}]" for i in (1, 2, 3, count)]
        check_jacobian(
            instance,
            checks,
            ["der(temperature[1])", "der(temperature[2])", f"der(temperature[{count}])", "mean"],
            [*names, "left", "right"],
            [
                [-2 * rate, rate, 0, 0, rate, 0],
                [rate, -2 * rate, rate, 0, 0, 0],
                [0, 0, 0, -2 * rate, 0, rate],
                [1 / count] * 4 + [0, 0],
            ],
        )


@expectation("DCMotor")
def dc_motor(fmu, checks):
    result = fmu.simulate(stop_time=1.0, output_interval=0.01, output=["current", "speed", "rotor.speed"])
    wanted = np.array([m @ [0.0, 0.0, 24.0, 1.0] for m in linear(motor(5e-4), result["time"])])
    checks.close("current", result["current"], wanted[:, 0], 1e-5)
    checks.close("speed", result["speed"], wanted[:, 1], 1e-4)
    checks.close("rotor.speed", result["rotor.speed"], result["speed"], 0.0)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance.start()
        knowns = ["armature.current", "rotor.speed", "voltage", "load"]
        matrix = motor(5e-4)
        check_jacobian(
            instance,
            checks,
            ["der(armature.current)", "der(rotor.speed)", "torque"],
            knowns,
            [[*matrix[0, :3], 0.0], [*matrix[1, :3], -1.0 / 5e-4], [0.05, 0.0, 0.0, 0.0]],
        )


@expectation("DrivenMotor")
def driven_motor(fmu, checks):
    result = fmu.simulate(stop_time=2.0, output_interval=0.01, output=["motor.current", "motor.speed", "power"])
    times = result["time"]
    rising = motor(1e-3)
    rising[2, 3] = 24.0 / 0.5  # volts per second
    ramp = np.array([m @ [0.0, 0.0, 0.0, 1.0] for m in linear(rising, np.minimum(times, 0.5))])
    after = linear(motor(1e-3), np.maximum(times - 0.5, 0.0))
    wanted = np.array([m @ state for m, state in zip(after, ramp)])
    checks.close("motor.current", result["motor.current"], wanted[:, 0], 1e-5)
    checks.close("motor.speed", result["motor.speed"], wanted[:, 1], 1e-4)
    checks.close("power", result["power"], wanted[:, 0] * wanted[:, 2], 1e-3)


@expectation("Controller")
def controller(fmu, checks):
    result = fmu.simulate(stop_time=2.0, output_interval=0.05, output=["command", "samples"])
    times = result["time"]
    away = np.abs(times / 0.1 - np.round(times / 0.1)) > 1e-6
    samples = np.floor(times[away] / 0.1) + 1.0
    checks.close("samples", result["samples"][away], samples, 0.0)
    checks.close("command for a constant error of 1", result["command"][away], 2.0 + 0.5 * 0.1 * samples, 1e-12)
    # Sample by sample, with a measurement that moves, as a master of purely discrete FMUs would: from event to event.
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance.model.enterInitializationMode()
        instance.model.exitInitializationMode()
        integral, due = 0.0, 0.0
        for k in range(30):
            measurement = math.sin(0.3 * k)
            if k > 0:
                instance.model.setTime(due)
                instance.model.enterEventMode()
            instance["measurement"] = measurement
            next_due = instance.update_discrete_states()
            integral += 0.1 * (1.0 - measurement)
            checks.close(f"command of sample {k}", instance["command"], 2.0 * (1.0 - measurement) + 0.5 * integral, 1e-12)
            checks.close(f"time of sample {k + 1}", next_due, 0.1 * (k + 1), 1e-12)
            due = next_due


@expectation("TwoRate")
def drive(fmu, checks):
    result = fmu.simulate(stop_time=1.0, output_interval=0.01, relative_tolerance=1e-9, output=["phi", "omega"])
    phi, omega = two_rate(result["time"])
    checks.close("phi", result["phi"], phi, 1e-6)
    checks.close("omega", result["omega"], omega, 1e-5)
    if not fmu.is_model_exchange:
        return
    # From sample to sample without an integrator: the samples of both rates are one event, and none of them drifts.
    with fmu.instance() as instance:
        instance.model.enterInitializationMode()
        instance.model.exitInitializationMode()
        due = instance.update_discrete_states()
        for k in range(1, 101):
            checks.equal(f"time of sample {k}", due, k * 0.001)
            instance.model.enterContinuousTimeMode()
            instance.model.setTime(due)
            instance.model.enterEventMode()
            due = instance.update_discrete_states()


@expectation("Probe")
def probe(fmu, checks):
    # What the probe does on request is the C driver's business; left alone it is a line and a decay.
    result = fmu.simulate(stop_time=2.0, output_interval=0.1, start_values={"k": 0.5},
                          output=["x", "y", "k_squared", "whole", "part", "time_events"])
    times = result["time"]
    checks.close("x", result["x"], 1.0 + 0.5 * times, 1e-7)
    checks.close("y", result["y"], 0.25 * np.exp(-times), 1e-7)
    checks.close("whole", result["whole"], result["x"], 1e-12)
    checks.close("k_squared", result["k_squared"], np.full(len(result), 0.25), 0.0)
    checks.equal("time events", int(result["time_events"][-1]), 4)


@expectation("DiodeBridge")
def diode_bridge(fmu, checks):
    times, voltages, currents = Bridge().curves(0.02, 2000)
    result = fmu.simulate(
        stop_time=0.02, output_interval=0.0001, relative_tolerance=1e-9, output=["vc", "current"]
    )
    checks.close("vc", result["vc"], np.interp(result["time"], times, voltages), 1e-4)
    checks.close("current", result["current"], np.interp(result["time"], times, currents), 1e-4)
    if not fmu.is_model_exchange:
        return
    with fmu.instance() as instance:
        instance.start()
        instance["vc"] = 3.0
        bridge = Bridge()
        v, _, jacobian = bridge.solve(0.0, 3.0)
        # The implicit function theorem, for the voltage of the capacitor.
        by_vc = np.linalg.solve(jacobian, [-1.0, -1.0, 0.0, 0.0])
        slopes = bridge.slopes(v)
        current = slopes[0] * by_vc[0] - slopes[2] * by_vc[2]
        charge = (slopes[0] * by_vc[0] + slopes[1] * by_vc[1] - 1.0 / bridge.load) / bridge.capacitance
        names = [f"v[{k}]" for k in range(1, 5)]
        checks.close("voltages of the junctions", [instance[name] for name in names], v, 1e-13)
        check_jacobian(
            instance,
            checks,
            [*names, "current", "der(vc)"],
            ["vc"],
            [*([slope] for slope in by_vc), [current], [charge]],
        )


@expectation("Woodpecker")
def woodpecker(fmu, checks):
    wanted, events = Woodpecker().curves(1.0)
    names = ["z", "phi_s", "phi_b", "state", "hits"]
    result = fmu.simulate(stop_time=1.0, output_interval=0.001, relative_tolerance=1e-10, output=names)
    times = result["time"]
    away = np.all(np.abs(times[:, None] - events[None, :]) > 1e-5, axis=1)
    curves = wanted(times)
    for name, tolerance in (("z", 1e-7), ("phi_s", 1e-5), ("phi_b", 1e-5), ("state", 0.0), ("hits", 0.0)):
        checks.close(name, result[name][away], curves[name][away], tolerance)
    # Andersson 2016, figure 8.13: two hits in 0.16 s, eleven in 1 s.
    checks.equal("hits by 0.16 s", int(result["hits"][np.searchsorted(times, 0.16)]), 2)
    checks.equal("hits by 1 s", int(result["hits"][-1]), 11)


@expectation("BlockedPendulum")
def pendulum(fmu, checks):
    wanted, impacts = blocked_pendulum(10.0)
    result = fmu.simulate(stop_time=10.0, output_interval=0.01, relative_tolerance=1e-10,
                          output=["theta", "omega", "impacts"])
    times = result["time"]
    away = np.all(np.abs(times[:, None] - impacts[None, :]) > 1e-4, axis=1)
    curves = wanted(times)
    for name, tolerance in (("theta", 1e-6), ("omega", 1e-5), ("impacts", 0.0)):
        checks.close(name, result[name][away], curves[name][away], tolerance)
    if fmu.is_model_exchange:
        # The pendulum may cross the wall once more on its way back, which is an event without a jump.
        events = times[1:][np.diff(times) == 0.0]
        impacts = impacts[impacts < 10.0]
        nearest = [events[np.argmin(np.abs(events - impact))] for impact in impacts]
        checks.close("times of the impacts", nearest, impacts, 1e-7)
