/* Test 26, and what only a model that misbehaves on request can show: panics and errors of the model's own code in
 * every one of its functions. Only for the FMU 'Probe' (verification/conformance/probe). */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum Trouble { NONE, MESSAGE, PANIC, WORDLESS_PANIC, ERROR, RECOVERABLE };
enum { IN_CALCULATED = 1, IN_INITIAL, IN_LOCALS, IN_DERIVATIVES, IN_OUTPUTS, IN_INDICATORS, IN_EVENT,
       IN_NEXT_EVENT_TIME, IN_COMPLETED_STEP, PLACES };

static const double good[] = {1.2, 0.0}, bad[] = {1.8, 0.0}; /* the trouble begins at x = 1.5 */

static fmi2Status read_all(struct Instance *instance)
{
    fmi2Status worst = fmi2OK;
    digest_of_values(instance->c, 0, &worst);
    return worst;
}

static void ask_for(struct Instance *instance, int trouble, int place)
{
    set_number(instance->c, variable("trouble"), trouble);
    set_number(instance->c, variable("place"), place);
    set_number(instance->c, variable("threshold"), place <= IN_INITIAL ? -1.0 : 1.5);
}

/* Goes on until something is not well; `where` is the call that was not. */
static fmi2Status provoke(struct Instance *instance, int trouble, int place, const char **where)
{
    fmi2Component c = instance->c;
    double room[2];
    fmi2EventInfo info;
    fmi2Boolean a, b;
    ask_for(instance, trouble, place);
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        *where = #call;                                                                                      \
        AT("trouble %d at place %d: %s", trouble, place, *where);                                            \
        fmi2Status status = (call);                                                                          \
        if (status > fmi2Warning)                                                                            \
            return status;                                                                                   \
    } while (0)
    TRY(fmu.SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0));
    TRY(fmu.EnterInitializationMode(c));
    TRY(read_all(instance));
    TRY(fmu.ExitInitializationMode(c));
    TRY(event_iteration(instance, &info));
    TRY(fmu.EnterContinuousTimeMode(c));
    TRY(fmu.SetContinuousStates(c, bad, 2));
    TRY(fmu.GetDerivatives(c, room, 2));
    TRY(fmu.GetEventIndicators(c, room, 1));
    TRY(read_all(instance));
    TRY(fmu.CompletedIntegratorStep(c, fmi2True, &a, &b));
    TRY(fmu.EnterEventMode(c));
    TRY(event_iteration(instance, &info));
    *where = "anywhere";
    return fmi2OK;
}

