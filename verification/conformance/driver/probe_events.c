/* What the probe is asked to do at events: terminate, iterate, step and time events, messages; and what its initial
 * equations and calculated parameters give. Only for the FMU 'Probe' (verification/conformance/probe). */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static double number(struct Instance *instance, const char *name)
{
    double value = NAN;
    fmi2Status status = get_number(instance->c, variable(name), &value);
    CHECK(status == fmi2OK, "reading '%s' gives %s", name, status_name(status));
    return value;
}

static void expect(struct Instance *instance, const char *name, double wanted, const char *when)
{
    double found = number(instance, name);
    CHECK(found == wanted, "%s '%s' is %.17g, not %.17g", when, name, found, wanted);
}

static bool open_in(struct Instance *instance, enum State state, bool logging)
{
    bool opened = instance_open(instance, "probe", fmi2ModelExchange, logging) && bring_to(instance, state);
    forget_messages(instance);
    return opened;
}

static void command_and_flags(int command, bool terminate, bool values_changed, int passes)
{
    struct Instance instance;
    if (!open_in(&instance, EVENT, false))
        return;
    set_number(instance.c, variable("command"), command);
    expect(&instance, "passes", 0, "before the first event");
    fmi2EventInfo info;
    bool changed = false;
    int calls = 0;
    do {
        fmi2Status status = fmu.NewDiscreteStates(instance.c, &info);
        CHECK(status == fmi2OK, "command %d gives %s", command, status_name(status));
        changed |= info.valuesOfContinuousStatesChanged;
        calls++;
    } while (info.newDiscreteStatesNeeded && calls < 10);
    CHECK(info.terminateSimulation == terminate, "command %d: terminateSimulation is %d", command,
          info.terminateSimulation);
    CHECK(changed == values_changed, "command %d: valuesOfContinuousStatesChanged is %d", command, changed);
    CHECK(calls == passes, "command %d: %d passes of the event iteration, not %d", command, calls, passes);
    expect(&instance, "passes", passes, "after the event iteration");
    expect(&instance, "x", values_changed ? 1.25 : 1.0, "after the event iteration");
    CHECK(fmu.Terminate(instance.c) == fmi2OK, "fmi2Terminate after command %d fails", command);
    instance_close(&instance);
}

static void check_time_events(void)
{
    struct Instance instance;
    fmi2EventInfo info;
    if (!open_in(&instance, EVENT, false))
        return;
    event_iteration(&instance, &info);
    static const struct {
        double time, next;
        int time_events;
    } events[] = {{0.0, 0.5, 0}, {0.25, 0.5, 0}, {0.5, 1.0, 1}, {0.5, 1.0, 1}, {1.0, 1.5, 2}};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (i > 0) {
            fmu.EnterContinuousTimeMode(instance.c);
            fmu.SetTime(instance.c, events[i].time);
            fmu.EnterEventMode(instance.c);
            event_iteration(&instance, &info);
        }
        CHECK(info.nextEventTimeDefined && info.nextEventTime == events[i].next, "at %g the next event is %d, %g",
              events[i].time, info.nextEventTimeDefined, info.nextEventTime);
        expect(&instance, "time_events", events[i].time_events, "so far");
        expect(&instance, "seconds", floor(events[i].time), "at an event");
    }
    instance_close(&instance);
}

static void check_step_event(void)
{
    struct Instance instance;
    if (!instance_open(&instance, "steps", fmi2ModelExchange, false))
        return;
    set_number(instance.c, variable("step_event_after"), 0.15);
    if (!bring_to(&instance, CONTINUOUS_TIME))
        return;
    double before = number(&instance, "passes");
    for (int i = 1; i <= 4; i++) {
        fmi2Boolean enter = 2, end = 2;
        fmu.SetTime(instance.c, 0.1 * i);
        fmi2Status status = fmu.CompletedIntegratorStep(instance.c, fmi2True, &enter, &end);
        CHECK(status == fmi2OK && end == fmi2False, "fmi2CompletedIntegratorStep gives %s and terminate %d",
              status_name(status), end);
        CHECK(enter == (i == 2), "fmi2CompletedIntegratorStep at %g gives enterEventMode %d", 0.1 * i, enter);
        expect(&instance, "passes", before, "before fmi2NewDiscreteStates");
        if (enter) {
            fmi2EventInfo info;
            fmu.EnterEventMode(instance.c);
            expect(&instance, "passes", before, "before fmi2NewDiscreteStates");
            event_iteration(&instance, &info);
            fmu.EnterContinuousTimeMode(instance.c);
            before += 1;
        }
        expect(&instance, "step_events", i >= 2, "so far");
    }
    instance_close(&instance);
}

