/* Tests 7 to 11: start values, strings, booleans, values that are no numbers, and ranges. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool settable_before(const struct Variable *v)
{
    return v->variability != CONSTANT && v->initial == EXACT;
}

static void expect_value(fmi2Component c, const struct Variable *v, const char *text, double number, const char *when)
{
    if (v->type == STRING) {
        const char *now = NULL;
        fmi2Status status = get_text(c, v, &now);
        CHECK(status == fmi2OK && now && strcmp(now, text) == 0, "%s '%s' is '%s' (%s), not '%s'", when, v->name,
              now ? now : "(null)", status_name(status), text);
    } else {
        double now = NAN;
        fmi2Status status = get_number(c, v, &now);
        CHECK(status == fmi2OK && same_bits(now, number), "%s '%s' is %.17g (%s), not %.17g", when, v->name, now,
              status_name(status), number);
    }
}

void test_start_values(void)
{
    struct Instance instance;
    if (!instance_open(&instance, "start", first_type(), false) || !bring_to(&instance, INITIALIZATION))
        return;
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->has_start && (v->initial == EXACT || v->causality == INPUT))
            expect_value(instance.c, v, v->start, v->type == STRING ? 0.0 : start_of(v), "in initialization mode");
    }
    instance_close(&instance);
}

void test_set_before_initialization(void)
{
    static const char changed[] = "changed";
    struct Instance instance;
    if (!instance_open(&instance, "before", first_type(), false))
        return;
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (!settable_before(v))
            continue;
        AT("setting %s before initialization", v->name);
        fmi2Status status =
            v->type == STRING ? set_text(instance.c, v, changed) : set_number(instance.c, v, another_value(v));
        CHECK(status == fmi2OK, "setting '%s' before initialization gives %s", v->name, status_name(status));
    }
    for (int stage = 0; stage < 2; stage++) {
        fmi2Status status = stage ? fmu.ExitInitializationMode(instance.c) : fmi2OK;
        if (stage == 0 && !bring_to(&instance, INITIALIZATION))
            return;
        if (!CHECK(status == fmi2OK, "fmi2ExitInitializationMode with other start values gives %s: %s",
                   status_name(status), instance.n_messages ? instance.messages[0].text : "no message"))
            return;
        for (size_t i = 0; i < description.n_variables; i++) {
            const struct Variable *v = &description.variables[i];
            if (settable_before(v))
                expect_value(instance.c, v, changed, v->type == STRING ? 0.0 : another_value(v),
                             stage ? "set before and after initialization" : "set before and in initialization mode");
        }
    }
    instance_close(&instance);
}

void test_strings(void)
{
    static const char *const texts[] = {"", "plain", "50% of #5 and ##", "Gr\xc3\xbc\xc3\x9f" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\xa6\x80",
                                        "two\nlines\tand a tab"};
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->type != STRING || !(v->causality == INPUT || settable_before(v)))
            continue;
        struct Instance instance;
        if (!instance_open(&instance, "strings", first_type(), false) || !bring_to(&instance, INITIALIZATION))
            return;
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            char *loan = strdup(texts[k]);
            fmi2Status status = set_text(instance.c, v, loan);
            memset(loan, '?', strlen(loan));
            free(loan);
            CHECK(status == fmi2OK, "setting '%s' to text %zu gives %s", v->name, k, status_name(status));
            expect_value(instance.c, v, texts[k], 0.0, "a string set and read:");
            expect_value(instance.c, v, texts[k], 0.0, "a string read once more:");
        }
        /* Two strings in one call: both pointers are good until the next call. */
        const char *both[2] = {NULL, NULL};
        fmi2ValueReference vr[2] = {v->vr, v->vr};
        set_text(instance.c, v, "twice");
        fmi2Status status = fmu.GetString(instance.c, vr, 2, both);
        CHECK(status == fmi2OK && both[0] && both[1] && !strcmp(both[0], "twice") && !strcmp(both[1], "twice"),
              "reading '%s' twice in one call gives '%s', '%s'", v->name, both[0] ? both[0] : "(null)",
              both[1] ? both[1] : "(null)");
        AT("a null string for %s", v->name);
        status = set_text(instance.c, v, NULL);
        CHECK(status == fmi2Error, "a null string for '%s' gives %s", v->name, status_name(status));
        fmu.Reset(instance.c);
        bring_to(&instance, INITIALIZATION);
        AT("bytes that are no UTF-8 for %s", v->name);
        status = set_text(instance.c, v, "bad \xff\xfe bytes");
        CHECK(status != fmi2Fatal, "bytes that are no UTF-8 for '%s' give fmi2Fatal", v->name);
        const char *now = NULL;
        get_text(instance.c, v, &now);
        CHECK(now != NULL, "after bytes that are no UTF-8 '%s' cannot be read", v->name);
        instance_close(&instance);
    }
}

