/* Times loops of FMI 3.0 on two FMUs, in turns; see host.c for FMI 2.0.
 *
 *   host_3 LOOP race ROUNDS LOOPS  LIBRARY TOKEN  LIBRARY TOKEN    prints: ns of the first, ns of the second, ratio
 *   host_3 LOOP count LOOPS        LIBRARY TOKEN                   only loops, for an instruction count
 *
 * LOOP is one of
 *   derivatives              fmi3SetTime + fmi3SetContinuousStates + fmi3GetContinuousStateDerivatives, with two states
 *   STEP                     a communication step size: fmi3DoStep, from a fresh start in each round
 *   evaluate                 fmi3SetContinuousStates + fmi3GetContinuousStateDerivatives, with as many states as there are
 *   output:REFERENCE         fmi3SetContinuousStates + fmi3GetFloat64 of one value
 *   adjoint:REFERENCE:SEEDS:REFERENCE,REFERENCE,...:SENSITIVITIES
 *                            fmi3GetAdjointDerivative: the unknown and the number of its values, the knowns and that of theirs
 */
#include "fmi3FunctionTypes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POINTS 64 /* different states, so that no branch predictor knows them by heart */
#define MOST_KNOWNS 1024

enum Kind { DERIVATIVES, STEPS, EVALUATE, OUTPUT, ADJOINT };

struct Fmu {
    fmi3Instance c;
    fmi3SetTimeTYPE *set_time;
    fmi3SetContinuousStatesTYPE *set_states;
    fmi3GetContinuousStateDerivativesTYPE *get_derivatives;
    fmi3EnterInitializationModeTYPE *enter;
    fmi3ExitInitializationModeTYPE *leave;
    fmi3ResetTYPE *reset;
    fmi3DoStepTYPE *do_step;
    fmi3GetFloat64TYPE *get_float64;
    fmi3GetAdjointDerivativeTYPE *get_adjoint;
    size_t states;
    double *x, *dx;
};

static enum Kind kind;
static double step_size; /* for STEPS */
static fmi3ValueReference unknown, knowns[MOST_KNOWNS];
static size_t known_count, seed_count, sensitivity_count;
static double *seed, *sensitivity;

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment, (void)category;
    fprintf(stderr, "status %d: %s\n", status, message);
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

static void require(fmi3Status status, const char *what)
{
    if (status > fmi3Warning) {
        fprintf(stderr, "%s gives status %d\n", what, status);
        exit(2);
    }
}

static void initialize(const struct Fmu *fmu)
{
    require(fmu->enter(fmu->c, fmi3False, 0.0, 0.0, fmi3True, 1e9), "fmi3EnterInitializationMode");
    require(fmu->leave(fmu->c), "fmi3ExitInitializationMode");
}

static struct Fmu open_fmu(const char *path, const char *token)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    struct Fmu fmu = {0};
    fmu.enter = (fmi3EnterInitializationModeTYPE *)symbol(library, "fmi3EnterInitializationMode");
    fmu.leave = (fmi3ExitInitializationModeTYPE *)symbol(library, "fmi3ExitInitializationMode");
    fmu.reset = (fmi3ResetTYPE *)symbol(library, "fmi3Reset");
    fmu.do_step = (fmi3DoStepTYPE *)symbol(library, "fmi3DoStep");
    fmu.get_float64 = (fmi3GetFloat64TYPE *)symbol(library, "fmi3GetFloat64");
    if (kind == STEPS) {
        fmi3InstantiateCoSimulationTYPE *instantiate =
            (fmi3InstantiateCoSimulationTYPE *)symbol(library, "fmi3InstantiateCoSimulation");
        fmu.c = instantiate("bench", token, NULL, fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0, NULL, logger, NULL);
        require(fmu.c ? fmi3OK : fmi3Error, "fmi3InstantiateCoSimulation");
        initialize(&fmu);
        return fmu;
    }
    fmi3InstantiateModelExchangeTYPE *instantiate =
        (fmi3InstantiateModelExchangeTYPE *)symbol(library, "fmi3InstantiateModelExchange");
    fmu.c = instantiate("bench", token, NULL, fmi3False, fmi3False, NULL, logger);
    require(fmu.c ? fmi3OK : fmi3Error, "fmi3InstantiateModelExchange");
    initialize(&fmu);
    fmi3UpdateDiscreteStatesTYPE *update = (fmi3UpdateDiscreteStatesTYPE *)symbol(library, "fmi3UpdateDiscreteStates");
    fmi3EnterContinuousTimeModeTYPE *go =
        (fmi3EnterContinuousTimeModeTYPE *)symbol(library, "fmi3EnterContinuousTimeMode");
    fmi3GetNumberOfContinuousStatesTYPE *count =
        (fmi3GetNumberOfContinuousStatesTYPE *)symbol(library, "fmi3GetNumberOfContinuousStates");
    fmi3GetContinuousStatesTYPE *get_states = (fmi3GetContinuousStatesTYPE *)symbol(library, "fmi3GetContinuousStates");
    fmu.set_time = (fmi3SetTimeTYPE *)symbol(library, "fmi3SetTime");
    fmu.set_states = (fmi3SetContinuousStatesTYPE *)symbol(library, "fmi3SetContinuousStates");
    fmu.get_derivatives =
        (fmi3GetContinuousStateDerivativesTYPE *)symbol(library, "fmi3GetContinuousStateDerivatives");
    fmu.get_adjoint = (fmi3GetAdjointDerivativeTYPE *)symbol(library, "fmi3GetAdjointDerivative");
    fmi3Boolean needed, terminate, nominals, values, defined;
    fmi3Float64 next;
    require(update(fmu.c, &needed, &terminate, &nominals, &values, &defined, &next), "fmi3UpdateDiscreteStates");
    require(count(fmu.c, &fmu.states), "fmi3GetNumberOfContinuousStates");
    require(go(fmu.c), "fmi3EnterContinuousTimeMode");
    fmu.x = calloc(fmu.states + 1, sizeof(double));
    fmu.dx = calloc(fmu.states + 1, sizeof(double));
    require(get_states(fmu.c, fmu.x, fmu.states), "fmi3GetContinuousStates");
    if (kind == DERIVATIVES && fmu.states != 2) {
        fprintf(stderr, "the loop of derivatives has two states\n");
        exit(2);
    }
    return fmu;
}

