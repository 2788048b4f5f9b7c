/* The baseline of `cargo xtask bench importer`: fmi2SetReal, fmi2DoStep, fmi2GetReal in plain C. */
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
    fmi2CallbackFunctions callbacks;
};

static void no_words(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                     fmi2String text, ...)
{
    (void)environment; (void)name; (void)status; (void)category; (void)text;
}

void *slave_new(const char *path, const char *guid)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct Slave *s = calloc(1, sizeof *s);
    if (!library || !s)
        return NULL;
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(library, "fmi2Instantiate");
    s->reset = (fmi2ResetTYPE *)dlsym(library, "fmi2Reset");
    s->setup = (fmi2SetupExperimentTYPE *)dlsym(library, "fmi2SetupExperiment");
    s->enter = (fmi2EnterInitializationModeTYPE *)dlsym(library, "fmi2EnterInitializationMode");
    s->leave = (fmi2ExitInitializationModeTYPE *)dlsym(library, "fmi2ExitInitializationMode");
    s->set_real = (fmi2SetRealTYPE *)dlsym(library, "fmi2SetReal");
    s->do_step = (fmi2DoStepTYPE *)dlsym(library, "fmi2DoStep");
    s->get_real = (fmi2GetRealTYPE *)dlsym(library, "fmi2GetReal");
    if (!instantiate || !s->reset || !s->setup || !s->enter || !s->leave || !s->set_real || !s->do_step || !s->get_real)
        return NULL;
    s->callbacks = (fmi2CallbackFunctions){no_words, calloc, free, NULL, NULL};
    s->component = instantiate("plain C", fmi2CoSimulation, guid, "", &s->callbacks, fmi2False, fmi2False);
    return s->component ? s : NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of so many steps, and the last output; negative if a call fails. */
double slave_loop(void *slave, long steps, double h, double *output)
{
    struct Slave *s = slave;
    const fmi2ValueReference rate[] = {1}, state[] = {0};
    if (s->reset(s->component) > fmi2Warning || s->setup(s->component, fmi2False, 0, 0, fmi2False, 0) > fmi2Warning ||
        s->enter(s->component) > fmi2Warning || s->leave(s->component) > fmi2Warning)
        return -1;
    double time = 0, x[] = {0};
    const double begin = now();
    for (long k = 0; k < steps; k++) {
        const double k_now[] = {1.0 + x[0]};
        if (s->set_real(s->component, rate, 1, k_now) > fmi2Warning ||
            s->do_step(s->component, time, h, fmi2True) > fmi2Warning ||
            s->get_real(s->component, state, 1, x) > fmi2Warning)
            return -1;
        time += h;
    }
    const double seconds = now() - begin;
    *output = x[0];
    return seconds;
}
