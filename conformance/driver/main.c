/* Takes one FMU through the tests of the C interface: driver DESCRIPTION [NAME-OF-A-TEST].
 * The numbers are those of the list of tests that an exported FMU must pass. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

struct Test {
    const char *name;
    void (*test)(void);
    const char *only_for; /* the model it is about, NULL: any */
};

static const struct Test tests[] = {
    {"1 symbols", test_symbols, NULL},
    {"2 instantiate: misuse", test_instantiate_misuse, NULL},
    {"2 instantiate: resource locations", test_resource_locations, NULL},
    {"2 instantiate: arguments copied", test_arguments_are_copied, NULL},
    {"3 logger", test_logger, NULL},
    {"3 logger: fmi2SetDebugLogging", test_debug_logging, NULL},
    {"4 calling sequence, Model Exchange", test_sequence_model_exchange, NULL},
    {"4 calling sequence, Co-Simulation", test_sequence_co_simulation, NULL},
    {"4 settable variables", test_settable_variables, NULL},
    {"4 way back from an error", test_way_back_from_error, NULL},
    {"5 null component", test_null_component, NULL},
    {"5 null arguments", test_null_arguments, NULL},
    {"5 wrong lengths", test_wrong_lengths, NULL},
    {"6 wrong value references", test_wrong_references, NULL},
    {"6 no partial write", test_no_partial_write, NULL},
    {"7 start values", test_start_values, NULL},
    {"7 set before initialization", test_set_before_initialization, NULL},
    {"8 strings", test_strings, NULL},
    {"9 booleans", test_booleans, NULL},
    {"10 not finite", test_not_finite, NULL},
    {"11 ranges", test_ranges, NULL},
    {"12 stop time", test_stop_time, NULL},
    {"14 terminate", test_terminate, NULL},
    {"14 reset", test_reset, NULL},
    {"15 free", test_free, NULL},
    {"16 snapshots: rules", test_snapshot_rules, NULL},
    {"17 snapshots: replay", test_snapshot_replay, NULL},
    {"18 interleaved instances", test_interleaved_instances, NULL},
    {"18 threads", test_threads, NULL},
    {"18 small stack", test_small_stack, NULL},
    {"18 memory", test_memory, NULL},
    {"18 load and unload", test_reload, NULL},
    {"19 nominal values", test_nominals, NULL},
    {"19 order of calls", test_call_order, NULL},
    {"19 caching", test_caching, NULL},
    {"19 events", test_events, NULL},
    {"19 one event a bounce", test_bouncing_ball, "BouncingBall"},
    {"19 events on request", test_probe_events, "Probe"},
    {"19 initial equations", test_probe_initialization, "Probe"},
    {"19 only what became stale", test_probe_laziness, "Probe"},
    {"20 directional derivatives", test_directional_derivatives, NULL},
    {"20 directional derivatives: misuse", test_directional_derivative_misuse, NULL},
    {"22 determinism", test_determinism, NULL},
    {"25 calls from another thread", test_another_thread, NULL},
    {"26 panics", test_probe_panics, "Probe"},
    {"26 errors of the model's own", test_probe_errors, "Probe"},
    {"3 messages of the model's own", test_probe_log, "Probe"},
};

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s DESCRIPTION [part of a test's name]\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!description_read(argv[1]) || !library_open(&fmu, description.library)) {
        printf("0 passed, 1 failed\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const struct Test *t = &tests[i];
        if (t->only_for && strcmp(t->only_for, description.model) != 0)
            continue;
        if (argc > 2 && !strstr(t->name, argv[2]))
            continue;
        check_run(t->name, t->test, 120);
    }
    return check_summary() ? 1 : 0;
}
