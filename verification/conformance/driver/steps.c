/* Tests 13 and 23, and the extension that our FMUs announce: communication steps, and how they go with Model Exchange. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begin(struct Instance *instance, double tolerance, double stop)
{
    if (!instance_open(instance, "steps", fmi2CoSimulation, false))
        return false;
    fmi2Component c = instance->c;
    double start = description.start_time;
    fmi2Status status = fmu.SetupExperiment(c, tolerance > 0.0, tolerance, start, isfinite(stop), isfinite(stop) ? stop : 0.0);
    return CHECK(status == fmi2OK && fmu.EnterInitializationMode(c) == fmi2OK && fmu.ExitInitializationMode(c) == fmi2OK,
                 "initialization gives %s: %s", status_name(status),
                 instance->n_messages ? instance->messages[0].text : "no message");
}

static double time_of(const struct Instance *instance)
{
    double t = NAN;
    for (size_t i = 0; i < description.n_variables; i++)
        if (description.variables[i].causality == INDEPENDENT)
            fmu.GetReal(instance->c, &description.variables[i].vr, 1, &t);
    return t;
}

static void check_refused_step(const char *what, double point, double step)
{
    struct Instance instance;
    if (!begin(&instance, 0.0, INFINITY))
        return;
    AT("fmi2DoStep with %s", what);
    fmi2Status status = fmu.DoStep(instance.c, point, step, fmi2True);
    CHECK(status == fmi2Error, "fmi2DoStep with %s gives %s", what, status_name(status));
    CHECK(message_of(&instance, fmi2Error) != NULL, "fmi2DoStep with %s is refused without a message", what);
    status = fmu.DoStep(instance.c, description.start_time, communication_step(), fmi2True);
    CHECK(status == fmi2OK, "a good fmi2DoStep after one with %s gives %s", what, status_name(status));
    status = fmu.Reset(instance.c);
    CHECK(status == fmi2OK && bring_to(&instance, TERMINATED), "no reset after fmi2DoStep with %s", what);
    instance_close(&instance);
}

/* Some steps from where the run of `steps` would be, each point by `point(i)`. */
static void check_points(const char *what, double (*point)(unsigned, double))
{
    struct Instance instance;
    double h = communication_step();
    if (!begin(&instance, 0.0, INFINITY))
        return;
    for (unsigned i = 0; i < 20; i++) {
        double t = point(i, h);
        fmi2Status status = fmu.DoStep(instance.c, t, h, i % 2 ? fmi2True : fmi2False);
        if (status == fmi2Discard)
            break; /* the model ends the simulation: others check that */
        if (!CHECK(status == fmi2OK, "step %u with %s gives %s: %s", i, what, status_name(status),
                   instance.n_messages ? instance.messages[0].text : "no message"))
            break;
        double reached = time_of(&instance), last = NAN;
        CHECK(fabs(reached - (t + h)) <= 4 * DBL_EPSILON * fabs(t + h), "with %s the time after step %u is off by %g", what,
              i, reached - (t + h));
        status = fmu.GetRealStatus(instance.c, fmi2LastSuccessfulTime, &last);
        CHECK(status == fmi2OK && same_bits(last, reached), "fmi2LastSuccessfulTime is %.17g at %.17g (%s)", last, reached,
              status_name(status));
        fmi2Status how = fmi2Fatal;
        status = fmu.GetStatus(instance.c, fmi2DoStepStatus, &how);
        CHECK(status == fmi2Discard || (status == fmi2OK && how == fmi2OK), "fmi2DoStepStatus is %s after a good step",
              status_name(how));
        fmi2Boolean ended = fmi2True;
        status = fmu.GetBooleanStatus(instance.c, fmi2Terminated, &ended);
        CHECK(status == fmi2OK && !ended, "fmi2Terminated is true after a good step");
    }
    instance_close(&instance);
}

static double exact(unsigned i, double h) { return description.start_time + i * h; }
static double summed(unsigned i, double h)
{
    double t = description.start_time;
    while (i-- > 0)
        t += h;
    return t;
}
static double off(unsigned i, double h)
{
    double t = description.start_time + i * h;
    return t + (i % 3 - 1.0) * 4 * DBL_EPSILON * fabs(t);
}

static void check_stop_time(double steps, int good)
{
    struct Instance instance;
    double h = communication_step(), start = description.start_time;
    if (!begin(&instance, 0.0, start + steps * h))
        return;
    fmi2Status status = fmi2OK;
    int done = 0;
    while (done < 10 && (status = fmu.DoStep(instance.c, start + done * h, h, fmi2True)) == fmi2OK)
        done++;
    if (status != fmi2Discard) {
        CHECK(status == fmi2Error && done == good, "with a stop time after %g steps %d are made, and then comes %s", steps, done,
              status_name(status));
        CHECK(message_of(&instance, fmi2Error) != NULL, "a step beyond the stop time is refused without a message");
    }
    instance_close(&instance);
}

