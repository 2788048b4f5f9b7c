/* A ball that bounces, for Model Exchange alone. It keeps strictly to the standard about what may be set and called when.
 *
 *     der(h) = v                    h = 0: v becomes -e v, and `bounces` counts (state event)
 *     der(v) = g + u                kick (discrete Real), push (Integer): where they change, v grows by the difference
 *     y      = v + 3 u              events: calls of fmi2EnterEventMode
 *
 * `committed` is the latest time of fmi2CompletedIntegratorStep and fmi2EnterEventMode. From the time `limit` on,
 * derivatives are refused with fmi2Discard where u > 1. A step that is completed after `end_at` ends the simulation, and so
 * does bounce number `most`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { H, V, U, Y, DER_H, DER_V, G, E, KICK, LIMIT, END_AT, COMMITTED, REALS };
enum { PUSH, BOUNCES, EVENTS, MOST, INTEGERS };

typedef struct {
    int mode;
    double time, stop;
    double real[REALS];
    int integer[INTEGERS];
    double kicked;
    int pushed;
    fmi2CallbackFunctions callbacks;
    char name[64];
} Data;

#include "exchange.h"

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    if (type != fmi2ModelExchange) return NULL;
    Data *d = instantiate(name, callbacks);
    d->real[H] = 1;
    d->real[G] = -8;
    d->real[E] = 0.5;
    d->real[LIMIT] = 1e9;
    d->real[END_AT] = 1e9;
    d->integer[MOST] = 1000;
    return d;
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real t, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    IN(INSTANTIATED);
    d->time = start;
    d->stop = sd ? stop : 1e9;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { IN(INSTANTIATED); d->mode = INITIALIZATION; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    IN(INITIALIZATION);
    d->kicked = d->real[KICK];
    d->pushed = d->integer[PUSH];
    d->mode = EVENT;
    return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) { IN(EVENT | CONTINUOUS); d->mode = TERMINATED; return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2Error; }

static void commit(Data *d) {
    if (d->time > d->real[COMMITTED]) d->real[COMMITTED] = d->time;
}
fmi2Status fmi2EnterEventMode(fmi2Component c) {
    IN(CONTINUOUS);
    commit(d);
    d->mode = EVENT;
    d->integer[EVENTS]++;
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    IN(EVENT);
    memset(info, 0, sizeof *info);
    double *r = d->real;
    double before = r[V];
    r[V] += r[KICK] - d->kicked + d->integer[PUSH] - d->pushed;
    d->kicked = r[KICK];
    d->pushed = d->integer[PUSH];
    if (r[H] <= 0 && r[V] < 0) {
        r[V] *= -r[E];
        d->integer[BOUNCES]++;
    }
    info->valuesOfContinuousStatesChanged = r[V] != before;
    info->terminateSimulation = d->integer[BOUNCES] >= d->integer[MOST];
    return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { IN(EVENT); d->mode = CONTINUOUS; return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no, fmi2Boolean *event, fmi2Boolean *terminate) {
    IN(CONTINUOUS);
    commit(d);
    *event = 0;
    *terminate = d->time > d->real[END_AT];
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
    IN(CONTINUOUS);
    if (t > d->stop + 1e-9) return fail(d, "beyond the stop time");
    d->time = t;
    return fmi2OK;
}
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
    x[0] = x[1] = 1;
    return fmi2OK;
}

static void evaluate(Data *d) {
    double *r = d->real;
    r[DER_H] = r[V];
    r[DER_V] = r[G] + r[U];
    r[Y] = r[V] + 3 * r[U];
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    if (d->time > d->real[LIMIT] && d->real[U] > 1) return fmi2Discard;
    evaluate(d);
    dx[0] = d->real[DER_H];
    dx[1] = d->real[DER_V];
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    /* On the ground and on its way up, it is above. */
    z[0] = d->real[H] + (d->real[H] <= 0 && d->real[V] > 0 ? 1e-10 - d->real[H] : 0);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    evaluate(d);
    for (size_t i = 0; i < n; i++) value[i] = d->real[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    IN(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS);
    for (size_t i = 0; i < n; i++) {
        if (d->mode == CONTINUOUS && vr[i] != U) return fail(d, "only u may be set in continuous time");
        d->real[vr[i]] = value[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]) {
    IN(INITIALIZATION | EVENT | CONTINUOUS | TERMINATED);
    for (size_t i = 0; i < n; i++) value[i] = d->integer[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]) {
    IN(INSTANTIATED | INITIALIZATION | EVENT);
    for (size_t i = 0; i < n; i++) d->integer[vr[i]] = value[i];
    return fmi2OK;
}

COPIED_STATES
NO_VALUES(Boolean)
NO_VALUES(String)
