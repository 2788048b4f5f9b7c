/* Every function of the interface as a call with good arguments, for the tables of the calling sequence. */
#ifndef CALLS_H
#define CALLS_H

#include "host.h"

/* `rule` is the entry of the table: 'x' allowed, '.' not allowed, a digit: allowed on that condition. */
typedef fmi2Status Call(struct Instance *instance, char rule);

/* Whether the condition with this digit lets a variable be set. */
bool may_be_set(const struct Variable *v, char rule);

extern Call call_set_debug_logging, call_setup_experiment, call_enter_initialization,
    call_exit_initialization, call_terminate, call_reset, call_get_real, call_get_integer,
    call_get_boolean, call_get_string, call_set_real, call_set_integer, call_set_boolean,
    call_set_string, call_get_fmu_state, call_set_fmu_state, call_free_fmu_state,
    call_serialized_size, call_serialize, call_deserialize, call_directional_derivative,
    call_enter_event_mode, call_new_discrete_states, call_enter_continuous_time,
    call_completed_step, call_set_time, call_set_states, call_get_derivatives, call_get_indicators,
    call_get_states, call_get_nominals, call_set_input_derivatives, call_get_output_derivatives,
    call_do_step, call_cancel_step, call_get_status, call_get_real_status, call_get_integer_status,
    call_get_boolean_status, call_get_string_status;

#endif
