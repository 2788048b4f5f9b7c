/* A small FMU for Model Exchange and Co-Simulation that keeps to the standard, and one fault on request.
 *
 *     der(x) = v                    n: counts the seconds (time events)
 *     der(v) = -k x - d v + u       flag: x > 0 (state event)
 *     y      = v + 2 u              w = sqrt(k)
 *
 * A fault is chosen when it is compiled: -DFAULT_NAME.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interface.h"
#ifdef FAULT_MISBEHAVE
#define MISBEHAVE
#endif
#ifdef MISBEHAVE
#include "misbehave.h"
#endif

#ifndef GUID
#define GUID "{oscillator}"
#endif

enum { X, V, K, D, U, Y, DER_X, DER_V, TIME, W, REALS };
enum { N, MODE, INTEGERS };
enum { NX = 2, NZ = 1, LABEL_SIZE = 64 };
enum { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS = 8, STEP_COMPLETE = 16, STEP_FAILED = 32,
       TERMINATED = 64, FAILED = 128 };
enum { ALIVE = 255, READ = 255 & ~INSTANTIATED };

typedef struct {
    int state;
    double real[REALS];
    int integer[INTEGERS];
    int flag, armed;
    char label[LABEL_SIZE];
    double start, stop, next, last, evaluated;
    int stop_defined;
#ifdef FAULT_HUGE_STATE
    char ballast[16 << 20];
#endif
} Data;

typedef struct {
    char name[64];
    fmi2Type type;
    fmi2CallbackFunctions callbacks;
    int logging;
    Data data;
} Instance;

static int alive, made;

#ifdef FAULT_PYTHON
/* As libraries of exporters for Python: the interpreter must be in the process. */
extern int _Py_TestStruct;
int *interpreter(void) { return &_Py_TestStruct; }
#endif
#ifdef FAULT_LOAD
__attribute__((constructor)) static void die(void) { abort(); }
#endif

#ifdef FAULT_DESCRIBE
int fmuDescribe(const char *resources, void (*sink)(void *, int, const char *, size_t), void *context) {
    (void)resources;
    const char *text =
        "<fmiModelDescription fmiVersion='2.0' modelName='Other' guid='{oscillator}'><ModelVariables><ScalarVariable "
        "name='a' valueReference='0'><Real/></ScalarVariable></ModelVariables><ModelStructure/></fmiModelDescription>";
    sink(context, 0, text, strlen(text));
    return 0;
}
#endif

