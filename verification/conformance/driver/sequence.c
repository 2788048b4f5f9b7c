/* Test 4: every function in every state, as the tables of the calling sequence say (FMI 2.0.5, 3.2.3 and 4.2.4):
 * what is allowed answers fmi2OK; what is not answers fmi2Error with a sentence in the log, changes nothing, and the
 * instance goes on in its state. */
#include "calls.h"
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define C instance->c

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
    {"fmi2SetDebugLogging", call_set_debug_logging, "xxxxxx", "xxxxx", NOTHING, -1},
    {"fmi2SetupExperiment", call_setup_experiment, "x.....", "x....", NOTHING, -1},
    {"fmi2EnterInitializationMode", call_enter_initialization, "x.....", "x....", NOTHING, -1},
    {"fmi2ExitInitializationMode", call_exit_initialization, ".x....", ".x...", NOTHING, -1},
    {"fmi2Terminate", call_terminate, "..xx..", "..x..", NOTHING, -1},
    {"fmi2Reset", call_reset, "xxxxxx", "xxxxx", NOTHING, -1},
    {"fmi2GetReal", call_get_real, ".xxxxx", ".xxxx", NOTHING, REAL},
    {"fmi2GetInteger", call_get_integer, ".xxxxx", ".xxxx", NOTHING, INTEGER},
    {"fmi2GetBoolean", call_get_boolean, ".xxxxx", ".xxxx", NOTHING, BOOLEAN},
    {"fmi2GetString", call_get_string, ".xxxxx", ".xxxx", NOTHING, STRING},
    {"fmi2SetReal", call_set_real, "1345..", "136..", NOTHING, REAL},
    {"fmi2SetInteger", call_set_integer, "1345..", "136..", NOTHING, INTEGER},
    {"fmi2SetBoolean", call_set_boolean, "1345..", "136..", NOTHING, BOOLEAN},
    {"fmi2SetString", call_set_string, "1345..", "136..", NOTHING, STRING},
    {"fmi2GetFMUstate", call_get_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2SetFMUstate", call_set_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2FreeFMUstate", call_free_fmu_state, "xxxxxx", "xxxxx", FMU_STATES, -1},
    {"fmi2SerializedFMUstateSize", call_serialized_size, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2SerializeFMUstate", call_serialize, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2DeSerializeFMUstate", call_deserialize, "xxxxxx", "xxxxx", SERIALIZATION, -1},
    {"fmi2GetDirectionalDerivative", call_directional_derivative, ".xxxxx", ".xxxx", DERIVATIVES, -1},
    {"fmi2EnterEventMode", call_enter_event_mode, "..xx..", NULL, NOTHING, -1},
    {"fmi2NewDiscreteStates", call_new_discrete_states, "..x...", NULL, NOTHING, -1},
    {"fmi2EnterContinuousTimeMode", call_enter_continuous_time, "..x...", NULL, NOTHING, -1},
    {"fmi2CompletedIntegratorStep", call_completed_step, "...x..", NULL, NOTHING, -1},
    {"fmi2SetTime", call_set_time, "..8x..", NULL, NOTHING, -1},
    {"fmi2SetContinuousStates", call_set_states, "...x..", NULL, NOTHING, -1},
    {"fmi2GetDerivatives", call_get_derivatives, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetEventIndicators", call_get_indicators, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetContinuousStates", call_get_states, ".xxxxx", NULL, NOTHING, -1},
    {"fmi2GetNominalsOfContinuousStates", call_get_nominals, "xxxxxx", NULL, NOTHING, -1},
    {"fmi2SetRealInputDerivatives", call_set_input_derivatives, NULL, "xxx..", NOTHING, -1},
    {"fmi2GetRealOutputDerivatives", call_get_output_derivatives, NULL, "..xxx", NOTHING, -1},
    {"fmi2DoStep", call_do_step, NULL, "..x..", NOTHING, -1},
    {"fmi2CancelStep", call_cancel_step, NULL, ".....", NOTHING, -1},
    {"fmi2GetStatus", call_get_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetRealStatus", call_get_real_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetIntegerStatus", call_get_integer_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetBooleanStatus", call_get_boolean_status, NULL, "..dd.", NOTHING, -1},
    {"fmi2GetStringStatus", call_get_string_status, NULL, "..dd.", NOTHING, -1},
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

/* The call that leads on from a state; it returns whether the instance still exists. */
static fmi2Status go_on(struct Instance *instance, enum State state)
{
    fmi2EventInfo info;
    switch (state) {
    case INSTANTIATED:
        return call_enter_initialization(instance, 'x');
    case INITIALIZATION:
        return fmu.ExitInitializationMode(C);
    case EVENT:
        return fmu.NewDiscreteStates(C, &info);
    case CONTINUOUS_TIME:
        return call_completed_step(instance, 'x');
    case STEP_COMPLETE:
        return call_do_step(instance, 'x');
    default:
        return call_get_real(instance, 'x');
    }
}

/* After a refused call: one message, and the instance goes on in its state, with the values that it had. */
static void check_refusal(struct Instance *instance, const char *name, enum State state, fmi2Status status,
                          uint64_t before)
{
    CHECK(status == fmi2Error, "%s in state '%s' is not allowed, but gives %s", name, state_names[state],
          status_name(status));
    CHECK(message_of(instance, fmi2Error) != NULL, "%s refused in state '%s' logs no error", name, state_names[state]);
    forget_messages(instance);
    fmi2Status worst = fmi2OK;
    uint64_t after = state == INSTANTIATED ? 0 : digest_of_values(C, 0, &worst);
    CHECK(worst == fmi2OK && after == before, "%s refused in state '%s' changes values", name, state_names[state]);
    status = go_on(instance, state);
    CHECK(status == fmi2OK, "after %s was refused, the instance does not go on in state '%s': %s", name,
          state_names[state], instance->n_messages ? instance->messages[0].text : status_name(status));
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
        fmi2Status worst = fmi2OK;
        uint64_t before = state == INSTANTIATED ? 0 : digest_of_values(C, 0, &worst);
        fmi2Status status = nothing_to_ask ? fmi2Error : row->call(instance, rule);
        if (nothing_to_ask)
            ;
        else if (allowed)
            CHECK(status == fmi2OK || (rule == 'd' && status == fmi2Discard),
                  "%s in state '%s' is allowed, but gives %s: %s", row->name, state_names[state],
                  status_name(status), instance->n_messages ? instance->messages[0].text : "no message");
        else
            check_refusal(instance, row->name, state, status, before);
    }
    instance_close(instance);
}

