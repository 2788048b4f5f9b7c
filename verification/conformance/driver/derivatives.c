/* Tests 20 and 21: directional derivatives against central differences, and against the declared dependencies. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A large model has far more pairs than a test can afford: of its knowns, some spread over all of them. */
enum { MOST_KNOWNS = 24 };

struct Set {
    size_t n;
    const struct Variable **variables;
    fmi2ValueReference *references;
};

static void add(struct Set *set, const struct Variable *v)
{
    set->variables = realloc(set->variables, (set->n + 1) * sizeof *set->variables);
    set->references = realloc(set->references, (set->n + 1) * sizeof *set->references);
    set->variables[set->n] = v;
    set->references[set->n++] = v->vr;
}

static void clear(struct Set *set)
{
    free(set->variables);
    free(set->references);
    *set = (struct Set){0};
}

static bool is_known(const struct Variable *v, enum State state)
{
    if (v->type != REAL)
        return false;
    if (v->causality == INDEPENDENT)
        return state != INITIALIZATION; /* the start time is no variable that could be set there */
    if (state == INITIALIZATION)
        return v->causality == INPUT || (v->initial == EXACT && v->variability != CONSTANT);
    return v->is_state || (v->causality == INPUT && v->variability == CONTINUOUS);
}

static bool is_unknown(const struct Variable *v, enum State state)
{
    if (v->type != REAL || v->variability == CONSTANT)
        return false;
    if (state == INITIALIZATION)
        return (v->causality == OUTPUT && v->initial != EXACT) || v->causality == CALCULATED_PARAMETER || v->derivative_of;
    return v->derivative_of || (v->causality == OUTPUT && v->variability == CONTINUOUS);
}

static void collect(struct Set *knowns, struct Set *unknowns, enum State state)
{
    struct Set all = {0};
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (is_known(v, state))
            add(&all, v);
        if (is_unknown(v, state))
            add(unknowns, v);
    }
    size_t stride = all.n / MOST_KNOWNS + 1;
    for (size_t i = 0; i < all.n; i += stride)
        add(knowns, all.variables[i]);
    if (stride > 1)
        add(knowns, all.variables[all.n - 1]);
    clear(&all);
}

static fmi2Status place(struct Instance *instance, const struct Variable *v, double value)
{
    return v->causality == INDEPENDENT ? fmu.SetTime(instance->c, value) : fmu.SetReal(instance->c, &v->vr, 1, &value);
}

/* Between communication steps only inputs can be set. */
static bool can_move(const struct Variable *known, enum State state)
{
    return state != EVENT && (state != STEP_COMPLETE || known->causality == INPUT);
}

/* Central differences of fourth order: their error is far below what is asked for. */
static bool differences(struct Instance *instance, const struct Set *unknowns, const struct Variable *known, double *column)
{
    static const double offsets[4] = {-2, 2, -1, 1}, weights[4] = {1, -1, -8, 8};
    double at = NAN;
    bool good = fmu.GetReal(instance->c, &known->vr, 1, &at) == fmi2OK;
    double h = 1e-3 * fmax(fabs(at), known->nominal * 1e-1);
    if (at + 2 * h > known->max || at - 2 * h < known->min)
        h = 0.2 * fmin(known->max - at, at - known->min);
    if (known->causality == INDEPENDENT)
        h = 1e-4 * (description.stop_time - description.start_time);
    if (!(h > 0.0))
        return false;
    double *values = calloc(unknowns->n + 1, sizeof *values);
    memset(column, 0, unknowns->n * sizeof *column);
    for (int k = 0; good && k < 4; k++) {
        good = place(instance, known, at + offsets[k] * h) == fmi2OK &&
               fmu.GetReal(instance->c, unknowns->references, unknowns->n, values) == fmi2OK;
        for (size_t i = 0; i < unknowns->n; i++)
            column[i] += weights[k] * values[i];
    }
    /* Divided last, so that the sum is exactly 0 where nothing changes: multiples of a value by 1 and 8 have no roundings. */
    for (size_t i = 0; i < unknowns->n; i++)
        column[i] /= 12 * h;
    good = place(instance, known, at) == fmi2OK && good;
    free(values);
    return good;
}

