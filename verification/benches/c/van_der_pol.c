/* The baseline of `cargo xtask bench`: the Van der Pol oscillator as a plain C FMU for Model Exchange.
 *
 * It makes the checks that ours makes (null pointers, calling sequence, lengths, value references, stop time)
 * and evaluates the derivatives only when something changed, in the shortest C that does so. It also passes
 * the conformance driver, so the comparison is between two FMUs that do the same work. */
#include "fmi2Functions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUID "{c-baseline-van-der-pol}"
#define NX 2

enum State { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS_TIME = 8, TERMINATED = 16 };
#define RUNNING (INITIALIZATION | EVENT | CONTINUOUS_TIME | TERMINATED)
#define ANY (INSTANTIATED | RUNNING)

enum { X0, X1, MU, U, DER_X0, DER_X1, TIME, REALS };

struct Values {
    double real[REALS];
    double stop_time; /* the largest number if not defined */
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
    .real = {[X0] = 2.0, [MU] = 1.0}, .stop_time = DBL_MAX, .state = INSTANTIATED, .stale = true};

/* A call that is refused changes nothing. */
static fmi2Status fail(struct Component *c, const char *function, const char *reason)
{
    if (c->logger)
        c->logger(c->environment, c->name, fmi2Error, "logStatusError", "%s: %s", function, reason);
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

static inline void refresh(struct Component *c)
{
    if (!c->v.stale)
        return;
    double *r = c->v.real;
    r[DER_X0] = r[X1];
    r[DER_X1] = r[MU] * ((1.0 - r[X0] * r[X0]) * r[X1]) - r[X0] + r[U];
    c->v.stale = false;
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)on;
    ENTER(ANY);
    REQUIRE(n == 0 || categories, "categories is null");
    for (size_t i = 0; i < n; i++)
        REQUIRE(categories[i] && strcmp(categories[i], "logStatusError") == 0, "unknown category");
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    if (!functions)
        return NULL;
    const char *reason = !name || strspn(name, " \t\r\n") == strlen(name) ? "instanceName is empty"
                         : !guid || strcmp(guid, GUID) != 0              ? "wrong GUID"
                         : type != fmi2ModelExchange                     ? "only Model Exchange is offered"
                                                                         : NULL;
    if (reason) {
        if (functions->logger)
            functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError", "%s", reason);
        return NULL;
    }
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
    c->v.stale = true;
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
    c->v.state = EVENT;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    ENTER(EVENT | CONTINUOUS_TIME);
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
    refresh(c);
    for (size_t i = 0; i < n; i++)
        value[i] = c->v.real[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME);
    REQUIRE(n == 0 || (vr && value), "null pointer");
    for (size_t i = 0; i < n; i++) {
        REQUIRE(vr[i] < REALS, "unknown value reference");
        int allowed = vr[i] <= X1   ? INSTANTIATED | INITIALIZATION | CONTINUOUS_TIME
                      : vr[i] == MU ? INSTANTIATED | INITIALIZATION
                      : vr[i] == U  ? INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME
                                    : 0;
        REQUIRE(c->v.state & allowed, "this variable cannot be set now");
    }
    for (size_t i = 0; i < n; i++)
        c->v.real[vr[i]] = value[i];
    c->v.stale = true;
    return fmi2OK;
}

/* The model has Real variables only. */
#define NO_VARIABLES(name, type, states)                                                                     \
    fmi2Status name(fmi2Component component, const fmi2ValueReference vr[], size_t n, type value[])          \
    {                                                                                                        \
        (void)vr, (void)value;                                                                               \
        ENTER(states);                                                                                       \
        REQUIRE(n == 0, "unknown value reference");                                                          \
        return fmi2OK;                                                                                       \
    }
NO_VARIABLES(fmi2GetInteger, fmi2Integer, RUNNING)
NO_VARIABLES(fmi2GetBoolean, fmi2Boolean, RUNNING)
NO_VARIABLES(fmi2GetString, fmi2String, RUNNING)
NO_VARIABLES(fmi2SetInteger, const fmi2Integer, INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME)
NO_VARIABLES(fmi2SetBoolean, const fmi2Boolean, INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME)
NO_VARIABLES(fmi2SetString, const fmi2String, INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS_TIME)

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

fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    ENTER(EVENT | CONTINUOUS_TIME);
    REQUIRE(c->v.real[TIME] <= c->v.stop_time, "time is past stopTime");
    c->v.state = EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo *info)
{
    ENTER(EVENT);
    REQUIRE(info, "null pointer");
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    ENTER(EVENT);
    c->v.state = CONTINUOUS_TIME;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean no_set_state,
                                       fmi2Boolean *enter_event_mode, fmi2Boolean *terminate)
{
    (void)no_set_state;
    ENTER(CONTINUOUS_TIME);
    REQUIRE(enter_event_mode && terminate, "null pointer");
    REQUIRE(c->v.real[TIME] <= c->v.stop_time, "time is past stopTime");
    *enter_event_mode = *terminate = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    ENTER(CONTINUOUS_TIME);
    REQUIRE(isfinite(time), "time is not a number");
    /* Caches are re-initialized "provided the newly provided time value is different" (FMI 2.0.5, 3.2.1). */
    if (c->v.real[TIME] != time) {
        c->v.real[TIME] = time;
        c->v.stale = true;
    }
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real x[], size_t nx)
{
    ENTER(CONTINUOUS_TIME);
    REQUIRE(x && nx == NX, "null pointer or wrong length");
    memcpy(c->v.real, x, NX * sizeof *x);
    c->v.stale = true;
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real derivatives[], size_t nx)
{
    ENTER(RUNNING);
    REQUIRE(derivatives && nx == NX, "null pointer or wrong length");
    refresh(c);
    memcpy(derivatives, c->v.real + DER_X0, NX * sizeof *derivatives);
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real indicators[], size_t n)
{
    (void)indicators;
    ENTER(RUNNING);
    REQUIRE(n == 0, "wrong length");
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real x[], size_t nx)
{
    ENTER(RUNNING);
    REQUIRE(x && nx == NX, "null pointer or wrong length");
    memcpy(x, c->v.real, NX * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real nominals[], size_t nx)
{
    ENTER(ANY);
    REQUIRE(nominals && nx == NX, "null pointer or wrong length");
    for (size_t i = 0; i < NX; i++)
        nominals[i] = 1.0;
    return fmi2OK;
}

/* What this FMU does not offer. */
#define NOT_OFFERED(name, ...)                                                                               \
    fmi2Status name(fmi2Component component, ##__VA_ARGS__)                                                  \
    {                                                                                                        \
        ENTER(ANY);                                                                                          \
        return fail(c, __func__, "not offered");                                                             \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_OFFERED(fmi2SerializedFMUstateSize, fmi2FMUstate s, size_t *size)
NOT_OFFERED(fmi2SerializeFMUstate, fmi2FMUstate s, fmi2Byte bytes[], size_t size)
NOT_OFFERED(fmi2DeSerializeFMUstate, const fmi2Byte bytes[], size_t size, fmi2FMUstate *s)
NOT_OFFERED(fmi2GetDirectionalDerivative, const fmi2ValueReference u[], size_t nu, const fmi2ValueReference k[],
            size_t nk, const fmi2Real dk[], fmi2Real du[])
NOT_OFFERED(fmi2SetRealInputDerivatives, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
            const fmi2Real value[])
NOT_OFFERED(fmi2GetRealOutputDerivatives, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
            fmi2Real value[])
NOT_OFFERED(fmi2DoStep, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state)
NOT_OFFERED(fmi2CancelStep)
NOT_OFFERED(fmi2GetStatus, const fmi2StatusKind s, fmi2Status *value)
NOT_OFFERED(fmi2GetRealStatus, const fmi2StatusKind s, fmi2Real *value)
NOT_OFFERED(fmi2GetIntegerStatus, const fmi2StatusKind s, fmi2Integer *value)
NOT_OFFERED(fmi2GetBooleanStatus, const fmi2StatusKind s, fmi2Boolean *value)
NOT_OFFERED(fmi2GetStringStatus, const fmi2StatusKind s, fmi2String *value)