void test_booleans(void)
{
    static const fmi2Boolean odd[] = {2, -1, 256, INT_MIN, INT_MAX};
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->type != BOOLEAN || !(v->causality == INPUT || settable_before(v)))
            continue;
        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
            struct Instance instance;
            if (!instance_open(&instance, "booleans", first_type(), false) || !bring_to(&instance, INITIALIZATION))
                return;
            AT("%s = %d", v->name, odd[k]);
            fmi2Status status = fmu.SetBoolean(instance.c, &v->vr, 1, &odd[k]);
            fmi2Boolean now = 17;
            CHECK(status == fmi2OK || status == fmi2Error, "the Boolean '%s' set to %d gives %s", v->name, odd[k],
                  status_name(status));
            fmi2Status read = fmu.GetBoolean(instance.c, &v->vr, 1, &now);
            CHECK(read == fmi2OK && (now == fmi2True || now == fmi2False), "the Boolean '%s' set to %d reads as %d",
                  v->name, odd[k], now);
            if (status == fmi2OK)
                CHECK(now == fmi2True, "the Boolean '%s' set to %d (not 0) reads as false", v->name, odd[k]);
            instance_close(&instance);
        }
    }
}

/* Everything that can be asked, whatever it answers: it must answer. */
static void survive(struct Instance *instance, bool initialize)
{
    size_t nx = description.n_states, nz = description.n_indicators;
    fmi2Component c = instance->c;
    double *room = calloc(nx + nz + 1, sizeof *room);
    fmi2Status worst = fmi2OK;
    fmi2EventInfo info;
    fmi2Boolean a, b;
    if (initialize) {
        fmu.SetupExperiment(c, fmi2False, 0.0, description.start_time, fmi2False, 0.0);
        fmu.EnterInitializationMode(c);
        digest_of_values(c, 0, &worst);
        if (fmu.ExitInitializationMode(c) <= fmi2Warning && event_iteration(instance, &info) <= fmi2Warning)
            fmu.EnterContinuousTimeMode(c);
    }
    fmi2Status statuses[] = {
        fmu.GetDerivatives(c, room, nx), fmu.GetEventIndicators(c, room, nz), fmu.GetContinuousStates(c, room, nx),
        fmu.SetTime(c, description.start_time + 1e-3), fmu.CompletedIntegratorStep(c, fmi2True, &a, &b),
    };
    digest_of_values(c, 0, &worst);
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        worst = statuses[i] > worst ? statuses[i] : worst;
    if (fmu.EnterEventMode(c) <= fmi2Warning)
        event_iteration(instance, &info);
    CHECK(worst <= fmi2Error, "a value that is not finite gives %s", status_name(worst));
    free(room);
}

