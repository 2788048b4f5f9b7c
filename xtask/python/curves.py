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
    samples, with the exact solution of the motor behind the last one."""
    times = np.asarray(times, dtype=float)
    every = round(slow / fast)
    rows = []
    phi = omega = asked = integral = 0.0
    for k in range(int(np.max(times) / fast) + 2):
        if k % every == 0:
            asked = min(max(8.0 * (reference - phi), -5.0), 5.0)
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
