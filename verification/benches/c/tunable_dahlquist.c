/* Dahlquist's test equation, der(x) = -k x with a k that can be tuned, as a plain C FMU for Co-Simulation: what
 * `cargo xtask bench importer` calls in a loop. It makes the checks that a careful FMU makes and integrates with the
 * classical Runge-Kutta method. */
#include "fmi2Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUID "{tunable-dahlquist}"

enum { X, K, TIME, REALS };
enum { INSTANTIATED = 1, INITIALIZATION = 2, RUNNING = 4, TERMINATED = 8 };

struct Component {
    double real[REALS];
    int state;
};

static const struct Component start = {.real = {[X] = 1, [K] = 1}, .state = INSTANTIATED};

#define ENTER(states)                                                                                        \
    struct Component *c = component;                                                                         \
    if (!c || !(c->state & (states)))                                                                        \
    return fmi2Error

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
    ENTER(~0);
    *c = start;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start_time, fmi2Boolean stop_defined, fmi2Real stop)
{
    ENTER(INSTANTIATED);
    (void)tolerance_defined; (void)tolerance; (void)stop_defined; (void)stop;
    c->real[TIME] = start_time;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    ENTER(INSTANTIATED);
    c->state = INITIALIZATION;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    ENTER(INITIALIZATION);
    c->state = RUNNING;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    ENTER(RUNNING);
    c->state = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[])
{
    ENTER(INITIALIZATION | RUNNING | TERMINATED);
    if (nvr && (!vr || !value))
        return fmi2Error;
    for (size_t k = 0; k < nvr; k++) {
        if (vr[k] >= REALS)
            return fmi2Error;
        value[k] = c->real[vr[k]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[])
{
    ENTER(INSTANTIATED | INITIALIZATION | RUNNING);
    if (nvr && (!vr || !value))
        return fmi2Error;
    for (size_t k = 0; k < nvr; k++)
        if (vr[k] != K && (vr[k] != X || c->state == RUNNING))
            return fmi2Error;
    for (size_t k = 0; k < nvr; k++)
        c->real[vr[k]] = value[k];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real step, fmi2Boolean no_set_before)
{
    ENTER(RUNNING);
    (void)no_set_before;
    if (!(step > 0) || !(fabs(time - c->real[TIME]) <= 1e-9 * (1 + fabs(time))))
        return fmi2Error;
    const double x = c->real[X], k = c->real[K];
    const double a = -k * x, b = -k * (x + 0.5 * step * a), d = -k * (x + 0.5 * step * b), e = -k * (x + step * d);
    c->real[X] = x + step / 6 * (a + 2 * (b + d) + e);
    c->real[TIME] = time + step;
    return fmi2OK;
}