/* An indicator of exactly 0 after an event is shown as a tiny value on the side where it was before. */
static void check_indicator_side(double from, double side)
{
    struct Instance instance;
    fmi2EventInfo info;
    double z = 0.0, x[] = {from, 0.0};
    if (!open_in(&instance, CONTINUOUS_TIME, false))
        return;
    fmu.SetContinuousStates(instance.c, x, 2);
    fmu.GetEventIndicators(instance.c, &z, 1);
    CHECK(z == from - 2.0, "the indicator is %g, not %g", z, from - 2.0);
    fmi2Boolean a, b;
    fmu.CompletedIntegratorStep(instance.c, fmi2True, &a, &b);
    /* From the start at x = 1 to here the indicator may have changed its sign: an event. */
    fmu.EnterEventMode(instance.c);
    event_iteration(&instance, &info);
    fmu.EnterContinuousTimeMode(instance.c);
    x[0] = 2.0;
    fmu.SetTime(instance.c, 0.01);
    fmu.SetContinuousStates(instance.c, x, 2);
    fmu.GetEventIndicators(instance.c, &z, 1);
    fmu.EnterEventMode(instance.c);
    event_iteration(&instance, &info);
    fmu.EnterContinuousTimeMode(instance.c);
    fmu.GetEventIndicators(instance.c, &z, 1);
    CHECK(z * side > 0.0 && fabs(z) <= 1e-9, "after an event at exactly 0, coming from x = %g, the indicator is %g", from,
          z);
    instance_close(&instance);
}

static void check_strings_and_ranges(void)
{
    struct Instance instance;
    fmi2EventInfo info;
    const char *heard = NULL;
    if (!open_in(&instance, EVENT, false))
        return;
    set_text(instance.c, variable("said"), "gr\xc3\xbc\xc3\x9f dich");
    event_iteration(&instance, &info);
    get_text(instance.c, variable("heard"), &heard);
    CHECK(heard && strcmp(heard, "gr\xc3\xbc\xc3\x9f dich") == 0, "heard '%s'", heard ? heard : "(null)");
    fmi2Status status = set_number(instance.c, variable("drift"), 5.0);
    CHECK(status == fmi2Discard, "a tunable parameter out of range gives %s in event mode", status_name(status));
    expect(&instance, "drift", 0.0, "after a discarded value");
    status = set_number(instance.c, variable("drift"), 0.5);
    CHECK(status == fmi2OK, "a tunable parameter in event mode gives %s", status_name(status));
    expect(&instance, "der(x)", 1.5, "with a drift of 0.5");
    instance_close(&instance);
}

void test_probe_events(void)
{
    command_and_flags(0, false, false, 1);
    command_and_flags(1, true, false, 1);
    command_and_flags(2, false, false, 4);
    command_and_flags(4, false, false, 1);
    command_and_flags(5, false, true, 1);
    check_time_events();
    check_step_event();
    check_indicator_side(1.0, -1.0);
    check_indicator_side(3.0, 1.0);
    check_strings_and_ranges();
}

/* Evaluations of derivatives and outputs that a body and the event after it cause. */
static void count_calls(void (*body)(fmi2Component c), double calls[2])
{
    struct Instance instance;
    fmi2EventInfo info;
    if (!open_in(&instance, EVENT, false))
        return;
    set_number(instance.c, variable("command"), 6);
    event_iteration(&instance, &info);
    double before[2] = {number(&instance, "derivative_calls"), number(&instance, "output_calls")};
    fmu.EnterContinuousTimeMode(instance.c);
    if (body)
        body(instance.c);
    fmu.EnterEventMode(instance.c);
    event_iteration(&instance, &info);
    calls[0] = number(&instance, "derivative_calls") - before[0];
    calls[1] = number(&instance, "output_calls") - before[1];
    instance_close(&instance);
}

static void derivatives_thrice(fmi2Component c)
{
    double x[] = {1.1, 0.0};
    fmu.SetContinuousStates(c, x, 2);
    for (int i = 0; i < 3; i++) {
        double dx[2];
        fmu.GetDerivatives(c, dx, 2);
        get_number(c, variable("der(x)"), dx);
    }
}

static void input_and_output(fmi2Component c)
{
    double value;
    set_number(c, variable("u"), 0.25);
    for (int i = 0; i < 3; i++)
        get_number(c, variable("whole"), &value);
}

static void input_only(fmi2Component c)
{
    set_number(c, variable("u"), 0.25);
}

