/* The baseline of `cargo xtask bench coupling`: two FMUs that feed each other, in plain C that only calls them. */
#define _POSIX_C_SOURCE 200809L
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

struct Slave {
    fmi2Component component;
    fmi2ResetTYPE *reset;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2SetRealTYPE *set_real;
    fmi2DoStepTYPE *do_step;
    fmi2GetRealTYPE *get_real;
    fmi2GetFMUstateTYPE *get_state;
    fmi2SetFMUstateTYPE *set_state;
    fmi2FMUstate state;
    fmi2CallbackFunctions callbacks;
    fmi2ValueReference input, output;
};

struct Pair {
    int count;
    struct Slave slaves[2];
};

static void no_words(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                     fmi2String text, ...)
{
    (void)environment; (void)name; (void)status; (void)category; (void)text;
}

void *pair_add(void *pair, const char *path, const char *guid, unsigned input, unsigned output)
{
    struct Pair *p = pair ? pair : calloc(1, sizeof *p);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !p || p->count == 2)
        return NULL;
    struct Slave *s = &p->slaves[p->count++];
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(library, "fmi2Instantiate");
    s->reset = (fmi2ResetTYPE *)dlsym(library, "fmi2Reset");
    s->setup = (fmi2SetupExperimentTYPE *)dlsym(library, "fmi2SetupExperiment");
    s->enter = (fmi2EnterInitializationModeTYPE *)dlsym(library, "fmi2EnterInitializationMode");
    s->leave = (fmi2ExitInitializationModeTYPE *)dlsym(library, "fmi2ExitInitializationMode");
    s->set_real = (fmi2SetRealTYPE *)dlsym(library, "fmi2SetReal");
    s->do_step = (fmi2DoStepTYPE *)dlsym(library, "fmi2DoStep");
    s->get_real = (fmi2GetRealTYPE *)dlsym(library, "fmi2GetReal");
    s->get_state = (fmi2GetFMUstateTYPE *)dlsym(library, "fmi2GetFMUstate");
    s->set_state = (fmi2SetFMUstateTYPE *)dlsym(library, "fmi2SetFMUstate");
    s->input = input;
    s->output = output;
    s->callbacks = (fmi2CallbackFunctions){no_words, calloc, free, NULL, NULL};
    s->component = instantiate("plain C", fmi2CoSimulation, guid, "", &s->callbacks, fmi2False, fmi2False);
    return s->component ? p : NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TRY(call)                                                                                                      \
    if ((call) > fmi2Warning)                                                                                          \
    return -1

static int set(struct Slave *s, double u)
{
    TRY(s->set_real(s->component, &s->input, 1, &u));
    return 0;
}

static int get(struct Slave *s, double *y)
{
    TRY(s->get_real(s->component, &s->output, 1, y));
    return 0;
}

static int step(struct Slave *s, double t, double h, fmi2Boolean final, double u, double *y)
{
    TRY(s->set_real(s->component, &s->input, 1, &u));
    TRY(s->do_step(s->component, t, h, final));
    TRY(s->get_real(s->component, &s->output, 1, y));
    return 0;
}

/* Seconds of so many steps, and the last outputs; negative if a call fails. `repeated`: each step is made twice, one
 * slave after the other, the second time with what the first has given. */
double pair_loop(void *pair, long steps, double h, int repeated, double *y)
{
    struct Slave *a = &((struct Pair *)pair)->slaves[0], *b = a + 1;
    const double stop = (double)steps * h;
    for (struct Slave *s = a; s <= b; s++) {
        TRY(s->reset(s->component));
        TRY(s->setup(s->component, fmi2False, 0, 0, fmi2True, stop));
        TRY(s->enter(s->component));
    }
    TRY(get(a, &y[0]));
    TRY(get(b, &y[1]));
    TRY(set(a, y[1]));
    TRY(set(b, y[0]));
    TRY(a->leave(a->component));
    TRY(b->leave(b->component));
    const double begin = now();
    for (long k = 0; k < steps; k++) {
        const double t = (double)k * h, size = h;
        const double u0 = y[1], u1 = y[0];
        if (!repeated) {
            TRY(step(a, t, size, fmi2True, u0, &y[0]));
            TRY(step(b, t, size, fmi2True, u1, &y[1]));
            continue;
        }
        TRY(a->get_state(a->component, &a->state));
        TRY(b->get_state(b->component, &b->state));
        TRY(step(a, t, size, fmi2False, u0, &y[0]));
        TRY(step(b, t, size, fmi2False, y[0], &y[1]));
        TRY(a->set_state(a->component, a->state));
        TRY(b->set_state(b->component, b->state));
        TRY(step(a, t, size, fmi2False, y[1], &y[0]));
        TRY(step(b, t, size, fmi2False, y[0], &y[1]));
    }
    return now() - begin;
}
