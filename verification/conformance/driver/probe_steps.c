/* Test 13, where only a model that misbehaves on request can show it: steps that fail, and a model that ends the
 * simulation. Only for the FMU 'Probe' (verification/conformance/probe). */
#include "calls.h"
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>

enum { PANIC = 2, ERROR = 4, RECOVERABLE = 5, IN_DERIVATIVES = 4, IN_EVENT = 7 };

/* x grows by 1 a second from 1; the trouble begins at 1.5. */
static bool begin(struct Instance *instance, int trouble, int place)
{
    if (!instance_open(instance, "fails", fmi2CoSimulation, false))
        return false;
    set_number(instance->c, variable("trouble"), trouble);
    set_number(instance->c, variable("place"), place);
    set_number(instance->c, variable("threshold"), 1.5);
    return bring_to(instance, STEP_COMPLETE);
}

static double number(struct Instance *instance, const char *name)
{
    double value = NAN;
    get_number(instance->c, variable(name), &value);
    return value;
}

/* What is allowed after a step that was discarded, each on a failed instance of its own. */
static void check_column(void)
{
    static const struct {
        const char *name;
        Call *call;
        bool allowed;
    } cells[] = {
        {"fmi2SetDebugLogging", call_set_debug_logging, true},
        {"fmi2Reset", call_reset, true},
        {"fmi2Terminate", call_terminate, true},
        {"fmi2GetReal", call_get_real, true},
        {"fmi2GetInteger", call_get_integer, true},
        {"fmi2GetFMUstate", call_get_fmu_state, true},
        {"fmi2SetFMUstate", call_set_fmu_state, true},
        {"fmi2SerializeFMUstate", call_serialize, true},
        {"fmi2DeSerializeFMUstate", call_deserialize, true},
        {"fmi2GetDirectionalDerivative", call_directional_derivative, true},
        {"fmi2GetRealOutputDerivatives", call_get_output_derivatives, true},
        {"fmi2GetStatus", call_get_status, true},
        {"fmi2GetRealStatus", call_get_real_status, true},
        {"fmi2GetBooleanStatus", call_get_boolean_status, true},
        {"fmi2SetReal", call_set_real, false},
        {"fmi2SetInteger", call_set_integer, false},
        {"fmi2SetRealInputDerivatives", call_set_input_derivatives, false},
        {"fmi2DoStep", call_do_step, false},
        {"fmi2CancelStep", call_cancel_step, false},
        {"fmi2SetupExperiment", call_setup_experiment, false},
        {"fmi2ExitInitializationMode", call_exit_initialization, false},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct Instance instance;
        if (!begin(&instance, RECOVERABLE, IN_DERIVATIVES))
            return;
        fmu.DoStep(instance.c, 0.0, 1.0, fmi2True);
        AT("%s after a discarded step", cells[i].name);
        fmi2Status status = cells[i].call(&instance, cells[i].allowed ? 'x' : '.');
        CHECK(status == (cells[i].allowed ? fmi2OK : fmi2Error), "%s after a discarded step gives %s", cells[i].name,
              status_name(status));
        instance_close(&instance);
    }
}

static void check_discard(void)
{
    struct Instance instance;
    if (!begin(&instance, RECOVERABLE, IN_DERIVATIVES))
        return;
    fmi2Component c = instance.c;
    fmi2FMUstate before = NULL;
    double last = NAN, t = 0.25;
    fmi2Boolean ended = fmi2True;
    CHECK(fmu.DoStep(c, 0.0, t, fmi2True) == fmi2OK, "a step before the trouble fails");
    CHECK(fmu.GetFMUstate(c, &before) == fmi2OK, "no state before the trouble");
    fmi2Status status = fmu.DoStep(c, t, 1.0, fmi2False);
    CHECK(status == fmi2Discard, "a step into a recoverable error gives %s", status_name(status));
    CHECK(fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last >= t && last < 0.75,
          "fmi2LastSuccessfulTime is %g; the trouble begins at 0.5", last);
    CHECK(fabs(number(&instance, "x") - (1.0 + last)) < 1e-6, "the model is not where the last step has ended");
    CHECK(fmu.GetBooleanStatus(c, fmi2Terminated, &ended) == fmi2OK && !ended, "fmi2Terminated after a mere fmi2Discard");
    status = fmu.SetFMUstate(c, before);
    CHECK(status == fmi2OK, "no way back after fmi2Discard: %s", status_name(status));
    status = fmu.DoStep(c, t, 0.125, fmi2True);
    CHECK(status == fmi2OK, "a shorter step after fmi2Discard gives %s", status_name(status));
    status = fmu.DoStep(c, t + 0.125, 1.0, fmi2True);
    CHECK(status == fmi2Discard && fmu.Terminate(c) == fmi2OK, "fmi2Terminate after a failed step is refused");
    fmu.FreeFMUstate(c, &before);
    instance_close(&instance);
}

