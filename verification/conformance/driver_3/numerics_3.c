/* Steps with and without events of the host, snapshots, derivatives, and instances side by side. */
#include "host_3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 8192

/* Before the model may end the simulation, and before errors of a hybrid model grow. */
static double horizon(void)
{
    return 0.2 * facts.stop;
}

static size_t simulate(bool event_mode, bool early_return, double *values)
{
    struct Instance instance;
    bool terminated = false;
    create(&instance, true, event_mode, early_return, true);
    lead_to(&instance, 'P');
    double time = 0.0;
    for (int k = 1; k <= 4 && !terminated; k++) {
        time = step_to(&instance, time, 0.25 * k * horizon(), &terminated);
    }
    CHECK(!terminated && fabs(time - horizon()) < 1e-12 * facts.stop, "the simulation ends at %g", time);
    size_t count = read_all(&instance, values, ROOM);
    dispose(&instance);
    return count;
}

void test_steps(void)
{
    static double plain[ROOM], other[ROOM];
    size_t count = simulate(false, false, plain);
    for (int k = 1; k < 4; k++) {
        bool event_mode = k & 1, early_return = k & 2;
        AT("event mode %d, early return %d", event_mode, early_return);
        CHECK(simulate(event_mode, early_return, other) == count, "another number of values");
        for (size_t e = 0; e < count; e++) {
            double allowed = 1e-4 * (1.0 + fabs(plain[e]));
            CHECK(fabs(plain[e] - other[e]) <= allowed, "value %zu is %.10g, not %.10g", e, other[e], plain[e]);
        }
    }
    /* What a step may answer. */
    for (int k = 0; k < 4; k++) {
        bool event_mode = k & 1, early_return = k & 2;
        struct Instance instance;
        create(&instance, true, event_mode, early_return, true);
        lead_to(&instance, 'P');
        double time = 0.0, last = NAN;
        bool event = false, terminated = false, early = false;
        for (int n = 0; n < 200 && time < horizon() && !terminated; n++) {
            fmi3Status status = fmi.DoStep(instance.i, time, horizon() - time, true, &event, &terminated, &early, &last);
            if (!CHECK(status == fmi3OK, "fmi3DoStep returns %s", status_name(status))) {
                break;
            }
            CHECK(event_mode || !event, "eventHandlingNeeded without event mode");
            CHECK(early_return || !early, "earlyReturn although it is not allowed");
            CHECK(!early || last < horizon(), "earlyReturn at the end of the step");
            CHECK(early || terminated || last >= horizon() * (1.0 - 1e-12), "a step ends at %g without a word", last);
            CHECK(last >= time, "time goes back to %g", last);
            time = last;
            if (event) {
                CHECK(fmi.EnterEventMode(instance.i) == fmi3OK, "no event mode");
                settle(&instance, &terminated);
                CHECK(fmi.EnterStepMode(instance.i) == fmi3OK, "no step mode");
            }
        }
        fmi3Status status = fmi.DoStep(instance.i, time + facts.stop, 0.1, true, &event, &terminated, &early, &last);
        CHECK(status == fmi3Error, "a step from another time is not refused");
        status = fmi.DoStep(instance.i, time, 0.0, true, &event, &terminated, &early, &last);
        CHECK(status == fmi3Error, "a step of length 0 is not refused");
        dispose(&instance);
    }
}

static void check_same(const double *found, const double *wanted, size_t count, const char *what)
{
    for (size_t e = 0; e < count; e++) {
        CHECK(same_bits(found[e], wanted[e]), "%s: value %zu is %.17g, not %.17g", what, e, found[e], wanted[e]);
    }
}