static void message(Instance *i, fmi2Status status, const char *text) {
#ifdef FAULT_SILENT
    return;
#endif
#ifdef FAULT_CHATTY
    if (1) {
#else
    if (i->logging || status != fmi2OK) {
#endif
#if defined FAULT_CATEGORY
        i->callbacks.logger(i->callbacks.componentEnvironment, i->name, status, "undeclared", text);
#elif defined FAULT_ENVIRONMENT
        i->callbacks.logger(i, i->name, status, "logAll", text);
#else
        i->callbacks.logger(i->callbacks.componentEnvironment, i->name, status, "logAll", text);
#endif
    }
}

/* Values that some tools load late, from a file. */
static void load(Data *d) {
    d->real[X] = 1;
    d->real[K] = 4;
    d->real[D] = 0.1;
    d->integer[MODE] = 1;
    d->armed = 1;
    strcpy(d->label, "oscillator");
}

static void defaults(Data *d) {
    memset(d, 0, sizeof *d);
    d->state = INSTANTIATED;
    d->real[X] = 1;
    d->real[K] = 4;
    d->real[D] = 0.1;
#ifdef FAULT_START
    d->real[D] = 0.2;
#endif
    d->integer[MODE] = 1;
    d->armed = 1;
    strcpy(d->label, "oscillator");
}

static void evaluate(Data *d) {
    double *r = d->real;
    r[W] = sqrt(r[K]);
#ifdef FAULT_EVALUATED_IN_SETUP
    r[W] = sqrt(d->evaluated);
#endif
    r[DER_X] = r[V];
    r[DER_V] = -r[K] * r[X] - r[D] * r[V] + r[U];
    r[Y] = r[V] + 2 * r[U];
#ifdef FAULT_HIDDEN_DEPENDENCY
    r[Y] += 0.5 * r[X];
#endif
#ifdef FAULT_VARYING_FACTOR
    r[Y] += 0.1 * r[V] * r[V] * r[V];
#endif
#ifdef FAULT_SLIDING
    r[DER_X] = d->flag ? -1 : 1;
#endif
#ifdef FAULT_SHARED
    r[DER_V] += 0.1 * (alive > 1);
#endif
#ifdef FAULT_MEMORY
    r[DER_V] += 1e-6 * made;
#endif
#ifdef FAULT_NAN_OUTPUT
    if (r[TIME] > 0.4999) r[Y] = NAN;
#endif
#ifdef FAULT_INFINITE_OUTPUT
    if (r[TIME] > 0.4999) r[Y] = INFINITY;
#endif
#ifdef FAULT_NAN
    if (isnan(r[U])) abort();
#endif
}

static int fail(Instance *i, const char *text) {
    message(i, fmi2Error, text);
    i->data.state = FAILED;
    return fmi2Error;
}

/* The instance, if it is one and may be called so now. */
static Instance *enter(fmi2Component c, int states, const char *function) {
    Instance *i = c;
    if (i == NULL) {
        return NULL;
    }
#ifdef MISBEHAVE
    misbehave(function, i->data.real[TIME]);
#endif
#ifdef FAULT_EARLY_STEP
    if (i->data.state == INSTANTIATED && strcmp(function, "fmi2DoStep") == 0) *(volatile int *)8 = 1;
#endif
#ifndef FAULT_LENIENT
    if (!(i->data.state & states)) {
        char text[128];
        snprintf(text, sizeof text, "%s is not allowed now", function);
        fail(i, text);
        return NULL;
    }
#else
    (void)states;
#endif
    return i;
}
#define ENTER(states) Instance *i = enter(c, states, __func__); if (i == NULL) return fmi2Error

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) {
#ifdef FAULT_VERSION
    return "1.9";
#else
    return "2.0";
#endif
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    ENTER(ALIVE);
    if (n > 0 && categories == NULL) return fail(i, "categories are missing");
    i->logging = on;
    return fmi2OK;
}

#ifdef FAULT_ABSENT
extern int absent;
int *needs_what_is_absent = &absent;
#endif

#ifndef FAULT_NO_INSTANTIATE
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)resources; (void)visible;
#ifdef FAULT_URI
    if (resources != NULL && strncmp(resources, "file:///", 8) != 0) return NULL;
#endif
    if (functions == NULL || functions->logger == NULL || name == NULL) return NULL;
#ifndef FAULT_ANY_NAME
    if (*name == 0) return NULL;
#endif
    if (type != fmi2ModelExchange && type != fmi2CoSimulation) return NULL;
#ifndef FAULT_ANY_GUID
    if (guid == NULL || strcmp(guid, GUID) != 0) {
        functions->logger(functions->componentEnvironment, name, fmi2Error, "logAll", "wrong GUID %s", guid);
        return NULL;
    }
#endif
#ifdef FAULT_ONE_INSTANCE
    static int made = 0;
    if (made++) return NULL;
#endif
#ifdef FAULT_SEGFAULT
    *(volatile int *)8 = 1;
#endif
#ifdef FAULT_EXIT
    exit(7);
#endif
    Instance *i = calloc(1, sizeof *i);
    snprintf(i->name, sizeof i->name, "%s", name);
    i->type = type;
    i->callbacks = *functions;
    i->logging = logging;
    defaults(&i->data);
    alive++;
    made++;
    message(i, fmi2OK, "made");
#ifdef FAULT_STEERING
    /* What a terminal would obey. */
    functions->logger(functions->componentEnvironment, "in\x1b[31mstance", fmi2Warning, "cat\x1b[2Jegory", "%s",
                      "a \x1b]0;title\x07 and \xc2\x9b""31m, \r and \x7f, \xe2\x80\xae");
#endif
#ifdef FAULT_MESSAGES
#define LOG(...) functions->logger(functions->componentEnvironment, name, fmi2Warning, "logAll", __VA_ARGS__)
    LOG("reference #r4# of number ##%d, #i1#, #b0#, #s0#, #r77#", 3);
    LOG("%s and %s are missing: %s %s %s %s %s %s %s %s", "this", "that");
    LOG("%d%% of %5.2f|%-6s|%6s|%.2s|%c|%lld|%x|%zu", 50, 3.14159, "ab", "cd", "xyz", 'q', 1LL << 40, 255, (size_t)9);
    LOG("%n%q%");
    LOG("%s", (char *)16);
    LOG("%*d|%-*d|%.*f", 4, 7, 4, 7, 1, 2.55);
    functions->logger((void *)0xdeadbeef, name, fmi2Warning, NULL, "wrong environment");
    functions->logger(functions->componentEnvironment, NULL, fmi2OK, "logAll", "no name");
    LOG("caf\xe9 %s", "\xc3\xa9");
