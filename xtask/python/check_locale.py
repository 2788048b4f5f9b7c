"""Simulates every FMU given in a locale in which numbers have a comma: values and messages must be the same as in the
locale `C`. FMPy is in the process of the FMU, so a C function that the FMU might call sees the locale, too.

Usage: check_locale.py A.fmu B.fmu ...   Prints a line for everything that failed, and `N passed, M failed` at the end.
"""

import contextlib
import io
import locale
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy


def comma_locale(folder):
    """Makes a locale with a decimal comma; its name, or None if this system has no means to make it."""
    made = Path(folder) / "de_DE.UTF-8"
    try:
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], capture_output=True, check=False)
        os.environ["LOCPATH"] = str(folder)
        locale.setlocale(locale.LC_ALL, made.name)
    except (OSError, locale.Error):
        return None
    comma = locale.localeconv()["decimal_point"] == ","
    locale.setlocale(locale.LC_ALL, "C")
    return made.name if comma else None


def run(path, interface, name):
    """All values of a run, as bytes, and all messages, in a locale."""
    locale.setlocale(locale.LC_ALL, name)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = fmpy.simulate_fmu(path, fmi_type=interface, debug_logging=True)
    finally:
        locale.setlocale(locale.LC_ALL, "C")
    return result.tobytes(), printed.getvalue()


def main(paths):
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        comma = comma_locale(folder)
        if not comma:
            print("no locale with a decimal comma can be made here (localedef, de_DE): not tested")
        for path in paths if comma else []:
            for interface in ("ModelExchange", "CoSimulation"):
                (values, said), (wanted, to_say) = run(path, interface, comma), run(path, interface, "C")
                good = values == wanted and said == to_say and "initialized at t = 0" in said
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(f"FAILED {Path(path).stem} as {interface}: a decimal comma changes values or messages: {said}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