void test_snapshots(void)
{
    static double once[ROOM], again[ROOM];
    for (int event_mode = 0; event_mode < 2; event_mode++) {
        struct Instance instance, other;
        bool terminated = false;
        create(&instance, true, event_mode, event_mode, true);
        lead_to(&instance, 'P');
        double middle = step_to(&instance, 0.0, 0.5 * horizon(), &terminated);
        fmi3FMUState state = NULL;
        CHECK(fmi.GetFMUState(instance.i, &state) == fmi3OK && state, "no snapshot");
        step_to(&instance, middle, horizon(), &terminated);
        size_t count = read_all(&instance, once, ROOM);
        CHECK(fmi.SetFMUState(instance.i, state) == fmi3OK, "the way back fails");
        step_to(&instance, middle, horizon(), &terminated);
        read_all(&instance, again, ROOM);
        check_same(again, once, count, "a repeated step");
        size_t size = 0;
        CHECK(fmi.SerializedFMUStateSize(instance.i, state, &size) == fmi3OK && size > 0, "no size");
        fmi3Byte *bytes = calloc(size, 1);
        CHECK(fmi.SerializeFMUState(instance.i, state, bytes, size) == fmi3OK, "no bytes");
        CHECK(fmi.FreeFMUState(instance.i, &state) == fmi3OK && !state, "the handle stays");
        create(&other, true, event_mode, event_mode, true);
        CHECK(fmi.DeserializeFMUState(other.i, bytes, size, &state) == fmi3OK, "the bytes are refused");
        CHECK(fmi.SetFMUState(other.i, state) == fmi3OK, "the snapshot is refused");
        step_to(&other, middle, horizon(), &terminated);
        read_all(&other, again, ROOM);
        check_same(again, once, count, "in another instance");
        bytes[size / 2] ^= 0x40;
        fmi3FMUState damaged = NULL;
        CHECK(fmi.DeserializeFMUState(other.i, bytes, size, &damaged) == fmi3Error, "damaged bytes are taken");
        CHECK(fmi.FreeFMUState(other.i, NULL) == fmi3OK, "a null pointer is not ignored");
        free(bytes);
        dispose(&instance);
        dispose(&other);
    }
}

/* The value references of some variables, and the number of their elements. */
static size_t list(bool unknowns, fmi3ValueReference *references, size_t *elements)
{
    size_t count = 0;
    *elements = 0;
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        bool is_float = strcmp(v->type, "Float64") == 0, is_continuous = strcmp(v->variability, "continuous") == 0;
        bool is_unknown = v->is_derivative || (strcmp(v->causality, "output") == 0 && is_continuous);
        bool is_known = v->is_state || (strcmp(v->causality, "input") == 0 && is_continuous) || strcmp(v->causality, "parameter") == 0;
        if (is_float && (unknowns ? is_unknown : is_known) && *elements + v->count <= 64) {
            references[count++] = v->reference;
            *elements += v->count;
        }
    }
    return count;
}

