"""Runs every FMU given in importers of others, each in a virtual environment of its own, and writes the table.

Usage: importers.py FOLDER PAGE A.fmu B.fmu ...   FOLDER is for the environments, PAGE is the Markdown file that is
written. The exit code is 1 if a row is not right and no defect of the tool is known for it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NUMPY = "numpy==2.4.6"

# Name, what pip installs, and whether it also gets the packages of requirements.txt.
TOOLS = [
    ("FMPy", [], True),
    ("libcosimpy", ["libcosimpy==0.0.6", NUMPY], False),
    # Its library needs libtbb.so.12, which this package brings along.
    ("ecospy", ["ecospy==0.7.2", "tbb==2023.2.0", NUMPY], False),
    ("cofmupy", ["cofmupy==1.0.0", NUMPY], False),
    ("container", ["fmu-manipulation-toolbox==2.0"], True),
]

# Tools that pip alone cannot install, and why.
ABSENT = [
    ("OMSimulator", "pip finds only an installer, which downloads the program from elsewhere; Debian has no package"),
    ("PyFMI", "pip finds only sources, which need FMILibrary and Assimulo (SUNDIALS); Debian has no package"),
]

TERMINATION = "takes a model that ends its simulation (fmi2Terminated) for a failed step"
TYPES = "reads and writes variables of every type by fmi2GetReal and fmi2SetReal"
INPUTS = "sets inputs that nothing drives to 0 instead of their start values"

# What is wrong in a tool: its name, FMU, verdict, words of which one is in the detail, and the sentence for the table.
# Whatever else goes wrong there, such as a crash, is not explained by it.
DEFECTS = [
    ("libcosimpy", "Stair", "fails", ["Step not complete"], TERMINATION),
    ("cofmupy", "Stair", "fails", ["fmi2DoStep failed"], TERMINATION),
    ("container", "Stair", "fails", ["fmi2DoStep failed"], TERMINATION),
    ("cofmupy", "Stair", "fails", ["fmi2SetReal failed"], TYPES),
    ("cofmupy", "Feedthrough", "deviates", ["integer_out is off", "boolean_out is off"], TYPES),
    ("cofmupy", "Controller", "deviates", ["samples is off"], TYPES),
    ("cofmupy", "BlockedPendulum", "deviates", ["impacts is off"], TYPES),
    ("cofmupy", "Woodpecker", "deviates", ["state is off", "hits is off"], TYPES),
    ("cofmupy", "Controller", "deviates", ["command is off"], INPUTS),
    ("cofmupy", "DCMotor", "deviates", ["current is off", "speed is off"], INPUTS),
    ("cofmupy", "HeatRod", "deviates", ["mean is off"], INPUTS),
    ("cofmupy", "Resource", "deviates", ["pressure is off"], INPUTS),
    ("cofmupy", "TwoRate", "deviates", ["phi is off", "omega is off"], INPUTS),
]


def environment(folder, name, packages, with_requirements):
    """The interpreter of a tool's environment, made if it is not there; or why there is none."""
    home = folder / name
    python = home / "bin" / "python"
    stamp = home / "made-from.txt"
    wanted = "\n".join(packages) + ((HERE / "requirements.txt").read_text() if with_requirements else "")
    if stamp.is_file() and stamp.read_text() == wanted:
        return python, None
    commands = [[sys.executable, "-m", "venv", "--clear", home]]
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if with_requirements:
        commands.append([*pip, "--no-deps", "-r", HERE / "requirements.txt"])
    if packages:
        commands.append([*pip, *packages])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            return None, f"cannot be installed: {lines[-1][:200]}"
    stamp.write_text(wanted)
    return python, None


