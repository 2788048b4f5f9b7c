/* Every function in every state: allowed where the standard's table allows it, refused elsewhere, and a refusal changes nothing. */
#include "host_3.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING NULL, 0

/* Calls a function with arguments that are right wherever it is allowed. */
static fmi3Status call(struct Instance *instance, const char *name, fmi3FMUState *snapshot)
{
    fmi3Instance i = instance->i;
    bool flags[5];
    double number;
    size_t size;
    double *states = calloc(facts.states + facts.indicators + 1, sizeof *states);
    fmi3Status status = fmi3Fatal;
    const struct Variable *time = find("independent", "Float64");
#define IS(function) (strcmp(name, "fmi3" function) == 0)
#define TYPED(type)                                                                                                         \
    else if (IS("Get" #type)) status = fmi.Get##type(i, NOTHING, NOTHING);                                                  \
    else if (IS("Set" #type)) status = fmi.Set##type(i, NOTHING, NOTHING);
    if (IS("SetDebugLogging")) status = fmi.SetDebugLogging(i, true, 0, NULL);
    else if (IS("EnterInitializationMode")) status = fmi.EnterInitializationMode(i, false, 0.0, 0.0, false, 0.0);
    else if (IS("ExitInitializationMode")) status = fmi.ExitInitializationMode(i);
    else if (IS("EnterEventMode")) status = fmi.EnterEventMode(i);
    else if (IS("Terminate")) status = fmi.Terminate(i);
    else if (IS("Reset")) status = fmi.Reset(i);
    else if (IS("GetFloat64")) status = fmi.GetFloat64(i, &time->reference, 1, &number, 1);
    else if (IS("SetFloat64")) status = fmi.SetFloat64(i, NOTHING, NOTHING);
    TYPED(Float32) TYPED(Int8) TYPED(UInt8) TYPED(Int16) TYPED(UInt16) TYPED(Int32) TYPED(UInt32) TYPED(Int64) TYPED(UInt64)
    TYPED(Boolean) TYPED(String)
    else if (IS("GetBinary")) status = fmi.GetBinary(i, NOTHING, NULL, NOTHING);
    else if (IS("SetBinary")) status = fmi.SetBinary(i, NOTHING, NULL, NOTHING);
    else if (IS("GetClock")) status = fmi.GetClock(i, NOTHING, NULL);
    else if (IS("SetClock")) status = fmi.SetClock(i, NOTHING, NULL);
    else if (IS("GetNumberOfVariableDependencies")) status = fmi.GetNumberOfVariableDependencies(i, time->reference, &size);
    else if (IS("GetVariableDependencies"))
        status = fmi.GetVariableDependencies(i, time->reference, NULL, NULL, NULL, NULL, 0);
    else if (IS("GetFMUState")) status = fmi.GetFMUState(i, snapshot);
    else if (IS("SetFMUState")) status = fmi.SetFMUState(i, *snapshot);
    else if (IS("FreeFMUState")) status = fmi.FreeFMUState(i, snapshot);
    else if (IS("SerializedFMUStateSize")) status = fmi.SerializedFMUStateSize(i, *snapshot, &size);
    else if (IS("SerializeFMUState") || IS("DeserializeFMUState")) {
        status = fmi.SerializedFMUStateSize(i, *snapshot, &size);
        fmi3Byte *bytes = calloc(size, 1);
        status = fmi.SerializeFMUState(i, *snapshot, bytes, size);
        if (IS("DeserializeFMUState")) status = fmi.DeserializeFMUState(i, bytes, size, snapshot);
        free(bytes);
    }
    else if (IS("GetDirectionalDerivative")) status = fmi.GetDirectionalDerivative(i, NOTHING, NOTHING, NOTHING, NOTHING);
    else if (IS("GetAdjointDerivative")) status = fmi.GetAdjointDerivative(i, NOTHING, NOTHING, NOTHING, NOTHING);
    else if (IS("EnterConfigurationMode")) status = fmi.EnterConfigurationMode(i);
    else if (IS("ExitConfigurationMode")) status = fmi.ExitConfigurationMode(i);
    else if (IS("GetIntervalDecimal")) status = fmi.GetIntervalDecimal(i, NOTHING, NULL, NULL);
    else if (IS("GetIntervalFraction")) status = fmi.GetIntervalFraction(i, NOTHING, NULL, NULL, NULL);
    else if (IS("GetShiftDecimal")) status = fmi.GetShiftDecimal(i, NOTHING, NULL);
    else if (IS("GetShiftFraction")) status = fmi.GetShiftFraction(i, NOTHING, NULL, NULL);
    else if (IS("SetIntervalDecimal")) status = fmi.SetIntervalDecimal(i, NOTHING, NULL);
    else if (IS("SetIntervalFraction")) status = fmi.SetIntervalFraction(i, NOTHING, NULL, NULL);
    else if (IS("SetShiftDecimal")) status = fmi.SetShiftDecimal(i, NOTHING, NULL);
    else if (IS("SetShiftFraction")) status = fmi.SetShiftFraction(i, NOTHING, NULL, NULL);
    else if (IS("EvaluateDiscreteStates")) status = fmi.EvaluateDiscreteStates(i);
    else if (IS("UpdateDiscreteStates"))
        status = fmi.UpdateDiscreteStates(i, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4], &number);
    else if (IS("EnterContinuousTimeMode")) status = fmi.EnterContinuousTimeMode(i);
    else if (IS("CompletedIntegratorStep")) status = fmi.CompletedIntegratorStep(i, true, &flags[0], &flags[1]);
    else if (IS("SetTime")) status = fmi.SetTime(i, 0.0);
    else if (IS("SetContinuousStates")) {
        status = fmi.GetContinuousStates(i, states, facts.states);
        status = fmi.SetContinuousStates(i, states, facts.states);
    }
    else if (IS("GetContinuousStateDerivatives")) status = fmi.GetContinuousStateDerivatives(i, states, facts.states);
    else if (IS("GetEventIndicators")) status = fmi.GetEventIndicators(i, states, facts.indicators);
    else if (IS("GetContinuousStates")) status = fmi.GetContinuousStates(i, states, facts.states);
    else if (IS("GetNominalsOfContinuousStates")) status = fmi.GetNominalsOfContinuousStates(i, states, facts.states);
    else if (IS("GetNumberOfEventIndicators")) status = fmi.GetNumberOfEventIndicators(i, &size);
    else if (IS("GetNumberOfContinuousStates")) status = fmi.GetNumberOfContinuousStates(i, &size);
    else if (IS("EnterStepMode")) status = fmi.EnterStepMode(i);
    else if (IS("GetOutputDerivatives")) status = fmi.GetOutputDerivatives(i, NOTHING, NULL, NOTHING);
    else if (IS("DoStep")) status = fmi.DoStep(i, 0.0, 0.01 * facts.stop, true, &flags[0], &flags[1], &flags[2], &number);
    else if (IS("ActivateModelPartition")) status = fmi.ActivateModelPartition(i, 0, 0.0);
    free(states);
    return status;
}

/* Without structural parameters and Scheduled Execution these are never allowed. */
static bool is_never_allowed(const char *name)
{
    return strstr(name, "ConfigurationMode") || strcmp(name, "fmi3ActivateModelPartition") == 0;
}

static void check_sequence(bool steps, const char *states)
{
    for (size_t k = 0; k < facts.call_count; k++) {
        const struct Call *row = &facts.calls[k];
        if (strcmp(row->name, "fmi3FreeInstance") == 0) {
            continue;
        }
        for (const char *state = states; *state; state++) {
            AT("%s in state %c", row->name, *state);
            struct Instance instance;
            create(&instance, steps, true, true, true);
            lead_to(&instance, *state);
            fmi3FMUState snapshot = NULL;
            CHECK(fmi.GetFMUState(instance.i, &snapshot) == fmi3OK, "no snapshot in state %c", *state);
            const char *strict = steps ? row->co_simulation : row->model_exchange;
            bool is_allowed = strchr(strict, *state) && !is_never_allowed(row->name);
            bool is_tolerated = strchr(row->tolerant, *state) != NULL;
            unsigned before = instance.log.messages;
            fmi3Status status = call(&instance, row->name, &snapshot);
            if (is_allowed || is_tolerated) {
                CHECK(!is_allowed || status == fmi3OK || status == fmi3Warning, "%s in state %c returns %s: %s", row->name,
                      *state, status_name(status), instance.log.last);
            } else {
                CHECK(status == fmi3Error, "%s in state %c, where it is not allowed, returns %s", row->name, *state,
                      status_name(status));
                CHECK(instance.log.messages > before, "%s in state %c is refused without a message", row->name, *state);
                /* The instance is where it was: what is allowed there succeeds. */
                const char *next = *state == 'I' ? "fmi3EnterInitializationMode" : *state == 'Z' ? "fmi3ExitInitializationMode"
                                   : *state == 'E' ? "fmi3UpdateDiscreteStates" : *state == 'C' ? "fmi3EnterEventMode"
                                   : *state == 'P' ? "fmi3DoStep" : "fmi3GetFloat64";
                status = call(&instance, next, &snapshot);
                CHECK(status == fmi3OK || status == fmi3Warning, "after a refused %s, %s in state %c returns %s: %s", row->name,
                      next, *state, status_name(status), instance.log.last);
            }
            dispose(&instance);
        }
    }
}

void test_sequence_of_model_exchange(void)
{
    check_sequence(false, "IZECT");
}

void test_sequence_of_co_simulation(void)
{
    check_sequence(true, "IZEPT");
}
