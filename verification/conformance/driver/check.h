/* The driver's test framework: checks that count themselves, and tests that run in a process of their own,
 * so that a crash or a hang of the FMU is one failure with a place and not the end of the run. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Counts one check. A failure prints one line: file, line, test, and the sentence given. */
#define CHECK(condition, ...) check_that((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Says what the driver is about to do; shown if the FMU crashes or hangs right there. */
#define AT(...) check_at(__VA_ARGS__)

bool check_that(bool condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_at(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs one test in a child process with a time limit. */
void check_run(const char *name, void (*test)(void), unsigned seconds);

/* The name of a status, for messages. */
const char *status_name(int status);

/* Prints the closing line; returns the number of failures. */
unsigned long check_summary(void);

/* True when both are the same bits (NaN equals itself, 0.0 differs from -0.0). */
bool same_bits(double a, double b);

#endif
