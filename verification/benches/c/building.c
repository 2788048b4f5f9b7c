/* A building of 16 heated rooms, for Model Exchange: stiff, and full of events. Each room has five states:
 *
 *     a  air             CA der(a) = KR (r - a) + GW (out - a) + conv(w - a) + GN sum(a' - a) + gains
 *     s  its sensor      TS der(s) = a - s                      seconds, against days of the walls
 *     r  its radiator    CR der(r) = P on - KR (r - a)
 *     w  the wall inside     CW der(w) = GL (o - w) - conv(w - a) + sun
 *     o  the wall outside    CW der(o) = GL (w - o) + GO (out - o)
 *
 * Thermostats switch with a hysteresis of the sensor (state events); set points change morning and evening, people come
 * and go every hour, and the sun rises and sets (time events). Convection goes with the power 4/3 of the difference.
 * There are no directional derivatives and no dependencies, as in many FMUs.
 *
 * Value references: states in the order above, room by room, then their derivatives.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { ROOMS = 16, WIDTH = 4, PARTS = 5, NX = ROOMS * PARTS };
enum { AIR, SENSOR, RADIATOR, INSIDE, OUTSIDE };
static const double DAY = 86400, HOUR = 3600;
static const double CA = 2e5, CR = 8e4, CW = 4e6, TS = 0.5, KR = 40, GW = 12, GN = 25, GL = 150, GO = 60, P = 2500;

typedef struct {
    double time, x[NX], next;
    int on[ROOMS], people[ROOMS], sun;
} Model;

static double outdoors(double time) { return 2 - 5 * cos(2 * acos(-1) * time / DAY); }

/* By day from six in the morning, and a bit later from room to room, to ten in the evening. */
static double morning(int room) { return 6 * HOUR + 300 * room; }
static double evening(int room) { return 22 * HOUR + 240 * room; }

static double set_point(const Model *m, int room) {
    double hour = fmod(m->time + 1e-6, DAY);
    return hour >= morning(room) && hour < evening(room) ? 21 : 17;
}

static double convection(double difference) {
    return 30 * difference * cbrt(fabs(difference));
}

static void derivatives(const Model *m, double *dx) {
    double out = outdoors(m->time);
    double sun = m->sun ? 400 * sin(acos(-1) * (fmod(m->time, DAY) - 6 * HOUR) / (12 * HOUR)) : 0;
    for (int i = 0; i < ROOMS; i++) {
        const double *x = m->x + PARTS * i;
        double *d = dx + PARTS * i, neighbours = 0;
        if (i % WIDTH > 0) neighbours += x[AIR - PARTS] - x[AIR];
        if (i % WIDTH + 1 < WIDTH) neighbours += x[AIR + PARTS] - x[AIR];
        if (i >= WIDTH) neighbours += x[AIR - PARTS * WIDTH] - x[AIR];
        if (i + WIDTH < ROOMS) neighbours += x[AIR + PARTS * WIDTH] - x[AIR];
        double heat = KR * (x[RADIATOR] - x[AIR]), wall = convection(x[INSIDE] - x[AIR]);
        d[AIR] = (heat + GW * (out - x[AIR]) + wall + GN * neighbours + 100 * m->people[i]) / CA;
        d[SENSOR] = (x[AIR] - x[SENSOR]) / TS;
        d[RADIATOR] = (P * (1 + 0.02 * i) * m->on[i] - heat) / CR;
        d[INSIDE] = (GL * (x[OUTSIDE] - x[INSIDE]) - wall + sun) / CW;
        d[OUTSIDE] = (GL * (x[INSIDE] - x[OUTSIDE]) + GO * (out - x[OUTSIDE])) / CW;
    }
}

/* How far the sensor is from where the thermostat switches next. */
static double indicator(const Model *m, int room) {
    return m->x[PARTS * room + SENSOR] - set_point(m, room) + (m->on[room] ? -0.5 : 0.5);
}

static void schedule(Model *m) {
    double time = m->time + 1e-6, day = DAY * floor(time / DAY), hour = floor((time - day) / HOUR);
    m->sun = hour >= 6 && hour < 18;
    m->next = day + (hour + 1) * HOUR;
    for (int i = 0; i < ROOMS; i++) {
        /* Someone or nobody, without a pattern to see. */
        unsigned number = 2654435761u * (unsigned)(24 * (int)(day / DAY) + (int)hour + 1000 * i + 1);
        m->people[i] = (number >> 16) % 3;
        const double changes[] = { day + morning(i), day + evening(i) };
        for (int k = 0; k < 2; k++) if (changes[k] > time && changes[k] < m->next) m->next = changes[k];
    }
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
    Model *m = calloc(1, sizeof *m);
    for (int i = 0; i < NX; i++) m->x[i] = i % PARTS == OUTSIDE ? 8 : 16 + 0.1 * (i / PARTS);
    return m;
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
    (void)has, (void)tolerance, (void)ends, (void)stop;
    ((Model *)c)->time = start;
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Model *m = c;
    schedule(m);
    for (int i = 0; i < ROOMS; i++) {
        double from = m->x[PARTS * i + SENSOR] - set_point(m, i);
        /* A crossing is found to a rounding or two. */
        if (m->on[i] ? from > 0.5 - 1e-9 : from < -0.5 + 1e-9) m->on[i] = !m->on[i];
    }
    memset(info, 0, sizeof *info);
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = m->next;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *event, fmi2Boolean *end) {
    (void)c, (void)no_set;
    *event = *end = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ((Model *)c)->time = time;
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
    derivatives(c, dx);
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t nz) {
    for (size_t i = 0; i < nz; i++) z[i] = indicator(c, (int)i);
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    Model *m = c;
    double dx[NX];
    derivatives(m, dx);
    for (size_t i = 0; i < n; i++) value[i] = vr[i] < NX ? m->x[vr[i]] : dx[vr[i] - NX];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    for (size_t i = 0; i < n; i++) if (vr[i] < NX) ((Model *)c)->x[vr[i]] = value[i];
    return fmi2OK;
}

/* FMPy loads every function of the standard. */
#define REFUSED(name, ...) fmi2Status name(fmi2Component c, __VA_ARGS__) { (void)c; return fmi2Error; }
REFUSED(fmi2SetDebugLogging, fmi2Boolean on, size_t n, const fmi2String categories[])
REFUSED(fmi2GetInteger, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])
REFUSED(fmi2GetBoolean, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[])
REFUSED(fmi2GetString, const fmi2ValueReference vr[], size_t n, fmi2String value[])
REFUSED(fmi2SetInteger, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[])
REFUSED(fmi2SetBoolean, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[])
REFUSED(fmi2SetString, const fmi2ValueReference vr[], size_t n, const fmi2String value[])
REFUSED(fmi2GetFMUstate, fmi2FMUstate *state)
REFUSED(fmi2SetFMUstate, fmi2FMUstate state)
REFUSED(fmi2FreeFMUstate, fmi2FMUstate *state)
REFUSED(fmi2SerializedFMUstateSize, fmi2FMUstate state, size_t *size)
REFUSED(fmi2SerializeFMUstate, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
REFUSED(fmi2DeSerializeFMUstate, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
REFUSED(fmi2GetDirectionalDerivative, const fmi2ValueReference z[], size_t nz, const fmi2ValueReference v[], size_t nv,
        const fmi2Real seed[], fmi2Real out[])
fmi2Status fmi2Reset(fmi2Component c) {
    (void)c;
    return fmi2Error;
}