void test_derivatives(void)
{
    fmi3ValueReference unknowns[64], knowns[64];
    size_t rows, columns;
    size_t unknown_count = list(true, unknowns, &rows), known_count = list(false, knowns, &columns);
    if (rows == 0 || columns == 0) {
        CHECK(true, "nothing to differentiate");
        return;
    }
    static double jacobian[64][64];
    struct Instance instance;
    create(&instance, false, false, false, true);
    lead_to(&instance, 'C');
    double seed[64], column[64], gradient[64];
    for (size_t c = 0; c < columns; c++) {
        memset(seed, 0, sizeof seed);
        seed[c] = 1.0;
        fmi3Status status = fmi.GetDirectionalDerivative(instance.i, unknowns, unknown_count, knowns, known_count, seed, columns, column, rows);
        CHECK(status == fmi3OK, "fmi3GetDirectionalDerivative returns %s: %s", status_name(status), instance.log.last);
        for (size_t r = 0; r < rows; r++) {
            jacobian[r][c] = column[r];
        }
    }
    /* The adjoint is the same matrix from the other side. */
    for (int trial = 0; trial < 3; trial++) {
        for (size_t r = 0; r < rows; r++) {
            seed[r] = sin(1.0 + (double)(r + 7 * (size_t)trial));
        }
        fmi3Status status = fmi.GetAdjointDerivative(instance.i, unknowns, unknown_count, knowns, known_count, seed, rows, gradient, columns);
        CHECK(status == fmi3OK, "fmi3GetAdjointDerivative returns %s: %s", status_name(status), instance.log.last);
        for (size_t c = 0; c < columns; c++) {
            double sum = 0.0, size = 0.0;
            for (size_t r = 0; r < rows; r++) {
                sum += seed[r] * jacobian[r][c];
                size += fabs(seed[r] * jacobian[r][c]);
            }
            CHECK(fabs(sum - gradient[c]) <= 1e-12 * size, "adjoint by known %zu: %.17g, not %.17g", c, gradient[c], sum);
        }
    }
    /* State derivatives by the states, against differences. */
    size_t n = facts.states;
    if (n > 0 && n <= 8) {
        double x[8], shifted[8], above[8], below[8];
        fmi3ValueReference derivatives[8], states[8];
        size_t count = 0;
        for (size_t k = 0; k < facts.variable_count; k++) {
            if (facts.variables[k].is_derivative) {
                derivatives[count++] = facts.variables[k].reference;
            }
        }
        size_t state_count = 0;
        for (size_t k = 0; k < facts.variable_count; k++) {
            if (facts.variables[k].is_state) {
                states[state_count++] = facts.variables[k].reference;
            }
        }
        CHECK(fmi.GetContinuousStates(instance.i, x, n) == fmi3OK, "no states");
        for (size_t c = 0; c < n; c++) {
            memset(seed, 0, sizeof seed);
            seed[c] = 1.0;
            CHECK(fmi.GetDirectionalDerivative(instance.i, derivatives, count, states, state_count, seed, n, column, n) == fmi3OK,
                  "no derivatives by states");
            double h = 1e-5 * (1.0 + fabs(x[c]));
            for (int side = 0; side < 2; side++) {
                memcpy(shifted, x, sizeof x);
                shifted[c] += side ? -h : h;
                CHECK(fmi.SetContinuousStates(instance.i, shifted, n) == fmi3OK, "states are refused");
                CHECK(fmi.GetContinuousStateDerivatives(instance.i, side ? below : above, n) == fmi3OK, "no derivatives");
            }
            CHECK(fmi.SetContinuousStates(instance.i, x, n) == fmi3OK, "states are refused");
            for (size_t r = 0; r < n; r++) {
                double difference = (above[r] - below[r]) / (2.0 * h);
                CHECK(fabs(difference - column[r]) <= 1e-5 * (1.0 + fabs(column[r])), "derivative %zu by state %zu is %g, not %g", r,
                      c, column[r], difference);
            }
        }
    }
    /* Event indicators are not unknowns. */
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        if (v->is_indicator && v->count <= 64) {
            memset(seed, 0, sizeof seed);
            CHECK(fmi.GetDirectionalDerivative(instance.i, &v->reference, 1, knowns, known_count, seed, columns, column, v->count) ==
                      fmi3Error,
                  "event indicators are differentiated");
        }
    }
    dispose(&instance);
}

void test_interleaved(void)
{
    static double alone[ROOM], together[ROOM];
    size_t count = simulate(false, false, alone);
    struct Instance one, other;
    bool terminated = false;
    create(&one, true, false, false, true);
    create(&other, true, true, true, true);
    lead_to(&one, 'P');
    lead_to(&other, 'P');
    double time = 0.0, time_of_other = 0.0;
    for (int k = 1; k <= 4; k++) {
        time = step_to(&one, time, 0.25 * k * horizon(), &terminated);
        time_of_other = step_to(&other, time_of_other, 0.2 * k * horizon(), &terminated);
    }
    read_all(&one, together, ROOM);
    check_same(together, alone, count, "beside another instance");
    dispose(&one);
    dispose(&other);
}
