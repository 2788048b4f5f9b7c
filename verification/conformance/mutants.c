/* Planted faults, to show that the driver finds them: the plain C FMU of verification/benches/c with one function replaced by a bad
 * one. Compiled with -DMUTANT=name; the name and the test that must fail are in xtask/src/mutants.rs. */
#include "fmi2Functions.h"

#include <stdlib.h>
#include <string.h>

/* The good version of the function that is about to be replaced gets another name. */
#define steps_past_stop_time 1
#define states_in_event_mode 2
#define unknown_reference_answered 3
#define partial_write 4
#define reset_forgets_parameter 5
#define any_guid 6
#define undeclared_category 7
#define crashes_on_null 8
#define shared_between_instances 9
#define foreign_snapshot 10
#define leaks 11
#define stale_derivatives 12
#define keeps_callbacks 13
#define hangs 14
#define fatal_instead_of_error 15
#define talks_too_much 16
#define wrong_nominal 17
#define lies_about_states 18
#define terminate_clears 19
#define format_string 20
#define refuses_trials 21
#define refusals_end_the_run 22
#define inputs_without_start 23

#if MUTANT == steps_past_stop_time
#undef fmi2CompletedIntegratorStep
#define fmi2CompletedIntegratorStep good_CompletedIntegratorStep
#elif MUTANT == refuses_trials
#undef fmi2SetTime
#define fmi2SetTime good_SetTime
#elif MUTANT == states_in_event_mode || MUTANT == stale_derivatives
#undef fmi2SetContinuousStates
#define fmi2SetContinuousStates good_SetContinuousStates
#elif MUTANT == unknown_reference_answered || MUTANT == fatal_instead_of_error || MUTANT == refusals_end_the_run
#undef fmi2GetReal
#define fmi2GetReal good_GetReal
#elif MUTANT == partial_write || MUTANT == inputs_without_start
#undef fmi2SetReal
#define fmi2SetReal good_SetReal
#elif MUTANT == reset_forgets_parameter || MUTANT == crashes_on_null
#undef fmi2Reset
#define fmi2Reset good_Reset
#elif MUTANT == any_guid || MUTANT == leaks || MUTANT == keeps_callbacks || MUTANT == undeclared_category ||           \
    MUTANT == talks_too_much || MUTANT == format_string
#undef fmi2Instantiate
#define fmi2Instantiate good_Instantiate
#elif MUTANT == shared_between_instances
#undef fmi2GetDerivatives
#define fmi2GetDerivatives good_GetDerivatives
#elif MUTANT == foreign_snapshot
#undef fmi2SetFMUstate
#define fmi2SetFMUstate good_SetFMUstate
#elif MUTANT == hangs || MUTANT == lies_about_states
#undef fmi2NewDiscreteStates
#define fmi2NewDiscreteStates good_NewDiscreteStates
#elif MUTANT == wrong_nominal
#undef fmi2GetNominalsOfContinuousStates
#define fmi2GetNominalsOfContinuousStates good_GetNominalsOfContinuousStates
#elif MUTANT == terminate_clears
#undef fmi2Terminate
#define fmi2Terminate good_Terminate
#endif

#include "../benches/c/van_der_pol.c"