static void check_column(const struct Set *unknowns, const struct Variable *known, const double *exact,
                         const double *measured, enum State state)
{
    double largest = 0.0;
    for (size_t i = 0; i < unknowns->n; i++)
        largest = fmax(largest, fabs(exact[i]));
    for (size_t i = 0; i < unknowns->n; i++) {
        const struct Variable *unknown = unknowns->variables[i];
        double bound = 1e-6 * (fabs(exact[i]) + largest) + 1e-9;
        CHECK(fabs(exact[i] - measured[i]) <= bound, "d '%s' / d '%s' is %.12g, by differences %.12g, in state '%s'",
              unknown->name, known->name, exact[i], measured[i], state_names[state]);
        if (!depends(unknown, known, state == INITIALIZATION)) {
            CHECK(exact[i] == 0.0, "d '%s' / d '%s' is %.12g, but the XML lists no such dependency", unknown->name,
                  known->name, exact[i]);
            CHECK(fabs(measured[i]) <= 1e-9 * (1.0 + largest), "'%s' changes with '%s', but the XML lists no such dependency",
                  unknown->name, known->name);
        }
    }
}

static void check_state(fmi2Type type, enum State state)
{
    struct Set knowns = {0}, unknowns = {0};
    collect(&knowns, &unknowns, state);
    struct Instance instance;
    if (unknowns.n == 0 || knowns.n == 0 || !instance_open(&instance, "derivatives", type, false) ||
        !bring_to(&instance, state)) {
        clear(&knowns), clear(&unknowns);
        return;
    }
    double *exact = calloc(unknowns.n, sizeof *exact), *measured = calloc(unknowns.n, sizeof *measured);
    double *sum = calloc(unknowns.n, sizeof *sum), *together = calloc(unknowns.n, sizeof *together);
    double *seeds = calloc(knowns.n, sizeof *seeds);
    for (size_t k = 0; k < knowns.n; k++) {
        const struct Variable *known = knowns.variables[k];
        double one = 1.0;
        seeds[k] = 1.0 + 0.25 * (double)(k % 5);
        AT("fmi2GetDirectionalDerivative by '%s' in state '%s'", known->name, state_names[state]);
        fmi2Status status =
            fmu.GetDirectionalDerivative(instance.c, unknowns.references, unknowns.n, &known->vr, 1, &one, exact);
        if (!CHECK(status == fmi2OK, "fmi2GetDirectionalDerivative by '%s' gives %s in state '%s'", known->name,
                   status_name(status), state_names[state]))
            break;
        if (can_move(known, state) && differences(&instance, &unknowns, known, measured))
            check_column(&unknowns, known, exact, measured, state);
        for (size_t i = 0; i < unknowns.n; i++)
            sum[i] += seeds[k] * exact[i];
    }
    /* Several seeds at once are the sum of their columns, also with the unknowns the other way round. */
    fmi2ValueReference *reversed = calloc(unknowns.n, sizeof *reversed);
    for (size_t i = 0; i < unknowns.n; i++)
        reversed[i] = unknowns.references[unknowns.n - 1 - i];
    fmi2Status status = fmu.GetDirectionalDerivative(instance.c, reversed, unknowns.n, knowns.references, knowns.n, seeds,
                                                     together);
    CHECK(status == fmi2OK, "fmi2GetDirectionalDerivative with all knowns gives %s", status_name(status));
    for (size_t i = 0; i < unknowns.n; i++) {
        double joint = together[unknowns.n - 1 - i];
        CHECK(fabs(joint - sum[i]) <= 1e-12 * (fabs(joint) + fabs(sum[i])) + 1e-12,
              "d '%s' along all knowns is %.17g, the sum of the columns %.17g", unknowns.variables[i]->name, joint, sum[i]);
    }
    free(exact), free(measured), free(sum), free(together), free(seeds), free(reversed);
    instance_close(&instance);
    clear(&knowns), clear(&unknowns);
}

