/* The driver of FMI 3.0: `driver_3 FACTS [PART_OF_NAME [FAULT]]` takes a library through all tests, or through those whose name
 * contains a text, with a planted fault if one is named. */
#include "host_3.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*test)(void);
} TESTS[] = {
    {"1 functions", test_functions},
    {"2 instantiation", test_instantiation},
    {"3 silence", test_silence},
    {"4 calling sequence, Model Exchange", test_sequence_of_model_exchange},
    {"4 calling sequence, Co-Simulation", test_sequence_of_co_simulation},
    {"5 values", test_values},
    {"6 steps and events", test_steps},
    {"7 snapshots", test_snapshots},
    {"8 derivatives", test_derivatives},
    {"9 interleaved instances", test_interleaved},
};

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: driver_3 FACTS [PART_OF_NAME [FAULT]]\n");
        return 2;
    }
    facts_read(arguments[1]);
    functions_load();
    if (count > 3 && !plant(arguments[3])) {
        fprintf(stderr, "there is no fault %s\n", arguments[3]);
        return 2;
    }
    for (size_t k = 0; k < sizeof TESTS / sizeof *TESTS; k++) {
        if (count < 3 || strstr(TESTS[k].name, arguments[2])) {
            check_run(TESTS[k].name, TESTS[k].test, 120);
        }
    }
    return check_summary() ? 1 : 0;
}