def rows_of(python, tool, fmu, seconds=180):
    """The rows of one FMU in one tool. A crash is a row, too."""
    command = [python, HERE / "run_importer.py", tool, fmu]
    # Libraries that a package of pip brings along are not in the search path of the system.
    libraries = [str(python.parent.parent / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    variables = os.environ | {"LD_LIBRARY_PATH": ":".join(filter(None, libraries))}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False,
                              env=variables)
    except subprocess.TimeoutExpired:
        return [row(tool, fmu, "fails", f"still running after {seconds} s")]
    rows = [json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("ROW ")]
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        how = f"signal {-done.returncode}" if done.returncode < 0 else lines[-1][:200]
        rows.append(row(tool, fmu, "fails", f"the process ends with {how}"))
    return rows


def row(tool, fmu, verdict, detail):
    return {"tool": tool, "version": "-", "fmu": Path(fmu).stem, "interface": "CoSimulation", "case": "-",
            "verdict": verdict, "detail": detail}


def explained(entry):
    """The defect of the tool that a row suffers from, if one is known."""
    reasons = [
        sentence for *place, words, sentence in DEFECTS
        if place == [entry["tool"], entry["fmu"], entry["verdict"]]
        and any(word in entry["detail"] for word in words)
    ]
    return "; ".join(reasons)


def main(folder, page, fmus):
    folder, table = Path(folder), []
    fmus = sorted(fmus, key=lambda path: Path(path).stem.lower())
    folder.mkdir(parents=True, exist_ok=True)
    for name, packages, with_requirements in TOOLS:
        python, problem = environment(folder, name, packages, with_requirements)
        for fmu in fmus:
            rows = rows_of(python, name, fmu) if python else [row(name, fmu, "fails", problem)]
            table.extend(rows)
            verdicts = [entry["verdict"] for entry in rows]
            counts = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in dict.fromkeys(verdicts))
            print(f"{name:>11}  {Path(fmu).stem:<14} {counts}", flush=True)
            for entry in rows:
                if entry["verdict"] in ("fails", "deviates"):
                    reason = explained(entry)
                    print(f"{'':13}{entry['interface']}, {entry['case']}: {entry['verdict']}: "
                          f"{reason or entry['detail']}", flush=True)
    unexplained = [entry for entry in table if entry["verdict"] in ("fails", "deviates") and not explained(entry)]
    Path(page).write_text(text(table))
    right = sum(entry["verdict"] == "right" for entry in table)
    bad = sum(entry["verdict"] in ("fails", "deviates") for entry in table)
    print(f"{right} right, {bad - len(unexplained)} by a defect of the tool, {len(unexplained)} without a reason")
    print(f"{right} passed, {len(unexplained)} failed")
    return 1 if unexplained else 0


def text(table):
    """The page: one line for each tool, FMU and interface."""
    lines = [
        "# Importers", "",
        "Results of every example FMU in the importers of other projects, with the defaults of each tool. `cargo xtask importers` writes this page.",
        "", "Results are compared with closed forms (`xtask/python/cases.py`) in up to three runs: with the defaults of the "
        "FMU, with other start values, and with inputs that change. FMPy integrates Model Exchange with CVode and a relative "
        "tolerance of 1e-5. The other tools make communication steps of the size that the FMU proposes (half of it where an input jumps "
        "between two of them), and the integrator "
        "of the FMU has a relative tolerance of 1e-6. A run is right if every output is within 1e-3 of its largest value (5e-3 "
        "where a model amplifies errors). At a jump the values of both sides are accepted, up to one step of the tool away from it.", "",
        "| tool | version | FMU | interface | result |", "|---|---|---|---|---|",
    ]
    groups = {}
    for entry in table:
        groups.setdefault((entry["tool"], entry["version"], entry["fmu"], entry["interface"]), []).append(entry)
    for (tool, version, fmu, interface), entries in groups.items():
        results = []
        for verdict in dict.fromkeys(entry["verdict"] for entry in entries):
            of_verdict = [entry for entry in entries if entry["verdict"] == verdict]
            runs = ", ".join(entry["case"] for entry in of_verdict)
            if verdict == "right":
                results.append(f"right ({runs})")
            elif verdict == "not offered":
                whole = len(of_verdict) == len(entries)
                results.append(f"not offered: {of_verdict[0]['detail']}" if whole else f"not offered ({runs})")
            else:
                details = [(explained(entry), entry["detail"]) for entry in of_verdict]
                sentences = dict.fromkeys(f"defect of the tool: {reason}" if reason else detail for reason, detail in details)
                results.append(f"{verdict} ({runs}): {'; '.join(sentences)}")
        name = {"ModelExchange": "Model Exchange", "CoSimulation": "Co-Simulation"}[interface]
        lines.append(f"| {tool} | {version} | {fmu} | {name} | {'; '.join(results)} |".replace("\n", " "))
    for tool, reason in ABSENT:
        lines.append(f"| {tool} | - | - | - | not run: {reason} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], [os.path.abspath(path) for path in sys.argv[3:]]))
