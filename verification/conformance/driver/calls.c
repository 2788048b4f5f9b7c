/* Every function of the interface as a call with good arguments, for the tables of the calling sequence. */
#include "calls.h"

#include <stdlib.h>

/* The conditions of the tables, by their digit. */
bool may_be_set(const struct Variable *v, char rule)
{
    bool tunable = v->causality == PARAMETER && v->variability == TUNABLE;
    switch (rule) {
    case '1': /* hosts set start values of inputs here, too */
        return v->causality == INPUT || (v->variability != CONSTANT && (v->initial == EXACT || v->initial == APPROX));
    case '3':
        return v->causality == INPUT || (v->variability != CONSTANT && v->initial == EXACT);
    case '4':
    case '6':
        return v->causality == INPUT || tunable;
    case '5': /* those that are not continuous wait for the next event */
        return v->causality == INPUT || tunable || v->is_state;
    default:
        return false;
    }
}

/* Value references for a call with a rule: all that the rule allows, or one of that type where it allows none. */
struct Choice {
    size_t n;
    fmi2ValueReference vr[64];
    const struct Variable *v[64];
};

static struct Choice choose(enum Type type, char rule)
{
    struct Choice choice = {0};
    const struct Variable *any = NULL;
    for (size_t i = 0; i < description.n_variables && choice.n < 64; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->type != type)
            continue;
        if (!any || v->causality == INPUT)
            any = v;
        if (rule == 'g' || may_be_set(v, rule)) {
            choice.v[choice.n] = v;
            choice.vr[choice.n++] = v->vr;
        }
    }
    if (choice.n == 0 && rule == '.' && any) {
        choice.v[0] = any;
        choice.vr[0] = any->vr;
        choice.n = 1;
    }
    return choice;
}

#define CALL(name) fmi2Status call_##name(struct Instance *instance, __attribute__((unused)) char rule)
#define C instance->c

CALL(set_debug_logging) { return fmu.SetDebugLogging(C, fmi2True, 0, NULL); }
CALL(setup_experiment) { return fmu.SetupExperiment(C, fmi2False, 0.0, description.start_time, fmi2False, 0.0); }
CALL(enter_initialization)
{
    /* Without fmi2SetupExperiment it is an error in any state; where that is not allowed, the error is its. */
    fmi2Status status = rule == 'x' ? call_setup_experiment(instance, 'x') : fmi2OK;
    return status == fmi2OK ? fmu.EnterInitializationMode(C) : status;
}
CALL(exit_initialization) { return fmu.ExitInitializationMode(C); }
CALL(terminate) { return fmu.Terminate(C); }
CALL(reset) { return fmu.Reset(C); }

CALL(get_real)
{
    struct Choice choice = choose(REAL, 'g');
    fmi2Real values[64];
    return fmu.GetReal(C, choice.vr, choice.n, values);
}
CALL(get_integer)
{
    struct Choice choice = choose(INTEGER, 'g');
    fmi2Integer values[64];
    return fmu.GetInteger(C, choice.vr, choice.n, values);
}
CALL(get_boolean)
{
    struct Choice choice = choose(BOOLEAN, 'g');
    fmi2Boolean values[64];
    return fmu.GetBoolean(C, choice.vr, choice.n, values);
}
CALL(get_string)
{
    struct Choice choice = choose(STRING, 'g');
    fmi2String values[64];
    return fmu.GetString(C, choice.vr, choice.n, values);
}
CALL(set_real)
{
    struct Choice choice = choose(REAL, rule);
    fmi2Real values[64];
    for (size_t i = 0; i < choice.n; i++)
        values[i] = start_of(choice.v[i]);
    return fmu.SetReal(C, choice.vr, choice.n, values);
}
CALL(set_integer)
{
    struct Choice choice = choose(INTEGER, rule);
    fmi2Integer values[64];
    for (size_t i = 0; i < choice.n; i++)
        values[i] = (fmi2Integer)start_of(choice.v[i]);
    return fmu.SetInteger(C, choice.vr, choice.n, values);
}
CALL(set_boolean)
{
    struct Choice choice = choose(BOOLEAN, rule);
    fmi2Boolean values[64];
    for (size_t i = 0; i < choice.n; i++)
        values[i] = (fmi2Boolean)start_of(choice.v[i]);
    return fmu.SetBoolean(C, choice.vr, choice.n, values);
}
CALL(set_string)
{
    struct Choice choice = choose(STRING, rule);
    fmi2String values[64];
    for (size_t i = 0; i < choice.n; i++)
        values[i] = choice.v[i]->start;
    return fmu.SetString(C, choice.vr, choice.n, values);
}

