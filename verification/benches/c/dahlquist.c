/* A baseline of `cargo xtask bench`: Dahlquist's test equation as a plain C FMU for Co-Simulation, integrated by the
 * classical Runge-Kutta method with a fixed step.
 *
 * It makes the checks that ours makes (null pointers, calling sequence, value references, step size, communication
 * point, stop time) and keeps what ours keeps, in the shortest C that does so. */
#include "fmi2Functions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GUID "{c-baseline-dahlquist}"
#define NX 1
#define LONGEST_STEP 0.01

enum State { INSTANTIATED = 1, INITIALIZATION = 2, STEP_COMPLETE = 4, TERMINATED = 8, FAILED = 16 };
#define RUNNING (INITIALIZATION | STEP_COMPLETE | TERMINATED | FAILED)
#define ANY (INSTANTIATED | RUNNING)

enum { X, K, DER_X, TIME, REALS };

struct Values {
    double real[REALS];
    double stop_time; /* the largest number if not defined */
    unsigned long steps, evaluations;
    int state;
    bool set_up, stale;
};

struct Component {
    struct Values v;
    fmi2CallbackLogger logger;
    fmi2ComponentEnvironment environment;
    char *name;
};

struct Snapshot {
    struct Component *owner;
    struct Values v;
};

static const struct Values start = {
    .real = {[X] = 1.0, [K] = 1.0}, .stop_time = DBL_MAX, .state = INSTANTIATED, .stale = true};

static fmi2Status fail(struct Component *c, const char *function, const char *reason)
{
    if (c->logger)
        c->logger(c->environment, c->name, fmi2Error, "logStatusError", "%s: %s", function, reason);
    c->v.state = FAILED;
    return fmi2Error;
}

/* Every function begins with this: the component is there, and the function is allowed now. */
#define ENTER(states)                                                                                        \
    struct Component *c = component;                                                                         \
    if (!c)                                                                                                  \
        return fmi2Error;                                                                                    \
    if (!(c->v.state & (states)))                                                                            \
        return fail(c, __func__, "not allowed in the present state")
#define REQUIRE(condition, reason)                                                                           \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return fail(c, __func__, reason);                                                                \
    } while (0)

static inline void derivatives(const struct Values *v, const double x[NX], double dx[NX])
{
    dx[0] = -v->real[K] * x[0];
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    if (!functions || !name || !guid || strcmp(guid, GUID) != 0 || type != fmi2CoSimulation)
        return NULL;
    struct Component *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->v = start;
    c->logger = functions->logger;
    c->environment = functions->componentEnvironment;
    c->name = strdup(name);
    return c;
}

void fmi2FreeInstance(fmi2Component component)
{
    struct Component *c = component;
    if (!c)
        return;
    free(c->name);
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start_time, fmi2Boolean stop_defined, fmi2Real stop_time)
{
    (void)tolerance_defined, (void)tolerance;
    ENTER(INSTANTIATED);
    REQUIRE(isfinite(start_time), "startTime is not finite");
    REQUIRE(!stop_defined || stop_time >= start_time, "stopTime is before startTime");
    c->v.real[TIME] = start_time;
    c->v.stop_time = stop_defined ? stop_time + 1e-9 * (stop_time - start_time) : DBL_MAX;
    c->v.set_up = true;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    ENTER(INSTANTIATED);
    REQUIRE(c->v.set_up, "fmi2SetupExperiment comes first");
    c->v.state = INITIALIZATION;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    ENTER(INITIALIZATION);
    c->v.state = STEP_COMPLETE;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    ENTER(STEP_COMPLETE);
    c->v.state = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component)
{
    ENTER(ANY);
    c->v = start;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    ENTER(RUNNING);
    REQUIRE(n == 0 || (vr && value), "null pointer");
    for (size_t i = 0; i < n; i++)
        REQUIRE(vr[i] < REALS, "unknown value reference");
    if (c->v.stale) {
        derivatives(&c->v, &c->v.real[X], &c->v.real[DER_X]);
        c->v.stale = false;
    }
    for (size_t i = 0; i < n; i++)
        value[i] = c->v.real[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    ENTER(INSTANTIATED | INITIALIZATION);
    REQUIRE(n == 0 || (vr && value), "null pointer");
    for (size_t i = 0; i < n; i++)
        REQUIRE(vr[i] <= K, "this variable cannot be set");
    for (size_t i = 0; i < n; i++)
        c->v.real[vr[i]] = value[i];
    c->v.stale = true;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    ENTER(ANY);
    REQUIRE(state, "null pointer");
    struct Snapshot *s = *state ? *state : malloc(sizeof *s);
    REQUIRE(s, "out of memory");
    s->owner = c;
    s->v = c->v;
    *state = s;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state)
{
    ENTER(ANY);
    struct Snapshot *s = state;
    REQUIRE(s && s->owner == c, "the state is null or from another instance");
    c->v = s->v;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    ENTER(ANY);
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

/* One step of the classical Runge-Kutta method. */
static inline void step(struct Values *v, double x[NX], double h)
{
    double k1[NX], k2[NX], k3[NX], k4[NX], y[NX];
    derivatives(v, x, k1);
    for (int i = 0; i < NX; i++)
        y[i] = x[i] + 0.5 * h * k1[i];
    derivatives(v, y, k2);
    for (int i = 0; i < NX; i++)
        y[i] = x[i] + 0.5 * h * k2[i];
    derivatives(v, y, k3);
    for (int i = 0; i < NX; i++)
        y[i] = x[i] + h * k3[i];
    derivatives(v, y, k4);
    for (int i = 0; i < NX; i++)
        x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real point, fmi2Real size, fmi2Boolean no_set_state)
{
    (void)no_set_state;
    ENTER(STEP_COMPLETE);
    REQUIRE(size > 0.0 && isfinite(size), "the step size must be positive");
    double now = c->v.real[TIME], end = point + size;
    REQUIRE(fabs(point - now) <= 1e-9 * fmax(fabs(now), size), "the communication point is not where the last step ended");
    REQUIRE(end <= c->v.stop_time, "the step ends past stopTime");
    double x[NX], steps = fmax(ceil((end - now) / LONGEST_STEP * (1.0 - 1e-9)), 1.0), h = (end - now) / steps;
    memcpy(x, &c->v.real[X], sizeof x);
    for (double done = 0.0; done < steps; done++)
        step(&c->v, x, h);
    memcpy(&c->v.real[X], x, sizeof x);
    c->v.steps += (unsigned long)steps;
    c->v.evaluations += 4 * (unsigned long)steps;
    c->v.real[TIME] = end;
    c->v.stale = true;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value)
{
    ENTER(RUNNING);
    REQUIRE(value && kind == fmi2LastSuccessfulTime, "null pointer or unknown status");
    *value = c->v.real[TIME];
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean *value)
{
    ENTER(RUNNING);
    REQUIRE(value && kind == fmi2Terminated, "null pointer or unknown status");
    *value = fmi2False;
    return fmi2OK;
}
