/* A chromatographic column behind two mixing tanks, for Model Exchange: a banded model with an input and exact
 * directional derivatives. Compiled with -DCELLS=n it has 2 + 2 n states.
 *
 *     der(m1)   = (u - m1) / T                        tanks
 *     der(m2)   = (m1 - m2) / T
 *     der(c[i]) = V (c[i-1] - c[i]) + D (c[i-1] - 2 c[i] + c[i+1]) - F r[i]      mobile phase, c[0] = m2
 *     der(q[i]) = r[i],   r[i] = K (H c[i] (1 - q[i]) - q[i])                     adsorbed
 *
 * States in this order: m1, m2, c[1], q[1], c[2], q[2], ... Value references: 0 is u, then the states, then their
 * derivatives.
 */
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { NX = 2 + 2 * CELLS };
static const double T = 0.05, F = 1.5, K = 50, H = 2;
#define V (1.0 * CELLS)
#define D (0.002 * CELLS * CELLS)

typedef struct { double u, x[NX]; } Model;

/* f along a direction if there is one (dx, du), and f itself otherwise. */
static void right(const Model *m, double du, const double *dx, double *out) {
    const double *x = m->x;
    const double *s = dx ? dx : x;
    double u = dx ? du : m->u;
    out[0] = (u - s[0]) / T;
    out[1] = (s[0] - s[1]) / T;
    for (int i = 0; i < CELLS; i++) {
        const int c = 2 + 2 * i, q = c + 1;
        double before = i ? s[c - 2] : s[1], after = i + 1 < CELLS ? s[c + 2] : s[c];
        double r = dx ? K * (H * (s[c] * (1 - x[q]) - x[c] * s[q]) - s[q]) : K * (H * x[c] * (1 - x[q]) - x[q]);
        out[c] = V * (before - s[c]) + D * (before - 2 * s[c] + after) - F * r;
        out[q] = r;
    }
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
    return calloc(1, sizeof(Model));
}
void fmi2FreeInstance(fmi2Component c) { free(c); }

#define NOTHING(name, ...) fmi2Status name(__VA_ARGS__) { (void)c; return fmi2OK; }
NOTHING(fmi2EnterInitializationMode, fmi2Component c)
NOTHING(fmi2ExitInitializationMode, fmi2Component c)
NOTHING(fmi2Terminate, fmi2Component c)
NOTHING(fmi2EnterEventMode, fmi2Component c)
NOTHING(fmi2EnterContinuousTimeMode, fmi2Component c)

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has, fmi2Real tolerance, fmi2Real start, fmi2Boolean ends,
                               fmi2Real stop) {
    (void)c, (void)has, (void)tolerance, (void)start, (void)ends, (void)stop;
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    (void)c;
    memset(info, 0, sizeof *info);
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *event, fmi2Boolean *end) {
    (void)c, (void)no_set;
    *event = *end = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    (void)c, (void)time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    memcpy(((Model *)c)->x, x, nx * sizeof *x);
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    memcpy(x, ((Model *)c)->x, nx * sizeof *x);
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    (void)c;
    for (size_t i = 0; i < nx; i++) x[i] = 1;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t nx) {
    (void)nx;
    right(c, 0, NULL, dx);
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t nz) {
    (void)c, (void)z, (void)nz;
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    Model *m = c;
    double dx[NX];
    right(m, 0, NULL, dx);
    for (size_t i = 0; i < n; i++) value[i] = vr[i] == 0 ? m->u : vr[i] <= NX ? m->x[vr[i] - 1] : dx[vr[i] - 1 - NX];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] == 0) m->u = value[i];
        else if (vr[i] <= NX) m->x[vr[i] - 1] = value[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t nz,
                                        const fmi2ValueReference known[], size_t nv, const fmi2Real seed[],
                                        fmi2Real out[]) {
    double du = 0, dx[NX] = { 0 }, dz[NX];
    for (size_t i = 0; i < nv; i++) {
        if (known[i] == 0) du = seed[i];
        else dx[known[i] - 1] = seed[i];
    }
    right(c, du, dx, dz);
    for (size_t i = 0; i < nz; i++) out[i] = dz[unknown[i] - 1 - NX];
    return fmi2OK;
}
