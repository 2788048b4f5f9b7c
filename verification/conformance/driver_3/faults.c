/* Planted faults: one function of the FMU is replaced by a faulty one, and a test must find it. */
#include "host_3.h"

#include <string.h>

static struct Functions real;

static fmi3Instance any_token(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                              fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)token;
    return real.InstantiateModelExchange(name, facts.token, resources, visible, logging, environment, log);
}

static fmi3Instance never_silent(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                 fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)logging;
    return real.InstantiateModelExchange(name, token, resources, visible, true, environment, log);
}

static fmi3Status steps_in_event_mode(fmi3Instance i, fmi3Float64 point, fmi3Float64 step, fmi3Boolean no_set,
                                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    fmi3Status status = real.DoStep(i, point, step, no_set, event, terminate, early, last);
    return status == fmi3Error ? fmi3OK : status;
}

static fmi3Status returns_early(fmi3Instance i, fmi3Float64 point, fmi3Float64 step, fmi3Boolean no_set, fmi3Boolean *event,
                                fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    fmi3Status status = real.DoStep(i, point, 0.5 * step, no_set, event, terminate, early, last);
    *early = true;
    return status;
}

static fmi3Status always_events(fmi3Instance i, fmi3Float64 point, fmi3Float64 step, fmi3Boolean no_set, fmi3Boolean *event,
                                fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    fmi3Status status = real.DoStep(i, point, step, no_set, event, terminate, early, last);
    *event = true;
    return status;
}

static fmi3Status any_count(fmi3Instance i, const fmi3ValueReference *references, size_t n, fmi3Float64 *values, size_t m)
{
    fmi3Status status = real.GetFloat64(i, references, n, values, m);
    return status == fmi3Error && i && references && values && m > 0 ? fmi3OK : status;
}

static fmi3Status forgets_the_way_back(fmi3Instance i, fmi3FMUState state)
{
    (void)i, (void)state;
    return fmi3OK;
}

static fmi3Status takes_damaged_bytes(fmi3Instance i, const fmi3Byte *bytes, size_t size, fmi3FMUState *state)
{
    real.DeserializeFMUState(i, bytes, size, state);
    return fmi3OK;
}

static fmi3Status wrong_adjoint(fmi3Instance i, const fmi3ValueReference *unknowns, size_t n, const fmi3ValueReference *knowns,
                                size_t m, const fmi3Float64 *seed, size_t seeds, fmi3Float64 *sensitivity, size_t count)
{
    fmi3Status status = real.GetAdjointDerivative(i, unknowns, n, knowns, m, seed, seeds, sensitivity, count);
    if (count > 0) {
        sensitivity[0] = sensitivity[0] * (1.0 + 1e-9) + 1e-9;
    }
    return status;
}

static fmi3Status wrong_direction(fmi3Instance i, const fmi3ValueReference *unknowns, size_t n, const fmi3ValueReference *knowns,
                                  size_t m, const fmi3Float64 *seed, size_t seeds, fmi3Float64 *sensitivity, size_t count)
{
    fmi3Status status = real.GetDirectionalDerivative(i, unknowns, n, knowns, m, seed, seeds, sensitivity, count);
    if (count > 0) {
        sensitivity[count - 1] *= 1.01;
    }
    return status;
}

static fmi3Status refuses_events(fmi3Instance i)
{
    (void)i;
    return fmi3Error;
}

static fmi3Status configures(fmi3Instance i)
{
    (void)i;
    return fmi3OK;
}

bool plant(const char *fault)
{
    real = fmi;
#define FAULT(name, function)                                                                                               \
    if (strcmp(fault, #name) == 0) {                                                                                        \
        fmi.function = name;                                                                                                \
        return true;                                                                                                        \
    }
    FAULT(any_token, InstantiateModelExchange)
    FAULT(never_silent, InstantiateModelExchange)
    FAULT(steps_in_event_mode, DoStep)
    FAULT(returns_early, DoStep)
    FAULT(always_events, DoStep)
    FAULT(any_count, GetFloat64)
    FAULT(forgets_the_way_back, SetFMUState)
    FAULT(takes_damaged_bytes, DeserializeFMUState)
    FAULT(wrong_adjoint, GetAdjointDerivative)
    FAULT(wrong_direction, GetDirectionalDerivative)
    FAULT(refuses_events, EnterStepMode)
    FAULT(configures, EnterConfigurationMode)
    if (strcmp(fault, "missing_function") == 0) {
        missing_function = "fmi3GetShiftFraction";
        return true;
    }
    return false;
}
