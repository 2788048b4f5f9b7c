/* A small simulation in the manner of the standard's own pseudocode (FMI 2.0.5, 3.2.4 and 4.2.3): as Model Exchange by
 * forward Euler, events by the change of sign; every value seen is folded into a digest, a digest a step. */
#include "check.h"
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS (sizeof((struct Run *)0)->trace / sizeof(uint64_t))

static uint64_t fold(uint64_t digest, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static uint64_t fold_reals(uint64_t digest, const double *values, size_t n)
{
    return fold(digest, values, n * sizeof *values);
}

static void worsen(fmi2Status *worst, fmi2Status status)
{
    if (status > *worst)
        *worst = status;
}

uint64_t digest_of_values(fmi2Component c, uint64_t digest, fmi2Status *worst)
{
    enum { CHUNK = 256 };
    for (int type = 0; type < TYPES; type++) {
        fmi2ValueReference vr[CHUNK];
        size_t n = 0;
        for (size_t i = 0; i <= description.n_variables; i++) {
            if (i < description.n_variables && (int)description.variables[i].type == type)
                vr[n++] = description.variables[i].vr;
            if (n == 0 || (n < CHUNK && i < description.n_variables))
                continue;
            if (type == REAL) {
                double values[CHUNK] = {0};
                worsen(worst, fmu.GetReal(c, vr, n, values));
                digest = fold_reals(digest, values, n);
            } else if (type == STRING) {
                fmi2String values[CHUNK] = {0};
                worsen(worst, fmu.GetString(c, vr, n, values));
                for (size_t k = 0; k < n; k++)
                    digest = fold(digest, values[k] ? values[k] : "", values[k] ? strlen(values[k]) + 1 : 1);
            } else {
                fmi2Integer values[CHUNK] = {0};
                worsen(worst, (type == INTEGER ? fmu.GetInteger : fmu.GetBoolean)(c, vr, n, values));
                digest = fold(digest, values, n * sizeof *values);
            }
            n = 0;
        }
    }
    return digest;
}

unsigned affordable_steps(void)
{
    size_t weight = description.n_variables + 10;
    size_t steps = 40000 / weight;
    return steps < 10 ? 10 : steps > 300 ? 300 : (unsigned)steps;
}

/* A step for which forward Euler is stable: the largest growth of the derivatives under a small disturbance,
 * by a few rounds of power iteration. Deterministic, so that equal runs stay equal. */
double stable_step(struct Instance *instance, const double *x)
{
    size_t nx = description.n_states;
    double span = description.stop_time - description.start_time;
    double h = span / 250.0;
    if (nx == 0)
        return h;
    double *v = malloc(nx * sizeof *v), *y = malloc(nx * sizeof *y), *f = malloc(nx * sizeof *f);
    double *dx = malloc(nx * sizeof *dx);
    fmi2Component c = instance->c;
    for (size_t i = 0; i < nx; i++)
        v[i] = i % 2 ? -1.0 : 1.0;
    double growth = 0.0;
    fmu.GetDerivatives(c, dx, nx);
    for (int round = 0; round < 8; round++) {
        double norm = 0.0;
        for (size_t i = 0; i < nx; i++)
            norm = fmax(norm, fabs(v[i]));
        if (!(norm > 0.0) || !isfinite(norm))
            break;
        const double epsilon = 1e-6;
        for (size_t i = 0; i < nx; i++)
            y[i] = x[i] + epsilon * v[i] / norm;
        if (fmu.SetContinuousStates(c, y, nx) > fmi2Warning || fmu.GetDerivatives(c, f, nx) > fmi2Warning)
            break;
        double size = 0.0;
        for (size_t i = 0; i < nx; i++) {
            v[i] = (f[i] - dx[i]) / epsilon;
            size = fmax(size, fabs(v[i]));
        }
        growth = fmax(growth, size);
    }
    fmu.SetContinuousStates(c, x, nx);
    free(v);
    free(y);
    free(f);
    free(dx);
    return growth > 0.0 && isfinite(growth) ? fmin(h, 0.5 / growth) : h;
}

double communication_step(void)
{
    /* A large model makes few steps in a test: short ones, to see it move. */
    double steps = description.n_variables > 400 ? 2500.0 : 250.0;
    return (description.stop_time - description.start_time) / steps;
}

static void take_event_info(struct Run *run, const fmi2EventInfo *info)
{
    run->next_defined = info->nextEventTimeDefined;
    run->t_next = info->nextEventTime;
    run->over = info->terminateSimulation;
}

/* Inputs move, so that what is cached must be thrown away. */
static void move_inputs(struct Run *run)
{
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->causality != INPUT || v->type != REAL || v->variability != CONTINUOUS)
            continue;
        double start = start_of(v), other = another_value(v);
        double value = start + (other - start) * ((run->step % 17) / 16.0);
        worsen(&run->worst, fmu.SetReal(run->instance->c, &v->vr, 1, &value));
    }
}

