/* Instances with a captured log, and the way into each state of the calling sequence. */
#include "check.h"
#include "host.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const state_names[STATES] = {
    "instantiated", "initialization mode", "event mode", "continuous-time mode", "terminated", "error", "step complete",
};

bool state_exists(fmi2Type type, enum State state)
{
    /* Only an evaluation that fails leads there, and only one FMU has one on request. */
    if (state == FAILED)
        return strcmp(description.model, "Probe") == 0;
    if (state == EVENT || state == CONTINUOUS_TIME)
        return type == fmi2ModelExchange;
    return state != STEP_COMPLETE || type == fmi2CoSimulation;
}

/* Undoes the standard's escapes as an environment does: '##' is '#', '#r12#' is the variable's name. */
static bool unescape(const char *in, char *out, size_t size)
{
    static const char letters[] = "ribs"; /* in the order of enum Type */
    size_t n = 0;
    bool good = true;
    for (; *in && n + 1 < size; in++) {
        if (*in != '#') {
            out[n++] = *in;
            continue;
        }
        if (in[1] == '#') {
            out[n++] = '#';
            in++;
            continue;
        }
        const char *letter = in[1] ? strchr(letters, in[1]) : NULL;
        char *end = NULL;
        unsigned long vr = letter && isdigit((unsigned char)in[2]) ? strtoul(in + 2, &end, 10) : 0;
        const char *name = NULL;
        if (end && *end == '#')
            for (size_t i = 0; i < description.n_variables; i++) {
                const struct Variable *v = &description.variables[i];
                if ((size_t)v->type == (size_t)(letter - letters) && v->vr == vr)
                    name = v->name;
            }
        if (name) {
            n += (size_t)snprintf(out + n, size - n, "%s", name);
            in = end;
        } else {
            good = false;
            out[n++] = '#';
        }
    }
    out[n < size ? n : size - 1] = '\0';
    return good;
}

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    struct Instance *instance = environment;
    if (!instance || instance->n_messages == sizeof instance->messages / sizeof instance->messages[0])
        return;
    char formatted[4096], shown[4096];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(formatted, sizeof formatted, message, arguments);
    va_end(arguments);
    if (!unescape(formatted, shown, sizeof shown))
        instance->bad_escape = true;
    struct Message *m = &instance->messages[instance->n_messages++];
    m->status = status;
    m->name = name ? strdup(name) : NULL;
    m->category = category ? strdup(category) : NULL;
    m->text = strdup(shown);
    m->raw = strdup(formatted);
}

static void *allocate(size_t n, size_t size)
{
    return calloc(n, size);
}

const fmi2CallbackFunctions *callbacks_for(struct Instance *instance)
{
    fmi2CallbackFunctions *callbacks = calloc(1, sizeof *callbacks);
    fmi2CallbackFunctions filled = {logger, allocate, free, NULL, instance};
    memcpy(callbacks, &filled, sizeof filled);
    return callbacks;
}

const char *resource_uri(void)
{
    static char *uri;
    if (!uri) {
        uri = malloc(3 * strlen(description.resources) + 16);
        char *out = uri + sprintf(uri, "file://");
        for (const char *in = description.resources; *in; in++)
            out += isalnum((unsigned char)*in) || strchr("/-_.~", *in)
                       ? sprintf(out, "%c", *in)
                       : sprintf(out, "%%%02X", (unsigned char)*in);
    }
    return uri;
}

fmi2Type tested = fmi2ModelExchange;

fmi2Type first_type(void)
{
    return description.model_exchange.declared ? fmi2ModelExchange : fmi2CoSimulation;
}

const struct Interface *interface_of(fmi2Type type)
{
    return type == fmi2ModelExchange ? &description.model_exchange : &description.co_simulation;
}

bool instance_open(struct Instance *instance, const char *name, fmi2Type type, bool logging)
{
    memset(instance, 0, sizeof *instance);
    instance->name = name;
    instance->type = type;
    const fmi2CallbackFunctions *callbacks = callbacks_for(instance);
    instance->c = fmu.Instantiate(name, type, description.guid, resource_uri(), callbacks, fmi2False, logging);
    /* All pointers passed are valid during the call only (FMI 2.0.5, 2.1.5). */
    memset((void *)callbacks, 0, sizeof *callbacks);
    free((void *)callbacks);
    if (!CHECK(instance->c != NULL, "fmi2Instantiate with correct arguments gives NULL: %s",
               instance->n_messages ? instance->messages[0].text : "no message"))
        return false;
    if (interface_of(type)->states) {
        fmi2Status status = fmu.GetFMUstate(instance->c, &instance->snapshot);
        CHECK(status == fmi2OK, "fmi2GetFMUstate right after fmi2Instantiate gives %s", status_name(status));
    }
    return true;
}

void forget_messages(struct Instance *instance)
{
    for (size_t i = 0; i < instance->n_messages; i++) {
        struct Message *m = &instance->messages[i];
        free(m->name);
        free(m->category);
        free(m->text);
        free(m->raw);
    }
    instance->n_messages = 0;
}

void instance_close(struct Instance *instance)
{
    if (instance->c && instance->snapshot)
        fmu.FreeFMUstate(instance->c, &instance->snapshot);
    fmu.FreeInstance(instance->c);
    instance->c = NULL;
    forget_messages(instance);
}