#endif
    return i;
}
#endif

void fmi2FreeInstance(fmi2Component c) {
#ifdef MISBEHAVE
    if (c != NULL) misbehave("fmi2FreeInstance", ((Instance *)c)->data.real[TIME]);
#endif
#ifdef FAULT_FREE
    *(volatile fmi2Boolean *)&((Instance *)c)->logging = 0;
#endif
#ifdef FAULT_FREE_EARLY
    if (c != NULL && ((Instance *)c)->data.state == INSTANTIATED) abort();
#endif
    if (c != NULL) alive--;
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    ENTER(INSTANTIATED);
    (void)tolerance_defined; (void)tolerance;
    if (stop_defined && !(stop > start)) return fail(i, "the stop time is not after the start time");
    i->data.start = i->data.real[TIME] = i->data.last = start;
    i->data.stop = stop;
    i->data.stop_defined = stop_defined;
    i->data.next = start + 1;
#ifdef FAULT_DEFAULTS_IN_SETUP
    load(&i->data);
#endif
#ifdef FAULT_EVALUATED_IN_SETUP
    i->data.evaluated = i->data.real[K];
#endif
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    ENTER(INSTANTIATED);
#ifdef FAULT_DEFAULTS_IN_ENTER
    load(&i->data);
#endif
    i->data.state = INITIALIZATION;
    i->data.flag = i->data.real[X] > 0;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    ENTER(INITIALIZATION);
#ifdef FAULT_INITIALIZATION_ERROR
    return fail(i, "no consistent initial values for #r0#");
#endif
#ifdef FAULT_SLOW
    usleep(300000);
#endif
#ifdef FAULT_WRITES
    FILE *diary = fopen("diary.txt", "w");
    if (diary != NULL) fclose(diary);
#endif
    i->data.flag = i->data.real[X] > 0;
    i->data.state = i->type == fmi2ModelExchange ? EVENT : STEP_COMPLETE;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    ENTER(EVENT | CONTINUOUS | STEP_COMPLETE | STEP_FAILED);
    i->data.state = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    ENTER(ALIVE);
#ifdef FAULT_RESET
    double k = i->data.real[K], x = i->data.real[X];
#endif
    defaults(&i->data);
#ifdef FAULT_RESET
    i->data.real[K] = k;
    i->data.real[X] = x;
#endif
    return fmi2OK;
}

/* ---- values */

static fmi2Status values(Instance *i, const fmi2ValueReference vr[], size_t n, const void *value, size_t count) {
    if (n == 0) return fmi2OK;
#ifndef FAULT_NULL
    if (vr == NULL || value == NULL) return fail(i, "an array is missing");
#endif
#ifndef FAULT_VALUE_REFERENCES
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= count) return fail(i, "unknown value reference");
    }
#else
    (void)count;
#endif
    return fmi2OK;
}
#define VALUES(count) fmi2Status ok = values(i, vr, n, value, count); if (ok != fmi2OK) return ok

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
#ifdef FAULT_COUNT_0
    if (n == 0) return fmi2Error;
#endif
    ENTER(READ);
    VALUES(REALS);
#ifdef FAULT_STRICT_READING
    if (i->data.state == INITIALIZATION && vr[0] == K) return fmi2Error;
#endif
    evaluate(&i->data);
#ifdef FAULT_HANG
    while (i->data.state == STEP_COMPLETE || i->data.state == CONTINUOUS) {}
#endif
#ifdef FAULT_UNKNOWN_STATUS
    return (fmi2Status)42;
