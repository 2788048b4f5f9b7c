"""Runs one FMU in one importer, with the importer's defaults, and compares what comes out with cases.py.

Usage: run_importer.py TOOL A.fmu   Prints one line of JSON for each run: interface, case, verdict and detail.
"""

import json
import math
import os
import sys
import tempfile
import xml.etree.ElementTree
import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from cases import cases

# With the tolerances of the FMUs and of CVode, of the largest value of a curve; errors of a run add up.
ALLOWED = 1e-3


class NotOffered(Exception):
    """The tool has no way to do that."""


def describe(path):
    """What cases.py and the tools must know of modelDescription.xml."""
    with zipfile.ZipFile(path) as archive:
        root = xml.etree.ElementTree.fromstring(archive.read("modelDescription.xml"))
    variables = []
    for variable in root.iter("ScalarVariable"):
        kind = next(child.tag for child in variable if child.tag != "Annotations")
        variables.append(
            SimpleNamespace(
                name=variable.get("name"), valueReference=int(variable.get("valueReference")), type=kind,
                causality=variable.get("causality"), shape=(),
            )
        )
    experiment = root.find("DefaultExperiment")
    return SimpleNamespace(
        modelName=root.get("modelName"), modelVariables=variables, step=float(experiment.get("stepSize")),
        by_name={variable.name: variable for variable in variables},
    )


def steps_of(case, description):
    """Communication steps of the experiment that the FMU proposes; those that end where the model ends it. An input that
    changes within a step needs smaller ones."""
    end, step = min(case.stop, case.end), description.step
    while any(abs(row[0] / step - round(row[0] / step)) > 1e-6 for row in case.rows):
        step /= 2.0
    return step, int(math.floor(end / step + 1e-9))


def held(case, time):
    """The inputs during the step that begins at a time: their last value, all inputs of the cases being constant between
    jumps."""
    rows = [row for row in case.rows if row[0] <= time + 1e-9 * case.stop]
    return dict(zip(case.inputs, rows[-1][1:])) if rows else {}


def recorded(names):
    """An empty result."""
    return [], {name: [] for name in names}


def run_fmpy(path, case, description, interface):
    import fmpy

    options = {"fmi_type": interface}
    if case.name != "defaults":
        options["stop_time"] = case.stop
    if case.start:
        options["start_values"] = case.start
    if case.inputs:
        options["input"] = case.signals()
    result = fmpy.simulate_fmu(path, **options)
    return result["time"], {name: result[name] for name in result.dtype.names}, 1e-3 * case.stop


def only_steps(interface):
    if interface != "CoSimulation":
        raise NotOffered("Co-Simulation only")


def run_libcosimpy(path, case, description, interface):
    only_steps(interface)
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimManipulator import CosimManipulator
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    step, steps = steps_of(case, description)
    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=path, instance_name="one"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer=observer)
    manipulator = CosimManipulator.create_override()
    execution.add_manipulator(manipulator=manipulator)
    setters = {"Real": execution.real_initial_value, "Integer": execution.integer_initial_value,
               "Boolean": execution.boolean_initial_value, "Enumeration": execution.integer_initial_value}
    for name, value in (case.start | held(case, 0.0)).items():
        variable = description.by_name[name]
        if not setters[variable.type](slave, variable.valueReference, value):
            raise RuntimeError(f"it does not take the start value of {name}")
    overriders = {"Real": manipulator.slave_real_values, "Integer": manipulator.slave_integer_values,
                  "Boolean": manipulator.slave_boolean_values, "Enumeration": manipulator.slave_integer_values}
    getters = {"Real": observer.last_real_values, "Integer": observer.last_integer_values,
               "Boolean": observer.last_boolean_values, "Enumeration": observer.last_integer_values}
    names = list(case.wanted(np.zeros(1)))
    times, values = recorded(names)
    for number in range(steps):
        for name, value in held(case, number * step).items():
            variable = description.by_name[name]
            if not overriders[variable.type](slave, [variable.valueReference], [value]):
                raise RuntimeError(f"it does not take the input {name}")
        if not execution.step():
            from libcosimpy._internal import get_last_error_message

            raise RuntimeError(f"step {number} fails: {get_last_error_message()}")
        times.append(execution.status().current_time * 1e-9)
        for name in names:
            variable = description.by_name[name]
            values[name].append(float(getters[variable.type](slave, [variable.valueReference])[0]))
    return times, values, step


def run_ecospy(path, case, description, interface):
    only_steps(interface)
    from ecospy import EcosSimulation, EcosSimulationStructure

    step, steps = steps_of(case, description)
    names = list(case.wanted(np.zeros(1)))
    times, values = recorded(names)
    with EcosSimulationStructure() as structure:
        structure.add_model("one", path)
        values_at_start = case.start | held(case, 0.0)
        if values_at_start:
            start = {}
            for name, value in values_at_start.items():
                kind = description.by_name[name].type
                start[f"one::{name}"] = {"Real": float, "Boolean": bool}.get(kind, int)(value)
            structure.add_parameter_set("start", start)
        with EcosSimulation(structure=structure, step_size=step) as simulation:
            simulation.init(parameter_set="start" if values_at_start else None)
            for number in range(steps):
                for name, value in held(case, number * step).items():
                    kind = description.by_name[name].type
                    put = {"Real": simulation.set_real, "Boolean": simulation.set_bool}.get(kind, simulation.set_integer)
                    put(f"one::{name}", value)
                simulation.step()
                times.append(simulation.get_time())
                for name in names:
                    kind = description.by_name[name].type
                    get = {"Real": simulation.get_real, "Boolean": simulation.get_bool}.get(kind, simulation.get_integer)
                    values[name].append(float(get(f"one::{name}")))
            simulation.terminate()
    return times, values, step


