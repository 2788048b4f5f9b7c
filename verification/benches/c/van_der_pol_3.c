/* The baseline of `cargo xtask bench`: the Van der Pol oscillator as a plain C FMU of FMI 3.0 for Model Exchange.
 *
 * It makes the checks that ours makes (null pointers, calling sequence, lengths, value references, stop time) and evaluates the
 * derivatives only when something changed, in the shortest C that does so. It has the functions that the loops of host_3.c
 * call. */
#include "fmi3Functions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN "{c-baseline-van-der-pol-3}"
#define NX 2

enum State { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS_TIME = 8, TERMINATED = 16 };
#define RUNNING (INITIALIZATION | EVENT | CONTINUOUS_TIME | TERMINATED)
#define ANY (INSTANTIATED | RUNNING)

enum { X0, X1, MU, U, DER_X0, DER_X1, TIME, REALS };

struct Values {
    double real[REALS];
    double stop_time; /* the largest number if not defined */
    int state;
    bool stale;
};

struct Instance {
    struct Values v;
    fmi3LogMessageCallback log;
    fmi3InstanceEnvironment environment;
    char *name;
};

static const struct Values start = {
    .real = {[X0] = 2.0, [MU] = 1.0}, .stop_time = DBL_MAX, .state = INSTANTIATED, .stale = true};

/* A call that is refused changes nothing. */
static fmi3Status fail(struct Instance *c, const char *reason)
{
    if (c->log)
        c->log(c->environment, fmi3Error, "logStatusError", reason);
    return fmi3Error;
}

/* Every function begins with this: the instance is there, and the function is allowed now. */
#define ENTER(states)                                                                                        \
    struct Instance *c = instance;                                                                           \
    if (!c)                                                                                                  \
        return fmi3Error;                                                                                    \
    if (!(c->v.state & (states)))                                                                            \
        return fail(c, "not allowed in the present state")
#define REQUIRE(condition, reason)                                                                           \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return fail(c, reason);                                                                          \
    } while (0)

static inline void refresh(struct Instance *c)
{
    if (!c->v.stale)
        return;
    double *r = c->v.real;
    r[DER_X0] = r[X1];
    r[DER_X1] = r[MU] * ((1.0 - r[X0] * r[X0]) * r[X1]) - r[X0] + r[U];
    c->v.stale = false;
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)resources, (void)visible, (void)logging;
    const char *reason = !name || strspn(name, " \t\r\n") == strlen(name) ? "instanceName is empty"
                         : !token || strcmp(token, TOKEN) != 0            ? "wrong instantiationToken"
                                                                          : NULL;
    if (reason) {
        if (log)
            log(environment, fmi3Error, "logStatusError", reason);
        return NULL;
    }
    struct Instance *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->v = start;
    c->log = log;
    c->environment = environment;
    c->name = strdup(name);
    return c;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    struct Instance *c = instance;
    if (!c)
        return;
    free(c->name);
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start_time, fmi3Boolean stop_defined, fmi3Float64 stop_time)
{
    (void)tolerance_defined, (void)tolerance;
    ENTER(INSTANTIATED);
    REQUIRE(isfinite(start_time), "startTime is not finite");
    REQUIRE(!stop_defined || stop_time >= start_time, "stopTime is before startTime");
    c->v.real[TIME] = start_time;
    c->v.stop_time = stop_defined ? stop_time + 1e-9 * (stop_time - start_time) : DBL_MAX;
    c->v.stale = true;
    c->v.state = INITIALIZATION;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    ENTER(INITIALIZATION);
    c->v.state = EVENT;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    ENTER(EVENT | CONTINUOUS_TIME);
    REQUIRE(c->v.real[TIME] <= c->v.stop_time, "time is past stopTime");
    c->v.state = EVENT;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *needed, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *defined, fmi3Float64 *next)
{
    ENTER(EVENT);
    REQUIRE(needed && terminate && nominals && values && defined && next, "null pointer");
    *needed = *terminate = *nominals = *values = *defined = fmi3False;
    *next = 0.0;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    ENTER(EVENT);
    c->v.state = CONTINUOUS_TIME;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    ENTER(EVENT | CONTINUOUS_TIME);
    c->v.state = TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    ENTER(ANY);
    c->v = start;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values)
{
    ENTER(RUNNING);
    REQUIRE(n == 0 || (vr && values), "null pointer");
    REQUIRE(n == n_values, "wrong number of values");
    for (size_t i = 0; i < n; i++)
        REQUIRE(vr[i] < REALS, "unknown value reference");
    refresh(c);
    for (size_t i = 0; i < n; i++)
        values[i] = c->v.real[vr[i]];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values)
{
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME);
    REQUIRE(n == 0 || (vr && values), "null pointer");
    REQUIRE(n == n_values, "wrong number of values");
    for (size_t i = 0; i < n; i++) {
        REQUIRE(vr[i] < REALS, "unknown value reference");
        int allowed = vr[i] <= X1   ? INSTANTIATED | INITIALIZATION | CONTINUOUS_TIME
                      : vr[i] == MU ? INSTANTIATED | INITIALIZATION
                      : vr[i] == U  ? INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME
                                    : 0;
        REQUIRE(c->v.state & allowed, "this variable cannot be set now");
    }
    for (size_t i = 0; i < n; i++)
        c->v.real[vr[i]] = values[i];
    c->v.stale = true;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    ENTER(CONTINUOUS_TIME);
    REQUIRE(isfinite(time), "time is not a number");
    if (c->v.real[TIME] != time) {
        c->v.real[TIME] = time;
        c->v.stale = true;
    }
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[], size_t nx)
{
    ENTER(CONTINUOUS_TIME);
    REQUIRE(x && nx == NX, "null pointer or wrong length");
    memcpy(c->v.real, x, NX * sizeof *x);
    c->v.stale = true;
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[], size_t nx)
{
    ENTER(RUNNING);
    REQUIRE(derivatives && nx == NX, "null pointer or wrong length");
    refresh(c);
    memcpy(derivatives, c->v.real + DER_X0, NX * sizeof *derivatives);
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t nx)
{
    ENTER(RUNNING);
    REQUIRE(x && nx == NX, "null pointer or wrong length");
    memcpy(x, c->v.real, NX * sizeof *x);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nx)
{
    ENTER(ANY);
    REQUIRE(nx, "null pointer");
    *nx = NX;
    return fmi3OK;
}

/* What the loops look up and this FMU does not offer. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    ENTER(ANY);
    return fail(c, "not offered");
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                    size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    ENTER(ANY);
    return fail(c, "not offered");
}