/* After a panic nothing is known of the values: only reset, free and an earlier state are answered. */
static void check_after_panic(struct Instance *instance, int place)
{
    double room[2] = {0};
    fmi2EventInfo info;
    fmi2FMUstate state = NULL;
    fmi2Component c = instance->c;
    fmi2Status statuses[] = {
        read_all(instance),          fmu.GetDerivatives(c, room, 2),      fmu.GetContinuousStates(c, room, 2),
        fmu.Terminate(c),            fmu.EnterEventMode(c),               fmu.NewDiscreteStates(c, &info),
        fmu.SetTime(c, 0.1),         fmu.SetContinuousStates(c, good, 2), fmu.EnterContinuousTimeMode(c),
        fmu.GetFMUstate(c, &state),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        CHECK(statuses[i] == fmi2Error, "after a panic at place %d, call %zu gives %s", place, i,
              status_name(statuses[i]));
    if (instance->snapshot) {
        fmi2Status status = fmu.SetFMUstate(c, instance->snapshot);
        if (CHECK(status == fmi2OK, "fmi2SetFMUstate after a panic at place %d gives %s", place, status_name(status)))
            CHECK(bring_to(instance, CONTINUOUS_TIME), "no way on from an earlier state after a panic at place %d", place);
    }
}

void test_probe_panics(void)
{
    uint64_t fresh[512], again[512];
    struct Instance instance;
    if (!instance_open(&instance, "fresh", fmi2ModelExchange, false))
        return;
    unsigned steps = run_whole(&instance, 50, fresh);
    instance_close(&instance);
    for (int place = 1; place < PLACES; place++) {
        for (int trouble = PANIC; trouble <= WORDLESS_PANIC; trouble++) {
            struct Instance bystander;
            if (!instance_open(&instance, "panics", fmi2ModelExchange, false) ||
                !instance_open(&bystander, "bystander", fmi2ModelExchange, false))
                return;
            const char *where;
            char expected[128];
            fmi2Status status = provoke(&instance, trouble, place, &where);
            snprintf(expected, sizeof expected, "the probe panics at place %d, 100 %%s sure, item #5", place);
            CHECK(status == fmi2Error, "a panic at place %d gives %s from %s", place, status_name(status), where);
            CHECK(message_of(&instance, fmi2Error) != NULL, "a panic at place %d is not logged", place);
            CHECK(trouble == WORDLESS_PANIC || some_message_contains(&instance, expected),
                  "the panic's message is not in the log, which has '%s'",
                  instance.n_messages ? instance.messages[0].text : "nothing");
            CHECK(!instance.bad_escape, "the message of the panic has an unescaped '#'");
            check_after_panic(&instance, place);

            /* The way back once more, this time from the panic itself by fmi2Reset. */
            fmu.Reset(instance.c);
            provoke(&instance, trouble, place, &where);
            status = fmu.Reset(instance.c);
            CHECK(status == fmi2OK, "fmi2Reset after a panic at place %d gives %s", place, status_name(status));
            unsigned done = run_whole(&instance, steps, again);
            CHECK(done == steps && first_difference(fresh, again, steps) < 0,
                  "after a panic at place %d and fmi2Reset a run differs from a fresh one", place);
            done = run_whole(&bystander, steps, again);
            CHECK(done == steps && first_difference(fresh, again, steps) < 0,
                  "a panic at place %d changes another instance", place);
            CHECK(bystander.n_messages == 0, "a panic's message reached another instance's environment");
            instance_close(&bystander);
            fmu.Reset(instance.c);
            provoke(&instance, trouble, place, &where);
            AT("fmi2FreeInstance after a panic at place %d", place);
            instance_close(&instance);
        }
    }
}

static void check_recoverable(int place)
{
    struct Instance instance;
    if (!instance_open(&instance, "recovers", fmi2ModelExchange, true))
        return;
    double room[2];
    ask_for(&instance, RECOVERABLE, place);
    if (!bring_to(&instance, CONTINUOUS_TIME))
        return;
    forget_messages(&instance);
    fmi2Component c = instance.c;
    fmi2ValueReference whole = variable("whole")->vr;
    for (int round = 0; round < 2; round++) {
        fmu.SetContinuousStates(c, bad, 2);
        fmi2Status status = place == IN_INDICATORS ? fmu.GetEventIndicators(c, room, 1)
                            : place == IN_OUTPUTS  ? fmu.GetReal(c, &whole, 1, room)
                                                   : fmu.GetDerivatives(c, room, 2);
        CHECK(status == fmi2Discard, "a recoverable error at place %d gives %s", place, status_name(status));
        CHECK(some_message_contains(&instance, "the probe hesitates"), "a recoverable error at place %d is not logged",
              place);
        status = fmu.SetContinuousStates(c, good, 2);
        CHECK(status == fmi2OK, "after a recoverable error fmi2SetContinuousStates gives %s", status_name(status));
        CHECK(read_all(&instance) == fmi2OK && fmu.GetDerivatives(c, room, 2) == fmi2OK && room[0] == 1.0,
              "after a recoverable error at place %d the model cannot be evaluated at a better point", place);
    }
    CHECK(fmu.Terminate(c) == fmi2OK, "fmi2Terminate after a recoverable error fails");
    instance_close(&instance);
}

static void write_file(const char *folder, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/probe.txt", folder);
    FILE *out = fopen(path, "w");
    if (out) {
        fputs(text, out);
        fclose(out);
    }
}

/* The model's own fn instantiate fails: no instance, and a reason. */
static void check_instantiation(const char *text, const char *expected)
{
    char folder[] = "/tmp/probe-XXXXXX", uri[600], path[512];
    if (!mkdtemp(folder))
        return;
    if (text)
        write_file(folder, text);
    snprintf(uri, sizeof uri, "file://%s", folder);
    struct Instance instance = {0};
    const fmi2CallbackFunctions *callbacks = callbacks_for(&instance);
    fmi2Component c = fmu.Instantiate("x", fmi2ModelExchange, description.guid, uri, callbacks, fmi2False, fmi2False);
    if (expected) {
        CHECK(c == NULL, "fmi2Instantiate gives an instance although the model says '%s'", expected);
        CHECK(some_message_contains(&instance, expected), "the log does not have '%s' but '%s'", expected,
              instance.n_messages ? instance.messages[0].text : "nothing");
    } else {
        CHECK(c != NULL, "fmi2Instantiate gives NULL");
    }
    fmu.FreeInstance(c);
    free((void *)callbacks);
    snprintf(path, sizeof path, "%s/probe.txt", folder);
    unlink(path);
    rmdir(folder);
}

void test_probe_errors(void)
{
    for (int place = 1; place < PLACES; place++) {
        struct Instance instance;
        if (!instance_open(&instance, "fails", fmi2ModelExchange, false))
            return;
        const char *where;
        char expected[128];
        fmi2Status status = provoke(&instance, ERROR, place, &where);
        snprintf(expected, sizeof expected, "the probe fails at place %d, 100 %%s sure, item #5", place);
        CHECK(status == fmi2Error, "an error at place %d gives %s from %s", place, status_name(status), where);
        CHECK(some_message_contains(&instance, expected), "the error's message is not in the log, which has '%s'",
              instance.n_messages ? instance.messages[0].text : "nothing");
        status = fmu.Terminate(instance.c);
        CHECK(status == fmi2Error, "after an error at place %d fmi2Terminate gives %s", place, status_name(status));
        status = fmu.Reset(instance.c);
        CHECK(status == fmi2OK && bring_to(&instance, CONTINUOUS_TIME), "no reset after an error at place %d", place);

        /* Where the standard knows no fmi2Discard, a recoverable error is one all the same. */
        fmu.Reset(instance.c);
        status = provoke(&instance, RECOVERABLE, place, &where);
        CHECK(status == fmi2Discard || status == fmi2Error, "a recoverable error at place %d gives %s from %s", place,
              status_name(status), where);
        instance_close(&instance);
    }
    for (int place = IN_LOCALS; place <= IN_INDICATORS; place++)
        check_recoverable(place);
    check_instantiation("hello", NULL);
    check_instantiation("panic", "the probe panics at instantiation");
    check_instantiation(NULL, "No such file");
}
