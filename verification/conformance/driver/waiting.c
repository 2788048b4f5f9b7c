/* Test 12: discrete inputs and tunable parameters that a host sets in continuous-time mode. They wait for the next
 * event, which fmi2CompletedIntegratorStep asks for; what comes out is what a host gets that sets them in event mode. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <string.h>

static bool waits(const struct Variable *v)
{
    bool tunable = v->causality == PARAMETER && v->variability == TUNABLE;
    return (v->causality == INPUT && v->variability != CONTINUOUS) || tunable;
}

static fmi2Status set_another(fmi2Component c, const struct Variable *v)
{
    return v->type == STRING ? set_text(c, v, "another text") : set_number(c, v, another_value(v));
}

static bool has_another(fmi2Component c, const struct Variable *v)
{
    double number = 0.0;
    const char *text = "";
    if (v->type == STRING)
        return get_text(c, v, &text) == fmi2OK && strcmp(text, "another text") == 0;
    return get_number(c, v, &number) == fmi2OK && number == another_value(v);
}

/* The event of the waiting value, or of a value that is set in it; then all values. */
static uint64_t after_event(struct Instance *instance, const struct Variable *set_in_event)
{
    fmi2EventInfo info;
    fmi2Status worst = fmi2OK, status = fmu.EnterEventMode(instance->c);
    if (set_in_event && status == fmi2OK)
        status = set_another(instance->c, set_in_event);
    if (status <= fmi2Warning)
        status = event_iteration(instance, &info);
    CHECK(status == fmi2OK, "the event gives %s", status_name(status));
    return digest_of_values(instance->c, 0, &worst);
}

static bool asks_for_event(struct Instance *instance)
{
    fmi2Boolean enter = fmi2False, end = fmi2False;
    fmi2Status status = fmu.CompletedIntegratorStep(instance->c, fmi2True, &enter, &end);
    CHECK(status == fmi2OK, "fmi2CompletedIntegratorStep gives %s", status_name(status));
    return enter != fmi2False;
}

static void check_waiting(const struct Variable *v, bool logging)
{
    AT("setting %s in continuous-time mode", v->name);
    struct Instance instance, reference;
    if (!instance_open(&instance, "waits", fmi2ModelExchange, logging) || !bring_to(&instance, CONTINUOUS_TIME) ||
        !instance_open(&reference, "reference", fmi2ModelExchange, false) || !bring_to(&reference, CONTINUOUS_TIME))
        return;
    bool asks_anyway = asks_for_event(&reference);
    forget_messages(&instance);
    fmi2Status status = set_another(instance.c, v);
    if (status == fmi2Discard) /* a value that the variable cannot have */
        goto done;
    CHECK(status <= fmi2Warning, "setting '%s' in continuous-time mode gives %s", v->name, status_name(status));
    for (int i = 0; i < 3; i++)
        set_another(instance.c, v);
    size_t warnings = 0;
    for (size_t i = 0; i < instance.n_messages; i++)
        warnings += instance.messages[i].status == fmi2Warning && strstr(instance.messages[i].text, "event mode");
    CHECK(warnings == (logging ? 1 : 0), "'%s' was set 4 times in continuous-time mode, with %zu warnings", v->name,
          warnings);
    CHECK(has_another(instance.c, v), "reading '%s' does not give the value that was set", v->name);
    fmi2FMUstate snapshot = NULL;
    if (description.model_exchange.states)
        fmu.GetFMUstate(instance.c, &snapshot);
    for (int round = 0; round < (snapshot ? 2 : 1); round++) {
        if (round > 0)
            CHECK(fmu.SetFMUstate(instance.c, snapshot) == fmi2OK && has_another(instance.c, v),
                  "a snapshot forgets the value of '%s' that waits", v->name);
        CHECK(asks_for_event(&instance), "nothing asks for the event that '%s' waits for", v->name);
        uint64_t found = after_event(&instance, NULL);
        if (round == 0) {
            uint64_t expected = after_event(&reference, v);
            CHECK(found == expected, "a value of '%s' that has waited has another effect than one set in event mode",
                  v->name);
            fmu.EnterContinuousTimeMode(instance.c);
            CHECK(asks_for_event(&instance) == asks_anyway, "'%s' asks for a second event", v->name);
        }
    }
    if (snapshot)
        fmu.SetFMUstate(instance.c, snapshot);
    fmu.Reset(instance.c);
    if (bring_to(&instance, CONTINUOUS_TIME))
        CHECK(asks_for_event(&instance) == asks_anyway, "fmi2Reset does not forget the value of '%s'", v->name);
    if (snapshot)
        fmu.FreeFMUstate(instance.c, &snapshot);
done:
    instance_close(&instance);
    instance_close(&reference);
}

void test_waiting_values(void)
{
    if (!description.model_exchange.declared)
        return;
    /* A parameter that makes the probe misbehave would do so. */
    bool probe = strcmp(description.model, "Probe") == 0;
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (!waits(v) || (probe && v->causality == PARAMETER && v->type == INTEGER))
            continue;
        check_waiting(v, false);
        check_waiting(v, true);
    }
}