static double points[POINTS][2];

/* Communication steps from wherever the FMU is; what they lead to shows that both compute the same. */
static double steps(const struct Fmu *fmu, long loops)
{
    static const fmi3ValueReference x = 0;
    fmi3Boolean event, terminate, early;
    fmi3Float64 last, result;
    fmi3Status worst = fmi3OK;
    for (long i = 0; i < loops; i++)
        worst |= fmu->do_step(fmu->c, step_size * (double)i, step_size, fmi3True, &event, &terminate, &early, &last);
    worst |= fmu->get_float64(fmu->c, &x, 1, &result, 1);
    require(worst, "fmi3DoStep");
    return result;
}

/* The loop itself; the sum keeps it from being thrown away and shows that both compute the same. */
static double loop(const struct Fmu *fmu, long loops)
{
    double sum = 0.0, dx[2], y;
    fmi3Status worst = fmi3OK;
    switch (kind) {
    case STEPS:
        return steps(fmu, loops);
    case DERIVATIVES:
        for (long i = 0; i < loops; i++) {
            worst |= fmu->set_time(fmu->c, 1e-6 * (double)i);
            worst |= fmu->set_states(fmu->c, points[i % POINTS], 2);
            worst |= fmu->get_derivatives(fmu->c, dx, 2);
            sum += dx[0] + dx[1];
        }
        break;
    case EVALUATE:
        for (long i = 0; i < loops; i++) {
            fmu->x[0] += 1e-9;
            worst |= fmu->set_states(fmu->c, fmu->x, fmu->states);
            worst |= fmu->get_derivatives(fmu->c, fmu->dx, fmu->states);
            sum += fmu->dx[0];
        }
        break;
    case OUTPUT:
        for (long i = 0; i < loops; i++) {
            fmu->x[0] += 1e-9;
            worst |= fmu->set_states(fmu->c, fmu->x, fmu->states);
            worst |= fmu->get_float64(fmu->c, &unknown, 1, &y, 1);
            sum += y;
        }
        break;
    case ADJOINT:
        for (long i = 0; i < loops; i++) {
            worst |= fmu->get_adjoint(fmu->c, &unknown, 1, knowns, known_count, seed, seed_count, sensitivity,
                                      sensitivity_count);
            sum += sensitivity[0];
        }
        break;
    }
    require(worst, "the loop");
    return sum;
}

static double timed(const struct Fmu *fmu, long loops, double *sum)
{
    struct timespec begin, end;
    if (kind == STEPS) {
        require(fmu->reset(fmu->c), "fmi3Reset");
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

static int read_loop(char *text)
{
    char *part = strtok(text, ":");
    if (!part)
        return 0;
    if (strcmp(part, "derivatives") == 0) {
        kind = DERIVATIVES;
        return 1;
    }
    if (strcmp(part, "evaluate") == 0) {
        kind = EVALUATE;
        return 1;
    }
    if (strcmp(part, "output") == 0) {
        kind = OUTPUT;
        part = strtok(NULL, ":");
        return part && (unknown = (fmi3ValueReference)strtoul(part, NULL, 10), 1);
    }
    if (strcmp(part, "adjoint") == 0) {
        kind = ADJOINT;
        char *reference = strtok(NULL, ":"), *seeds = strtok(NULL, ":");
        char *list = strtok(NULL, ":"), *sensitivities = strtok(NULL, ":");
        if (!sensitivities)
            return 0;
        unknown = (fmi3ValueReference)strtoul(reference, NULL, 10);
        seed_count = strtoul(seeds, NULL, 10);
        sensitivity_count = strtoul(sensitivities, NULL, 10);
        for (part = strtok(list, ","); part && known_count < MOST_KNOWNS; part = strtok(NULL, ","))
            knowns[known_count++] = (fmi3ValueReference)strtoul(part, NULL, 10);
        seed = calloc(seed_count + 1, sizeof(double));
        sensitivity = calloc(sensitivity_count + 1, sizeof(double));
        for (size_t i = 0; i < seed_count; i++)
            seed[i] = 1.0 + 0.001 * (double)(i % 7);
        return 1;
    }
    kind = STEPS;
    step_size = atof(part);
    return step_size > 0.0;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < POINTS; i++) {
        points[i][0] = 2.0 - 4.0 * i / POINTS;
        points[i][1] = 1.5 - 3.0 * ((i * 7) % POINTS) / POINTS;
    }
    int is_read = argc > 1 && read_loop(argv[1]);
    if (is_read && argc == 6 && strcmp(argv[2], "count") == 0) {
        struct Fmu fmu = open_fmu(argv[4], argv[5]);
        return loop(&fmu, atol(argv[3])) == 0.12345;
    }
    if (!is_read || argc != 9 || strcmp(argv[2], "race") != 0) {
        fprintf(stderr, "usage: %s LOOP race ROUNDS LOOPS LIBRARY TOKEN LIBRARY TOKEN | LOOP count LOOPS LIBRARY TOKEN\n",
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
