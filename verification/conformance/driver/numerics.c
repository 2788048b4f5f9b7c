/* Test 19: what an integrator relies on - nominal values, call order, caching, and the event loop. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *vector(size_t n)
{
    return calloc(n + 1, sizeof(double));
}

static bool equal_vectors(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

void test_nominals(void)
{
    if (!description.model_exchange.declared)
        return;
    size_t nx = description.n_states;
    double *nominals = vector(nx);
    static const enum State states[] = {INSTANTIATED, INITIALIZATION, EVENT, CONTINUOUS_TIME, TERMINATED};
    for (size_t s = 0; s < 5; s++) {
        struct Instance instance;
        if (!instance_open(&instance, "nominals", fmi2ModelExchange, false) || !bring_to(&instance, states[s]))
            break;
        fmu.GetNominalsOfContinuousStates(instance.c, nominals, nx);
        for (size_t i = 0; i < nx; i++) {
            const struct Variable *v = &description.variables[description.state_variables[i]];
            CHECK(nominals[i] > 0.0 && isfinite(nominals[i]), "the nominal of '%s' is %g in state '%s'", v->name,
                  nominals[i], state_names[states[s]]);
            CHECK(nominals[i] == v->nominal, "the nominal of '%s' is %g, in the XML %g", v->name, nominals[i],
                  v->nominal);
        }
        instance_close(&instance);
    }
    free(nominals);
}

/* A place off the start values where the model can be evaluated. */
static void somewhere(double *x, double amount)
{
    for (size_t i = 0; i < description.n_states; i++) {
        const struct Variable *v = &description.variables[description.state_variables[i]];
        x[i] = (v->has_start ? start_of(v) : 0.0) + amount * (1.0 + (double)(i % 7)) / 8.0;
    }
}

/* The states in the vector are the states as variables, and so are their derivatives. */
static void check_vectors_match_variables(struct Instance *instance)
{
    size_t nx = description.n_states;
    double *x = vector(nx), *dx = vector(nx);
    fmu.GetContinuousStates(instance->c, x, nx);
    fmu.GetDerivatives(instance->c, dx, nx);
    for (size_t i = 0; i < nx; i++) {
        const struct Variable *state = &description.variables[description.state_variables[i]];
        const struct Variable *derivative = &description.variables[description.derivative_variables[i]];
        double a = NAN, b = NAN;
        fmu.GetReal(instance->c, &state->vr, 1, &a);
        fmu.GetReal(instance->c, &derivative->vr, 1, &b);
        CHECK(same_bits(a, x[i]), "'%s' is %.17g as a variable and %.17g in the vector", state->name, a, x[i]);
        CHECK(same_bits(b, dx[i]), "'%s' is %.17g as a variable and %.17g in the vector", derivative->name, b, dx[i]);
    }
    free(x);
    free(dx);
}

void test_call_order(void)
{
    if (!description.model_exchange.declared)
        return;
    size_t nx = description.n_states, nz = description.n_indicators;
    double t = description.start_time + 1e-3 * (description.stop_time - description.start_time);
    double *x = vector(nx), *first = vector(nx), *second = vector(nx), *z1 = vector(nz), *z2 = vector(nz);
    struct Instance a, b;
    if (!instance_open(&a, "order a", fmi2ModelExchange, false) || !instance_open(&b, "order b", fmi2ModelExchange, false) ||
        !bring_to(&a, CONTINUOUS_TIME) || !bring_to(&b, CONTINUOUS_TIME))
        return;
    somewhere(x, 0.01);
    fmi2Status worst = fmi2OK;
    /* a: time, states; derivatives, indicators, values. b: the other way round, and everything twice. */
    fmu.SetTime(a.c, t);
    fmu.SetContinuousStates(a.c, x, nx);
    fmu.GetDerivatives(a.c, first, nx);
    fmu.GetEventIndicators(a.c, z1, nz);
    uint64_t values_a = digest_of_values(a.c, 0, &worst);

    fmu.SetContinuousStates(b.c, x, nx);
    fmu.SetTime(b.c, t);
    uint64_t values_b = digest_of_values(b.c, 0, &worst);
    fmu.GetEventIndicators(b.c, z2, nz);
    fmu.GetEventIndicators(b.c, z2, nz);
    fmu.GetDerivatives(b.c, second, nx);
    fmu.GetDerivatives(b.c, second, nx);
    CHECK(worst <= fmi2Warning, "reading all values gives %s", status_name(worst));
    CHECK(equal_vectors(first, second, nx), "the derivatives depend on the order of the calls");
    CHECK(equal_vectors(z1, z2, nz), "the event indicators depend on the order of the calls");
    CHECK(values_a == values_b, "the values depend on the order of the calls");
    check_vectors_match_variables(&a);
    instance_close(&a);
    instance_close(&b);
    free(x), free(first), free(second), free(z1), free(z2);
}

/* Eight points: time, states and inputs each in one of two places. */
struct Points {
    double t[2];
    double *x[2];
};