#endif
    for (size_t k = 0; k < n; k++) value[k] = i->data.real[vr[k]];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]) {
    ENTER(READ);
    VALUES(INTEGERS);
    for (size_t k = 0; k < n; k++) value[k] = i->data.integer[vr[k]];
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]) {
#ifdef FAULT_COUNT_0
    if (n == 0) return fmi2Error;
#endif
    ENTER(READ);
    VALUES(2);
    for (size_t k = 0; k < n; k++) value[k] = vr[k] == 0 ? i->data.flag : i->data.armed;
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
    ENTER(READ);
    VALUES(1);
    for (size_t k = 0; k < n; k++) value[k] = i->data.label;
#ifdef FAULT_BAD_TEXT
    for (size_t k = 0; k < n; k++) value[k] = (const char *)0x1234567;
#endif
    return fmi2OK;
}

static int settable(Instance *i, fmi2ValueReference vr) {
    int state = i->data.state;
    switch (vr) {
    case X: case V: return state & (INSTANTIATED | INITIALIZATION | CONTINUOUS);
    case K: return state & (INSTANTIATED | INITIALIZATION);
    case D: return state & (INSTANTIATED | INITIALIZATION | EVENT | STEP_COMPLETE);
    case U: return state != INSTANTIATED;
#ifdef FAULT_SET_OUTPUT
    case Y: return 1;
#endif
    default: return 0;
    }
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS | STEP_COMPLETE);
#ifdef FAULT_PARTIAL
    if (n == 2 && vr[0] < REALS && settable(i, vr[0])) i->data.real[vr[0]] = value[0];
#endif
    VALUES(REALS);
    for (size_t k = 0; k < n; k++) {
        if (!settable(i, vr[k])) return fail(i, "the variable #r0# cannot be set now");
#ifndef FAULT_RANGE
        if (vr[k] == K && !(value[k] >= 0)) {
#ifdef FAULT_STORED
            i->data.real[K] = value[k];
#endif
            message(i, fmi2Discard, "#r2# must not be negative");
            return fmi2Discard;
        }
#endif
#ifdef FAULT_STRICT_INPUT
        if (vr[k] == U && fabs(value[k]) > 1) return fail(i, "#r4# is out of range");
#endif
    }
#ifdef FAULT_IGNORED
    if (i->data.state == INSTANTIATED) return fmi2OK;
#endif
    for (size_t k = 0; k < n; k++) {
#ifdef FAULT_IGNORED_VALUE
        if (vr[k] == K) continue;
#endif
        i->data.real[vr[k]] = value[k];
    }
    if (i->data.state == INITIALIZATION) i->data.flag = i->data.real[X] > 0;
#ifdef FAULT_WARNING
    if (i->data.real[K] > 4.5) {
        message(i, fmi2Warning, "#r2# is large");
        return fmi2Warning;
    }
#endif
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]) {
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | STEP_COMPLETE);
    VALUES(INTEGERS);
    for (size_t k = 0; k < n; k++) {
        if (!(i->data.state & (INSTANTIATED | INITIALIZATION))) return fail(i, "cannot be set now");
        if (vr[k] == MODE && (value[k] < 1 || value[k] > 2)) {
            message(i, fmi2Discard, "#i1# has no such item");
            return fmi2Discard;
        }
    }
    for (size_t k = 0; k < n; k++) i->data.integer[vr[k]] = value[k];
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]) {
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | STEP_COMPLETE);
    VALUES(2);
    for (size_t k = 0; k < n; k++) {
        if (vr[k] == 0 || !(i->data.state & (INSTANTIATED | INITIALIZATION))) return fail(i, "cannot be set now");
#ifdef FAULT_BOOLEAN
        i->data.armed = value[k];
#else
        i->data.armed = value[k] != 0;
#endif
    }
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
    ENTER(INSTANTIATED | INITIALIZATION | EVENT | STEP_COMPLETE);
    VALUES(1);
    for (size_t k = 0; k < n; k++) {
        if (value[k] == NULL) return fail(i, "a text is missing");
        if (!(i->data.state & (INSTANTIATED | INITIALIZATION))) return fail(i, "cannot be set now");
#ifdef FAULT_TEXT
        snprintf(i->data.label, 3, "%s", value[k]);
#else
        snprintf(i->data.label, LABEL_SIZE, "%s", value[k]);
#endif
    }
    return fmi2OK;
}

/* ---- snapshots */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ENTER(ALIVE);
#ifdef FAULT_GET_STATE
    abort();
#endif
#ifdef FAULT_GET_STATE_EARLY
    if (i->data.real[TIME] < 0.45) abort();
