/* One state, der(x) = A x + B u, as the lightest FMU for Co-Simulation that still is one: explicit Euler, one step per
 * communication step, no snapshots, no checks. `cargo xtask bench coupling` couples two of them, so that what a master
 * does between the calls is nearly all that is measured. Compiled once per FMU, with -DA=... -DB=... -DGUID=... */
#include "fmi2Functions.h"

#include <stdlib.h>
#include <string.h>

enum { X, U, REALS };

struct Component {
    double real[REALS];
};

static const struct Component start = {.real = {[X] = 1}};

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources; (void)visible; (void)logging;
    if (!name || !functions || type != fmi2CoSimulation || !guid || strcmp(guid, GUID) != 0)
        return NULL;
    struct Component *c = malloc(sizeof *c);
    if (c)
        *c = start;
    return c;
}

void fmi2FreeInstance(fmi2Component component) { free(component); }

fmi2Status fmi2Reset(fmi2Component component)
{
    *(struct Component *)component = start;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start_time, fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)component; (void)tolerance_defined; (void)tolerance; (void)start_time; (void)stop_defined; (void)stop;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    struct Component *c = component;
    for (size_t k = 0; k < n; k++)
        c->real[vr[k]] = value[k];
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    const struct Component *c = component;
    for (size_t k = 0; k < n; k++)
        value[k] = c->real[vr[k]];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real t, fmi2Real h, fmi2Boolean final)
{
    struct Component *c = component;
    (void)t; (void)final;
    c->real[X] += h * (A * c->real[X] + B * c->real[U]);
    return fmi2OK;
}

/* What a host may call and this FMU has nothing to do for. */
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)c; (void)on; (void)n; (void)categories;
    return fmi2OK;
}

/* Functions that containers load with an FMU, and that have nothing to work on here. */
#define NONE(name, type)                                                                                     \
    fmi2Status name(fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[])                  \
    {                                                                                                        \
        (void)c; (void)vr; (void)n; (void)value;                                                             \
        return fmi2Error;                                                                                    \
    }
NONE(fmi2GetInteger, fmi2Integer)
NONE(fmi2GetBoolean, fmi2Boolean)
NONE(fmi2GetString, fmi2String)
NONE(fmi2SetInteger, const fmi2Integer)
NONE(fmi2SetBoolean, const fmi2Boolean)
NONE(fmi2SetString, const fmi2String)

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    (void)c; (void)kind; (void)value;
    return fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    (void)c; (void)kind; (void)value;
    return fmi2Discard;
}