/* Both interfaces, right after initialization, along all knowns at once and one by one: the same numbers. */
static void check_interfaces(void)
{
    struct Set knowns = {0}, unknowns = {0};
    collect(&knowns, &unknowns, STEP_COMPLETE);
    struct Instance exchanged, simulated;
    if (unknowns.n > 0 && knowns.n > 0 && instance_open(&exchanged, "exchanged", fmi2ModelExchange, false) &&
        bring_to(&exchanged, CONTINUOUS_TIME) && instance_open(&simulated, "simulated", fmi2CoSimulation, false) &&
        bring_to(&simulated, STEP_COMPLETE)) {
        double *a = calloc(unknowns.n, sizeof *a), *b = calloc(unknowns.n, sizeof *b), one = 1.0;
        for (size_t k = 0; k < knowns.n; k++) {
            fmi2ValueReference known = knowns.references[k];
            fmi2Status status = fmu.GetDirectionalDerivative(exchanged.c, unknowns.references, unknowns.n, &known, 1, &one, a);
            CHECK(status == fmi2OK, "fmi2GetDirectionalDerivative as Model Exchange gives %s", status_name(status));
            status = fmu.GetDirectionalDerivative(simulated.c, unknowns.references, unknowns.n, &known, 1, &one, b);
            CHECK(status == fmi2OK, "fmi2GetDirectionalDerivative as Co-Simulation gives %s", status_name(status));
            CHECK(memcmp(a, b, unknowns.n * sizeof *a) == 0, "the derivatives by '%s' differ between the interfaces",
                  knowns.variables[k]->name);
        }
        free(a), free(b);
        instance_close(&exchanged);
        instance_close(&simulated);
    }
    clear(&knowns), clear(&unknowns);
}

void test_directional_derivatives(void)
{
    bool exchanged = description.model_exchange.directional_derivatives;
    bool simulated = description.co_simulation.directional_derivatives;
    if (exchanged) {
        check_state(fmi2ModelExchange, INITIALIZATION);
        check_state(fmi2ModelExchange, EVENT);
        check_state(fmi2ModelExchange, CONTINUOUS_TIME);
    }
    if (simulated) {
        check_state(fmi2CoSimulation, INITIALIZATION);
        check_state(fmi2CoSimulation, STEP_COMPLETE);
    }
    if (exchanged && simulated)
        check_interfaces();
}

/* What is no unknown or no known is refused. */
void test_directional_derivative_misuse(void)
{
    if (!description.model_exchange.declared || !description.model_exchange.directional_derivatives)
        return;
    struct Set knowns = {0}, unknowns = {0};
    collect(&knowns, &unknowns, CONTINUOUS_TIME);
    if (knowns.n > 0 && unknowns.n > 0) {
        fmi2ValueReference wrong = unknown_reference(REAL), parameter = wrong;
        for (size_t i = 0; i < description.n_variables; i++)
            if (description.variables[i].causality == PARAMETER && description.variables[i].type == REAL)
                parameter = description.variables[i].vr;
        const struct {
            const char *what;
            fmi2ValueReference unknown, known;
        } cases[] = {
            {"an unknown value reference", wrong, knowns.references[0]},
            {"a value reference as a known that nothing has", unknowns.references[0], wrong},
            {"a parameter as a known", unknowns.references[0], parameter},
            {"a parameter as an unknown", parameter, knowns.references[0]},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct Instance instance;
            double seed = 1.0, result = 0.0;
            if (!instance_open(&instance, "misuse", fmi2ModelExchange, true) || !bring_to(&instance, CONTINUOUS_TIME))
                break;
            forget_messages(&instance);
            fmi2Status status = fmu.GetDirectionalDerivative(instance.c, &cases[i].unknown, 1, &cases[i].known, 1, &seed,
                                                             &result);
            CHECK(status == fmi2Error, "%s in continuous-time mode gives %s", cases[i].what, status_name(status));
            CHECK(message_of(&instance, fmi2Error) != NULL, "%s is refused without a sentence", cases[i].what);
            instance_close(&instance);
        }
    }
    clear(&knowns), clear(&unknowns);
}
