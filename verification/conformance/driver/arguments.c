/* Tests 5 and 6: null pointers, lengths, value references that are wrong, and no partial write. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdlib.h>

#define EXPECT(expected, call)                                                                               \
    do {                                                                                                     \
        AT("%s", #call);                                                                                     \
        fmi2Status status_ = (call);                                                                         \
        CHECK(status_ == (expected), #call " gives %s, not %s", status_name(status_), status_name(expected)); \
    } while (0)

void test_null_component(void)
{
    fmi2ValueReference vr = 0;
    fmi2Real real = 0;
    fmi2Integer integer = 0, order = 1;
    fmi2String string = "";
    fmi2FMUstate state = NULL;
    fmi2Byte bytes[8];
    size_t size = 0;
    fmi2EventInfo info;
    fmi2Boolean a, b;
    fmi2Status status;
    EXPECT(fmi2Error, fmu.SetDebugLogging(NULL, fmi2True, 0, NULL));
    EXPECT(fmi2Error, fmu.SetupExperiment(NULL, fmi2False, 0, 0, fmi2False, 0));
    EXPECT(fmi2Error, fmu.EnterInitializationMode(NULL));
    EXPECT(fmi2Error, fmu.ExitInitializationMode(NULL));
    EXPECT(fmi2Error, fmu.Terminate(NULL));
    EXPECT(fmi2Error, fmu.Reset(NULL));
    EXPECT(fmi2Error, fmu.GetReal(NULL, &vr, 1, &real));
    EXPECT(fmi2Error, fmu.GetInteger(NULL, &vr, 1, &integer));
    EXPECT(fmi2Error, fmu.GetBoolean(NULL, &vr, 1, &integer));
    EXPECT(fmi2Error, fmu.GetString(NULL, &vr, 1, &string));
    EXPECT(fmi2Error, fmu.SetReal(NULL, &vr, 1, &real));
    EXPECT(fmi2Error, fmu.SetInteger(NULL, &vr, 1, &integer));
    EXPECT(fmi2Error, fmu.SetBoolean(NULL, &vr, 1, &integer));
    EXPECT(fmi2Error, fmu.SetString(NULL, &vr, 1, &string));
    EXPECT(fmi2Error, fmu.GetFMUstate(NULL, &state));
    EXPECT(fmi2Error, fmu.SetFMUstate(NULL, state));
    EXPECT(fmi2Error, fmu.FreeFMUstate(NULL, &state));
    EXPECT(fmi2Error, fmu.SerializedFMUstateSize(NULL, state, &size));
    EXPECT(fmi2Error, fmu.SerializeFMUstate(NULL, state, bytes, sizeof bytes));
    EXPECT(fmi2Error, fmu.DeSerializeFMUstate(NULL, bytes, sizeof bytes, &state));
    EXPECT(fmi2Error, fmu.GetDirectionalDerivative(NULL, &vr, 1, &vr, 1, &real, &real));
    EXPECT(fmi2Error, fmu.EnterEventMode(NULL));
    EXPECT(fmi2Error, fmu.NewDiscreteStates(NULL, &info));
    EXPECT(fmi2Error, fmu.EnterContinuousTimeMode(NULL));
    EXPECT(fmi2Error, fmu.CompletedIntegratorStep(NULL, fmi2True, &a, &b));
    EXPECT(fmi2Error, fmu.SetTime(NULL, 0));
    EXPECT(fmi2Error, fmu.SetContinuousStates(NULL, &real, 1));
    EXPECT(fmi2Error, fmu.GetDerivatives(NULL, &real, 1));
    EXPECT(fmi2Error, fmu.GetEventIndicators(NULL, &real, 1));
    EXPECT(fmi2Error, fmu.GetContinuousStates(NULL, &real, 1));
    EXPECT(fmi2Error, fmu.GetNominalsOfContinuousStates(NULL, &real, 1));
    EXPECT(fmi2Error, fmu.SetRealInputDerivatives(NULL, &vr, 1, &order, &real));
    EXPECT(fmi2Error, fmu.GetRealOutputDerivatives(NULL, &vr, 1, &order, &real));
    EXPECT(fmi2Error, fmu.DoStep(NULL, 0, 1, fmi2True));
    EXPECT(fmi2Error, fmu.CancelStep(NULL));
    EXPECT(fmi2Error, fmu.GetStatus(NULL, fmi2DoStepStatus, &status));
    EXPECT(fmi2Error, fmu.GetRealStatus(NULL, fmi2LastSuccessfulTime, &real));
    EXPECT(fmi2Error, fmu.GetIntegerStatus(NULL, fmi2DoStepStatus, &integer));
    EXPECT(fmi2Error, fmu.GetBooleanStatus(NULL, fmi2Terminated, &integer));
    EXPECT(fmi2Error, fmu.GetStringStatus(NULL, fmi2PendingStatus, &string));
    AT("fmi2FreeInstance(NULL)");
    fmu.FreeInstance(NULL);
    CHECK(true, "fmi2FreeInstance(NULL) returns");
}

/* A new instance in that state for every single misuse: after fmi2Error the former is no measure any more. */
#define REFUSED(state, call)                                                                                 \
    do {                                                                                                     \
        struct Instance instance;                                                                            \
        if (!instance_open(&instance, "null", fmi2ModelExchange, false) || !bring_to(&instance, state))      \
            return;                                                                                          \
        fmi2Component c = instance.c;                                                                        \
        forget_messages(&instance);                                                                          \
        EXPECT(fmi2Error, call);                                                                             \
        CHECK(message_of(&instance, fmi2Error) != NULL, #call " is refused without a message");              \
        instance_close(&instance);                                                                           \
    } while (0)

void test_null_arguments(void)
{
    if (!description.model_exchange.declared)
        return;
    fmi2ValueReference vr = 0;
    fmi2Real real = 0;
    fmi2Integer integer = 0;
    fmi2String string = "";
    fmi2Boolean flag;
    struct Instance instance;
    if (!instance_open(&instance, "nothing", fmi2ModelExchange, false) || !bring_to(&instance, EVENT))
        return;
    EXPECT(fmi2OK, fmu.GetReal(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.GetInteger(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.GetBoolean(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.GetString(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.SetReal(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.SetInteger(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.SetBoolean(instance.c, NULL, 0, NULL));
    EXPECT(fmi2OK, fmu.SetString(instance.c, NULL, 0, NULL));
    instance_close(&instance);

    REFUSED(EVENT, fmu.GetReal(c, NULL, 1, &real));
    REFUSED(EVENT, fmu.GetReal(c, &vr, 1, NULL));
    REFUSED(EVENT, fmu.GetInteger(c, NULL, 1, &integer));
    REFUSED(EVENT, fmu.GetInteger(c, &vr, 1, NULL));
    REFUSED(EVENT, fmu.GetBoolean(c, NULL, 1, &integer));
    REFUSED(EVENT, fmu.GetBoolean(c, &vr, 1, NULL));
    REFUSED(EVENT, fmu.GetString(c, NULL, 1, &string));
    REFUSED(EVENT, fmu.GetString(c, &vr, 1, NULL));
    REFUSED(INITIALIZATION, fmu.SetReal(c, NULL, 1, &real));
    REFUSED(INITIALIZATION, fmu.SetReal(c, &vr, 1, NULL));
    REFUSED(INITIALIZATION, fmu.SetInteger(c, NULL, 1, &integer));
    REFUSED(INITIALIZATION, fmu.SetInteger(c, &vr, 1, NULL));
    REFUSED(INITIALIZATION, fmu.SetBoolean(c, NULL, 1, &integer));
    REFUSED(INITIALIZATION, fmu.SetBoolean(c, &vr, 1, NULL));
    REFUSED(INITIALIZATION, fmu.SetString(c, NULL, 1, &string));
    REFUSED(INITIALIZATION, fmu.SetString(c, &vr, 1, NULL));
    REFUSED(EVENT, fmu.NewDiscreteStates(c, NULL));
    REFUSED(CONTINUOUS_TIME, fmu.CompletedIntegratorStep(c, fmi2True, NULL, &flag));
    REFUSED(CONTINUOUS_TIME, fmu.CompletedIntegratorStep(c, fmi2True, &flag, NULL));
    REFUSED(EVENT, fmu.GetFMUstate(c, NULL));
    REFUSED(EVENT, fmu.SetFMUstate(c, NULL));
    size_t nx = description.n_states, nz = description.n_indicators;
    if (nx > 0) {
        REFUSED(CONTINUOUS_TIME, fmu.SetContinuousStates(c, NULL, nx));
        REFUSED(CONTINUOUS_TIME, fmu.GetContinuousStates(c, NULL, nx));
        REFUSED(CONTINUOUS_TIME, fmu.GetDerivatives(c, NULL, nx));
        REFUSED(CONTINUOUS_TIME, fmu.GetNominalsOfContinuousStates(c, NULL, nx));
    }
    if (nz > 0)
        REFUSED(CONTINUOUS_TIME, fmu.GetEventIndicators(c, NULL, nz));
}

void test_wrong_lengths(void)
{
    if (!description.model_exchange.declared)
        return;
    size_t nx = description.n_states, nz = description.n_indicators;
    double *room = calloc(nx + nz + 2, sizeof *room);
    REFUSED(CONTINUOUS_TIME, fmu.SetContinuousStates(c, room, nx + 1));
    REFUSED(CONTINUOUS_TIME, fmu.GetContinuousStates(c, room, nx + 1));
    REFUSED(CONTINUOUS_TIME, fmu.GetDerivatives(c, room, nx + 1));
    REFUSED(CONTINUOUS_TIME, fmu.GetNominalsOfContinuousStates(c, room, nx + 1));
    REFUSED(CONTINUOUS_TIME, fmu.GetEventIndicators(c, room, nz + 1));
    if (nx > 0) {
        REFUSED(CONTINUOUS_TIME, fmu.SetContinuousStates(c, room, nx - 1));
        REFUSED(CONTINUOUS_TIME, fmu.GetContinuousStates(c, room, nx - 1));
        REFUSED(CONTINUOUS_TIME, fmu.GetDerivatives(c, room, nx - 1));
        REFUSED(CONTINUOUS_TIME, fmu.GetNominalsOfContinuousStates(c, room, nx - 1));
    }
    if (nz > 0)
        REFUSED(CONTINUOUS_TIME, fmu.GetEventIndicators(c, room, nz - 1));
    free(room);
}

void test_wrong_references(void)
{
    if (!description.model_exchange.declared)
        return;
    fmi2Real real = 0;
    fmi2Integer integer = 0;
    fmi2String string = "";
    fmi2ValueReference extremes[2] = {0, 0xffffffffu};
    for (int i = 0; i < 2; i++) {
        fmi2ValueReference r = i ? extremes[1] : unknown_reference(REAL);
        fmi2ValueReference n = i ? extremes[1] : unknown_reference(INTEGER);
        fmi2ValueReference b = i ? extremes[1] : unknown_reference(BOOLEAN);
        fmi2ValueReference s = i ? extremes[1] : unknown_reference(STRING);
        REFUSED(EVENT, fmu.GetReal(c, &r, 1, &real));
        REFUSED(EVENT, fmu.GetInteger(c, &n, 1, &integer));
        REFUSED(EVENT, fmu.GetBoolean(c, &b, 1, &integer));
        REFUSED(EVENT, fmu.GetString(c, &s, 1, &string));
        REFUSED(INITIALIZATION, fmu.SetReal(c, &r, 1, &real));
        REFUSED(INITIALIZATION, fmu.SetInteger(c, &n, 1, &integer));
        REFUSED(INITIALIZATION, fmu.SetBoolean(c, &b, 1, &integer));
        REFUSED(INITIALIZATION, fmu.SetString(c, &s, 1, &string));
    }
    /* What can never be set is tried, variable by variable and state by state, with the calling sequence. */
}

static bool settable_in_initialization(const struct Variable *v)
{
    return v->type != STRING && (v->causality == INPUT || (v->initial == EXACT && v->variability != CONSTANT));
}

/* A value that is refused: outside of its range, or no item of its enumeration. */
static bool bad_value(const struct Variable *v, double *value)
{
    if ((v->causality != PARAMETER && !v->is_enumeration) || !v->has_max || !settable_in_initialization(v))
        return false;
    *value = v->max + 1.0;
    return true;
}

/* Sets a good variable and then something bad in one call: refused, and the good one keeps its value. */
static void check_pair(const struct Variable *v, fmi2ValueReference second, double second_value, fmi2Status expected)
{
    struct Instance instance;
    if (!instance_open(&instance, "partial", fmi2ModelExchange, false) || !bring_to(&instance, INITIALIZATION))
        return;
    fmi2ValueReference vr[2] = {v->vr, second};
    double other = another_value(v), now = -1;
    fmi2Real reals[2] = {other, second_value};
    fmi2Integer integers[2] = {(fmi2Integer)other, (fmi2Integer)second_value};
    fmi2Status status = v->type == REAL      ? fmu.SetReal(instance.c, vr, 2, reals)
                        : v->type == INTEGER ? fmu.SetInteger(instance.c, vr, 2, integers)
                                             : fmu.SetBoolean(instance.c, vr, 2, integers);
    CHECK(status >= expected && status <= fmi2Error, "setting '%s' and value reference %u gives %s", v->name, second,
          status_name(status));
    status = get_number(instance.c, v, &now);
    CHECK(status == fmi2OK && same_bits(now, start_of(v)),
          "setting '%s' and value reference %u (which is refused) left %g there, not %s (fmi2Get gives %s)", v->name,
          second, now, v->start, status_name(status));
    instance_close(&instance);
}

void test_no_partial_write(void)
{
    if (!description.model_exchange.declared)
        return;
    for (size_t i = 0; i < description.n_variables && i < 400; i++) {
        const struct Variable *v = &description.variables[i];
        if (!settable_in_initialization(v))
            continue;
        check_pair(v, unknown_reference(v->type), another_value(v), fmi2Error);
        for (size_t k = 0; k < description.n_variables && k < 400; k++) {
            const struct Variable *w = &description.variables[k];
            double value;
            if (k != i && w->type == v->type && bad_value(w, &value))
                check_pair(v, w->vr, value, fmi2Discard);
        }
    }
}