/* A run until the model ends it, if it does within three times its default experiment. */
static void check_termination(void)
{
    struct Instance instance;
    double h = communication_step(), t = description.start_time;
    if (!begin(&instance, 0.0, INFINITY))
        return;
    fmi2Status status = fmi2OK;
    for (int i = 0; i < 750 && status == fmi2OK && affordable_steps() > 100; i++, t += h)
        status = fmu.DoStep(instance.c, t, h, fmi2True);
    CHECK(status == fmi2OK || status == fmi2Discard, "a run gives %s at %g", status_name(status), t);
    if (status == fmi2Discard) {
        fmi2Boolean ended = fmi2False;
        double last = NAN;
        fmi2Status how = fmi2OK;
        CHECK(fmu.GetBooleanStatus(instance.c, fmi2Terminated, &ended) == fmi2OK && ended,
              "fmi2DoStep gives fmi2Discard in a plain run, and fmi2Terminated is not true");
        CHECK(fmu.GetRealStatus(instance.c, fmi2LastSuccessfulTime, &last) == fmi2OK && last > t - 2 * h && last <= t,
              "the model ends the simulation in the step to %g, and fmi2LastSuccessfulTime is %g", t, last);
        CHECK(same_bits(time_of(&instance), last), "the time is not where the last step has ended");
        CHECK(fmu.GetStatus(instance.c, fmi2DoStepStatus, &how) == fmi2OK && how == fmi2Discard,
              "fmi2DoStepStatus is %s after fmi2Discard", status_name(how));
    }
    status = fmu.Terminate(instance.c);
    CHECK(status == fmi2OK, "fmi2Terminate after a run gives %s", status_name(status));
    instance_close(&instance);
}

void test_do_step(void)
{
    if (!description.co_simulation.declared)
        return;
    double h = communication_step(), start = description.start_time;
    check_refused_step("a step of 0", start, 0.0);
    check_refused_step("a step of -0", start, -0.0);
    check_refused_step("a step back", start, -h);
    check_refused_step("a step of NaN", start, NAN);
    check_refused_step("a step without end", start, INFINITY);
    check_refused_step("a point that is NaN", NAN, h);
    check_refused_step("a point without end", INFINITY, h);
    check_refused_step("a gap", start + 0.5 * h, h);
    check_refused_step("a point that is past", start - 0.5 * h, h);
    check_points("multiples of the step", exact);
    check_points("a sum of steps", summed);
    check_points("points off by rounding", off);
    check_stop_time(2.5, 2);
    check_stop_time(3.0, 3);
    check_termination();
}

static size_t all_outputs(fmi2ValueReference **references)
{
    size_t n = 0;
    *references = calloc(description.n_variables + 1, sizeof **references);
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->type == REAL && v->variability == CONTINUOUS && v->causality != INPUT && v->causality != INDEPENDENT)
            (*references)[n++] = v->vr;
    }
    return n;
}

/* Moves all continuous inputs, the same way for the same number. */
static void move(struct Instance *instance, unsigned number)
{
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->causality != INPUT || v->type != REAL || v->variability != CONTINUOUS)
            continue;
        double start = start_of(v), value = start + (another_value(v) - start) * (number % 3) * 0.5;
        fmu.SetReal(instance->c, &v->vr, 1, &value);
    }
}

/* Values that an iteration finds (continuous, no state, with a first guess) are equal up to rounding, because it may
 * begin elsewhere in a co-simulation than in Model Exchange. All others have the same bits. */
static bool same_outputs(const double *a, const double *b, size_t n)
{
    bool iterates = false;
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        iterates = iterates || (v->variability == CONTINUOUS && v->initial == APPROX && !v->is_state);
    }
    for (size_t i = 0; i < n; i++)
        if (iterates ? !(fabs(a[i] - b[i]) <= 1e-12 * (1.0 + fabs(b[i]))) : memcmp(&a[i], &b[i], sizeof *a) != 0)
            return false;
    return true;
}

/* At a communication point, outputs follow inputs without a step: the same values that Model Exchange has for the same
 * time, states and inputs. Only where no event can come between. */
