/* Test 24, and the same for inputs: derivatives of outputs, their order bounds, and inputs as curves. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>

static const struct Variable *find(enum Causality causality)
{
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->type == REAL && v->causality == causality && (v->variability == CONTINUOUS || causality == PARAMETER))
            return v;
    }
    return NULL;
}

static void check_order(bool of_inputs, fmi2ValueReference vr, fmi2Integer order, fmi2Status expected, const char *what)
{
    struct Instance instance;
    if (!instance_open(&instance, "orders", fmi2CoSimulation, false) || !bring_to(&instance, STEP_COMPLETE))
        return;
    double value = 0.0;
    AT("%s, order %d", what, order);
    fmi2Status status = of_inputs ? fmu.SetRealInputDerivatives(instance.c, &vr, 1, &order, &value)
                                  : fmu.GetRealOutputDerivatives(instance.c, &vr, 1, &order, &value);
    CHECK(status == expected, "the derivative of order %d of %s gives %s, not %s", order, what, status_name(status),
          status_name(expected));
    if (expected == fmi2Error)
        CHECK(message_of(&instance, fmi2Error) != NULL, "the derivative of order %d of %s is refused without a message", order,
              what);
    instance_close(&instance);
}

/* Taylor's series from the derivatives at a point predicts a short step. */
static void check_prediction(const struct Variable *v)
{
    struct Instance instance;
    if (description.steps.output_order < 2 || description.n_indicators > 0 ||
        !instance_open(&instance, "series", fmi2CoSimulation, false))
        return;
    fmi2Component c = instance.c;
    double h = communication_step(), d = 0.05 * h, t = description.start_time, y[2], derivatives[2];
    fmi2ValueReference vr[2] = {v->vr, v->vr};
    fmi2Integer orders[2] = {1, 2};
    fmi2Status worst = fmu.SetupExperiment(c, fmi2True, 1e-12, t, fmi2False, 0.0);
    worst |= fmu.EnterInitializationMode(c) | fmu.ExitInitializationMode(c);
    worst |= fmu.DoStep(c, t, h, fmi2True);
    worst |= fmu.GetReal(c, vr, 1, &y[0]);
    worst |= fmu.GetRealOutputDerivatives(c, vr, 2, orders, derivatives);
    worst |= fmu.DoStep(c, t + h, d, fmi2True);
    worst |= fmu.GetReal(c, vr, 1, &y[1]);
    CHECK(worst == fmi2OK, "a step and derivatives of '%s' do not give fmi2OK", v->name);
    double predicted = y[0] + d * (derivatives[0] + 0.5 * d * derivatives[1]);
    double bound = 1e-9 * (1.0 + fabs(y[0])) + 1e-2 * fabs(y[1] - y[0]);
    CHECK(fabs(y[1] - predicted) <= bound, "'%s' goes from %.12g to %.12g, its derivatives say %.12g", v->name, y[0], y[1],
          predicted);
    instance_close(&instance);
}

void test_output_derivatives(void)
{
    if (!description.co_simulation.declared)
        return;
    int highest = description.steps.output_order;
    const struct Variable *output = find(OUTPUT), *parameter = find(PARAMETER), *input = find(INPUT);
    CHECK(highest >= 2, "maxOutputDerivativeOrder is %d", highest);
    check_order(false, unknown_reference(REAL), 1, fmi2Error, "a variable that is not there");
    if (parameter)
        check_order(false, parameter->vr, 1, fmi2Error, "a parameter");
    if (input)
        check_order(false, input->vr, 1, fmi2Error, "an input");
    if (!output)
        return;
    for (int order = 1; order <= highest; order++)
        check_order(false, output->vr, order, fmi2OK, "an output");
    check_order(false, output->vr, 0, fmi2Error, "an output");
    check_order(false, output->vr, -1, fmi2Error, "an output");
    check_order(false, output->vr, highest + 1, fmi2Error, "an output");
    for (size_t i = 0, n = 0; i < description.n_variables && n < 20; i++)
        if (description.variables[i].causality == OUTPUT && description.variables[i].type == REAL &&
            description.variables[i].variability == CONTINUOUS) {
            check_prediction(&description.variables[i]);
            n++;
        }
}

/* One input as a parabola, by derivatives in steps of 2h; by values alone in many small steps: all but the same. */
static void check_parabola(const struct Variable *input)
{
    struct Instance curve, stairs;
    double h = communication_step(), t = description.start_time, start = start_of(input);
    double slope = (another_value(input) - start) / (4 * h), bend = slope / (4 * h);
    enum { FINE = 400 };
    if (!instance_open(&curve, "curve", fmi2CoSimulation, false) || !bring_to(&curve, STEP_COMPLETE) ||
        !instance_open(&stairs, "stairs", fmi2CoSimulation, false) || !bring_to(&stairs, STEP_COMPLETE))
        return;
    fmi2Status worst = fmi2OK;
    for (int i = 0; i < 2; i++) {
        double s = 2 * h * i, values[2] = {slope + bend * s, bend}, u = start + s * (slope + 0.5 * bend * s);
        fmi2ValueReference vr[2] = {input->vr, input->vr};
        fmi2Integer orders[2] = {1, 2};
        worst |= fmu.SetReal(curve.c, vr, 1, &u);
        worst |= fmu.SetRealInputDerivatives(curve.c, vr, 2, orders, values);
        worst |= fmu.DoStep(curve.c, t + s, 2 * h, fmi2True);
    }
    for (int i = 0; i < FINE; i++) {
        double d = 4 * h / FINE, s = d * (i + 0.5), u = start + s * (slope + 0.5 * bend * s);
        worst |= fmu.SetReal(stairs.c, &input->vr, 1, &u);
        worst |= fmu.DoStep(stairs.c, t + d * i, d, fmi2True);
    }
    CHECK(worst == fmi2OK, "steps with '%s' as a curve do not give fmi2OK", input->name);
    double end = start + 4 * h * (slope + 0.5 * bend * 4 * h), reached = NAN;
    fmu.GetReal(curve.c, &input->vr, 1, &reached);
    CHECK(fabs(reached - end) <= 1e-9 * (1.0 + fabs(end)), "'%s' ends at %.12g, its curve at %.12g", input->name, reached, end);
    fmu.SetReal(stairs.c, &input->vr, 1, &end);
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        double a, b;
        if (v->type != REAL || v->variability != CONTINUOUS || v->causality == INDEPENDENT)
            continue;
        fmu.GetReal(curve.c, &v->vr, 1, &a);
        fmu.GetReal(stairs.c, &v->vr, 1, &b);
        CHECK(fabs(a - b) <= 1e-3 * (fabs(a) + v->nominal), "'%s' is %.9g for a parabola, %.9g for many steps", v->name, a, b);
    }
    instance_close(&curve);
    instance_close(&stairs);
}

void test_input_derivatives(void)
{
    if (!description.co_simulation.declared)
        return;
    const struct Variable *input = find(INPUT), *output = find(OUTPUT);
    check_order(true, unknown_reference(REAL), 1, fmi2Error, "a variable that is not there");
    if (output)
        check_order(true, output->vr, 1, fmi2Error, "an output");
    if (!input || !description.steps.interpolates)
        return;
    check_order(true, input->vr, 1, fmi2OK, "an input");
    check_order(true, input->vr, 2, fmi2OK, "an input");
    check_order(true, input->vr, 0, fmi2Error, "an input");
    check_order(true, input->vr, -1, fmi2Error, "an input");
    check_order(true, input->vr, 1000, fmi2Error, "an input");
    if (description.n_variables < 400)
        check_parabola(input);
}