CALL(get_fmu_state)
{
    fmi2FMUstate state = NULL;
    fmi2Status status = fmu.GetFMUstate(C, &state);
    if (state)
        fmu.FreeFMUstate(C, &state);
    return status;
}
CALL(set_fmu_state) { return fmu.SetFMUstate(C, instance->snapshot); }
CALL(free_fmu_state) { return fmu.FreeFMUstate(C, &instance->snapshot); }
CALL(serialized_size)
{
    size_t size;
    return fmu.SerializedFMUstateSize(C, instance->snapshot, &size);
}
CALL(serialize)
{
    size_t size = 0;
    fmi2Status status = fmu.SerializedFMUstateSize(C, instance->snapshot, &size);
    if (status != fmi2OK)
        return status;
    fmi2Byte *bytes = malloc(size);
    status = fmu.SerializeFMUstate(C, instance->snapshot, bytes, size);
    free(bytes);
    return status;
}
CALL(deserialize)
{
    size_t size = 0;
    fmi2Status status = fmu.SerializedFMUstateSize(C, instance->snapshot, &size);
    if (status != fmi2OK)
        return status;
    fmi2Byte *bytes = malloc(size);
    fmi2FMUstate state = NULL;
    status = fmu.SerializeFMUstate(C, instance->snapshot, bytes, size);
    if (status == fmi2OK)
        status = fmu.DeSerializeFMUstate(C, bytes, size, &state);
    if (state)
        fmu.FreeFMUstate(C, &state);
    free(bytes);
    return status;
}
CALL(directional_derivative)
{
    /* With nothing asked there is nothing to be wrong about but the state. */
    return fmu.GetDirectionalDerivative(C, NULL, 0, NULL, 0, NULL, NULL);
}

CALL(enter_event_mode) { return fmu.EnterEventMode(C); }
CALL(new_discrete_states)
{
    fmi2EventInfo info;
    return fmu.NewDiscreteStates(C, &info);
}
CALL(enter_continuous_time) { return fmu.EnterContinuousTimeMode(C); }
CALL(completed_step)
{
    fmi2Boolean enter, end;
    return fmu.CompletedIntegratorStep(C, fmi2True, &enter, &end);
}
CALL(set_time)
{
    /* Condition 8: a pure discrete-time FMU, once its event iteration has ended. */
    if (rule == '8') {
        fmi2EventInfo info;
        fmi2Status status = event_iteration(instance, &info);
        if (status != fmi2OK)
            return status;
    }
    return fmu.SetTime(C, description.start_time);
}
static fmi2Status with_states(struct Instance *instance, fmi2GetContinuousStatesTYPE *function, size_t n)
{
    double *values = calloc(n + 1, sizeof *values);
    fmi2Status status = function(C, values, n);
    free(values);
    return status;
}
CALL(set_states)
{
    size_t n = description.n_states;
    double *x = calloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = start_of(&description.variables[description.state_variables[i]]);
    fmi2Status status = fmu.SetContinuousStates(C, x, n);
    free(x);
    return status;
}
CALL(get_derivatives) { return with_states(instance, fmu.GetDerivatives, description.n_states); }
CALL(get_indicators) { return with_states(instance, fmu.GetEventIndicators, description.n_indicators); }
CALL(get_states) { return with_states(instance, fmu.GetContinuousStates, description.n_states); }
CALL(get_nominals) { return with_states(instance, fmu.GetNominalsOfContinuousStates, description.n_states); }

CALL(set_input_derivatives) { return fmu.SetRealInputDerivatives(C, NULL, 0, NULL, NULL); }
CALL(get_output_derivatives) { return fmu.GetRealOutputDerivatives(C, NULL, 0, NULL, NULL); }
CALL(do_step)
{
    double h = description.step_size > 0.0 ? description.step_size : 1e-3;
    return fmu.DoStep(C, description.start_time, h, fmi2True);
}
CALL(cancel_step) { return fmu.CancelStep(C); }
CALL(get_status)
{
    fmi2Status value;
    return fmu.GetStatus(C, fmi2DoStepStatus, &value);
}
CALL(get_real_status)
{
    fmi2Real value;
    return fmu.GetRealStatus(C, fmi2LastSuccessfulTime, &value);
}
CALL(get_integer_status)
{
    fmi2Integer value;
    return fmu.GetIntegerStatus(C, fmi2DoStepStatus, &value);
}
CALL(get_boolean_status)
{
    fmi2Boolean value;
    return fmu.GetBooleanStatus(C, fmi2Terminated, &value);
}
CALL(get_string_status)
{
    fmi2String value;
    return fmu.GetStringStatus(C, fmi2PendingStatus, &value);
}