/* Moves an instance to a point by setting only what is different there, and gives all that is known of the model. */
static uint64_t move_to(struct Instance *instance, const struct Points *points, int from, int to, double *dx)
{
    fmi2Status worst = fmi2OK;
    int different = from < 0 ? 7 : from ^ to;
    if (different & 1)
        fmu.SetTime(instance->c, points->t[to & 1]);
    if (different & 2)
        fmu.SetContinuousStates(instance->c, points->x[to >> 1 & 1], description.n_states);
    for (size_t i = 0; different & 4 && i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->causality == INPUT && v->type == REAL && v->variability == CONTINUOUS) {
            double value = to & 4 ? another_value(v) : start_of(v);
            fmu.SetReal(instance->c, &v->vr, 1, &value);
        }
    }
    fmu.GetDerivatives(instance->c, dx, description.n_states);
    return digest_of_values(instance->c, 0, &worst);
}

void test_caching(void)
{
    if (!description.model_exchange.declared)
        return;
    size_t nx = description.n_states;
    double span = description.stop_time - description.start_time, *expected = vector(nx), *found = vector(nx);
    struct Points points = {{description.start_time, description.start_time + 1e-3 * span}, {vector(nx), vector(nx)}};
    somewhere(points.x[0], 0.0);
    somewhere(points.x[1], 0.02);
    for (int to = 0; to < 8; to++) {
        struct Instance fresh, wanderer;
        if (!instance_open(&fresh, "fresh", fmi2ModelExchange, false) || !bring_to(&fresh, CONTINUOUS_TIME) ||
            !instance_open(&wanderer, "wanderer", fmi2ModelExchange, false) || !bring_to(&wanderer, CONTINUOUS_TIME))
            return;
        uint64_t direct = move_to(&fresh, &points, -1, to, expected);
        /* From each point to this one: what was cached there must not be seen here. */
        for (int from = 0; from < 8; from++) {
            move_to(&wanderer, &points, from == 0 ? -1 : to, from, found);
            uint64_t by_way = move_to(&wanderer, &points, from, to, found);
            CHECK(equal_vectors(found, expected, nx) && direct == by_way,
                  "values at point %d (bits: inputs, states, time) are other ones after a visit to point %d", to, from);
        }
        instance_close(&fresh);
        instance_close(&wanderer);
    }
    free(points.x[0]), free(points.x[1]), free(expected), free(found);
}

static void check_event(struct Instance *instance, double t, fmi2EventInfo *info)
{
    size_t nx = description.n_states, nz = description.n_indicators;
    double *before = vector(nx), *after = vector(nx), *z = vector(nz);
    info->newDiscreteStatesNeeded = fmi2True;
    for (int i = 0; info->newDiscreteStatesNeeded; i++) {
        if (!CHECK(i < 1000, "the event iteration at %g has no end", t))
            break;
        fmu.GetContinuousStates(instance->c, before, nx);
        memset(info, 0x5a, sizeof *info); /* what is not written is seen */
        fmi2Status status = fmu.NewDiscreteStates(instance->c, info);
        if (!CHECK(status == fmi2OK, "fmi2NewDiscreteStates at %g gives %s", t, status_name(status)))
            break;
        const fmi2Boolean *flags[] = {&info->newDiscreteStatesNeeded, &info->terminateSimulation,
                                      &info->nominalsOfContinuousStatesChanged, &info->valuesOfContinuousStatesChanged,
                                      &info->nextEventTimeDefined};
        for (size_t k = 0; k < 5; k++)
            CHECK(*flags[k] == fmi2True || *flags[k] == fmi2False, "flag %zu of fmi2EventInfo is not set", k);
        fmu.GetContinuousStates(instance->c, after, nx);
        bool changed = !equal_vectors(before, after, nx);
        CHECK(changed == info->valuesOfContinuousStatesChanged,
              "at %g the states %s, but valuesOfContinuousStatesChanged is %d", t, changed ? "changed" : "did not change",
              info->valuesOfContinuousStatesChanged);
        if (info->terminateSimulation)
            break;
    }
    if (info->nextEventTimeDefined)
        CHECK(info->nextEventTime > t, "at %.17g the next event is at %.17g", t, info->nextEventTime);
    fmu.GetEventIndicators(instance->c, z, nz);
    for (size_t i = 0; i < nz; i++)
        CHECK(z[i] != 0.0, "event indicator %zu is exactly 0 after the event at %g", i, t);
    free(before), free(after), free(z);
}

void test_events(void)
{
    if (!description.model_exchange.declared)
        return;
    struct Instance instance;
    fmi2EventInfo info = {0};
    if (!instance_open(&instance, "events", fmi2ModelExchange, false) || !bring_to(&instance, EVENT))
        return;
    check_event(&instance, description.start_time, &info);
    fmu.Reset(instance.c);

    /* Along a run: at every tenth step an event without a cause, which must not change the results. */
    struct Run run;
    bool going = run_begin(&run, &instance);
    unsigned steps = affordable_steps();
    for (unsigned i = 0; going && i < steps; i++) {
        going = run_step(&run);
        if (!going || i % 10)
            continue;
        CHECK(fmu.EnterEventMode(instance.c) == fmi2OK, "fmi2EnterEventMode at %g fails", run.t);
        check_event(&instance, run.t, &info);
        going = !info.terminateSimulation;
        if (going) {
            run.next_defined = info.nextEventTimeDefined;
            run.t_next = info.nextEventTime;
            fmu.EnterContinuousTimeMode(instance.c);
            fmu.GetContinuousStates(instance.c, run.x, description.n_states);
            fmu.GetEventIndicators(instance.c, run.z_before, description.n_indicators);
        }
    }
    run_end(&run);
    instance_close(&instance);
}
