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
    bool both;            /* once for each interface that the FMU has */
};

static const struct Test tests[] = {
    {"1 symbols", test_symbols, NULL, false},
    {"2 instantiate: misuse", test_instantiate_misuse, NULL, false},
    {"2 instantiate: resource locations", test_resource_locations, NULL, false},
    {"2 instantiate: arguments copied", test_arguments_are_copied, NULL, false},
    {"3 logger", test_logger, NULL, false},
    {"3 logger: fmi2SetDebugLogging", test_debug_logging, NULL, false},
    {"3 logger: repeated messages", test_repeated_messages, NULL, false},
    {"4 calling sequence, Model Exchange", test_sequence_model_exchange, NULL, false},
    {"4 calling sequence, Co-Simulation", test_sequence_co_simulation, NULL, false},
    {"4 settable variables", test_settable_variables, NULL, true},
    {"4 way back from an error", test_way_back_from_error, NULL, true},
    {"5 null component", test_null_component, NULL, false},
    {"5 null arguments", test_null_arguments, NULL, false},
    {"5 wrong lengths", test_wrong_lengths, NULL, false},
    {"6 wrong value references", test_wrong_references, NULL, false},
    {"6 no partial write", test_no_partial_write, NULL, false},
    {"7 start values", test_start_values, NULL, false},
    {"7 set before initialization", test_set_before_initialization, NULL, false},
    {"8 strings", test_strings, NULL, false},
    {"9 booleans", test_booleans, NULL, false},
    {"10 not finite", test_not_finite, NULL, false},
    {"11 ranges", test_ranges, NULL, false},
    {"12 stop time", test_stop_time, NULL, false},
    {"12 values that wait for an event", test_waiting_values, NULL, false},
    {"13 steps", test_do_step, NULL, false},
    {"13 steps that fail", test_probe_steps, "Probe", false},
    {"14 terminate", test_terminate, NULL, true},
    {"14 reset", test_reset, NULL, true},
    {"15 free", test_free, NULL, false},
    {"16 snapshots: rules", test_snapshot_rules, NULL, false},
    {"17 snapshots: replay", test_snapshot_replay, NULL, true},
    {"17 snapshots: another process", test_serialization, NULL, true},
    {"17 snapshots: damaged bytes", test_damaged_bytes, NULL, true},
    {"18 interleaved instances", test_interleaved_instances, NULL, true},
    {"18 threads", test_threads, NULL, true},
    {"18 small stack", test_small_stack, NULL, true},
    {"18 memory", test_memory, NULL, true},
    {"18 load and unload", test_reload, NULL, true},
    {"19 nominal values", test_nominals, NULL, false},
    {"19 order of calls", test_call_order, NULL, false},
    {"19 caching", test_caching, NULL, false},
    {"19 events", test_events, NULL, false},
    {"19 one event per bounce", test_bouncing_ball, "BouncingBall", false},
    {"19 events on request", test_probe_events, "Probe", false},
    {"19 initial equations", test_probe_initialization, "Probe", false},
    {"19 only what became stale", test_probe_laziness, "Probe", false},
    {"20 directional derivatives", test_directional_derivatives, NULL, false},
    {"20 directional derivatives: misuse", test_directional_derivative_misuse, NULL, false},
    {"20 outputs after new inputs", test_outputs_after_inputs, NULL, false},
    {"22 determinism", test_determinism, NULL, true},
    {"23 both interfaces agree", test_agreement, NULL, false},
    {"24 derivatives of outputs", test_output_derivatives, NULL, false},
    {"24 derivatives of inputs", test_input_derivatives, NULL, false},
    {"25 calls from another thread", test_another_thread, NULL, true},
    {"26 panics", test_probe_panics, "Probe", false},
    {"26 errors of the model's own", test_probe_errors, "Probe", false},
    {"3 messages of the model's own", test_probe_log, "Probe", false},
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
    facts_path = argv[1];
    if (argc == 4 && strcmp(argv[2], "--continue") == 0)
        return continue_run(argv[3]);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const struct Test *t = &tests[i];
        if (t->only_for && strcmp(t->only_for, description.model) != 0)
            continue;
        int first = (int)first_type(), last = t->both ? (int)fmi2CoSimulation : first;
        for (int type = first; type <= last; type++) {
            char name[128];
            bool second = type != first;
            snprintf(name, sizeof name, "%s%s", t->name, second ? ", Co-Simulation" : "");
            if (!interface_of((fmi2Type)type)->declared || (argc > 2 && !strstr(name, argv[2])))
                continue;
            tested = (fmi2Type)type;
            check_run(name, t->test, 120);
        }
    }
    return check_summary() ? 1 : 0;
}