void test_outputs_after_inputs(void)
{
    if (!description.co_simulation.declared || !description.model_exchange.declared)
        return;
    fmi2EventInfo info = {0};
    struct Instance simulated, exchanged;
    if (!begin(&simulated, 0.0, INFINITY) || !instance_open(&exchanged, "exchanged", fmi2ModelExchange, false) ||
        !bring_to(&exchanged, EVENT))
        return;
    event_iteration(&exchanged, &info);
    fmu.EnterContinuousTimeMode(exchanged.c);
    fmi2ValueReference *references, *states = calloc(description.n_states + 1, sizeof *states);
    size_t n = all_outputs(&references);
    double *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b), *x = calloc(description.n_states + 1, sizeof *x);
    for (size_t i = 0; i < description.n_states; i++)
        states[i] = description.variables[description.state_variables[i]].vr;
    for (unsigned number = 0; number < 9; number++) {
        AT("outputs after inputs, number %u", number);
        move(&simulated, number);
        fmi2Status status = fmu.GetReal(simulated.c, references, n, a);
        CHECK(status == fmi2OK, "outputs after new inputs give %s", status_name(status));
        fmu.GetReal(simulated.c, states, description.n_states, x);
        fmu.SetTime(exchanged.c, time_of(&simulated));
        fmu.SetContinuousStates(exchanged.c, x, description.n_states);
        move(&exchanged, number);
        fmu.GetReal(exchanged.c, references, n, b);
        if (description.n_indicators > 0 || pure_discrete_time())
            break;
        CHECK(same_outputs(a, b, n), "outputs after new inputs are not those of Model Exchange, number %u", number);
        if (info.nextEventTimeDefined && info.nextEventTime <= time_of(&simulated) + communication_step() && number % 3 == 2)
            break;
        if (number % 3 == 2 && fmu.DoStep(simulated.c, time_of(&simulated), communication_step(), fmi2True) != fmi2OK)
            break;
    }
    free(references), free(states), free(a), free(b), free(x);
    instance_close(&simulated);
    instance_close(&exchanged);
}

/* Classical Runge-Kutta as Model Exchange over one communication step, fine enough to be a reference. */
static void integrate(struct Instance *instance, double t, double h, double *x)
{
    size_t n = description.n_states;
    double *k[4], *y = calloc(n + 1, sizeof *y);
    for (int i = 0; i < 4; i++)
        k[i] = calloc(n + 1, sizeof(double));
    fmu.SetTime(instance->c, t);
    fmu.SetContinuousStates(instance->c, x, n);
    unsigned steps = (unsigned)ceil(4.0 * h / stable_step(instance, x)) + 20;
    double d = h / steps;
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (unsigned s = 0; s < steps; s++) {
        for (int i = 0; i < 4; i++) {
            for (size_t j = 0; j < n; j++)
                y[j] = x[j] + (i ? at[i] * d * k[i - 1][j] : 0.0);
            fmu.SetTime(instance->c, t + (s + at[i]) * d);
            fmu.SetContinuousStates(instance->c, y, n);
            fmu.GetDerivatives(instance->c, k[i], n);
        }
        for (size_t j = 0; j < n; j++)
            for (int i = 0; i < 4; i++)
                x[j] += d * weight[i] * k[i][j];
    }
    for (int i = 0; i < 4; i++)
        free(k[i]);
    free(y);
}

void test_agreement(void)
{
    fmi2EventInfo info = {0};
    struct Instance simulated, exchanged;
    if (!description.co_simulation.declared || !description.model_exchange.declared || description.n_states == 0 ||
        description.n_indicators > 0)
        return;
    if (!begin(&simulated, 1e-10, INFINITY) || !instance_open(&exchanged, "exchanged", fmi2ModelExchange, false) ||
        !bring_to(&exchanged, EVENT))
        return;
    event_iteration(&exchanged, &info);
    fmu.EnterContinuousTimeMode(exchanged.c);
    size_t n = description.n_states;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), h = communication_step(), t = description.start_time;
    fmi2ValueReference *states = calloc(n, sizeof *states);
    for (size_t i = 0; i < n; i++)
        states[i] = description.variables[description.state_variables[i]].vr;
    fmu.GetContinuousStates(exchanged.c, x, n);
    for (unsigned step = 0; step < 5; step++, t += h) {
        if (info.nextEventTimeDefined && info.nextEventTime <= t + h)
            break;
        AT("both interfaces, step %u", step);
        move(&simulated, step);
        move(&exchanged, step);
        fmi2Status status = fmu.DoStep(simulated.c, t, h, fmi2True);
        if (!CHECK(status == fmi2OK, "fmi2DoStep gives %s", status_name(status)))
            break;
        integrate(&exchanged, t, h, x);
        fmu.GetReal(simulated.c, states, n, y);
        for (size_t i = 0; i < n; i++) {
            const struct Variable *v = &description.variables[description.state_variables[i]];
            CHECK(fabs(x[i] - y[i]) <= 1e-6 * (fabs(x[i]) + v->nominal), "'%s' at %g is %.12g as Co-Simulation, %.12g otherwise",
                  v->name, t + h, y[i], x[i]);
        }
    }
    free(x), free(y), free(states);
    instance_close(&simulated);
    instance_close(&exchanged);
}