static void check_failure(int trouble, const char *text)
{
    struct Instance instance;
    if (!begin(&instance, trouble, IN_DERIVATIVES))
        return;
    fmi2Status status = fmu.DoStep(instance.c, 0.0, 1.0, fmi2True);
    CHECK(status == fmi2Error, "trouble %d in a step gives %s", trouble, status_name(status));
    CHECK(some_message_contains(&instance, text), "the failure of a step is not reported: %s",
          instance.n_messages ? instance.messages[0].text : "no message");
    status = fmu.Reset(instance.c);
    CHECK(status == fmi2OK && bring_to(&instance, STEP_COMPLETE) &&
              fmu.DoStep(instance.c, 0.0, 1.0, fmi2True) == fmi2OK,
          "no step after trouble %d and fmi2Reset", trouble);
    instance_close(&instance);
}

/* The event that ends the simulation comes in the middle of a step, at the time event at 0.5, or right at its beginning. */
static void check_termination(double first)
{
    struct Instance instance;
    if (!begin(&instance, 0, 0))
        return;
    fmi2Component c = instance.c;
    fmi2Boolean ended = fmi2False;
    double last = NAN;
    if (first > 0.0)
        CHECK(fmu.DoStep(c, 0.0, first, fmi2True) == fmi2OK, "a first step fails");
    set_number(c, variable("command"), 1);
    fmi2Status status = fmu.DoStep(c, first, 1.0, fmi2True);
    CHECK(status == fmi2Discard, "a model that ends the simulation makes fmi2DoStep give %s", status_name(status));
    CHECK(fmu.GetBooleanStatus(c, fmi2Terminated, &ended) == fmi2OK && ended, "fmi2Terminated is not true");
    CHECK(fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last >= first && last < first + 1.0,
          "fmi2LastSuccessfulTime is %g", last);
    CHECK(fmu.Terminate(c) == fmi2OK, "fmi2Terminate after the model's own end is refused");
    instance_close(&instance);
}

/* Events inside steps: time events every half second, step events, and inputs that are no curves. */
static void check_events(void)
{
    struct Instance instance;
    if (!instance_open(&instance, "events", fmi2CoSimulation, false))
        return;
    fmi2Component c = instance.c;
    set_number(c, variable("step_event_after"), 0.6);
    if (!bring_to(&instance, STEP_COMPLETE))
        return;
    for (int i = 0; i < 3; i++)
        CHECK(fmu.DoStep(c, 0.6 * i, 0.6, fmi2True) == fmi2OK, "a step of 0.6 fails");
    CHECK(number(&instance, "time_events") == 3.0, "%g time events until 1.8", number(&instance, "time_events"));
    CHECK(number(&instance, "step_events") == 1.0, "%g step events", number(&instance, "step_events"));
    double passes = number(&instance, "passes");
    set_text(c, variable("said"), "good morning");
    CHECK(fmu.DoStep(c, 0.6 * 3, 0.1, fmi2True) == fmi2OK, "a step after a new text fails");
    const char *heard = "";
    get_text(c, variable("heard"), &heard);
    CHECK(heard[0] == 'g', "a new text of an input makes no event: heard is '%s'", heard);
    CHECK(number(&instance, "passes") == passes + 1.0, "one new text is %g events", number(&instance, "passes") - passes);
    set_text(c, variable("said"), "good morning");
    set_number(c, variable("drift"), 0.0);
    CHECK(fmu.DoStep(c, 0.6 * 3 + 0.1, 0.05, fmi2True) == fmi2OK, "a step after an old text fails");
    CHECK(number(&instance, "passes") == passes + 1.0, "what has not changed makes an event");
    set_number(c, variable("drift"), 0.5);
    CHECK(fmu.DoStep(c, 0.6 * 3 + 0.15, 0.02, fmi2True) == fmi2OK, "a step after a new parameter fails");
    CHECK(number(&instance, "passes") == passes + 2.0, "a tunable parameter makes no event");
    instance_close(&instance);
}

void test_probe_steps(void)
{
    if (!description.co_simulation.declared)
        return;
    check_discard();
    check_column();
    check_failure(ERROR, "the probe fails at place 4");
    check_failure(PANIC, "the probe panics at place 4");
    check_termination(0.0);
    check_termination(0.25);
    check_events();
}