def run_cofmupy(path, case, description, interface):
    only_steps(interface)
    from cofmupy import Coordinator

    step, steps = steps_of(case, description)
    names = list(case.wanted(np.zeros(1)))
    start = case.start | held(case, 0.0)
    # It adds up its steps: a jump comes a little early, so that a time which is a little less still finds it.
    streams = [
        {"source": {"type": "literal", "values": {str(max(0.0, row[0] - 1e-6 * step)): row[column] for row in case.rows}},
         "target": {"id": "one", "variable": name}}
        for column, name in enumerate(case.inputs, start=1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "system.json"
        fmu = {"id": "one", "name": "one", "path": path, "initialization": start}
        file.write_text(json.dumps({"fmus": [fmu], "connections": streams, "root": "", "cosim_method": "jacobi",
                                    "edge_sep": " -> "}))
        before = os.getcwd()
        os.chdir(folder)
        try:
            coordinator = Coordinator()
            coordinator.start(str(file))
            for _ in range(steps):
                coordinator.do_step(step)
            results = coordinator.get_results()
        finally:
            os.chdir(before)
    # It labels values at the end of a step with the time at which the step begins.
    times = np.asarray(results["time"]) + step
    missing = [name for name in names if ("one", name) not in results and name not in results.get("one", {})]
    if missing:
        raise RuntimeError(f"the results lack {missing[0]}")
    values = {name: results[("one", name)] if ("one", name) in results else results["one"][name] for name in names}
    return times, values, step


def plain(value):
    """A value as XML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def run_container(path, case, description, interface):
    only_steps(interface)
    import subprocess

    step, _ = steps_of(case, description)
    names = list(case.wanted(np.zeros(1)))
    with tempfile.TemporaryDirectory() as folder:
        name = Path(path).name
        rows = ["rule;from_fmu;from_port;to_fmu;to_port", f"FMU;{name};;;"]
        rows += [f"OUTPUT;{name};{port};;{port}" for port in names]
        rows += [f"INPUT;;{port};{name};{port}" for port in case.inputs]
        rows += [f"START;{name};{port};{plain(value)};" for port, value in (case.start | held(case, 0.0)).items()]
        (Path(folder) / "box.csv").write_text("\n".join(rows) + "\n")
        tool = Path(sys.executable).parent / "fmucontainer"
        (Path(folder) / name).symlink_to(Path(path).resolve())
        made = subprocess.run(
            [tool, "-container", f"box.csv:{step}", "-fmu-directory", folder, "-no-auto-input", "-no-auto-output"],
            cwd=folder, capture_output=True, text=True, check=False,
        )
        box = Path(folder) / "box.fmu"
        if not box.is_file():
            raise RuntimeError(f"no container is made: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
        import fmpy

        stop = min(case.stop, case.end)
        result = fmpy.simulate_fmu(str(box), stop_time=stop, output_interval=step, output=names, input=case.signals())
        return result["time"], {name: result[name] for name in names}, step


TOOLS = {
    "FMPy": (run_fmpy, "FMPy"),
    "libcosimpy": (run_libcosimpy, "libcosimpy"),
    "ecospy": (run_ecospy, "ecospy"),
    "cofmupy": (run_cofmupy, "cofmupy"),
    "container": (run_container, "fmu-manipulation-toolbox"),
}


def judge(tool, path, case, description, interface):
    """Verdict and detail of one run."""
    try:
        times, values, width = TOOLS[tool][0](path, case, description, interface)
    except NotOffered as reason:
        return "not offered", str(reason)
    except Exception as error:  # noqa: BLE001: whatever it is, it belongs into the table
        return "fails", f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    times = np.asarray(times, dtype=float)
    if len(times) < 2 or times[-1] < min(case.stop, case.end) * (1 - 1e-6) - width:
        return "fails", f"it ends at t = {times[-1] if len(times) else 'the start'}"
    worst = max(
        (deviation / allowed, f"{name} is off by {deviation:.2g}, allowed {allowed:.2g}")
        for name, deviation, allowed in case.deviations(times, values, ALLOWED, 1.001 * width)
    )
    return ("right", "") if worst[0] <= 1.0 else ("deviates", worst[1])


def main(tool, path):
    description = describe(path)
    for interface in ("ModelExchange", "CoSimulation"):
        for case in cases(path, description):
            verdict, detail = judge(tool, path, case, description, interface)
            row = {"tool": tool, "version": version(TOOLS[tool][1]), "fmu": Path(path).stem, "interface": interface,
                   "case": case.name, "verdict": verdict, "detail": detail}
            print("ROW " + json.dumps(row), flush=True)
    # Libraries of some tools end badly when the interpreter tidies up; the rows are out.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]))
