/* Test 19, its sharpest part: the bouncing ball makes one event per bounce and none once it rests. Only for the FMU
 * 'BouncingBall'; the closed form is a parabola between bounces. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>

static double g, e;

/* The parabola from (t0, h0, v0): exact, so that the only error is that of the event location. */
static void fly(double dt, double h0, double v0, double x[2])
{
    x[0] = h0 + v0 * dt + 0.5 * g * dt * dt;
    x[1] = v0 + g * dt;
}

static double indicator(struct Instance *instance, double t, const double x[2])
{
    double z = NAN;
    fmu.SetTime(instance->c, t);
    fmu.SetContinuousStates(instance->c, x, 2);
    fmu.GetEventIndicators(instance->c, &z, 1);
    return z;
}

/* Steps of `step` until t = 3 with bisection down to `precision`; counts the events. */
static void bounce(double step, double precision)
{
    struct Instance instance;
    if (!instance_open(&instance, "ball", fmi2ModelExchange, false) || !bring_to(&instance, CONTINUOUS_TIME))
        return;
    double x[2], x0[2], z_before = NAN, resting = 0.0;
    fmu.GetContinuousStates(instance.c, x0, 2);
    fmu.GetEventIndicators(instance.c, &z_before, 1);
    get_number(instance.c, variable("g"), &g);
    get_number(instance.c, variable("e"), &e);
    double t0 = 0.0, t = 0.0, impact = sqrt(-2.0 * g * x0[0]), end = 3.0, t_bounce = impact / -g;
    int events = 0, expected = 0;
    for (double v = e * impact; ; v *= e) {
        expected++;
        if (v < 1e-3)
            break;
    }
    while (t < end) {
        double t_new = fmin(t + step, end);
        fly(t_new - t0, x0[0], x0[1], x);
        if (resting) {
            x[0] = x0[0];
            x[1] = x0[1];
        }
        double z = indicator(&instance, t_new, x);
        if ((z > 0.0) != (z_before > 0.0)) {
            double low = t, high = t_new;
            while (high - low > precision && 0.5 * (low + high) > low && 0.5 * (low + high) < high) {
                double middle = 0.5 * (low + high);
                fly(middle - t0, x0[0], x0[1], x);
                if ((indicator(&instance, middle, x) > 0.0) != (z_before > 0.0))
                    high = middle;
                else
                    low = middle;
            }
            t_new = high;
            fly(t_new - t0, x0[0], x0[1], x);
            indicator(&instance, t_new, x);
            fmi2EventInfo info;
            fmi2Boolean a, b;
            fmu.CompletedIntegratorStep(instance.c, fmi2True, &a, &b);
            fmu.EnterEventMode(instance.c);
            event_iteration(&instance, &info);
            fmu.EnterContinuousTimeMode(instance.c);
            fmu.GetContinuousStates(instance.c, x0, 2);
            events++;
            if (events <= 10)
                CHECK(fabs(t_new - t_bounce) <= 1e-9 + 20.0 * precision,
                      "bounce %d is at %.12g, in closed form at %.12g", events, t_new, t_bounce);
            t_bounce += 2.0 * impact * pow(e, events) / -g;
            t0 = t_new;
            get_number(instance.c, variable("resting"), &resting);
            CHECK(events == expected || !resting, "the ball rests after %d bounces, not %d", events, expected);
            if (!CHECK(events <= expected + 5, "more events than bounces: %d, last at %.12g", events, t_new))
                break;
            fmu.GetEventIndicators(instance.c, &z, 1);
            CHECK(z > 0.0, "after bounce %d the indicator is %g", events, z);
        } else {
            fmi2Boolean a, b;
            fmu.CompletedIntegratorStep(instance.c, fmi2True, &a, &b);
        }
        z_before = z;
        t = t_new;
    }
    CHECK(events == expected, "steps of %g located to %g: %d events for %d bounces", step, precision, events, expected);
    CHECK(resting == 1.0 && x0[0] == 0.0 && x0[1] == 0.0, "at the end the ball is at %g with %g m/s, resting %g", x0[0],
          x0[1], resting);
    instance_close(&instance);
}

void test_bouncing_ball(void)
{
    static const double precisions[] = {1e-6, 1e-9, 1e-12, 0.0};
    for (int i = 0; i < 4; i++) {
        bounce(1e-2, precisions[i]);
        bounce(1e-4, precisions[i]);
    }
}
