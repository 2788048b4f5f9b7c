/* A vessel that is filled, for Model Exchange alone, without directional derivatives.
 *
 *     der(q) = rate (u - q)         stiff where `rate` is large
 *     der(v) = q                    until it is full, then -v
 *
 * A completed step of the integrator that ends with v > level asks for event mode (a step event). There v becomes 1e-9, and its
 * nominal value as well; it is announced if `announce` is 1. `switched` is the time of that event, `committed` the latest
 * time of fmi2CompletedIntegratorStep and fmi2EnterEventMode, `evaluations` counts fmi2GetDerivatives.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { Q, V, U, DER_Q, DER_V, RATE, LEVEL, ANNOUNCE, SWITCHED, COMMITTED, EVALUATIONS, REALS };

typedef struct {
    int mode, full;
    double time;
    double real[REALS];
    fmi2CallbackFunctions callbacks;
    char name[64];
} Data;

#include "exchange.h"

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    Data *d = instantiate(name, callbacks);
    d->real[U] = d->real[RATE] = d->real[ANNOUNCE] = 1;
    d->real[LEVEL] = 1e9;
    return d;
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real t, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    IN(INSTANTIATED);
    d->time = start;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { IN(INSTANTIATED); d->mode = INITIALIZATION; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { IN(INITIALIZATION); d->mode = EVENT; return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { IN(EVENT | CONTINUOUS); d->mode = TERMINATED; return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2Error; }

static int is_full(Data *d) { return !d->full && d->real[V] > d->real[LEVEL]; }
static void commit(Data *d) {
    if (d->time > d->real[COMMITTED]) d->real[COMMITTED] = d->time;
}
fmi2Status fmi2EnterEventMode(fmi2Component c) { IN(CONTINUOUS); commit(d); d->mode = EVENT; return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    IN(EVENT);
    memset(info, 0, sizeof *info);
    if (is_full(d)) {
        d->full = 1;
        d->real[V] = 1e-9;
        d->real[SWITCHED] = d->time;
        info->valuesOfContinuousStatesChanged = 1;
        info->nominalsOfContinuousStatesChanged = d->real[ANNOUNCE] == 1;
    }
    return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { IN(EVENT); d->mode = CONTINUOUS; return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no, fmi2Boolean *event, fmi2Boolean *terminate) {
    IN(CONTINUOUS);
    commit(d);
    *event = is_full(d);
    *terminate = 0;
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { IN(CONTINUOUS); d->time = t; return fmi2OK; }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    IN(CONTINUOUS);
    memcpy(d->real, x, 2 * sizeof(double));
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    memcpy(x, d->real, 2 * sizeof(double));
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    Data *d = c;
    x[0] = 1;
    x[1] = d->full ? 1e-9 : 1;
    return fmi2OK;
}

static void evaluate(Data *d) {
    double *r = d->real;
    r[DER_Q] = r[RATE] * (r[U] - r[Q]);
    r[DER_V] = d->full ? -r[V] : r[Q];
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    d->real[EVALUATIONS]++;
    evaluate(d);
    dx[0] = d->real[DER_Q];
    dx[1] = d->real[DER_V];
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    evaluate(d);
    for (size_t i = 0; i < n; i++) value[i] = d->real[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    IN(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS);
    for (size_t i = 0; i < n; i++) d->real[vr[i]] = value[i];
    return fmi2OK;
}
COPIED_STATES
NO_VALUES(Integer)
NO_VALUES(Boolean)
NO_VALUES(String)
