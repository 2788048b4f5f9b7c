"""Dependencies of an FMU of FMI 3.0, element by element: restricted to the knowns of FMI 2.0 they must equal the description of the
FMU of FMI 2.0, and an unknown that changes with a parameter must list it.
"""

from ctypes import byref, c_double, c_size_t
from itertools import product

import fmpy
import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Model, fmi3Boolean, fmi3DependencyKind, fmi3Float64, fmi3ValueReference

# The values of fmi3DependencyKind, by the words of the description.
KINDS = {1: "constant", 2: "fixed", 3: "tunable", 4: "discrete", 5: "dependent"}
# Elements of a parameter that are changed.
MOST = 12


def element_names(variable):
    """The names of the elements of a variable, as FMI 2.0 has them."""
    shape = tuple(int(length) for length in variable.shape or ())
    if not shape:
        return [variable.name]
    inner = variable.name[4:-1] if variable.name.startswith("der(") else None
    names = []
    for indices in product(*(range(1, length + 1) for length in shape)):
        suffix = "[" + ",".join(str(index) for index in indices) + "]"
        names.append(f"der({inner}{suffix})" if inner else variable.name + suffix)
    return names


class Library:
    """An instance for Model Exchange."""

    def __init__(self, path, description):
        self.folder = fmpy.extract(str(path))
        self.description = description
        self.names = {int(variable.valueReference): element_names(variable) for variable in description.modelVariables}
        self.fmu = FMU3Model(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.modelExchange.modelIdentifier,
            instanceName="dependencies",
        )
        self.fmu.instantiate()

    def dependencies(self):
        """All that the library says now: a dictionary from the name of an element to those of its knowns with their kinds."""
        found = {}
        for reference, names in self.names.items():
            for name in names:
                found.setdefault(name, {})
            try:
                count = c_size_t(0)
                self.fmu.fmi3GetNumberOfVariableDependencies(self.fmu.component, reference, byref(count))
                n = count.value
                own, other, kinds = (c_size_t * n)(), (c_size_t * n)(), (fmi3DependencyKind * n)()
                independents = (fmi3ValueReference * n)()
                self.fmu.fmi3GetVariableDependencies(
                    self.fmu.component, reference, own, independents, other, kinds, n
                )
            except FMICallException:
                # Event indicators.
                continue
            for entry in range(n):
                known = self.names[independents[entry]][other[entry] - 1]
                kind = KINDS[int(getattr(kinds[entry], "value", kinds[entry]))]
                found[names[own[entry] - 1]][known] = kind
        return found

    def start(self, parameters=()):
        """Initializes with values of parameters, and goes on to continuous time."""
        for reference, values in parameters:
            self.fmu.setFloat64([reference], list(values))
        self.fmu.enterInitializationMode()

    def go(self):
        """From initialization mode to continuous time."""
        self.fmu.exitInitializationMode()
        for _ in range(100):
            flags, time = [fmi3Boolean() for _ in range(5)], fmi3Float64()
            needed, *others = flags
            self.fmu.fmi3UpdateDiscreteStates(
                self.fmu.component, byref(needed), *(byref(flag) for flag in others), byref(time)
            )
            if not needed.value:
                break
        self.fmu.enterContinuousTimeMode()

    def floats(self, variable):
        """The values of a Float64 variable."""
        return np.array(self.fmu.getFloat64([int(variable.valueReference)], len(element_names(variable))))

    def close(self):
        """Frees it."""
        self.fmu.freeInstance()


def listed(unknowns):
    """What an FMU of FMI 2.0 lists: a dictionary from names to knowns with their kinds."""
    found = {}
    for unknown in unknowns:
        if unknown.dependencies is None:
            continue
        kinds = unknown.dependenciesKind or ["dependent"] * len(unknown.dependencies)
        found[unknown.variable.name] = {
            known.name: kind for known, kind in zip(unknown.dependencies, kinds, strict=True)
        }
    return found