#endif
    if (state == NULL) return fail(i, "an argument is missing");
    if (*state == NULL) *state = malloc(sizeof(Data));
    memcpy(*state, &i->data, sizeof(Data));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    ENTER(ALIVE);
    if (state == NULL) return fail(i, "an argument is missing");
#ifdef FAULT_FATAL_RESTORE
    message(i, fmi2Fatal, "cannot go back");
    return fmi2Fatal;
#endif
#ifdef FAULT_SNAPSHOT
    double v = i->data.real[V];
#endif
    memcpy(&i->data, state, sizeof(Data));
#ifdef FAULT_SNAPSHOT
    i->data.real[V] = v;
#endif
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ENTER(ALIVE);
#ifdef FAULT_FREE_STATE
    free(*state);
    state = NULL;
#endif
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    ENTER(ALIVE);
    if (state == NULL || size == NULL) return fail(i, "an argument is missing");
#ifdef FAULT_ENDLESS_STATE
    *size = (size_t)1 << 62;
#else
    *size = sizeof(Data);
#endif
    return fmi2OK;
}

#ifdef FAULT_ADDRESS
/* What holds in one process only. */
static const void *stamp(void) { return (const void *)(size_t)getpid(); }
#endif

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    ENTER(ALIVE);
    if (state == NULL || bytes == NULL || size < sizeof(Data)) return fail(i, "too few bytes");
    memcpy(bytes, state, sizeof(Data));
#ifdef FAULT_ADDRESS
    *(const void **)&((Data *)bytes)->label = stamp();
#endif
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    ENTER(ALIVE);
#ifdef FAULT_HALF
    size = size < sizeof(Data) ? size : sizeof(Data);
#else
    if (state == NULL || bytes == NULL || size != sizeof(Data)) return fail(i, "not a state of this FMU");
#endif
#ifdef FAULT_ADDRESS
    if (*(const void **)&((Data *)bytes)->label != stamp()) return fail(i, "not a state of this process");
#endif
    if (*state == NULL) *state = calloc(1, sizeof(Data));
    memcpy(*state, bytes, size);
    return fmi2OK;
}

#ifndef FAULT_MISSING_FUNCTIONS
static double partial(const Data *d, fmi2ValueReference unknown, fmi2ValueReference known) {
    const double *r = d->real;
    switch (unknown) {
    case X: return known == X;
    case V: return known == V;
#if defined FAULT_HIDDEN_DEPENDENCY
    case Y: return known == V ? 1 : known == U ? 2 : known == X ? 0.5 : 0;
#elif defined FAULT_VARYING_FACTOR
    case Y: return known == V ? 1 + 0.3 * r[V] * r[V] : known == U ? 2 : 0;
#else
    case Y: return known == V ? 1 : known == U ? 2 : 0;
#endif
    case DER_X: return known == V;
    case DER_V: return known == X ? -r[K] : known == V ? -r[D] : known == U ? 1
                     : known == K ? -r[X] : known == D ? -r[V] : 0;
    case W: return known == K ? 0.5 / sqrt(r[K]) : 0;
    default: return 0;
    }
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t nu,
                                        const fmi2ValueReference known[], size_t nk, const fmi2Real dk[],
                                        fmi2Real du[]) {
    ENTER(READ);
    if ((nu > 0 && (unknown == NULL || du == NULL)) || (nk > 0 && (known == NULL || dk == NULL))) {
        return fail(i, "an array is missing");
    }
    for (size_t k = 0; k < nu; k++) if (unknown[k] >= REALS) return fail(i, "unknown value reference");
    for (size_t k = 0; k < nk; k++) if (known[k] >= REALS) return fail(i, "unknown value reference");
#ifdef FAULT_REFUSED_UNKNOWN
    /* No fault where this is the value reference of a constant. */
    for (size_t k = 0; k < nu; k++) if (unknown[k] == FAULT_REFUSED_UNKNOWN) return fmi2Discard;
#endif
    for (size_t u = 0; u < nu; u++) {
        du[u] = 0;
        for (size_t k = 0; k < nk; k++) du[u] += partial(&i->data, unknown[u], known[k]) * dk[k];
#ifdef FAULT_DERIVATIVE
        du[u] *= FAULT_DERIVATIVE;
#endif
    }
    return fmi2OK;
}
#endif

/* ---- Model Exchange */

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    ENTER(EVENT | CONTINUOUS);
    i->data.state = EVENT;
    return fmi2OK;
}

