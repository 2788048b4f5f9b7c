"""What each example must compute: closed forms and tight references, one function a model.

A new model needs a function here, marked with `@expectation("ModelName")`; it gets the FMU (`fmu.simulate(...)` gives
FMPy's result array) and `checks` (`that`, `equal`, `close`).
"""

import math

import numpy as np

EXPECTATIONS = {}


def expectation(model):
    """Enters a function into the table."""

    def enter(function):
        EXPECTATIONS[model] = function
        return function

    return enter


def runge_kutta(f, x, t_end, steps):
    """The classical method of order 4 with constant steps: the tight reference where there is no closed form."""
    h = t_end / steps
    x, t, states = list(x), 0.0, []
    for _ in range(steps):
        states.append(tuple(x))
        k1 = f(t, x)
        k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(x, k1)])
        k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(x, k2)])
        k4 = f(t + h, [a + h * b for a, b in zip(x, k3)])
        x = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]
        t += h
    states.append(tuple(x))
    return np.array(states)


def ball(times, h=1.0, g=9.81, e=0.7, at_rest=1e-3):
    """Height and velocity of the bouncing ball, its bounces and the time of rest: parabolas between the bounces."""
    bounces, start, height, speed = [], 0.0, h, 0.0
    pieces = []
    while True:
        end = start + (speed + math.sqrt(speed * speed + 2 * g * height)) / g
        pieces.append((start, end, height, speed))
        bounces.append(end)
        impact = math.sqrt(speed * speed + 2 * g * height)
        start, height, speed = end, 0.0, e * impact
        if speed < at_rest:
            break
    heights, velocities = np.zeros_like(times), np.zeros_like(times)
    for begin, end, height, speed in pieces:
        inside = (times >= begin) & (times < end)
        dt = times[inside] - begin
        heights[inside] = height + speed * dt - g / 2 * dt**2
        velocities[inside] = speed - g * dt
    return heights, velocities, np.array(bounces)


@expectation("BouncingBall")
def bouncing_ball(fmu, checks):
    result = fmu.simulate(stop_time=3.0, output_interval=0.01, output=["h", "v", "resting"])
    times = result["time"]
    heights, velocities, bounces = ball(times)
    # The velocity jumps at a bounce: compare away from them. An event time is right to the solver's tolerance.
    away = np.all(np.abs(times[:, None] - bounces[None, :]) > 1e-6, axis=1)
    checks.close("h", result["h"][away], heights[away], 1e-6)
    checks.close("v", result["v"][away], velocities[away], 1e-5)
    checks.that(bool(np.all(result["h"] > -1e-6)), "the ball is below the ground")
    checks.equal("the ball at the end: resting", bool(result["resting"][-1]), True)
    checks.close("the ball at the end: h, v", [result["h"][-1], result["v"][-1]], [0.0, 0.0], 0.0)
    at_rest = times[result["resting"].astype(bool)]
    checks.close("time of rest", at_rest[0], bounces[-1], 1e-5)
    # Every bounce is an event, and FMPy records the two sides of each: twice the same time.
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


@expectation("Dahlquist")
def dahlquist(fmu, checks):
    result = fmu.simulate(stop_time=10.0, output_interval=0.1, output=["x"])
    checks.close("x", result["x"], np.exp(-result["time"]), 1e-7)
