/* A small FMU for Co-Simulation that passes everything on, for tests of connections.
 *
 *     der(x) = rate (u - x)         an exact exponential in each step, for an input that is held
 *     y      = gain u               feed-through
 *     count_out  = count_in + 1
 *     on_out     = not on_in
 *     text_out   = "<" text_in ">"
 *     mode_out   = mode_in
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { U, Y, X, GAIN, RATE, VERSION, V, REALS };
enum { COUNT_IN, COUNT_OUT, MODE_IN, MODE_OUT, INTEGERS };
enum { ON_IN, ON_OUT, BOOLEANS };
enum { TEXT_IN, TEXT_OUT, TEXTS, SIZE = 64 };

typedef struct {
    double real[REALS];
    int integer[INTEGERS];
    int boolean[BOOLEANS];
    char text[TEXTS][SIZE];
} Data;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) { return fmi2OK; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    Data *data = calloc(1, sizeof(Data));
    data->real[GAIN] = 1;
    data->real[RATE] = 1;
    data->integer[MODE_IN] = 1;
    return data;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real t, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }

static void evaluate(Data *data) {
    data->real[Y] = data->real[GAIN] * data->real[U];
    data->integer[COUNT_OUT] = data->integer[COUNT_IN] + 1;
    data->integer[MODE_OUT] = data->integer[MODE_IN];
    data->boolean[ON_OUT] = !data->boolean[ON_IN];
    snprintf(data->text[TEXT_OUT], SIZE, "<%.40s>", data->text[TEXT_IN]);
}

#define ACCESS(Type, type, CType, field)                                                                              \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, CType value[]) {               \
        Data *data = c;                                                                                               \
        evaluate(data);                                                                                               \
        for (size_t i = 0; i < n; i++) value[i] = data->field[vr[i]];                                                 \
        return fmi2OK;                                                                                                \
    }                                                                                                                 \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, const CType value[]) {         \
        Data *data = c;                                                                                               \
        for (size_t i = 0; i < n; i++) data->field[vr[i]] = value[i];                                                 \
        return fmi2OK;                                                                                                \
    }

ACCESS(Real, real, fmi2Real, real)
ACCESS(Integer, integer, fmi2Integer, integer)
ACCESS(Boolean, boolean, fmi2Boolean, boolean)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
    Data *data = c;
    evaluate(data);
    for (size_t i = 0; i < n; i++) value[i] = data->text[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
    Data *data = c;
    for (size_t i = 0; i < n; i++) snprintf(data->text[vr[i]], SIZE, "%s", value[i]);
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean final) {
    Data *data = c;
    data->real[X] += (1 - exp(-data->real[RATE] * h)) * (data->real[U] - data->real[X]);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!*state) *state = malloc(sizeof(Data));
    memcpy(*state, c, sizeof(Data));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(c, state, sizeof(Data));
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
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference z[], size_t nz,
                                        const fmi2ValueReference v[], size_t nv, const fmi2Real dv[], fmi2Real dz[]) {
    Data *data = c;
    for (size_t i = 0; i < nz; i++) {
        dz[i] = 0;
        for (size_t j = 0; j < nv; j++)
            if (z[i] == Y && v[j] == U) dz[i] += data->real[GAIN] * dv[j];
    }
    return fmi2OK;
}
fmi2Status fmi2CancelStep(fmi2Component c) { return fmi2Error; }
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value) { return fmi2Discard; }
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value) { return fmi2Discard; }
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value) { return fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value) { return fmi2Discard; }
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value) { return fmi2Discard; }