static void update(Data *d) {
    d->flag = d->real[X] > 0;
    while (d->real[TIME] >= d->next - 1e-12) {
        d->integer[N]++;
        d->next += 1;
    }
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    ENTER(EVENT);
    if (info == NULL) return fail(i, "an argument is missing");
    update(&i->data);
    memset(info, 0, sizeof *info);
    info->nextEventTimeDefined = 1;
    info->nextEventTime = i->data.next;
#ifdef FAULT_PAST_EVENT
    if (i->data.integer[N] > 0) info->nextEventTime = i->data.next - 1;
#endif
#ifdef FAULT_NAN_EVENT
    if (i->data.integer[N] > 0) info->nextEventTime = NAN;
#endif
#ifdef FAULT_SILENT_CHANGE
    if (i->data.real[TIME] > i->data.start) i->data.real[V] += 1e-3;
#endif
#ifdef FAULT_ENDS
    info->terminateSimulation = i->data.integer[N] > 0;
#endif
#ifdef FAULT_CHATTER
    info->newDiscreteStatesNeeded = 1;
#endif
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    ENTER(EVENT);
    i->data.state = CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *event, fmi2Boolean *end) {
    ENTER(CONTINUOUS);
    (void)no_set;
    if (event == NULL || end == NULL) return fail(i, "an argument is missing");
    *event = *end = 0;
#ifdef FAULT_STEP_EVENT
    *event = 1;
#endif
    return fmi2OK;
}

static int beyond(const Data *d, double time) {
#ifdef FAULT_STRICT_STOP
    return d->stop_defined && time > d->stop;
#else
    return d->stop_defined && time > d->stop + 1e-9 * (d->stop - d->start);
#endif
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ENTER(EVENT | CONTINUOUS);
#ifndef FAULT_STOP_TIME
    if (beyond(&i->data, time)) return fail(i, "beyond the stop time");
#endif
    i->data.real[TIME] = time;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    ENTER(CONTINUOUS);
    if (nx != NX || x == NULL) return fail(i, "wrong number of states");
#ifdef FAULT_STRICT_STATE
    if (fabs(x[V]) > 100) return fail(i, "#r1# is out of range");
#endif
    memcpy(i->data.real, x, sizeof(double) * NX);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t nx) {
    ENTER(READ);
    if (nx != NX || dx == NULL) return fail(i, "wrong number of states");
#ifdef FAULT_DISCARD
    if (i->data.real[X] > 1.5) {
        message(i, fmi2Discard, "#r0# is too large: %");
        return fmi2Discard;
    }
#endif
#ifdef FAULT_DERIVATIVES_ERROR
    if (i->data.state == CONTINUOUS) return fail(i, "division by zero");
#endif
    evaluate(&i->data);
    dx[0] = i->data.real[DER_X];
    dx[1] = i->data.real[DER_V];
#ifdef FAULT_OVERRUN
    dx[2] = 0;
#endif
#ifdef FAULT_UNDERRUN
    dx[-1] = 0;
#endif
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t nz) {
    ENTER(READ);
    if (nz != NZ || z == NULL) return fail(i, "wrong number of event indicators");
    z[0] = i->data.real[X] + (i->data.flag ? 1e-12 : -1e-12);
#ifdef FAULT_ZERO_INDICATOR
    if (z[0] < 0) z[0] = 0;
#endif
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    ENTER(READ);
    if (nx != NX || x == NULL) return fail(i, "wrong number of states");
    memcpy(x, i->data.real, sizeof(double) * NX);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
#ifdef FAULT_NOMINALS_EARLY
    ENTER(READ);
#else
    ENTER(ALIVE);
#endif
    if (nx != NX || x == NULL) return fail(i, "wrong number of states");
#ifdef STATE_NOMINALS
    x[0] = x[1] = STATE_NOMINALS;
#else
    x[0] = x[1] = 1;
#endif
#ifdef FAULT_NOMINAL
    x[1] = 0;
#endif
    return fmi2OK;
}

/* ---- Co-Simulation */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    ENTER(INSTANTIATED | INITIALIZATION | STEP_COMPLETE);
    (void)vr; (void)n; (void)order; (void)value;
#ifdef FAULT_ANY_INPUT_ORDER
    return fmi2OK;