def compare(path, description, other, checks):
    """With the description of the FMU of FMI 2.0."""
    former = fmpy.read_model_description(str(other))
    library = Library(path, description)
    initially = library.dependencies()
    library.start()
    library.go()
    later = library.dependencies()
    library.close()
    states = {unknown.variable.derivative.name for unknown in former.derivatives}
    inputs = {variable.name for variable in former.modelVariables if variable.causality in ("input", "independent")}
    exact = {variable.name for variable in former.modelVariables if variable.initial == "exact"}
    stages = (
        ("simulation", listed(former.outputs) | listed(former.derivatives), later, inputs | states),
        ("initialization", listed(former.initialUnknowns), initially, inputs | exact),
    )
    for stage, wanted, found, knowns in stages:
        for unknown, dependencies in wanted.items():
            restricted = {known: kind for known, kind in found.get(unknown, {}).items() if known in knowns}
            checks.that(
                restricted == dependencies,
                f"{stage}: {unknown} depends on {first_difference(restricted, dependencies)}",
            )


def first_difference(found, wanted):
    """The first known that is not the same, in words."""
    for known in sorted(found.keys() | wanted.keys()):
        if found.get(known) != wanted.get(known):
            return f"{known} as {found.get(known)}, and as {wanted.get(known)} in FMI 2.0"
    return "the same"


def observe(library, states, watched, discrete):
    """The values of what is watched, at given states; None where the discrete variables are others than given."""
    if len(states):
        values = (c_double * len(states))(*states)
        library.fmu.fmi3SetContinuousStates(library.fmu.component, values, len(states))
    now = {variable.name: library.floats(variable) for variable in discrete}
    return {variable.name: library.floats(variable) for variable in watched}, now


def perturb(path, description, checks):
    """Changes every parameter, and compares what moves with what is listed. States and discrete variables stay the same."""
    floats = [variable for variable in description.modelVariables if variable.type == "Float64"]
    parameters = [variable for variable in floats if variable.causality == "parameter"]
    discrete = [variable for variable in floats if variable.variability == "discrete" and variable.causality != "input"]
    watched = [
        variable
        for variable in floats
        if variable.derivative is not None or (variable.causality == "output" and variable.variability == "continuous")
    ]
    library = Library(path, description)
    count = c_size_t(0)
    library.fmu.fmi3GetNumberOfContinuousStates(library.fmu.component, byref(count))
    library.start()
    base = {variable.name: library.floats(variable) for variable in parameters}
    library.go()
    states = (c_double * count.value)()
    if count.value:
        library.fmu.fmi3GetContinuousStates(library.fmu.component, states, count.value)
    # Away from equal values, which hide dependencies.
    states = [value * (1 + 0.03 * k) + 0.01 * (k % 7) for k, value in enumerate(states)]
    dependencies = library.dependencies()
    before, modes = observe(library, states, watched, discrete)
    shown = set()
    for parameter in parameters:
        names = element_names(parameter)
        for element in range(min(len(names), MOST)):
            for factor, shift in ((1.01, 0.0), (0.9, 0.0), (1.0, 0.1)):
                values = base[parameter.name].copy()
                values[element] = values[element] * factor + shift
                library.fmu.reset()
                try:
                    library.start([(int(parameter.valueReference), values)])
                    library.go()
                    after, other_modes = observe(library, states, watched, discrete)
                except FMICallException:
                    # Outside of its bounds.
                    continue
                if any(not np.array_equal(modes[name], other_modes[name], equal_nan=True) for name in modes):
                    continue
                for variable in watched:
                    changed = before[variable.name] != after[variable.name]
                    for index in np.flatnonzero(changed):
                        unknown = element_names(variable)[index]
                        shown.add((unknown, names[element]))
    library.close()
    for unknown, known in sorted(shown):
        checks.that(
            known in dependencies.get(unknown, {}), f"{unknown} changes with the parameter {known}, which it does not list"
        )
    return len(shown)
