/* Tests 18, 22 and 25: many instances, threads, the same bits every time, and nothing left behind. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 100
#define SMALL_STACK (2u << 20)

static uint64_t reference[512];
static unsigned reference_steps;

static bool make_reference(unsigned steps)
{
    struct Instance instance;
    if (!instance_open(&instance, "reference", tested, false))
        return false;
    reference_steps = run_whole(&instance, steps, reference);
    instance_close(&instance);
    return CHECK(reference_steps > 0, "the reference run made no step");
}

static bool equals_reference(struct Instance *instance)
{
    uint64_t trace[512];
    unsigned done = run_whole(instance, reference_steps, trace);
    return done == reference_steps && first_difference(reference, trace, done) < 0;
}

void test_determinism(void)
{
    if (!interface_of(tested)->declared || !make_reference(affordable_steps()))
        return;
    for (int i = 0; i < 3; i++) {
        struct Instance instance;
        if (!instance_open(&instance, "again", tested, false))
            return;
        CHECK(equals_reference(&instance), "the same run on a new instance gives other bits");
        instance_close(&instance);
    }
}

static void interleave(size_t n)
{
    struct Instance *instances = calloc(n, sizeof *instances);
    struct Run *runs = calloc(n, sizeof *runs);
    for (size_t i = 0; i < n; i++)
        if (!instance_open(&instances[i], "interleaved", tested, false) ||
            (!run_begin(&runs[i], &instances[i]) && reference_steps > 0))
            return;
    for (unsigned step = 0; step < reference_steps; step++)
        for (size_t i = 0; i < n; i++)
            run_step(&runs[i]);
    for (size_t i = 0; i < n; i++) {
        int at = first_difference(reference, runs[i].trace, reference_steps);
        CHECK(runs[i].step == reference_steps && at < 0, "instance %zu of %zu differs from the one alone at step %d", i,
              n, at);
        run_end(&runs[i]);
    }
    for (size_t i = 0; i < n; i++)
        instance_close(&instances[i]);
    free(instances);
    free(runs);
}

void test_interleaved_instances(void)
{
    if (!interface_of(tested)->declared || !make_reference(affordable_steps()))
        return;
    interleave(2);
    interleave(MANY);
    /* An error in one leaves the others alone. */
    struct Instance good, bad;
    if (!instance_open(&good, "good", tested, false) || !instance_open(&bad, "bad", tested, false))
        return;
    provoke_error(&bad);
    CHECK(equals_reference(&good), "an error in one instance changes another");
    CHECK(good.n_messages == 0, "the message of one instance reached the environment of another");
    instance_close(&good);
    instance_close(&bad);
}

static pthread_t start_thread(void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    if (pthread_create(&thread, &attributes, function, argument) != 0) {
        perror("pthread_create");
        exit(2);
    }
    pthread_attr_destroy(&attributes);
    return thread;
}

static void *whole_life(void *unused)
{
    (void)unused;
    struct Instance *instance = malloc(sizeof *instance);
    if (instance_open(instance, "thread", tested, false)) {
        CHECK(equals_reference(instance), "a run in a thread beside others gives other bits");
        provoke_error(instance);
        fmu.Reset(instance->c);
        CHECK(equals_reference(instance), "a run after fmi2Reset in a thread beside others gives other bits");
        instance_close(instance);
    }
    free(instance);
    return NULL;
}

void test_threads(void)
{
    unsigned steps = affordable_steps();
    if (!interface_of(tested)->declared || !make_reference(steps < 50 ? steps : 50))
        return;
    pthread_t threads[MANY];
    AT("%d threads with an instance each", MANY);
    for (int i = 0; i < MANY; i++)
        threads[i] = start_thread(whole_life, NULL);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

void test_small_stack(void)
{
    if (!interface_of(tested)->declared || !make_reference(affordable_steps()))
        return;
    AT("a whole run in a thread with a stack of 2 MiB");
    pthread_join(start_thread(whole_life, NULL), NULL);
}

static void *half_a_run(void *argument)
{
    struct Run *run = argument;
    unsigned end = run->step + reference_steps / 2;
    while (run->step < end && run_step(run))
        ;
    return NULL;
}

static void *close_it(void *argument)
{
    instance_close(argument);
    return NULL;
}

void test_another_thread(void)
{
    if (!interface_of(tested)->declared || !make_reference(affordable_steps()))
        return;
    struct Instance instance;
    struct Run run;
    if (!instance_open(&instance, "wanders", tested, false) || !run_begin(&run, &instance))
        return;
    AT("calls from threads other than the one that instantiated");
    pthread_join(start_thread(half_a_run, &run), NULL);
    pthread_join(start_thread(half_a_run, &run), NULL);
    int at = first_difference(reference, run.trace, run.step);
    CHECK(run.step > 0 && at < 0, "a run through several threads differs at step %d", at);
    run_end(&run);
    pthread_join(start_thread(close_it, &instance), NULL);
}

static size_t count_entries(const char *folder)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static size_t count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    size_t n = 0;
    for (int c; maps && (c = fgetc(maps)) != EOF;)
        n += c == '\n';
    if (maps)
        fclose(maps);
    return n;
}

static void one_life(void)
{
    struct Instance instance;
    uint64_t trace[512];
    if (!instance_open(&instance, "one of many", tested, true))
        return;
    run_whole(&instance, 5, trace);
    provoke_error(&instance);
    fmu.Reset(instance.c);
    bring_to(&instance, TERMINATED);
    instance_close(&instance);
}

/* A hundred lives, after two that may fill what is filled once in a process. */
static void check_growth(void (*life)(void), const char *what)
{
    long before = 0;
    size_t files = 0, mappings = 0;
    for (int i = -2; i < MANY; i++) {
        if (i == 0) {
            before = blocks_alive();
            files = count_entries("/proc/self/fd");
            mappings = count_mappings();
        }
        AT("%s, life %d", what, i);
        life();
    }
    long left = blocks_alive() - before;
    CHECK(left <= 0, "%s leaves %ld blocks of memory behind in %d lives", what, left, MANY);
    CHECK(count_entries("/proc/self/fd") == files, "%s leaves files open", what);
    CHECK(count_mappings() <= mappings + 4, "%s leaves %zu mappings behind", what, count_mappings() - mappings);
}

void test_memory(void)
{
    check_growth(one_life, "an instance");
}

static void life_of_a_library(void)
{
    if (CHECK(library_open(&fmu, description.library), "the library cannot be loaded again")) {
        one_life();
        library_close(&fmu);
    }
}

void test_reload(void)
{
    library_close(&fmu);
    check_growth(life_of_a_library, "loading and unloading the library");
}
