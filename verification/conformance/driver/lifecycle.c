/* Tests 12, 14 and 15: the stop time, terminate, reset from every state, free in every state. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>

/* Continuous-time mode with a stop time. */
static bool open_until(struct Instance *instance, double start, bool defined, double stop)
{
    if (!instance_open(instance, "stop time", fmi2ModelExchange, false))
        return false;
    fmi2EventInfo info;
    fmi2Component c = instance->c;
    return CHECK(fmu.SetupExperiment(c, fmi2False, 0.0, start, defined, stop) == fmi2OK &&
                     fmu.EnterInitializationMode(c) == fmi2OK && fmu.ExitInitializationMode(c) == fmi2OK &&
                     event_iteration(instance, &info) == fmi2OK && fmu.EnterContinuousTimeMode(c) == fmi2OK,
                 "initialization with startTime %g and stopTime %g fails", start, stop);
}

/* Commits to the present time in both ways, and goes on after a refusal. */
static void check_commits(struct Instance *instance, double beyond, fmi2Status expected)
{
    fmi2Boolean enter, end;
    fmi2Component c = instance->c;
    fmi2Status status = fmu.CompletedIntegratorStep(c, fmi2True, &enter, &end);
    CHECK(status == expected, "fmi2CompletedIntegratorStep at stopTime %+g gives %s, not %s", beyond,
          status_name(status), status_name(expected));
    if (expected == fmi2Error)
        CHECK(message_of(instance, fmi2Error) != NULL, "a step beyond stopTime is refused without a message");
    status = fmu.EnterEventMode(c);
    CHECK(status == expected, "fmi2EnterEventMode at stopTime %+g gives %s, not %s", beyond, status_name(status),
          status_name(expected));
    if (expected == fmi2OK)
        return;
    status = fmu.SetTime(c, description.stop_time);
    CHECK(status == fmi2OK && fmu.CompletedIntegratorStep(c, fmi2True, &enter, &end) == fmi2OK,
          "after a refused step beyond stopTime the instance does not go on at stopTime");
}