void test_not_finite(void)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    if (!description.model_exchange.declared)
        return;
    size_t stride = description.n_variables > 400 ? description.n_variables / 20 : 1;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < description.n_variables; i += stride) {
            const struct Variable *v = &description.variables[i];
            bool before = settable_before(v);
            if (v->type != REAL || !(before || v->causality == INPUT))
                continue;
            struct Instance instance;
            if (!instance_open(&instance, "not finite", fmi2ModelExchange, false))
                return;
            AT("%s = %g", v->name, values[k]);
            if (!before && !bring_to(&instance, EVENT))
                return;
            fmi2Status status = fmu.SetReal(instance.c, &v->vr, 1, &values[k]);
            CHECK(status <= fmi2Error, "'%s' set to %g gives %s", v->name, values[k], status_name(status));
            if (status <= fmi2Discard)
                survive(&instance, before);
            instance_close(&instance);
        }
        struct Instance instance;
        if (!instance_open(&instance, "not finite", fmi2ModelExchange, false) || !bring_to(&instance, CONTINUOUS_TIME))
            return;
        AT("all states = %g", values[k]);
        double *x = malloc((description.n_states + 1) * sizeof *x);
        for (size_t i = 0; i < description.n_states; i++)
            x[i] = values[k];
        fmu.SetContinuousStates(instance.c, x, description.n_states);
        survive(&instance, false);
        free(x);
        fmu.Reset(instance.c);
        CHECK(bring_to(&instance, CONTINUOUS_TIME), "no way back from states of %g", values[k]);
        AT("time = %g", values[k]);
        fmi2Status status = fmu.SetTime(instance.c, values[k]);
        CHECK(status == fmi2Error, "fmi2SetTime(%g) gives %s", values[k], status_name(status));
        instance_close(&instance);
    }
}

static void check_outside(const struct Variable *v, double outside)
{
    struct Instance instance;
    bool parameter = v->causality == PARAMETER;
    if (!instance_open(&instance, "range", first_type(), true) ||
        !bring_to(&instance, parameter ? INSTANTIATED : INITIALIZATION))
        return;
    forget_messages(&instance);
    AT("%s = %g, outside its range", v->name, outside);
    fmi2Status status = set_number(instance.c, v, outside);
    if (parameter)
        CHECK(status == fmi2Discard, "the parameter '%s' set to %g, outside its range, gives %s", v->name, outside,
              status_name(status));
    else if (v->causality == INPUT && !v->is_enumeration)
        CHECK(status == fmi2Warning, "the input '%s' set to %g, outside its range, gives %s", v->name, outside,
              status_name(status));
    else if (v->is_state)
        CHECK(status == fmi2OK, "the state '%s' set to %g, outside its range, gives %s", v->name, outside,
              status_name(status));
    else
        CHECK(status > fmi2OK && status < fmi2Fatal, "'%s' set to %g, which is no item of it, gives %s", v->name, outside,
              status_name(status));
    if (status != fmi2OK)
        CHECK(message_of(&instance, fmi2Warning) != NULL, "'%s' outside its range logs nothing", v->name);
    /* A discarded value is as if it had never come, and the instance goes on. */
    if (parameter && !bring_to(&instance, INITIALIZATION))
        return;
    if (status < fmi2Error)
        expect_value(instance.c, v, "", parameter || v->is_enumeration ? start_of(v) : outside, "after a value outside its range");
    instance_close(&instance);
}

static void check_boundary(const struct Variable *v, double boundary)
{
    struct Instance instance;
    if (!instance_open(&instance, "boundary", first_type(), false) ||
        !bring_to(&instance, v->causality == PARAMETER ? INSTANTIATED : INITIALIZATION))
        return;
    fmi2Status status = set_number(instance.c, v, boundary);
    CHECK(status == fmi2OK, "'%s' set to %g, the end of its range, gives %s", v->name, boundary, status_name(status));
    instance_close(&instance);
}

void test_ranges(void)
{
    for (size_t i = 0; i < description.n_variables && i < 500; i++) {
        const struct Variable *v = &description.variables[i];
        bool tested = v->causality == PARAMETER || v->causality == INPUT || (v->is_state && v->initial == EXACT);
        if (!tested || (v->type != REAL && v->type != INTEGER))
            continue;
        if (v->has_max) {
            check_outside(v, v->type == REAL ? nextafter(v->max, INFINITY) : v->max + 1);
            check_boundary(v, v->max);
        }
        if (v->has_min) {
            check_outside(v, v->type == REAL ? nextafter(v->min, -INFINITY) : v->min - 1);
            check_boundary(v, v->min);
        }
    }
}