/* Only what became stale is evaluated, once, and only when it is asked for. */
void test_probe_laziness(void)
{
    static const struct {
        const char *what;
        void (*body)(fmi2Component c);
        double derivatives, outputs; /* at most; an event by itself may want outputs, too, and is not counted */
    } cases[] = {
        {"asking for derivatives three times", derivatives_thrice, 1, 1},
        {"setting an input and reading an output three times", input_and_output, 0, 1},
        {"setting an input", input_only, 0, 1},
    };
    double idle[2] = {NAN, NAN};
    count_calls(NULL, idle);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double calls[2] = {NAN, NAN};
        count_calls(cases[i].body, calls);
        CHECK(calls[0] - idle[0] <= cases[i].derivatives && calls[1] - idle[1] <= cases[i].outputs,
              "%s evaluates the derivatives %g times and the outputs %g times, more than %g and %g", cases[i].what,
              calls[0] - idle[0], calls[1] - idle[1], cases[i].derivatives, cases[i].outputs);
    }
}

/* How often the two messages of command 3 come, for a way to switch logging on. */
static void check_logging(bool logging, bool set, fmi2Boolean on, const char *category, int probe, int chatter)
{
    static const char *const texts[] = {"x is 1 now, 100 %s of it, see #7", "nothing of interest"};
    struct Instance instance;
    fmi2EventInfo info;
    if (!open_in(&instance, EVENT, logging))
        return;
    if (set) {
        fmu.SetDebugLogging(instance.c, fmi2False, 0, NULL);
        fmu.SetDebugLogging(instance.c, on, category ? 1 : 0, category ? &category : NULL);
    }
    set_number(instance.c, variable("command"), 3);
    forget_messages(&instance);
    fmu.NewDiscreteStates(instance.c, &info);
    int found[2] = {0, 0};
    for (size_t i = 0; i < instance.n_messages; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(instance.messages[i].text, texts[k]) == 0) {
                const char *named = instance.messages[i].category, *wanted = k ? "chatter" : "probe";
                found[k]++;
                CHECK(named && strcmp(named, wanted) == 0, "'%s' comes in the category '%s'", texts[k],
                      named ? named : "(null)");
                CHECK(instance.messages[i].status == fmi2OK, "an information has the status %s",
                      status_name(instance.messages[i].status));
            }
    CHECK(found[0] == probe && found[1] == chatter,
          "logging %d, category %s: %d messages of 'probe' and %d of 'chatter', not %d and %d", logging,
          category ? category : "(all)", found[0], found[1], probe, chatter);
    instance_close(&instance);
}

void test_probe_log(void)
{
    check_logging(true, false, fmi2True, NULL, 1, 1);
    check_logging(false, false, fmi2True, NULL, 0, 0);
    check_logging(true, true, fmi2False, NULL, 0, 0);
    check_logging(false, true, fmi2True, NULL, 1, 1);
    check_logging(true, true, fmi2True, "probe", 1, 0);
    check_logging(false, true, fmi2True, "chatter", 0, 1);
}

void test_probe_initialization(void)
{
    struct Instance instance;
    if (!instance_open(&instance, "initial", fmi2ModelExchange, false))
        return;
    set_number(instance.c, variable("k"), 3.0);
    if (!bring_to(&instance, INITIALIZATION))
        return;
    set_number(instance.c, variable("u"), 0.5);
    expect(&instance, "k_squared", 9.0, "in initialization mode");
    expect(&instance, "y", 9.5, "in initialization mode");
    expect(&instance, "seconds", 100, "in initialization mode");
    set_number(instance.c, variable("k"), 2.0);
    expect(&instance, "k_squared", 4.0, "after k changed");
    expect(&instance, "y", 4.5, "after k changed");
    expect(&instance, "der(y)", -4.5, "after k changed");
    expect(&instance, "part", 0.75, "in initialization mode");
    expect(&instance, "whole", 1.0, "in initialization mode");
    set_number(instance.c, variable("x"), 4.0);
    expect(&instance, "whole", 4.0, "after x changed");
    fmi2Status status = fmu.ExitInitializationMode(instance.c);
    CHECK(status == fmi2OK, "fmi2ExitInitializationMode gives %s", status_name(status));
    expect(&instance, "y", 4.5, "after initialization");
    expect(&instance, "der(x)", 2.5, "after initialization");
    /* Initial equations are switched off now: the input moves the rate, not the state. */
    set_number(instance.c, variable("u"), 1.0);
    expect(&instance, "y", 4.5, "after initialization and a new input");
    expect(&instance, "der(x)", 3.0, "after initialization and a new input");
    instance_close(&instance);
}