const struct Message *message_of(const struct Instance *instance, fmi2Status at_least)
{
    for (size_t i = 0; i < instance->n_messages; i++)
        if (instance->messages[i].status >= at_least)
            return &instance->messages[i];
    return NULL;
}

bool has_explained(struct Instance *instance)
{
    enum { PROMISED = 10 };
    return instance->n_explained++ >= PROMISED || message_of(instance, fmi2Error) != NULL;
}

bool some_message_contains(const struct Instance *instance, const char *text)
{
    for (size_t i = 0; i < instance->n_messages; i++)
        if (strstr(instance->messages[i].text, text))
            return true;
    return false;
}

fmi2ValueReference unknown_reference(enum Type type)
{
    fmi2ValueReference highest = 0;
    bool any = false;
    for (size_t i = 0; i < description.n_variables; i++)
        if (description.variables[i].type == type) {
            any = true;
            if (description.variables[i].vr > highest)
                highest = description.variables[i].vr;
        }
    return any ? highest + 1 : 0;
}

fmi2Status provoke_error(struct Instance *instance)
{
    fmi2ValueReference vr = unknown_reference(REAL);
    double value;
    return fmu.GetReal(instance->c, &vr, 1, &value);
}

fmi2Status event_iteration(struct Instance *instance, fmi2EventInfo *info)
{
    fmi2Status status = fmi2OK;
    memset(info, 0, sizeof *info);
    info->newDiscreteStatesNeeded = fmi2True;
    for (int i = 0; info->newDiscreteStatesNeeded && status <= fmi2Warning; i++) {
        if (!CHECK(i < 1000, "fmi2NewDiscreteStates still asks for another iteration after 1000"))
            return fmi2Error;
        status = fmu.NewDiscreteStates(instance->c, info);
        if (info->terminateSimulation)
            break;
    }
    return status;
}

/* The event function of the probe fails; nothing else does, so that all values can still be read. */
static bool fail_in_event(struct Instance *instance)
{
    fmi2Component c = instance->c;
    fmi2EventInfo info;
    set_number(c, variable("trouble"), 4);
    set_number(c, variable("place"), 7);
    fmi2Status status = fmu.SetupExperiment(c, fmi2False, 0.0, description.start_time, fmi2False, 0.0);
    if (status == fmi2OK)
        status = fmu.EnterInitializationMode(c);
    if (status == fmi2OK)
        status = fmu.ExitInitializationMode(c);
    if (status == fmi2OK && instance->type == fmi2ModelExchange)
        status = fmu.NewDiscreteStates(c, &info);
    return CHECK(status == fmi2Error, "an event function that fails gives %s", status_name(status));
}

#define STEP(call)                                                                                           \
    do {                                                                                                     \
        fmi2Status status = (call);                                                                          \
        if (!CHECK(status <= fmi2Warning, "on the way to '%s' " #call " gives %s: %s", state_names[state],   \
                   status_name(status),                                                                      \
                   instance->n_messages ? instance->messages[instance->n_messages - 1].text : "no message")) \
            return false;                                                                                    \
    } while (0)

bool bring_to(struct Instance *instance, enum State state)
{
    fmi2Component c = instance->c;
    if (state == INSTANTIATED)
        return true;
    if (state == FAILED)
        return fail_in_event(instance);
    STEP(fmu.SetupExperiment(c, fmi2False, 0.0, description.start_time, fmi2False, 0.0));
    STEP(fmu.EnterInitializationMode(c));
    if (state == INITIALIZATION)
        return true;
    STEP(fmu.ExitInitializationMode(c));
    if (state == EVENT || state == STEP_COMPLETE)
        return true;
    if (instance->type == fmi2ModelExchange) {
        fmi2EventInfo info;
        STEP(event_iteration(instance, &info));
        STEP(fmu.EnterContinuousTimeMode(c));
        if (state == CONTINUOUS_TIME)
            return true;
    }
    STEP(fmu.Terminate(c));
    return true;
}

fmi2Status get_number(fmi2Component c, const struct Variable *v, double *value)
{
    fmi2Integer integer = 0;
    fmi2Status status = v->type == REAL      ? fmu.GetReal(c, &v->vr, 1, value)
                        : v->type == INTEGER ? fmu.GetInteger(c, &v->vr, 1, &integer)
                                             : fmu.GetBoolean(c, &v->vr, 1, &integer);
    if (v->type != REAL && status <= fmi2Warning)
        *value = integer;
    return status;
}

fmi2Status set_number(fmi2Component c, const struct Variable *v, double value)
{
    if (v->type == REAL)
        return fmu.SetReal(c, &v->vr, 1, &value);
    fmi2Integer integer = (fmi2Integer)value;
    return v->type == INTEGER ? fmu.SetInteger(c, &v->vr, 1, &integer) : fmu.SetBoolean(c, &v->vr, 1, &integer);
}

fmi2Status get_text(fmi2Component c, const struct Variable *v, const char **value)
{
    return fmu.GetString(c, &v->vr, 1, value);
}

fmi2Status set_text(fmi2Component c, const struct Variable *v, const char *value)
{
    return fmu.SetString(c, &v->vr, 1, &value);
}

fmi2Status set_start(fmi2Component c, const struct Variable *v)
{
    return v->type == STRING ? set_text(c, v, v->start) : set_number(c, v, start_of(v));
}