static void check_table(fmi2Type type, const enum State *columns, size_t n)
{
    if (!interface_of(type)->declared)
        return;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const char *rules = type == fmi2ModelExchange ? rows[r].model_exchange : rows[r].co_simulation;
        for (size_t i = 0; i < n && state_exists(type, columns[i]); i++)
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
        CHECK(has_explained(instance),
              "setting '%s' in state '%s' is refused without a message", v->name, state_names[state]);
    }
    forget_messages(instance);
}

/* Those of the interface under test; the error comes last. */
static const enum State *columns(void)
{
    return tested == fmi2ModelExchange ? model_exchange_columns : co_simulation_columns;
}

void test_settable_variables(void)
{
    static const char *const rules[2][TYPES] = {{"1345..", "1345..", "1345..", "1345.."},
                                                {"136..", "136..", "136..", "136.."}};
    if (!interface_of(tested)->declared)
        return;
    /* A long array has one rule for all its elements: the first hundred variables, then some. */
    size_t stride = description.n_variables > 400 ? description.n_variables / 200 : 1;
    for (size_t s = 0; s < (tested == fmi2ModelExchange ? 6 : 5) && state_exists(tested, columns()[s]); s++) {
        enum State state = columns()[s];
        struct Instance instance;
        if (!instance_open(&instance, "settable", tested, false) || !bring_to(&instance, state))
            return;
        forget_messages(&instance);
        for (size_t i = 0; i < description.n_variables; i += i < 100 ? 1 : stride) {
            const struct Variable *v = &description.variables[i];
            check_variable(&instance, v, state, rules[tested][v->type][s]);
        }
        instance_close(&instance);
    }
}

void test_way_back_from_error(void)
{
    if (!interface_of(tested)->declared)
        return;
    uint64_t fresh[512], again[512];
    struct Instance reference;
    if (!instance_open(&reference, "reference", tested, false))
        return;
    unsigned steps = run_whole(&reference, affordable_steps(), fresh);
    instance_close(&reference);
    for (size_t s = 0; s < (tested == fmi2ModelExchange ? 6 : 5) && state_exists(tested, columns()[s]); s++) {
        enum State state = columns()[s];
        struct Instance instance_, *instance = &instance_;
        if (!instance_open(instance, "way back", tested, false) || !bring_to(instance, state))
            return;
        fmi2FMUstate before = NULL;
        fmi2Status worst = fmi2OK, status;
        uint64_t digest = state == INSTANTIATED ? 0 : digest_of_values(C, 0, &worst);
        bool states = interface_of(tested)->states;
        if (states) {
            status = fmu.GetFMUstate(C, &before);
            CHECK(status == fmi2OK, "fmi2GetFMUstate in state '%s' gives %s", state_names[state], status_name(status));
        }
        /* Many mistakes of the host in a row: none of them moves the instance. */
        for (int i = 0; i < 3; i++) {
            status = provoke_error(instance);
            CHECK(status == fmi2Error, "an unknown value reference in state '%s' gives %s", state_names[state],
                  status_name(status));
        }
        if (state != INSTANTIATED)
            CHECK(digest_of_values(C, 0, &worst) == digest && worst == fmi2OK,
                  "an unknown value reference in state '%s' changes values", state_names[state]);
        status = go_on(instance, state);
        CHECK(status == fmi2OK, "after a mistake of the host, the instance does not go on in state '%s'",
              state_names[state]);
        if (states) {
            status = fmu.SetFMUstate(C, before);
            CHECK(status == fmi2OK, "fmi2SetFMUstate after a mistake in state '%s' gives %s", state_names[state],
                  status_name(status));
            if (state != INSTANTIATED)
                CHECK(digest_of_values(C, 0, &worst) == digest && worst == fmi2OK,
                      "fmi2SetFMUstate after a mistake in state '%s' does not bring the values back",
                      state_names[state]);
            fmu.FreeFMUstate(C, &before);
        }
        status = fmu.Reset(C);
        CHECK(status == fmi2OK, "fmi2Reset in state '%s' gives %s", state_names[state], status_name(status));
        unsigned done = run_whole(instance, steps, again);
        CHECK(done == steps && first_difference(fresh, again, steps) < 0,
              "a run after mistakes in state '%s' and fmi2Reset differs from a fresh one", state_names[state]);
        instance_close(instance);
    }
}
