/* Times the inner loop of a simulation on two FMUs, in turns.
 *
 *   host LOOP race ROUNDS LOOPS  LIBRARY GUID  LIBRARY GUID    prints: ns of the first, ns of the second, ratio
 *   host LOOP count LOOPS        LIBRARY GUID                  only loops, for an instruction count
 *
 * LOOP is `derivatives`: fmi2SetTime + fmi2SetContinuousStates + fmi2GetDerivatives for Model Exchange with two states;
 * or a communication step size: fmi2DoStep for Co-Simulation, from a fresh start in each round. Each round times both
 * libraries, the order changes from round to round, and the median of the rounds' ratios is immune to what else the
 * machine is doing. */
#include "fmi2FunctionTypes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POINTS 64 /* different states, so that no branch predictor knows them by heart */

struct Fmu {
    fmi2Component c;
    fmi2SetTimeTYPE *set_time;
    fmi2SetContinuousStatesTYPE *set_states;
    fmi2GetDerivativesTYPE *get_derivatives;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2ResetTYPE *reset;
    fmi2DoStepTYPE *do_step;
    fmi2GetRealTYPE *get_real;
};

/* The communication step; 0 for Model Exchange. */
static double step_size;

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    (void)environment, (void)category;
    fprintf(stderr, "%s: status %d: %s\n", name, status, message);
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    return found;
}

static void require(fmi2Status status, const char *what)
{
    if (status > fmi2Warning) {
        fprintf(stderr, "%s gives status %d\n", what, status);
        exit(2);
    }
}

static void initialize(const struct Fmu *fmu)
{
    require(fmu->setup(fmu->c, fmi2False, 0.0, 0.0, fmi2True, 1e9), "fmi2SetupExperiment");
    require(fmu->enter(fmu->c), "fmi2EnterInitializationMode");
    require(fmu->leave(fmu->c), "fmi2ExitInitializationMode");
}

static struct Fmu open_fmu(const char *path, const char *guid)
{
    static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    struct Fmu fmu;
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)symbol(library, "fmi2Instantiate");
    fmu.setup = (fmi2SetupExperimentTYPE *)symbol(library, "fmi2SetupExperiment");
    fmu.enter = (fmi2EnterInitializationModeTYPE *)symbol(library, "fmi2EnterInitializationMode");
    fmu.leave = (fmi2ExitInitializationModeTYPE *)symbol(library, "fmi2ExitInitializationMode");
    fmu.c = instantiate("bench", step_size > 0.0 ? fmi2CoSimulation : fmi2ModelExchange, guid, NULL, &callbacks, fmi2False,
                        fmi2False);
    require(fmu.c ? fmi2OK : fmi2Error, "fmi2Instantiate");
    initialize(&fmu);
    if (step_size > 0.0) {
        fmu.reset = (fmi2ResetTYPE *)symbol(library, "fmi2Reset");
        fmu.do_step = (fmi2DoStepTYPE *)symbol(library, "fmi2DoStep");
        fmu.get_real = (fmi2GetRealTYPE *)symbol(library, "fmi2GetReal");
        return fmu;
    }
    fmi2NewDiscreteStatesTYPE *update = (fmi2NewDiscreteStatesTYPE *)symbol(library, "fmi2NewDiscreteStates");
    fmi2EnterContinuousTimeModeTYPE *go =
        (fmi2EnterContinuousTimeModeTYPE *)symbol(library, "fmi2EnterContinuousTimeMode");
    fmu.set_time = (fmi2SetTimeTYPE *)symbol(library, "fmi2SetTime");
    fmu.set_states = (fmi2SetContinuousStatesTYPE *)symbol(library, "fmi2SetContinuousStates");
    fmu.get_derivatives = (fmi2GetDerivativesTYPE *)symbol(library, "fmi2GetDerivatives");
    fmi2EventInfo info;
    require(update(fmu.c, &info), "fmi2NewDiscreteStates");
    require(go(fmu.c), "fmi2EnterContinuousTimeMode");
    return fmu;
}

static double points[POINTS][2];

/* Communication steps from wherever the FMU is; what they lead to shows that both compute the same. */
static double steps(const struct Fmu *fmu, long loops)
{
    static const fmi2ValueReference x = 0;
    double result;
    fmi2Status worst = fmi2OK;
    for (long i = 0; i < loops; i++)
        worst |= fmu->do_step(fmu->c, step_size * (double)i, step_size, fmi2True);
    worst |= fmu->get_real(fmu->c, &x, 1, &result);
    require(worst, "fmi2DoStep");
    return result;
}

/* The loop itself; the sum keeps it from being thrown away and shows that both compute the same. */
static double loop(const struct Fmu *fmu, long loops)
{
    if (step_size > 0.0)
        return steps(fmu, loops);
    double sum = 0.0, dx[2];
    fmi2Status worst = fmi2OK;
    for (long i = 0; i < loops; i++) {
        worst |= fmu->set_time(fmu->c, 1e-6 * (double)i);
        worst |= fmu->set_states(fmu->c, points[i % POINTS], 2);
        worst |= fmu->get_derivatives(fmu->c, dx, 2);
        sum += dx[0] + dx[1];
    }
    require(worst, "the loop");
    return sum;
}

static double timed(const struct Fmu *fmu, long loops, double *sum)
{
    struct timespec begin, end;
    if (step_size > 0.0) {
        require(fmu->reset(fmu->c), "fmi2Reset");
        initialize(fmu);
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    *sum = loop(fmu, loops);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)loops;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return values[n / 2];
}

int main(int argc, char **argv)
{
    for (int i = 0; i < POINTS; i++) {
        points[i][0] = 2.0 - 4.0 * i / POINTS;
        points[i][1] = 1.5 - 3.0 * ((i * 7) % POINTS) / POINTS;
    }
    if (argc > 1 && strcmp(argv[1], "derivatives") != 0)
        step_size = atof(argv[1]);
    if (argc == 6 && strcmp(argv[2], "count") == 0) {
        struct Fmu fmu = open_fmu(argv[4], argv[5]);
        return loop(&fmu, atol(argv[3])) == 0.12345;
    }
    if (argc != 9 || strcmp(argv[2], "race") != 0) {
        fprintf(stderr, "usage: %s LOOP race ROUNDS LOOPS LIBRARY GUID LIBRARY GUID | LOOP count LOOPS LIBRARY GUID\n",
                argv[0]);
        return 2;
    }
    int rounds = atoi(argv[3]);
    long loops = atol(argv[4]);
    struct Fmu a = open_fmu(argv[5], argv[6]), b = open_fmu(argv[7], argv[8]);
    double *of_a = calloc((size_t)rounds, sizeof(double)), *of_b = calloc((size_t)rounds, sizeof(double));
    double *ratios = calloc((size_t)rounds, sizeof(double)), sum_a, sum_b;
    loop(&a, loops), loop(&b, loops);
    for (int i = 0; i < rounds; i++) {
        if (i % 2) {
            of_b[i] = timed(&b, loops, &sum_b);
            of_a[i] = timed(&a, loops, &sum_a);
        } else {
            of_a[i] = timed(&a, loops, &sum_a);
            of_b[i] = timed(&b, loops, &sum_b);
        }
        ratios[i] = of_a[i] / of_b[i];
        if (sum_a != sum_b) {
            fprintf(stderr, "the two FMUs compute different results: %.17g and %.17g\n", sum_a, sum_b);
            return 2;
        }
    }
    printf("%.3f %.3f %.4f\n", median(of_a, rounds), median(of_b, rounds), median(ratios, rounds));
    return 0;
}