#if MUTANT == steps_past_stop_time
#undef fmi2CompletedIntegratorStep
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_state, fmi2Boolean *enter, fmi2Boolean *end)
{
    struct Component *component = c;
    double stop_time = component ? component->v.stop_time : 0.0;
    if (component)
        component->v.stop_time = DBL_MAX;
    fmi2Status status = good_CompletedIntegratorStep(c, no_state, enter, end);
    if (component)
        component->v.stop_time = stop_time;
    return status;
}
#elif MUTANT == refuses_trials
#undef fmi2SetTime
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    struct Component *component = c;
    if (component && time > component->v.stop_time)
        return fail(component, "fmi2SetTime", "time is past stopTime");
    return good_SetTime(c, time);
}
#elif MUTANT == refusals_end_the_run
#undef fmi2GetReal
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    fmi2Status status = good_GetReal(c, vr, n, value);
    if (c && status == fmi2Error)
        ((struct Component *)c)->v.state = TERMINATED;
    return status;
}
#elif MUTANT == inputs_without_start
#undef fmi2SetReal
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    struct Component *component = c;
    for (size_t i = 0; component && vr && i < n && component->v.state == INSTANTIATED; i++)
        if (vr[i] == U)
            return fail(component, "fmi2SetReal", "an input has no start value here");
    return good_SetReal(c, vr, n, value);
}
#elif MUTANT == states_in_event_mode
#undef fmi2SetContinuousStates
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    struct Component *component = c;
    if (component && component->v.state == EVENT)
        return fmi2OK;
    return good_SetContinuousStates(c, x, nx);
}
#elif MUTANT == stale_derivatives
#undef fmi2SetContinuousStates
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    bool stale = c && ((struct Component *)c)->v.stale;
    fmi2Status status = good_SetContinuousStates(c, x, nx);
    if (status == fmi2OK)
        ((struct Component *)c)->v.stale = stale;
    return status;
}
#elif MUTANT == unknown_reference_answered
#undef fmi2GetReal
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    if (n == 1 && vr && value && vr[0] == 0xffffffffu)
        return value[0] = 0.0, fmi2OK;
    return good_GetReal(c, vr, n, value);
}
#elif MUTANT == fatal_instead_of_error
#undef fmi2GetReal
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    fmi2Status status = good_GetReal(c, vr, n, value);
    return status == fmi2Error ? fmi2Fatal : status;
}
#elif MUTANT == partial_write || MUTANT == inputs_without_start
#undef fmi2SetReal
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    fmi2Status status = fmi2OK;
    if (n < 2)
        return good_SetReal(c, vr, n, value);
    for (size_t i = 0; i < n && status == fmi2OK; i++)
        status = good_SetReal(c, vr + i, 1, value + i);
    return status;
}
#elif MUTANT == reset_forgets_parameter
#undef fmi2Reset
fmi2Status fmi2Reset(fmi2Component c)
{
    double mu = c ? ((struct Component *)c)->v.real[MU] : 0.0;
    fmi2Status status = good_Reset(c);
    if (c)
        ((struct Component *)c)->v.real[MU] = mu;
    return status;
}
#elif MUTANT == crashes_on_null
#undef fmi2Reset
fmi2Status fmi2Reset(fmi2Component c)
{
    ((struct Component *)c)->v = start;
    return fmi2OK;
}
#elif MUTANT == shared_between_instances
#undef fmi2GetDerivatives
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx)
{
    static double last;
    fmi2Status status = good_GetDerivatives(c, derivatives, nx);
    if (status == fmi2OK) {
        double now = derivatives[1];
        derivatives[1] += 1e-14 * last;
        last = now;
    }
    return status;
}
#elif MUTANT == foreign_snapshot
#undef fmi2SetFMUstate
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    if (c && state)
        ((struct Snapshot *)state)->owner = c;
    return good_SetFMUstate(c, state);
}
#elif MUTANT == hangs
#undef fmi2NewDiscreteStates
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    fmi2Status status = good_NewDiscreteStates(c, info);
    if (status == fmi2OK)
        info->newDiscreteStatesNeeded = fmi2True;
    return status;
}
#elif MUTANT == lies_about_states
#undef fmi2NewDiscreteStates
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    fmi2Status status = good_NewDiscreteStates(c, info);
    if (status == fmi2OK)
        info->valuesOfContinuousStatesChanged = fmi2True;
    return status;
}
#elif MUTANT == wrong_nominal
#undef fmi2GetNominalsOfContinuousStates
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t nx)
{
    fmi2Status status = good_GetNominalsOfContinuousStates(c, nominals, nx);
    if (status == fmi2OK)
        nominals[1] = 0.0;
    return status;
}
#elif MUTANT == terminate_clears
#undef fmi2Terminate
fmi2Status fmi2Terminate(fmi2Component c)
{
    fmi2Status status = good_Terminate(c);
    if (status == fmi2OK)
        ((struct Component *)c)->v.real[X0] = 0.0;
    return status;
}
#else
#undef fmi2Instantiate
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
#if MUTANT == any_guid
    return good_Instantiate(name, type, guid ? GUID : NULL, resources, functions, visible, logging);
#elif MUTANT == leaks
    fmi2Component c = good_Instantiate(name, type, guid, resources, functions, visible, logging);
    return c && !malloc(10) ? NULL : c;
#else
    fmi2Component c = good_Instantiate(name, type, guid, resources, functions, visible, logging);
    if (!c)
        return NULL;
#if MUTANT == keeps_callbacks
    ((struct Component *)c)->name = (char *)name;
#elif MUTANT == undeclared_category
    if (logging)
        functions->logger(functions->componentEnvironment, name, fmi2OK, "chatter", "hello");
#elif MUTANT == talks_too_much
    functions->logger(functions->componentEnvironment, name, fmi2OK, "logStatusError", "hello");
#elif MUTANT == format_string
    if (logging)
        functions->logger(functions->componentEnvironment, name, fmi2OK, "logStatusError", "item #5");
#endif
    return c;
#endif
}
#endif