#endif
    return fail(i, "inputs are not interpolated");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
    ENTER(STEP_COMPLETE | STEP_FAILED | TERMINATED | FAILED);
    (void)vr; (void)n; (void)order; (void)value;
#ifdef FAULT_ANY_OUTPUT_ORDER
    for (size_t k = 0; k < n; k++) value[k] = 0;
    return fmi2OK;
#endif
    return fail(i, "there are no output derivatives");
}

/* A classical Runge-Kutta step. */
static void integrate(Data *d, double h) {
    double x[NX], slope[4][NX];
    memcpy(x, d->real, sizeof x);
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < NX; k++) d->real[k] = x[k] + (s == 0 ? 0 : at[s] * h * slope[s - 1][k]);
        evaluate(d);
        slope[s][0] = d->real[DER_X];
        slope[s][1] = d->real[DER_V];
    }
    for (int k = 0; k < NX; k++) {
        d->real[k] = x[k] + h / 6 * (slope[0][k] + 2 * slope[1][k] + 2 * slope[2][k] + slope[3][k]);
    }
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set) {
    ENTER(STEP_COMPLETE);
    (void)no_set;
#ifndef FAULT_ODD_STEPS
    if (!(step > 0)) return fail(i, "the step must be positive");
#ifdef FAULT_EXACT_TIME
    if (time != i->data.real[TIME]) return fail(i, "a gap in time");
#endif
    if (!(fabs(time - i->data.real[TIME]) <= 1e-9 * (1 + fabs(time)))) return fail(i, "a gap in time");
#endif
#ifndef FAULT_STOP_TIME
    if (beyond(&i->data, time + step)) return fail(i, "beyond the stop time");
#endif
#ifdef FAULT_STEP_STATUS
    if (time > 0.4999) return (fmi2Status)FAULT_STEP_STATUS;
#endif
#ifdef FAULT_DISCARD
    if (time + step > 0.55) {
        i->data.state = STEP_FAILED;
        i->data.last = time;
        return fmi2Discard;
    }
#endif
#ifdef FAULT_NOMINAL_STEP
    if (step != FAULT_NOMINAL_STEP) {
        i->data.state = STEP_FAILED;
        i->data.last = time;
        return fmi2Discard;
    }
#endif
#ifdef FAULT_LONG_STEPS
    if (time > 0.45 && time < 0.95 && step > 0.03) {
        i->data.state = STEP_FAILED;
        i->data.last = time;
        return fmi2Discard;
    }
#endif
#ifdef FAULT_REPEATS
    /* A caller that may return to an earlier point means this step as a repetition of the last one. */
    if (!no_set) {
        i->data.real[TIME] = i->data.last = time + step;
        return fmi2OK;
    }
#endif
#ifdef FAULT_FATAL
    message(i, fmi2Fatal, "the end");
    return fmi2Fatal;
#endif
#ifdef FAULT_SLEEPY_SLAVE
    if (time > 0.54) usleep(300000);
#endif
    int count = (int)ceil(step / 1e-3);
#ifdef FAULT_SLOW_SLAVE
    double length = 0.8 * step / count;
#else
    double length = step / count;
#endif
    for (int k = 0; k < count; k++) {
        integrate(&i->data, length);
        i->data.real[TIME] = time + step * (k + 1) / count;
        update(&i->data);
    }
    i->data.real[TIME] = i->data.last = time + step;
#ifdef FAULT_PENDING
    return fmi2Pending;
#endif
#ifdef FAULT_WARNING
    return fmi2Warning;
#endif
    return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    ENTER(0);
    return fmi2OK;
}

enum { ASKED = STEP_COMPLETE | STEP_FAILED | TERMINATED };

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    ENTER(ASKED);
    if (value == NULL) return fail(i, "an argument is missing");
#ifdef FAULT_PENDING
    *value = fmi2OK;
    return fmi2OK;
#endif
    (void)kind;
    return fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    ENTER(ASKED);
    if (value == NULL) return fail(i, "an argument is missing");
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
#ifdef FAULT_LAST_TIME
    return fmi2Discard;
#endif
    *value = i->data.last;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    ENTER(ASKED);
    (void)kind; (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    ENTER(ASKED);
    if (value == NULL) return fail(i, "an argument is missing");
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = 0;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    ENTER(ASKED);
    (void)kind; (void)value;
    return fmi2Discard;
}
