/* A Co-Simulation FMU as plain C calls it: what the baselines of benchmarks share. */
#ifndef SLAVE_H
#define SLAVE_H
#define _POSIX_C_SOURCE 200809L
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <stdbool.h>
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
    /* Null where an FMU has no snapshots: only repeated steps need them. */
    fmi2GetFMUstateTYPE *get_state;
    fmi2SetFMUstateTYPE *set_state;
    fmi2CallbackFunctions callbacks;
};

static void no_words(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                     fmi2String text, ...)
{
    (void)environment; (void)name; (void)status; (void)category; (void)text;
}

/* Loads a library and creates an instance; false if that fails. */
static bool slave_open(struct Slave *s, const char *path, const char *guid)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
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
    if (!instantiate || !s->reset || !s->setup || !s->enter || !s->leave || !s->set_real || !s->do_step ||
        !s->get_real)
        return false;
    s->callbacks = (fmi2CallbackFunctions){no_words, calloc, free, NULL, NULL};
    s->component = instantiate("plain C", fmi2CoSimulation, guid, "", &s->callbacks, fmi2False, fmi2False);
    return s->component != NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
