/* A discrete-time FMU for Model Exchange alone, with inputs and outputs of every type. Inputs may be set in initialization
 * mode and in event mode only: elsewhere fmi2Set... is an error. Outputs change in fmi2NewDiscreteStates only; in
 * initialization mode they follow the inputs.
 *
 *     source:   at its sample k    r = k / 2, i = k, b = k is odd, s = "k", e = 1 + k mod 2
 *     relay:    at every event, or at its samples if it has a period
 *                                  r = gain r_in + shift, i = i_in + 1, b = b_in, s = "<" s_in ">", e = e_in
 *     inverter: a relay with b = not b_in, from the time `from` on
 *
 * `seen` is a checksum of what each sample has seen: 3 seen + 10 i_in + 100 b_in + r_in, modulo 1000.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { R_IN, R_OUT, PERIOD, GAIN, SHIFT, FROM, SEEN, REALS };
enum { I_IN, I_OUT, E_IN, E_OUT, SAMPLES, KIND, PASSES, INTEGERS };
enum { B_IN, B_OUT, BOOLEANS };
enum { S_IN, S_OUT, TEXTS, SIZE = 64 };
enum { SOURCE = 1, RELAY, INVERTER };

typedef struct {
    int mode;
    double time;
    double real[REALS];
    int integer[INTEGERS];
    int boolean[BOOLEANS];
    char text[TEXTS][SIZE];
    fmi2CallbackFunctions callbacks;
    char name[SIZE];
} Data;

#include "exchange.h"

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    if (type != fmi2ModelExchange) return NULL;
    Data *d = instantiate(name, callbacks);
    d->real[GAIN] = 1;
    d->integer[KIND] = RELAY;
    d->integer[E_IN] = 1;
    d->integer[E_OUT] = 1;
    return d;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real t, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    ((Data *)c)->time = start;
    return fmi2OK;
}

static void evaluate(Data *d) {
    int k = d->integer[SAMPLES];
    if (d->integer[KIND] == SOURCE) {
        d->real[R_OUT] = 0.5 * k;
        d->integer[I_OUT] = k;
        d->boolean[B_OUT] = k % 2;
        d->integer[E_OUT] = 1 + k % 2;
        snprintf(d->text[S_OUT], SIZE, "%d", k);
        return;
    }
    d->real[R_OUT] = d->real[GAIN] * d->real[R_IN] + d->real[SHIFT];
    d->integer[I_OUT] = d->integer[I_IN] + 1;
    d->boolean[B_OUT] = d->boolean[B_IN];
    if (d->integer[KIND] == INVERTER && d->time >= d->real[FROM]) d->boolean[B_OUT] = !d->boolean[B_IN];
    d->integer[E_OUT] = d->integer[E_IN];
    snprintf(d->text[S_OUT], SIZE, "<%.40s>", d->text[S_IN]);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { ((Data *)c)->mode = INITIALIZATION; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    evaluate(c);
    ((Data *)c)->mode = EVENT;
    return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2EnterEventMode(fmi2Component c) { ((Data *)c)->mode = EVENT; return fmi2OK; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { ((Data *)c)->mode = CONTINUOUS; return fmi2OK; }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { ((Data *)c)->time = t; return fmi2OK; }

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Data *d = c;
    memset(info, 0, sizeof *info);
    if (d->mode != EVENT) return fail(d, "fmi2NewDiscreteStates outside event mode");
    d->integer[PASSES]++;
    double period = d->real[PERIOD];
    /* Sample k is at (k - 1) period: the first one is at the start. */
    int due = period > 0 && d->time >= d->integer[SAMPLES] * period;
    if (due) {
        d->real[SEEN] = fmod(3 * d->real[SEEN] + 10 * d->integer[I_IN] + 100 * d->boolean[B_IN] + d->real[R_IN], 1000);
        if (d->integer[KIND] == SOURCE) evaluate(d);
        d->integer[SAMPLES]++;
    }
    if (d->integer[KIND] != SOURCE && (due || period == 0)) evaluate(d);
    if (period > 0) {
        info->nextEventTimeDefined = 1;
        info->nextEventTime = d->integer[SAMPLES] * period;
    } else if (d->integer[KIND] == INVERTER && d->time < d->real[FROM]) {
        info->nextEventTimeDefined = 1;
        info->nextEventTime = d->real[FROM];
    }
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no, fmi2Boolean *event, fmi2Boolean *terminate) {
    *event = *terminate = 0;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) { return fmi2OK; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { return fmi2OK; }
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n) { return fmi2OK; }
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { return fmi2OK; }
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) { return fmi2OK; }

/* Variable 0 of each type is an input, and so is E_IN. */
#define SETTABLE(vr)                                                                                                  \
    if (d->mode == CONTINUOUS && n > 0) return fail(d, "a discrete input is set in continuous time")

#define ACCESS(Type, CType, field)                                                                                    \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, CType value[]) {               \
        Data *d = c;                                                                                                  \
        if (d->mode == INITIALIZATION) evaluate(d);                                                                   \
        for (size_t i = 0; i < n; i++) value[i] = d->field[vr[i]];                                                    \
        return fmi2OK;                                                                                                \
    }                                                                                                                 \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, const CType value[]) {         \
        Data *d = c;                                                                                                  \
        SETTABLE(vr);                                                                                                 \
        for (size_t i = 0; i < n; i++) d->field[vr[i]] = value[i];                                                    \
        return fmi2OK;                                                                                                \
    }

ACCESS(Real, fmi2Real, real)
ACCESS(Integer, fmi2Integer, integer)
ACCESS(Boolean, fmi2Boolean, boolean)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
    Data *d = c;
    if (d->mode == INITIALIZATION) evaluate(d);
    for (size_t i = 0; i < n; i++) value[i] = d->text[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
    Data *d = c;
    SETTABLE(vr);
    for (size_t i = 0; i < n; i++) snprintf(d->text[vr[i]], SIZE, "%s", value[i]);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *s) { return fmi2Error; }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) { return fmi2Error; }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *s) { return fmi2Error; }
