/* Facts, functions and instances. */
#include "host_3.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Facts facts;
struct Functions fmi;
const char *missing_function;

/* The rest of a line behind its first word. */
static void rest_of(const char *line, char *place, size_t room)
{
    const char *space = strchr(line, ' ');
    snprintf(place, room, "%s", space ? space + 1 : "");
    place[strcspn(place, "\n")] = '\0';
}

void facts_read(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    char line[2048];
    while (fgets(line, sizeof line, file)) {
        struct Variable *v = &facts.variables[facts.variable_count];
        struct Call *c = &facts.calls[facts.call_count];
        int derivative, state, indicator;
        if (strncmp(line, "token ", 6) == 0) {
            rest_of(line, facts.token, sizeof facts.token);
        } else if (strncmp(line, "library ", 8) == 0) {
            rest_of(line, facts.library, sizeof facts.library);
        } else if (strncmp(line, "resources ", 10) == 0) {
            rest_of(line, facts.resources, sizeof facts.resources);
        } else if (sscanf(line, "experiment %lf %lf", &facts.stop, &facts.step) == 2) {
        } else if (sscanf(line, "size %zu %zu", &facts.states, &facts.indicators) == 2) {
        } else if (sscanf(line, "variable %u %15s %zu %23s %15s %d %d %d", &v->reference, v->type, &v->count, v->causality,
                          v->variability, &derivative, &state, &indicator) == 8) {
            v->is_derivative = derivative;
            v->is_state = state;
            v->is_indicator = indicator;
            facts.variable_count += facts.variable_count + 1 < MOST_VARIABLES;
        } else if (sscanf(line, "call %47s =%15s =%15s =%15s", c->name, c->model_exchange, c->co_simulation, c->tolerant) == 4) {
            facts.call_count += facts.call_count + 1 < MOST_CALLS;
        } else {
            fprintf(stderr, "%s: not understood: %s", path, line);
            exit(2);
        }
    }
    fclose(file);
}

const struct Variable *find(const char *causality, const char *type)
{
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        if (strcmp(v->causality, causality) == 0 && strcmp(v->type, type) == 0) {
            return v;
        }
    }
    return NULL;
}

void functions_load(void)
{
    void *library = dlopen(facts.library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
#define LOAD(name)                                                                                                          \
    *(void **)&fmi.name = dlsym(library, "fmi3" #name);                                                                     \
    if (!fmi.name) {                                                                                                        \
        missing_function = "fmi3" #name;                                                                                    \
    }
    FUNCTIONS(LOAD)
#undef LOAD
}

static void take_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    struct Log *log = environment;
    (void)status;
    (void)category;
    log->messages++;
    snprintf(log->last, sizeof log->last, "%s", message ? message : "");
}

void create(struct Instance *instance, bool steps, bool event_mode, bool early_return, bool logging)
{
    memset(instance, 0, sizeof *instance);
    instance->steps = steps;
    instance->event_mode = steps && event_mode;
    const char *resources = facts.resources[0] ? facts.resources : NULL;
    if (steps) {
        instance->i = fmi.InstantiateCoSimulation("one", facts.token, resources, false, logging, event_mode, early_return, NULL,
                                                  0, &instance->log, take_message, NULL);
    } else {
        instance->i = fmi.InstantiateModelExchange("one", facts.token, resources, false, logging, &instance->log, take_message);
    }
    CHECK(instance->i != NULL, "there is no instance: %s", instance->log.last);
}

void dispose(struct Instance *instance)
{
    fmi.FreeInstance(instance->i);
}

double settle(struct Instance *instance, bool *terminate)
{
    for (int pass = 0; pass < 1000; pass++) {
        bool needed = true, nominals, states, defined = false;
        double next = 0.0;
        fmi3Status status = fmi.UpdateDiscreteStates(instance->i, &needed, terminate, &nominals, &states, &defined, &next);
        if (!CHECK(status == fmi3OK, "fmi3UpdateDiscreteStates returns %s: %s", status_name(status), instance->log.last)) {
            return INFINITY;
        }
        if (!needed || *terminate) {
            return defined ? next : INFINITY;
        }
    }
    CHECK(false, "the event iteration does not end");
    return INFINITY;
}

#define OK(call)                                                                                                            \
    do {                                                                                                                    \
        fmi3Status status_ = (call);                                                                                        \
        CHECK(status_ == fmi3OK, #call " returns %s: %s", status_name(status_), instance->log.last);                        \
    } while (0)

void lead_to(struct Instance *instance, char state)
{
    bool terminate = false;
    if (state == 'I') {
        return;
    }
    OK(fmi.EnterInitializationMode(instance->i, true, 1e-8, 0.0, false, 0.0));
    if (state == 'Z') {
        return;
    }
    OK(fmi.ExitInitializationMode(instance->i));
    if (state == 'E') {
        return;
    }
    if (!instance->steps || instance->event_mode) {
        settle(instance, &terminate);
        OK(instance->steps ? fmi.EnterStepMode(instance->i) : fmi.EnterContinuousTimeMode(instance->i));
    }
    if (state == 'T') {
        OK(fmi.Terminate(instance->i));
    }
}

double step_to(struct Instance *instance, double time, double end, bool *terminated)
{
    for (int steps = 0; steps < 100000 && time < end && !*terminated; steps++) {
        bool event = false, early = false;
        double last = NAN;
        fmi3Status status = fmi.DoStep(instance->i, time, end - time, true, &event, terminated, &early, &last);
        if (!CHECK(status == fmi3OK, "fmi3DoStep returns %s: %s", status_name(status), instance->log.last)) {
            return time;
        }
        if (!CHECK(last >= time && last <= end * (1.0 + 1e-12), "a step from %g to %g ends at %g", time, end, last)) {
            return time;
        }
        if (last >= end || early) {
            time = last;
        } else {
            CHECK(*terminated, "a step to %g ends at %g without an early return", end, last);
            time = last;
        }
        if (event) {
            OK(fmi.EnterEventMode(instance->i));
            settle(instance, terminated);
            OK(fmi.EnterStepMode(instance->i));
        }
    }
    return time;
}

size_t read_all(struct Instance *instance, double *values, size_t room)
{
    size_t count = 0;
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        if (strcmp(v->type, "Float64") != 0 || count + v->count > room) {
            continue;
        }
        OK(fmi.GetFloat64(instance->i, &v->reference, 1, values + count, v->count));
        count += v->count;
    }
    return count;
}
