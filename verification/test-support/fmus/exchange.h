/* What the test FMUs for Model Exchange share: modes, messages, and functions that do nothing. It is included behind `Data`, which
 * has `mode`, `callbacks` and `name`. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

enum { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS = 8, TERMINATED = 16 };

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) { return fmi2OK; }
void fmi2FreeInstance(fmi2Component c) { free(c); }

static fmi2Status fail(Data *d, const char *text) {
    d->callbacks.logger(d->callbacks.componentEnvironment, d->name, fmi2Error, "logAll", text);
    return fmi2Error;
}

/* Begins a function that is allowed in some modes only. */
#define IN(modes)                                                                                                     \
    Data *d = c;                                                                                                      \
    if (!(d->mode & (modes))) return fail(d, __func__)

static Data *instantiate(fmi2String name, const fmi2CallbackFunctions *callbacks) {
    Data *d = calloc(1, sizeof(Data));
    d->mode = INSTANTIATED;
    d->callbacks = *callbacks;
    snprintf(d->name, sizeof d->name, "%s", name);
    return d;
}

/* Snapshots are copies of the data. */
#define COPIED_STATES                                                                                                 \
    fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {                                                \
        if (*state == NULL) *state = malloc(sizeof(Data));                                                            \
        memcpy(*state, c, sizeof(Data));                                                                              \
        return fmi2OK;                                                                                                \
    }                                                                                                                 \
    fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {                                                 \
        memcpy(c, state, sizeof(Data));                                                                               \
        return fmi2OK;                                                                                                \
    }                                                                                                                 \
    fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {                                               \
        free(*state);                                                                                                 \
        *state = NULL;                                                                                                \
        return fmi2OK;                                                                                                \
    }

#define NO_VALUES(Type)                                                                                               \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##Type v[]) {              \
        return fmi2Error;                                                                                             \
    }                                                                                                                 \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##Type v[]) {        \
        return fmi2Error;                                                                                             \
    }

/* What none of them has. */
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t *n) { return fmi2Error; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte b[], size_t n) { return fmi2Error; }
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte b[], size_t n, fmi2FMUstate *s) { return fmi2Error; }
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference u[], size_t nu, const fmi2ValueReference k[],
                                        size_t nk, const fmi2Real dk[], fmi2Real du[]) {
    return fmi2Error;
}

#endif
