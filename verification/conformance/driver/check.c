/* The driver's test framework: counters in memory that parent and child share, one child process a test. */
#include "check.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A test that goes wrong in a loop must not drown the others. */
#define LINES_PER_TEST 25

struct Shared {
    unsigned long passed, failed, failed_in_test;
    char place[512];
};

static struct Shared *shared;
static const char *current = "";

static struct Shared *counters(void)
{
    if (!shared) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            perror("mmap");
            exit(2);
        }
    }
    return shared;
}

static void report(const char *file, int line, const char *sentence)
{
    struct Shared *s = counters();
    unsigned long before = __atomic_fetch_add(&s->failed_in_test, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->failed, 1, __ATOMIC_RELAXED);
    if (before < LINES_PER_TEST) {
        const char *base = strrchr(file, '/');
        printf("FAILED %s:%d (%s): %s\n", base ? base + 1 : file, line, current, sentence);
    } else if (before == LINES_PER_TEST) {
        printf("FAILED (%s): further failures of this test are counted, not shown\n", current);
    }
    fflush(stdout);
}

bool check_that(bool condition, const char *file, int line, const char *format, ...)
{
    if (condition) {
        __atomic_fetch_add(&counters()->passed, 1, __ATOMIC_RELAXED);
        return true;
    }
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    report(file, line, sentence);
    return false;
}

void check_at(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(counters()->place, sizeof counters()->place, format, arguments);
    va_end(arguments);
}

void check_run(const char *name, void (*test)(void), unsigned seconds)
{
    struct Shared *s = counters();
    current = name;
    s->failed_in_test = 0;
    unsigned long passed_before = s->passed;
    strcpy(s->place, "at its beginning");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        alarm(seconds);
        test();
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    char sentence[768];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        snprintf(sentence, sizeof sentence, "no end after %u s, last seen: %s", seconds, s->place);
        report("driver", 0, sentence);
    } else if (WIFSIGNALED(status)) {
        snprintf(sentence, sizeof sentence, "the process died of %s, last seen: %s",
                 strsignal(WTERMSIG(status)), s->place);
        report("driver", 0, sentence);
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(sentence, sizeof sentence, "the process ended with code %d, last seen: %s",
                 WEXITSTATUS(status), s->place);
        report("driver", 0, sentence);
    }
    if (getenv("CONFORMANCE_VERBOSE"))
        printf("%-42s %6lu passed, %lu failed\n", name, s->passed - passed_before, s->failed_in_test);
}

const char *status_name(int status)
{
    static const char *const names[] = {"fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error", "fmi2Fatal", "fmi2Pending"};
    return status >= 0 && status < 6 ? names[status] : "a status that the standard does not have";
}

unsigned long check_summary(void)
{
    struct Shared *s = counters();
    printf("%lu passed, %lu failed\n", s->passed, s->failed);
    return s->failed;
}

bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}
