/* Planted faults of Co-Simulation, to show that the driver finds them: a library that replaces one or two functions of a
 * good FMU, and has the others from it. Compiled with -DMUTANT=name -DGOOD="path of the good library" and linked with
 * that library; the name and the test that must fail are in xtask/src/mutants.rs. */
#define _GNU_SOURCE
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define accepts_gaps 1
#define steps_of_zero 2
#define no_drift 3
#define beyond_stop_time 4
#define wrong_last_time 5
#define never_terminated 6
#define step_anywhere 7
#define outputs_wait_for_step 8
#define takes_damaged_bytes 9
#define serializes_the_first 10
#define forgets_on_the_way_back 11
#define wrong_output_derivatives 12
#define any_order 13
#define constant_inputs 14
#define other_inputs 15
#define no_derivatives 16
#define fails_for_good 17
#define no_event_for_waiting 18
#define forgets_waiting 19
#define never_silent 20

static void *good(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(GOOD, RTLD_NOW | RTLD_LOCAL);
    void *function = dlsym(library, name);
    if (!function)
        abort();
    return function;
}
#define GOOD_ONE(name) ((fmi2##name##TYPE *)good("fmi2" #name))

#if MUTANT == accepts_gaps
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    double last;
    if (isfinite(point) && GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) == fmi2OK)
        point = last;
    return GOOD_ONE(DoStep)(c, point, step, no_state);
}
#elif MUTANT == steps_of_zero
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    return step == 0.0 ? fmi2OK : GOOD_ONE(DoStep)(c, point, step, no_state);
}
#elif MUTANT == no_drift
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    double last;
    if (GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last != point)
        return fmi2Error;
    return GOOD_ONE(DoStep)(c, point, step, no_state);
}
#elif MUTANT == beyond_stop_time
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops,
                               fmi2Real stop)
{
    (void)stops;
    return GOOD_ONE(SetupExperiment)(c, defined, tolerance, start, fmi2False, stop);
}
#elif MUTANT == wrong_last_time
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    fmi2Status status = GOOD_ONE(GetRealStatus)(c, kind, value);
    if (status == fmi2OK)
        *value = *value * (1.0 + 1e-12) + 1e-12;
    return status;
}
#elif MUTANT == never_terminated
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    fmi2Status status = GOOD_ONE(GetBooleanStatus)(c, kind, value);
    if (status == fmi2OK)
        *value = fmi2False;
    return status;
}
#elif MUTANT == step_anywhere
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    fmi2Real last;
    if (GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) == fmi2Error)
        return fmi2OK;
    return GOOD_ONE(DoStep)(c, point, step, no_state);
}
#elif MUTANT == outputs_wait_for_step
static struct {
    fmi2Component c;
    fmi2ValueReference vr;
    fmi2Real value;
} waiting[64];
static size_t waits;

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    double last;
    if (n != 1 || waits == 64 || GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) != fmi2OK)
        return GOOD_ONE(SetReal)(c, vr, n, value);
    waiting[waits].c = c;
    waiting[waits].vr = vr[0];
    waiting[waits++].value = value[0];
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    while (waits > 0) {
        waits--;
        GOOD_ONE(SetReal)(waiting[waits].c, &waiting[waits].vr, 1, &waiting[waits].value);
    }
    return GOOD_ONE(DoStep)(c, point, step, no_state);
}
#elif MUTANT == takes_damaged_bytes
static fmi2Byte *kept;
static size_t length;

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    fmi2Status status = GOOD_ONE(SerializeFMUstate)(c, state, bytes, size);
    if (status == fmi2OK && !kept) {
        kept = malloc(length = size);
        memcpy(kept, bytes, size);
    }
    return status;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return GOOD_ONE(DeSerializeFMUstate)(c, kept && size == length && bytes ? kept : bytes, size, state);
}
#elif MUTANT == serializes_the_first
static fmi2FMUstate first;

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    fmi2Status status = GOOD_ONE(GetFMUstate)(c, state);
    if (!first)
        first = *state;
    return status;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)state;
    return GOOD_ONE(SerializedFMUstateSize)(c, first, size);
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    (void)state;
    return GOOD_ONE(SerializeFMUstate)(c, first, bytes, size);
}
#elif MUTANT == forgets_on_the_way_back
/* Is a little beyond where it should be. */
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    double last;
    fmi2Status status = GOOD_ONE(SetFMUstate)(c, state);
    if (GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last > 0.0)
        status = GOOD_ONE(DoStep)(c, last, 1e-9 * last, fmi2True);
    return status;
}
#elif MUTANT == wrong_output_derivatives
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                        fmi2Real value[])
{
    fmi2Status status = GOOD_ONE(GetRealOutputDerivatives)(c, vr, n, order, value);
    for (size_t i = 0; status == fmi2OK && i < n; i++)
        value[i] *= 1.1;
    return status;
}
#elif MUTANT == any_order
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                        fmi2Real value[])
{
    fmi2Integer orders[8] = {0};
    for (size_t i = 0; i < n && i < 8; i++)
        orders[i] = order[i] > 3 ? 3 : order[i];
    return GOOD_ONE(GetRealOutputDerivatives)(c, vr, n, orders, value);
}
#elif MUTANT == constant_inputs
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                       const fmi2Real value[])
{
    double none[8] = {0};
    return GOOD_ONE(SetRealInputDerivatives)(c, vr, n, order, n < 8 ? none : value);
}
#elif MUTANT == other_inputs
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    double last, more = n == 1 && value ? 1.5 * value[0] + 1e-3 : 0.0;
    if (n != 1 || GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) != fmi2OK)
        return GOOD_ONE(SetReal)(c, vr, n, value);
    return GOOD_ONE(SetReal)(c, vr, 1, &more);
}
#elif MUTANT == no_derivatives
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t m, const fmi2Real seed[], fmi2Real value[])
{
    double last;
    fmi2Status status = GOOD_ONE(GetDirectionalDerivative)(c, unknown, n, known, m, seed, value);
    if (status == fmi2OK && n > 0 && GOOD_ONE(GetRealStatus)(c, fmi2LastSuccessfulTime, &last) == fmi2OK)
        memset(value, 0, n * sizeof *value);
    return status;
}
#elif MUTANT == fails_for_good
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real step, fmi2Boolean no_state)
{
    fmi2Status status = GOOD_ONE(DoStep)(c, point, step, no_state);
    return status == fmi2Discard ? fmi2Error : status;
}
#elif MUTANT == no_event_for_waiting
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_state, fmi2Boolean *enter, fmi2Boolean *end)
{
    fmi2Status status = GOOD_ONE(CompletedIntegratorStep)(c, no_state, enter, end);
    if (status == fmi2OK)
        *enter = fmi2False;
    return status;
}
#elif MUTANT == forgets_waiting
/* Reading gives the old value. */
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])
{
    fmi2Status status = GOOD_ONE(GetInteger)(c, vr, n, value);
    for (size_t i = 0; status == fmi2OK && i < n; i++)
        value[i] = 0;
    return status;
}
#elif MUTANT == never_silent
static fmi2CallbackFunctions callbacks;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    if (functions)
        memcpy(&callbacks, functions, sizeof callbacks);
    return GOOD_ONE(Instantiate)(name, type, guid, resources, functions, visible, logging);
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    fmi2Status status = GOOD_ONE(GetReal)(c, vr, n, value);
    if (c && status == fmi2Error)
        callbacks.logger(callbacks.componentEnvironment, "repeats", status, "logStatusError", "once more");
    return status;
}
#endif
