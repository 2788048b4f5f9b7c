/* The tests of the driver; the numbers are those of the list of tests of the C interface (see main.c). */
#ifndef TESTS_H
#define TESTS_H

/* instantiate.c */
void test_symbols(void);
void test_instantiate_misuse(void);
void test_resource_locations(void);
void test_arguments_are_copied(void);

/* logger.c */
void test_logger(void);
void test_debug_logging(void);

/* sequence.c */
void test_sequence_model_exchange(void);
void test_sequence_co_simulation(void);
void test_settable_variables(void);
void test_way_back_from_error(void);

/* arguments.c */
void test_null_arguments(void);
void test_null_component(void);
void test_wrong_references(void);
void test_no_partial_write(void);
void test_wrong_lengths(void);

/* values.c */
void test_start_values(void);
void test_set_before_initialization(void);
void test_strings(void);
void test_booleans(void);
void test_not_finite(void);
void test_ranges(void);

/* lifecycle.c */
void test_stop_time(void);
void test_waiting_values(void);
void test_repeated_messages(void);
void test_terminate(void);
void test_reset(void);
void test_free(void);

/* steps.c, probe_steps.c */
void test_do_step(void);
void test_outputs_after_inputs(void);
void test_agreement(void);
void test_probe_steps(void);

/* curves.c */
void test_output_derivatives(void);
void test_input_derivatives(void);

/* serialization.c */
void test_serialization(void);
void test_damaged_bytes(void);
/* What another process does: goes on from the bytes in a file, prints the trace. */
int continue_run(const char *file);
extern const char *facts_path;

/* snapshots.c */
void test_snapshot_rules(void);
void test_snapshot_replay(void);

/* instances.c */
void test_determinism(void);
void test_interleaved_instances(void);
void test_threads(void);
void test_another_thread(void);
void test_small_stack(void);
void test_reload(void);
void test_memory(void);

/* numerics.c */
void test_nominals(void);
void test_call_order(void);
void test_caching(void);
void test_events(void);

/* derivatives.c */
void test_directional_derivatives(void);
void test_directional_derivative_misuse(void);

/* bouncing_ball.c, probe.c, probe_events.c: only for the FMU of that name */
void test_bouncing_ball(void);
void test_probe_panics(void);
void test_probe_errors(void);
void test_probe_events(void);
void test_probe_log(void);
void test_probe_laziness(void);
void test_probe_initialization(void);

#endif
