"""Gradients that CasADi computes through our FMUs of FMI 3.0, against closed forms. The FMU says in its log when it was asked for an
adjoint derivative, and computed it in reverse mode.

Usage: check_casadi.py VanDerPol.fmi3.fmu HeatRod.fmi3.fmu   (both with `--arrays scalar`)
Prints a line for everything that failed, and `N passed, M failed` at the end.
"""

import subprocess
import sys
import tempfile
import zipfile

WORDS = "in reverse mode"


def van_der_pol(folder):
    """The gradient of a weighted sum of both derivatives by both states and the input."""
    import casadi

    builder = casadi.DaeBuilder("model", folder, {"debug": True})
    function = builder.create("f", ["x", "u"], ["ode"])
    x, u, weights = [1.5, 0.3], [0.2], [1.0, 2.0]
    gradient = function.reverse(1)(x, u, function(x, u), weights)
    found = [float(value) for part in gradient for value in part.full().flatten()]
    mu = 1.0
    wanted = [
        weights[1] * (-2 * mu * x[0] * x[1] - 1),
        weights[0] + weights[1] * mu * (1 - x[0] ** 2),
        weights[1],
    ]
    return found, wanted


def heat_rod(folder):
    """The gradient of the mean of a thousand temperatures by each of them."""
    import casadi

    builder = casadi.DaeBuilder("model", folder, {"debug": True})
    function = builder.create("f", ["x"], ["y"])
    x = [293.15 + 0.01 * k for k in range(function.size1_in(0))]
    (gradient,) = [function.reverse(1)(x, function(x), [1.0])]
    found = [float(value) for value in gradient.full().flatten()]
    return found, [1.0 / len(x)] * len(x)


MODELS = {"VanDerPol": van_der_pol, "HeatRod": heat_rod}


def child(name, path):
    """One FMU, in a process of its own: its log goes to the standard output."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        found, wanted = MODELS[name](folder)
    worst = max(abs(a - b) for a, b in zip(found, wanted, strict=True))
    print(f"worst difference: {worst:.3g}", flush=True)
    return 0 if len(found) == len(wanted) and worst <= 1e-12 else 1


def main(paths):
    """All FMUs."""
    passed = failed = 0
    for path in paths:
        name = path.rsplit("/", 1)[-1].split(".")[0]
        run = subprocess.run(
            [sys.executable, __file__, "--child", name, path], capture_output=True, text=True, timeout=300, check=False
        )
        calls = run.stdout.count(WORDS)
        lines = [line for line in run.stdout.splitlines() if line.startswith("worst")]
        print(f"{name}: {lines[-1] if lines else 'no result'}, {calls} message(s) of adjoint derivatives")
        for is_good, what in (
            (run.returncode == 0, f"the gradient: {run.stderr[-500:]}"),
            (calls > 0, "the FMU was not asked for an adjoint derivative"),
        ):
            passed, failed = passed + is_good, failed + (not is_good)
            if not is_good:
                print(f"FAILED {name}: {what}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sys.exit(child(*sys.argv[2:]))
    sys.exit(main(sys.argv[1:]))
