/* Test 4: every function in every state, as the tables of the calling sequence say (FMI 2.0.5, 3.2.3 and 4.2.4):
 * what is allowed answers fmi2OK; what is not answers fmi2Error with a sentence in the log, and the instance can
 * be reset, run again and freed. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The conditions of the tables, by their digit. */
static bool may_be_set(const struct Variable *v, char rule)
{
    bool tunable = v->causality == PARAMETER && v->variability == TUNABLE;
    switch (rule) {
    case '1':
        return v->variability != CONSTANT && (v->initial == EXACT || v->initial == APPROX);
    case '3':
        return v->causality == INPUT || (v->variability != CONSTANT && v->initial == EXACT);
    case '4':
    case '6':
        return v->causality == INPUT || tunable;
    case '5':
        return (v->causality == INPUT && v->variability == CONTINUOUS) || v->is_state;
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

typedef fmi2Status Call(struct Instance *instance, char rule);
#define CALL(name) static fmi2Status name(struct Instance *instance, __attribute__((unused)) char rule)
#define C instance->c

CALL(set_debug_logging) { return fmu.SetDebugLogging(C, fmi2True, 0, NULL); }
CALL(setup_experiment) { return fmu.SetupExperiment(C, fmi2False, 0.0, description.start_time, fmi2False, 0.0); }
CALL(enter_initialization)
{
    /* Without fmi2SetupExperiment it is an error in any state; where that is not allowed, the error is its. */
    fmi2Status status = rule == 'x' ? setup_experiment(instance, 'x') : fmi2OK;
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

enum Needs { NOTHING, FMU_STATES, SERIALIZATION, DERIVATIVES };

/* Columns. Model Exchange: Instantiated, initialiZation, Event, Continuous-time, Terminated, error.
 * Co-Simulation: Instantiated, initialiZation, step comPlete, Terminated, error (the columns 'in progress',
 * 'failed' and 'canceled' cannot be reached from outside). x: allowed, digit: allowed on its condition, and
 * '.': not allowed, d: Discard or OK. NULL: a function of the other interface, which is never allowed. */
struct Row {
    const char *name;
    Call *call;
    const char *model_exchange; /* IZECTX */
    const char *co_simulation;  /* IZPTX  */
    enum Needs needs;
    int type; /* of the variables it is about, -1: none */
};

static const struct Row rows[] = {
    {"fmi2SetDebugLogging", set_debug_logging, "xxxxxx", "xxxxx", NOTHING, -1},
    {"fmi2SetupExperiment", setup_experiment, "x.....", "x....", NOTHING, -1},
    {"fmi2EnterInitializationMode", enter_initialization, "x.....", "x....", NOTHING, -1},
    {"fmi2ExitInitializationMode", exit_initialization, ".x....", ".x...", NOTHING, -1},
    {"fmi2Terminate", terminate, "..xx..", "..x..", NOTHING, -1},
    {"fmi2Reset", reset, "xxxxxx", "xxxxx", NOTHING, -1},
    {"fmi2GetReal", get_real, ".xxxxx", ".xxxx", NOTHING, REAL},
    {"fmi2GetInteger", get_integer, ".xxxxx", ".xxxx", NOTHING, INTEGER},
    {"fmi2GetBoolean", get_boolean, ".xxxxx", ".xxxx", NOTHING, BOOLEAN},
    {"fmi2GetString", get_string, ".xxxxx", ".xxxx", NOTHING, STRING},
    {"fmi2SetReal", set_real, "1345..", "136..", NOTHING, REAL},
    {"fmi2SetInteger", set_integer, "134...", "136..", NOTHING, INTEGER},
    {"fmi2SetBoolean", set_boolean, "134...", "136..", NOTHING, BOOLEAN},
    {"fmi2SetString", set_string, "134...", "136..", NOTHING, STRING},
    {"fmi2GetFMUstate", get_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2SetFMUstate", set_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2FreeFMUstate", free_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2SerializedFMUstateSize", serialized_size, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2SerializeFMUstate", serialize, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2DeSerializeFMUstate", deserialize, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2GetDirectionalDerivative", directional_derivative, ".xxxxx", ".xxxx", DERIVATIVES, -1},
    {"fmi2EnterEventMode", enter_event_mode, "..xx..", NULL, NOTHING, -1},
    {"fmi2NewDiscreteStates", new_discrete_states, "..x...", NULL, NOTHING, -1},
    {"fmi2EnterContinuousTimeMode", enter_continuous_time, "..x...", NULL, NOTHING, -1},
    {"fmi2CompletedIntegratorStep", completed_step, "...x..", NULL, NOTHING, -1},
    {"fmi2SetTime", set_time, "..8x..", NULL, NOTHING, -1},
    {"fmi2SetContinuousStates", set_states, "...x..", NULL, NOTHING, -1},
    {"fmi2GetDerivatives", get_derivatives, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetEventIndicators", get_indicators, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetContinuousStates", get_states, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetNominalsOfContinuousStates", get_nominals, "xxxxxx", NULL, NOTHING, -1},
    {"fmi2SetRealInputDerivatives", set_input_derivatives, NULL, "xxx..", NOTHING, -1},
    {"fmi2GetRealOutputDerivatives", get_output_derivatives, NULL, "..xxx", NOTHING, -1},
    {"fmi2DoStep", do_step, NULL, "..x..", NOTHING, -1},
    {"fmi2CancelStep", cancel_step, NULL, ".....", NOTHING, -1},
    {"fmi2GetStatus", get_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetRealStatus", get_real_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetIntegerStatus", get_integer_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetBooleanStatus", get_boolean_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetStringStatus", get_string_status, NULL, "..dd.", NOTHING, -1},
};

static const enum State model_exchange_columns[] = {INSTANTIATED,    INITIALIZATION, EVENT,
                                                    CONTINUOUS_TIME, TERMINATED,     FAILED};
static const enum State co_simulation_columns[] = {INSTANTIATED, INITIALIZATION, STEP_COMPLETE, TERMINATED, FAILED};

static bool offered(const struct Interface *interface, enum Needs needs)
{
    return needs == NOTHING || (needs == FMU_STATES && interface->states) ||
           (needs == SERIALIZATION && interface->serialization) ||
           (needs == DERIVATIVES && interface->directional_derivatives);
}

static bool has_variables(int type)
{
    for (size_t i = 0; type >= 0 && i < description.n_variables; i++)
        if ((int)description.variables[i].type == type)
            return true;
    return type < 0;
}

/* After a refused call: one message, and the instance is as good as new after fmi2Reset. */
static void check_refusal(struct Instance *instance, const char *name, enum State state, fmi2Status status)
{
    CHECK(status == fmi2Error, "%s in state '%s' is not allowed, but gives %s", name, state_names[state],
          status_name(status));
    CHECK(message_of(instance, fmi2Error) != NULL, "%s refused in state '%s' logs no error", name, state_names[state]);
    forget_messages(instance);
    status = fmu.Reset(C);
    if (CHECK(status == fmi2OK, "fmi2Reset after %s in state '%s' gives %s", name, state_names[state],
              status_name(status)))
        bring_to(instance, instance->type == fmi2ModelExchange ? CONTINUOUS_TIME : STEP_COMPLETE);
}

static void check_cell(const struct Row *row, fmi2Type type, enum State state, char rule)
{
    struct Instance instance_, *instance = &instance_;
    if (!instance_open(instance, row->name, type, false))
        return;
    AT("%s in state '%s'", row->name, state_names[state]);
    if (bring_to(instance, state)) {
        forget_messages(instance);
        if (rule == '8' && !pure_discrete_time())
            rule = '.';
        bool allowed = rule != '.' && offered(interface_of(type), row->needs);
        bool nothing_to_ask = !allowed && !has_variables(row->type);
        fmi2Status status = nothing_to_ask ? fmi2Error : row->call(instance, rule);
        if (nothing_to_ask)
            ;
        else if (allowed)
            CHECK(status == fmi2OK || (rule == 'd' && status == fmi2Discard),
                  "%s in state '%s' is allowed, but gives %s: %s", row->name, state_names[state],
                  status_name(status), instance->n_messages ? instance->messages[0].text : "no message");
        else
            check_refusal(instance, row->name, state, status);
    }
    instance_close(instance);
}

static void check_table(fmi2Type type, const enum State *columns, size_t n)
{
    if (!interface_of(type)->declared)
        return;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const char *rules = type == fmi2ModelExchange ? rows[r].model_exchange : rows[r].co_simulation;
        for (size_t i = 0; i < n; i++)
            check_cell(&rows[r], type, columns[i], rules ? rules[i] : '.');
    }
    /* fmi2FreeInstance is allowed everywhere, and ends every cell above; and here right at once. */
}

void test_sequence_model_exchange(void)
{
    check_table(fmi2ModelExchange, model_exchange_columns, 6);
}

void test_sequence_co_simulation(void)
{
    check_table(fmi2CoSimulation, co_simulation_columns, 5);
}

static void check_variable(struct Instance *instance, const struct Variable *v, enum State state, char rule)
{
    AT("setting %s in state '%s'", v->name, state_names[state]);
    fmi2Status status = set_start(C, v);
    if (may_be_set(v, rule)) {
        CHECK(status == fmi2OK, "setting '%s' in state '%s' is allowed, but gives %s: %s", v->name,
              state_names[state], status_name(status),
              instance->n_messages ? instance->messages[0].text : "no message");
    } else {
        CHECK(status == fmi2Error, "setting '%s' in state '%s' is not allowed, but gives %s", v->name,
              state_names[state], status_name(status));
        CHECK(message_of(instance, fmi2Error) != NULL, "setting '%s' in state '%s' is refused without a message",
              v->name, state_names[state]);
    }
    if (status != fmi2OK) {
        fmu.Reset(C);
        forget_messages(instance);
        bring_to(instance, state);
        forget_messages(instance);
    }
}

void test_settable_variables(void)
{
    static const char *const rules[TYPES] = {"1345..", "134...", "134...", "134..."};
    if (!description.model_exchange.declared)
        return;
    /* A long array has one rule for all its elements: the first hundred variables, then some. */
    size_t stride = description.n_variables > 400 ? description.n_variables / 200 : 1;
    for (size_t s = 0; s < 6; s++) {
        enum State state = model_exchange_columns[s];
        struct Instance instance;
        if (!instance_open(&instance, "settable", fmi2ModelExchange, false) || !bring_to(&instance, state))
            return;
        forget_messages(&instance);
        for (size_t i = 0; i < description.n_variables; i += i < 100 ? 1 : stride) {
            const struct Variable *v = &description.variables[i];
            check_variable(&instance, v, state, rules[v->type][s]);
        }
        instance_close(&instance);
    }
}

void test_way_back_from_error(void)
{
    if (!description.model_exchange.declared)
        return;
    uint64_t fresh[512], again[512];
    struct Instance reference;
    if (!instance_open(&reference, "reference", fmi2ModelExchange, false))
        return;
    unsigned steps = run_whole(&reference, affordable_steps(), fresh);
    instance_close(&reference);
    for (size_t s = 0; s < 5; s++) {
        enum State state = model_exchange_columns[s];
        struct Instance instance_, *instance = &instance_;
        if (!instance_open(instance, "way back", fmi2ModelExchange, false) || !bring_to(instance, state))
            return;
        fmi2FMUstate before = NULL;
        fmi2Status worst = fmi2OK, status;
        uint64_t digest = 0;
        bool states = description.model_exchange.states;
        if (states) {
            status = fmu.GetFMUstate(C, &before);
            CHECK(status == fmi2OK, "fmi2GetFMUstate in state '%s' gives %s", state_names[state], status_name(status));
            if (state != INSTANTIATED)
                digest = digest_of_values(C, 0, &worst);
        }
        status = provoke_error(instance);
        CHECK(status == fmi2Error, "an unknown value reference in state '%s' gives %s", state_names[state],
              status_name(status));
        status = terminate(instance, 'x');
        CHECK(status == fmi2Error, "fmi2Terminate after fmi2Error in state '%s' gives %s", state_names[state],
              status_name(status));
        if (states) {
            status = fmu.SetFMUstate(C, before);
            CHECK(status == fmi2OK, "fmi2SetFMUstate after fmi2Error in state '%s' gives %s", state_names[state],
                  status_name(status));
            if (state != INSTANTIATED) {
                CHECK(digest_of_values(C, 0, &worst) == digest && worst == fmi2OK,
                      "fmi2SetFMUstate after fmi2Error in state '%s' does not bring the values back",
                      state_names[state]);
            }
            if (state == EVENT || state == CONTINUOUS_TIME)
                CHECK(fmu.Terminate(C) == fmi2OK, "fmi2Terminate after the way back to '%s' fails", state_names[state]);
            fmu.FreeFMUstate(C, &before);
            provoke_error(instance);
        }
        status = fmu.Reset(C);
        CHECK(status == fmi2OK, "fmi2Reset after fmi2Error in state '%s' gives %s", state_names[state],
              status_name(status));
        unsigned done = run_whole(instance, steps, again);
        CHECK(done == steps && first_difference(fresh, again, steps) < 0,
              "a run after fmi2Error in state '%s' and fmi2Reset differs from a fresh one", state_names[state]);
        instance_close(instance);
    }
}