bool run_begin(struct Run *run, struct Instance *instance)
{
    size_t nx = description.n_states, nz = description.n_indicators;
    memset(run, 0, sizeof *run);
    run->instance = instance;
    run->digest = UINT64_C(0xcbf29ce484222325);
    run->t = description.start_time;
    run->x = calloc(nx + 1, sizeof(double));
    run->dx = calloc(nx + 1, sizeof(double));
    run->z = calloc(nz + 1, sizeof(double));
    run->z_before = calloc(nz + 1, sizeof(double));
    fmi2Component c = instance->c;
    fmi2EventInfo info;
    worsen(&run->worst, fmu.SetupExperiment(c, fmi2False, 0.0, run->t, fmi2False, 0.0));
    worsen(&run->worst, fmu.EnterInitializationMode(c));
    run->digest = digest_of_values(c, run->digest, &run->worst);
    worsen(&run->worst, fmu.ExitInitializationMode(c));
    if (instance->type == fmi2ModelExchange) {
        worsen(&run->worst, event_iteration(instance, &info));
        worsen(&run->worst, fmu.EnterContinuousTimeMode(c));
        worsen(&run->worst, fmu.GetContinuousStates(c, run->x, nx));
        worsen(&run->worst, fmu.GetEventIndicators(c, run->z_before, nz));
        take_event_info(run, &info);
    }
    if (!CHECK(run->worst <= fmi2Warning, "initialization gives %s: %s", status_name(run->worst),
               instance->n_messages ? instance->messages[0].text : "no message"))
        return false;
    run->h = instance->type == fmi2ModelExchange ? stable_step(instance, run->x) : communication_step();
    return !run->over;
}

static bool check_step(struct Run *run)
{
    run->trace[run->step++] = run->digest;
    if (run->worst > fmi2Warning) {
        const struct Message *m = message_of(run->instance, fmi2Warning);
        CHECK(false, "step %u at time %g gives %s: %s", run->step, run->t, status_name(run->worst),
              m ? m->text : "no message");
        run->over = true;
    }
    return !run->over;
}

/* One communication step. */
static bool do_step(struct Run *run)
{
    fmi2Component c = run->instance->c;
    fmi2Boolean terminated = fmi2False;
    move_inputs(run);
    fmi2Status status = fmu.DoStep(c, run->t, run->h, fmi2True);
    if (status == fmi2Discard && fmu.GetBooleanStatus(c, fmi2Terminated, &terminated) == fmi2OK && terminated) {
        worsen(&run->worst, fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &run->t));
        run->over = true;
    } else {
        worsen(&run->worst, status);
        run->t += run->h;
    }
    run->digest = fold_reals(run->digest, &run->t, 1);
    run->digest = digest_of_values(c, run->digest, &run->worst);
    return check_step(run);
}

bool run_step(struct Run *run)
{
    if (run->over || run->step == MAX_STEPS)
        return false;
    if (run->instance->type == fmi2CoSimulation)
        return do_step(run);
    size_t nx = description.n_states, nz = description.n_indicators;
    fmi2Component c = run->instance->c;
    fmi2Boolean enter_event_mode = fmi2False, terminate = fmi2False;

    worsen(&run->worst, fmu.GetDerivatives(c, run->dx, nx));
    bool time_event = run->next_defined && run->t_next <= run->t + run->h;
    double h = time_event ? run->t_next - run->t : run->h;
    run->t = time_event ? run->t_next : run->t + h;
    for (size_t i = 0; i < nx; i++)
        run->x[i] += h * run->dx[i];
    worsen(&run->worst, fmu.SetTime(c, run->t));
    worsen(&run->worst, fmu.SetContinuousStates(c, run->x, nx));
    move_inputs(run);
    worsen(&run->worst, fmu.GetEventIndicators(c, run->z, nz));
    bool state_event = false;
    for (size_t i = 0; i < nz; i++)
        state_event |= (run->z[i] > 0.0) != (run->z_before[i] > 0.0);
    worsen(&run->worst, fmu.CompletedIntegratorStep(c, fmi2True, &enter_event_mode, &terminate));
    run->over |= terminate;

    if (!run->over && (time_event || state_event || enter_event_mode)) {
        fmi2EventInfo info;
        run->events++;
        worsen(&run->worst, fmu.EnterEventMode(c));
        run->digest = digest_of_values(c, run->digest, &run->worst);
        worsen(&run->worst, event_iteration(run->instance, &info));
        take_event_info(run, &info);
        if (!run->over) {
            worsen(&run->worst, fmu.EnterContinuousTimeMode(c));
            worsen(&run->worst, fmu.GetContinuousStates(c, run->x, nx));
        }
    }
    if (!run->over)
        worsen(&run->worst, fmu.GetEventIndicators(c, run->z_before, nz));
    run->digest = fold_reals(run->digest, &run->t, 1);
    run->digest = fold_reals(run->digest, run->x, nx);
    run->digest = fold_reals(run->digest, run->dx, nx);
    run->digest = fold_reals(run->digest, run->z_before, nz);
    run->digest = digest_of_values(c, run->digest, &run->worst);
    return check_step(run);
}

void run_end(struct Run *run)
{
    free(run->x);
    free(run->dx);
    free(run->z);
    free(run->z_before);
    memset(run, 0, sizeof *run);
}

unsigned run_whole(struct Instance *instance, unsigned steps, uint64_t trace[])
{
    struct Run run;
    bool going = run_begin(&run, instance);
    while (going && run.step < steps)
        going = run_step(&run);
    unsigned done = run.step;
    memcpy(trace, run.trace, done * sizeof(uint64_t));
    run_end(&run);
    return done;
}

int first_difference(const uint64_t a[], const uint64_t b[], unsigned steps)
{
    for (unsigned i = 0; i < steps; i++)
        if (a[i] != b[i])
            return (int)i;
    return -1;
}
