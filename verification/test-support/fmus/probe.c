/* A small FMU for Co-Simulation that behaves as other tools' FMUs do, on request, and counts what it is asked for.
 *
 *     der(x) = rate (u - x)         an exact exponential in each step, for an input that is held
 *     saved                         calls of fmi2GetFMUstate
 *     unsafe                        steps with noSetFMUStatePriorToCurrentPoint = fmi2False
 *
 * What is special is chosen when it is compiled: -DMAX_STEP=0.05, -DDISCARD_AT=0.537, -DEND_AT=0.25, -DNOMINAL=0.1,
 * -DSNAPSHOT_FAILS, -DWARNS, -DDEFAULTS_IN_SETUP, -DDEFAULTS_IN_ENTER, -DIGNORED.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { U, X, RATE, REALS };
enum { SAVED, UNSAFE, INTEGERS };

typedef struct {
    double real[REALS];
    double time, last;
    int ended;
} Data;

typedef struct {
    Data data;
    int integer[INTEGERS];
} Instance;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) { return fmi2OK; }

static void load(Data *data) {
    data->real[X] = 0;
    data->real[RATE] = 1;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    Instance *instance = calloc(1, sizeof(Instance));
    load(&instance->data);
    return instance;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real t, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    Data *data = &((Instance *)c)->data;
    data->time = data->last = start;
#ifdef DEFAULTS_IN_SETUP
    load(data);
#endif
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
#ifdef DEFAULTS_IN_ENTER
    load(&((Instance *)c)->data);
#endif
    return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    for (size_t i = 0; i < n; i++) value[i] = ((Instance *)c)->data.real[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    for (size_t i = 0; i < n; i++) {
#ifdef IGNORED
        if (vr[i] == RATE) continue;
#endif
        ((Instance *)c)->data.real[vr[i]] = value[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]) {
    for (size_t i = 0; i < n; i++) value[i] = ((Instance *)c)->integer[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]) { return fmi2Error; }
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]) { return fmi2Error; }
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]) { return fmi2Error; }
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) { return fmi2Error; }
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) { return fmi2Error; }

static void move(Data *data, double h) {
    data->real[X] += (1 - exp(-data->real[RATE] * h)) * (data->real[U] - data->real[X]);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set) {
    Instance *instance = c;
    Data *data = &instance->data;
    if (fabs(t - data->time) > 1e-12) return fmi2Error;
    instance->integer[UNSAFE] += !no_set;
#ifdef MAX_STEP
    if (h > MAX_STEP * (1 + 1e-9)) {
        data->real[X] = NAN;
        return fmi2Discard;
    }
#endif
#ifdef NOMINAL
    if (h != NOMINAL) {
        data->real[X] = NAN;
        return fmi2Discard;
    }
#endif
#ifdef DISCARD_AT
    if (t < DISCARD_AT - 1e-12 && t + h > DISCARD_AT + 1e-12) {
        data->real[X] = NAN;
        data->last = DISCARD_AT;
        return fmi2Discard;
    }
#endif
#ifdef END_AT
    if (t + h > END_AT - 1e-12) {
        move(data, END_AT - t);
        data->last = data->time = END_AT;
        data->ended = 1;
        return fmi2Discard;
    }
#endif
    move(data, h);
    data->last = data->time = t + h;
#ifdef WARNS
    return fmi2Warning;
#endif
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *instance = c;
    instance->integer[SAVED]++;
#ifdef SNAPSHOT_FAILS
    return fmi2Error;
#endif
    if (!*state) *state = malloc(sizeof(Data));
    memcpy(*state, &instance->data, sizeof(Data));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(&((Instance *)c)->data, state, sizeof(Data));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                       const fmi2Real value[]) { return fmi2Error; }
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) { return fmi2Error; }
fmi2Status fmi2CancelStep(fmi2Component c) { return fmi2Error; }
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value) { return fmi2Discard; }
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value) {
#ifdef SILENT
    return fmi2Discard;
#endif
    *value = ((Instance *)c)->data.last;
    return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value) { return fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value) {
    *value = ((Instance *)c)->data.ended;
    return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value) { return fmi2Discard; }