void test_stop_time(void)
{
    if (!description.model_exchange.declared)
        return;
    double start = description.start_time, span = description.stop_time - start, stop = start + span;
    struct Case {
        double time;
        bool defined;
        fmi2Status expected;
    } cases[] = {
        {stop, true, fmi2OK},
        {stop + 0.5e-9 * span, true, fmi2OK}, /* the drift of a sum is no error */
        {stop + 1e-6 * span, true, fmi2Error},
        {stop + 2.0 * span, true, fmi2Error},
        {stop + 2.0 * span, false, fmi2OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct Instance instance;
        if (!open_until(&instance, start, cases[i].defined, stop))
            return;
        /* Integrators step beyond the end and interpolate back: trials are answered. */
        double beyond = cases[i].time - stop;
        double *room = calloc(description.n_states + description.n_indicators + 1, sizeof *room);
        fmi2Status status = fmu.SetTime(instance.c, cases[i].time), worst = fmi2OK;
        CHECK(status == fmi2OK, "fmi2SetTime(stopTime %+g) gives %s", beyond, status_name(status));
        status = fmu.GetContinuousStates(instance.c, room, description.n_states);
        CHECK(status == fmi2OK && fmu.SetContinuousStates(instance.c, room, description.n_states) == fmi2OK &&
                  fmu.GetDerivatives(instance.c, room, description.n_states) == fmi2OK &&
                  fmu.GetEventIndicators(instance.c, room, description.n_indicators) == fmi2OK,
              "a trial at stopTime %+g is not answered", beyond);
        digest_of_values(instance.c, 0, &worst);
        CHECK(worst == fmi2OK, "values at stopTime %+g are not answered", beyond);
        CHECK(instance.n_messages == 0, "a trial at stopTime %+g logs '%s'", beyond, instance.messages[0].text);
        free(room);
        check_commits(&instance, beyond, cases[i].expected);
        instance_close(&instance);
    }
    /* Reset forgets the stop time too. */
    struct Instance instance;
    if (!open_until(&instance, start, true, stop))
        return;
    fmu.Reset(instance.c);
    if (bring_to(&instance, CONTINUOUS_TIME)) {
        fmi2Boolean enter, end;
        fmi2Status status = fmu.SetTime(instance.c, stop + span);
        if (status == fmi2OK)
            status = fmu.CompletedIntegratorStep(instance.c, fmi2True, &enter, &end);
        CHECK(status == fmi2OK, "after fmi2Reset and no stop time, a step past the former one gives %s",
              status_name(status));
    }
    instance_close(&instance);
}

void test_terminate(void)
{
    if (!interface_of(tested)->declared)
        return;
    struct Instance instance;
    if (!instance_open(&instance, "terminate", tested, false))
        return;
    struct Run run;
    bool going = run_begin(&run, &instance);
    for (unsigned i = 0; going && i < affordable_steps() / 2; i++)
        going = run_step(&run);
    fmi2Status worst = fmi2OK;
    uint64_t before = digest_of_values(instance.c, 0, &worst);
    fmi2Status status = fmu.Terminate(instance.c);
    CHECK(status == fmi2OK, "fmi2Terminate gives %s", status_name(status));
    uint64_t after = digest_of_values(instance.c, 0, &worst);
    CHECK(worst == fmi2OK, "reading all values after fmi2Terminate gives %s", status_name(worst));
    CHECK(before == after, "the values after fmi2Terminate are not the last ones");
    run_end(&run);
    instance_close(&instance);
}

void test_reset(void)
{
    if (!interface_of(tested)->declared)
        return;
    uint64_t fresh[512], again[512];
    struct Instance instance;
    if (!instance_open(&instance, "fresh", tested, false))
        return;
    unsigned steps = run_whole(&instance, affordable_steps(), fresh);
    instance_close(&instance);
    CHECK(steps > 0, "the run made no step");

    if (!instance_open(&instance, "reset", tested, false))
        return;
    for (int state = INSTANTIATED; state < STATES; state++) {
        if (!state_exists(tested, (enum State)state) || !bring_to(&instance, (enum State)state))
            continue;
        AT("fmi2Reset in state '%s'", state_names[state]);
        fmi2Status status = fmu.Reset(instance.c);
        CHECK(status == fmi2OK, "fmi2Reset in state '%s' gives %s", state_names[state], status_name(status));
        unsigned done = run_whole(&instance, steps, again);
        int at = first_difference(fresh, again, steps);
        CHECK(done == steps && at < 0, "after fmi2Reset in state '%s' step %d differs from a fresh instance",
              state_names[state], at);
        /* This one comes from the middle of a run. */
        status = fmu.Reset(instance.c);
        CHECK(status == fmi2OK, "fmi2Reset in the middle of a run gives %s", status_name(status));
    }
    /* All that can be set is set to something else; fmi2Reset takes it all back. */
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->initial != EXACT || v->variability == CONSTANT)
            continue;
        if (v->type == STRING)
            set_text(instance.c, v, "changed");
        else
            set_number(instance.c, v, another_value(v));
    }
    fmu.Reset(instance.c);
    unsigned done = run_whole(&instance, steps, again);
    CHECK(done == steps && first_difference(fresh, again, steps) < 0,
          "fmi2Reset does not bring all start values back");
    instance_close(&instance);
}

void test_free(void)
{
    for (int type = 0; type < 2; type++) {
        if (!interface_of((fmi2Type)type)->declared)
            continue;
        for (int state = INSTANTIATED; state < STATES; state++) {
            if (!state_exists((fmi2Type)type, (enum State)state))
                continue;
            struct Instance instance;
            if (!instance_open(&instance, "free", (fmi2Type)type, false) || !bring_to(&instance, (enum State)state))
                return;
            AT("fmi2FreeInstance in state '%s' with a snapshot outstanding", state_names[state]);
            fmu.FreeInstance(instance.c);
            CHECK(true, "fmi2FreeInstance returns");
        }
    }
}
