"""Closed forms and tight references of the examples, for those who compare."""

import math

import numpy as np


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


def linear(matrix, times):
    """exp(matrix t) for every time, by scaling, Taylor's series and squaring."""
    results = []
    for time in times:
        scaled = np.asarray(matrix, dtype=float) * (time / 1024.0)
        term = total = np.eye(len(scaled))
        for k in range(1, 20):
            term = term @ scaled / k
            total = total + term
        for _ in range(10):
            total = total @ total
        results.append(total)
    return results


def motor(inertia):
    """The motor of the examples: der(current, speed, voltage, 1) by a matrix; the voltage is a state that is constant."""
    resistance, inductance, constant, friction = 1.0, 0.01, 0.05, 1e-4
    return np.array([
        [-resistance / inductance, -constant / inductance, 1.0 / inductance, 0.0],
        [constant / inertia, -friction / inertia, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
    ])


def two_rate(times, reference=1.0, tau=0.05, gain=1.5, slow=0.01, fast=0.001):
    """Position and speed of a motor under a position controller and a faster speed controller: the exact recursion of
    samples, with the exact solution of the motor behind the last one. The reference is a number, or a function of time that
    has a value at each sample of the slow controller."""
    at = reference if callable(reference) else lambda _time: reference
    times = np.asarray(times, dtype=float)
    every = round(slow / fast)
    rows = []
    phi = omega = asked = integral = 0.0
    for k in range(int(np.max(times) / fast) + 2):
        if k % every == 0:
            asked = min(max(8.0 * (at(k * fast) - phi), -5.0), 5.0)
        integral += 0.05 * (asked - omega)
        steady = gain * (2.0 * (asked - omega) + integral)
        rows.append((phi, omega, steady))
        decay = math.exp(-fast / tau)
        phi += steady * fast + (omega - steady) * tau * (1.0 - decay)
        omega = steady + (omega - steady) * decay
    last = np.floor(times / fast + 1e-6).astype(int)
    phi, omega, steady = np.array(rows)[last].T
    since = times - fast * last
    decay = np.exp(-since / tau)
    return phi + steady * since + (omega - steady) * tau * (1.0 - decay), steady + (omega - steady) * decay


class Bridge:
    """The diode bridge, solved without our own code: junction voltages by Newton's method, for one point in time."""

    def __init__(self, amplitude=10.0, frequency=50.0, phase=0.5, load=1000.0):
        self.amplitude, self.frequency, self.phase, self.load = amplitude, frequency, phase, load
        self.source, self.bulk, self.capacitance = 10.0, 0.5, 1e-4
        self.saturation, self.thermal, self.leakage = 1e-9, 0.02585, 1e-5
        self.guess = np.array([0.5, -1.0, -1.0, 0.5])

    def system(self, v, u, vc):
        """Residuals of Kirchhoff's laws, their Jacobian by the voltages, and the currents."""
        i = self.saturation * np.expm1(v / self.thermal) + self.leakage * v
        g = self.slopes(v)
        drop, slope = v + self.bulk * i, 1.0 + self.bulk * g
        current = i[0] - i[2]
        residual = np.array(
            [drop[0] + drop[2] + vc, drop[1] + drop[3] + vc, current + i[1] - i[3],
             drop[3] - drop[2] + self.source * current - u]
        )
        jacobian = np.array(
            [[slope[0], 0.0, slope[2], 0.0], [0.0, slope[1], 0.0, slope[3]], [g[0], g[1], -g[2], -g[3]],
             [self.source * g[0], 0.0, -slope[2] - self.source * g[2], slope[3]]]
        )
        return residual, jacobian, i

    def slopes(self, v):
        """How the currents change with the voltages."""
        return self.saturation / self.thermal * np.exp(v / self.thermal) + self.leakage

    def solve(self, t, vc):
        """Voltages, currents and Jacobian; steps are limited so that no exponential overflows."""
        u, v = self.amplitude * math.sin(2.0 * math.pi * self.frequency * t + self.phase), self.guess.copy()
        for _ in range(500):
            residual, jacobian, i = self.system(v, u, vc)
            step = np.linalg.solve(jacobian, -residual)
            largest = np.max(np.abs(step))
            v = v + step * min(1.0, 0.1 / largest if largest > 0.0 else 1.0)
            if largest < 1e-14:
                break
        self.guess = v
        return v, self.system(v, u, vc)[2], self.system(v, u, vc)[1]

    def derivative(self, t, x):
        """dvc/dt."""
        i = self.solve(t, x[0])[1]
        return ((i[0] + i[1] - x[0] / self.load) / self.capacitance,)

    def curves(self, stop, steps):
        """Times, voltages of the capacitor and currents of the source."""
        states = runge_kutta(self.derivative, (0.0,), stop, steps)[:, 0]
        times = np.linspace(0.0, stop, steps + 1)
        currents = []
        for t, vc in zip(times, states):
            i = self.solve(t, vc)[1]
            currents.append(i[0] - i[2])
        return times, states, np.array(currents)


class Woodpecker:
    """The toy woodpecker of Andersson 2016, appendix A.1: between two events every phase is linear, so it is solved exactly,
    and the multipliers of the constraints are unknowns of one system of equations."""

    MS, MB, JS, JB = 3.0e-4, 4.5e-3, 5.0e-9, 7.0e-7
    R0, RS, HS, HB = 2.5e-3, 3.1e-3, 5.8e-3, 2.0e-2
    LS, LG, LB, CP, G = 1.0e-2, 1.5e-2, 2.01e-2, 5.6e-3, 9.81
    # Of the rows of the state z, phi_s, phi_b and their velocities.
    NAMES = ("z", "phi_s", "phi_b")

    def __init__(self, **start):
        first = {"z": 0.0, "phi_s": -0.10344, "phi_b": -0.65} | start
        mb, ls, lg = self.MB, self.LS, self.LG
        self.mass = np.array([
            [self.MS + mb, mb * ls, mb * lg],
            [mb * ls, self.JS + mb * ls * ls, mb * ls * lg],
            [mb * lg, mb * ls * lg, self.JB + mb * lg * lg],
        ])
        spring = np.array([[0.0, 0.0, 0.0], [0.0, -self.CP, self.CP], [0.0, self.CP, -self.CP]])
        weight = -self.G * np.array([self.MS + mb, mb * ls, mb * lg])
        self.phases = {
            phase: self.phase(constraints, spring, weight)
            for phase, constraints in (
                (1, []),
                (2, [[0.0, self.HS, 0.0], [1.0, self.RS, 0.0]]),
                (3, [[0.0, -self.HS, 0.0], [1.0, self.RS, 0.0]]),
            )
        }
        # The last entry is 1.
        self.start = np.array([first["z"], first["phi_s"], first["phi_b"], 0.0, 0.0, 0.0, 1.0])

    def phase(self, constraints, spring, weight):
        """The matrix of the differential equation, the row that gives the first multiplier, and the matrix of an impact."""
        g = np.array(constraints, dtype=float).reshape(-1, 3)
        size = len(g)
        whole = np.block([[self.mass, g.T], [g, np.zeros((size, size))]])
        right = np.zeros((3 + size, 7))
        right[:3, :3], right[:3, 6] = spring, weight
        solved = np.linalg.solve(whole, right)
        matrix = np.zeros((7, 7))
        matrix[:3, 3:6] = np.eye(3)
        matrix[3:6] = solved[:3]
        momentum = np.zeros((3 + size, 7))
        momentum[:3, 3:6] = self.mass
        impact = np.eye(7)
        impact[3:6] = np.linalg.solve(whole, momentum)[:3]
        return matrix, solved[3] if size else None, impact

    def conditions(self, phase, x):
        """What ends a phase when it becomes positive, and the phase that follows; 0 for a hit."""
        play = self.RS - self.R0
        multiplier = self.phases[phase][1]
        if phase == 1:
            return ((-play - self.HS * x[1], x[5] < 0.0, 2), (self.HS * x[1] - play, x[5] > 0.0, 3))
        if phase == 2:
            return ((multiplier @ x, True, 1),)
        hit = self.HB * x[2] - (self.LS + self.LG - self.LB - self.R0)
        return ((hit, x[5] > 0.0, 0), (multiplier @ x, x[5] < 0.0, 1))

    def solve(self, stop, step=2e-5):
        """Pieces of the solution: begin, end, state at the begin, matrix, phase and hits so far."""
        t, x, phase, hits, pieces = 0.0, self.start, 2, 0, []
        while t < stop:
            matrix = self.phases[phase][0]
            forward = linear(matrix, [step])[0]
            begin, first = t, x
            before = self.conditions(phase, x)
            following = None
            while following is None and t < stop:
                after = forward @ x
                for (old, _, _), (new, is_meant, target) in zip(before, self.conditions(phase, after)):
                    if old <= 0.0 < new and is_meant:
                        following = target
                if following is None:
                    t, x, before = t + step, after, self.conditions(phase, after)
            if following is not None:
                low, high = 0.0, step
                which = [target for _, _, target in before].index(following)
                for _ in range(45):
                    middle = 0.5 * (low + high)
                    value = self.conditions(phase, linear(matrix, [middle])[0] @ x)[which][0]
                    low, high = (low, middle) if value > 0.0 else (middle, high)
                t, x = t + high, linear(matrix, [high])[0] @ x
            pieces.append((begin, t, first, matrix, phase, hits))
            if following == 0:
                x, hits = x.copy(), hits + 1
                x[5] = -x[5]
            elif following is not None:
                phase = following
                x = self.phases[phase][2] @ x
        return pieces

    def curves(self, stop):
        """A function of times that gives all outputs, and the times of its events."""
        pieces = self.solve(stop)
        ends = np.array([end for _, end, *_ in pieces])

        def wanted(times):
            times = np.asarray(times, dtype=float)
            result = {name: np.zeros(len(times)) for name in (*self.NAMES, "state", "hits")}
            which = np.minimum(np.searchsorted(ends, times, side="right"), len(pieces) - 1)
            for number in np.unique(which):
                begin, _, first, matrix, phase, hits = pieces[number]
                inside = which == number
                states = np.array([m @ first for m in linear(matrix, times[inside] - begin)])
                for row, name in enumerate(self.NAMES):
                    result[name][inside] = states[:, row]
                result["state"][inside], result["hits"][inside] = phase, hits
            return result

        return wanted, ends[:-1]


def blocked_pendulum(stop, theta=2.7, g=9.81, l=1.0, wall=-0.75 * math.pi):
    """A function of times that gives angle, velocity and impacts of a pendulum that a wall reflects, and the times of the
    impacts: it comes back the way that it went, so one fall from rest is all that must be integrated."""
    step = 5e-5
    length = 2.0 * math.pi * math.sqrt(l / g)
    steps = int(2.0 * length / step)
    states = runge_kutta(lambda _t, x: (x[1], -g / l * math.sin(x[0])), (theta, 0.0), steps * step, steps)
    beyond = int(np.argmax(states[:, 0] < wall))
    assert states[beyond, 0] < wall, "it does not reach the wall"
    grid = step * np.arange(len(states))
    # Newton's method on the parabola behind the last point before the wall.
    angle, speed = states[beyond - 1]
    since = 0.0
    for _ in range(20):
        slope = -g / l * math.sin(angle)
        since -= (angle + speed * since + 0.5 * slope * since**2 - wall) / (speed + slope * since)
    fall = grid[beyond - 1] + since
    impacts = fall * np.arange(1.0, stop / fall + 1.0, 2.0)

    def wanted(times):
        times = np.asarray(times, dtype=float)
        period = np.mod(times, 2.0 * fall)
        back = period > fall
        place = np.where(back, 2.0 * fall - period, period)
        angles, speeds = np.interp(place, grid, states[:, 0]), np.interp(place, grid, states[:, 1])
        return {
            "theta": angles, "omega": np.where(back, -speeds, speeds),
            "impacts": np.searchsorted(impacts, times, side="right").astype(float),
        }

    return wanted, impacts
