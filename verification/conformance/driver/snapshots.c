/* Test 16, and the half of 17 within one process: what fmi2GetFMUstate and its sisters promise. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

void test_snapshot_rules(void)
{
    if (!interface_of(first_type())->states)
        return;
    struct Instance instance, other;
    if (!instance_open(&instance, "one", first_type(), false) || !instance_open(&other, "other", first_type(), false))
        return;
    fmi2Component c = instance.c;
    fmi2FMUstate none = NULL, state = NULL;
    fmi2Status status = fmu.FreeFMUstate(c, NULL);
    CHECK(status == fmi2OK, "fmi2FreeFMUstate(NULL) gives %s", status_name(status));
    status = fmu.FreeFMUstate(c, &none);
    CHECK(status == fmi2OK, "fmi2FreeFMUstate of a null state gives %s", status_name(status));

    status = fmu.GetFMUstate(c, &state);
    CHECK(status == fmi2OK && state != NULL, "fmi2GetFMUstate gives %s and %p", status_name(status), state);
    status = fmu.GetFMUstate(c, &state);
    CHECK(status == fmi2OK && state != NULL, "fmi2GetFMUstate into a state that is there gives %s", status_name(status));

    AT("a state of another instance");
    status = fmu.SetFMUstate(other.c, state);
    CHECK(status == fmi2Error, "fmi2SetFMUstate with the state of another instance gives %s", status_name(status));
    CHECK(message_of(&other, fmi2Error) != NULL, "the state of another instance is refused without a message");

    AT("a state after the way through all modes and fmi2Reset");
    if (!bring_to(&instance, TERMINATED))
        return;
    status = fmu.SetFMUstate(c, state);
    CHECK(status == fmi2OK, "fmi2SetFMUstate of an earlier state gives %s", status_name(status));
    CHECK(bring_to(&instance, TERMINATED), "the state 'instantiated' was not brought back");
    status = fmu.Reset(c);
    CHECK(status == fmi2OK, "fmi2Reset with a state outstanding gives %s", status_name(status));
    status = fmu.SetFMUstate(c, state);
    CHECK(status == fmi2OK, "fmi2SetFMUstate after fmi2Reset gives %s", status_name(status));
    CHECK(bring_to(&instance, TERMINATED), "a state from before fmi2Reset cannot be continued");
    status = fmu.SetFMUstate(c, state);
    CHECK(status == fmi2OK, "fmi2SetFMUstate a second time gives %s", status_name(status));

    status = fmu.FreeFMUstate(c, &state);
    CHECK(status == fmi2OK && state == NULL, "fmi2FreeFMUstate gives %s and leaves %p", status_name(status), state);
    instance_close(&instance);
    instance_close(&other);
}

/* Runs half, keeps the state, runs on; then goes back and runs on again: the same bits. */
void test_snapshot_replay(void)
{
    if (!interface_of(tested)->states)
        return;
    struct Instance instance;
    if (!instance_open(&instance, "replay", tested, false))
        return;
    unsigned half = affordable_steps() / 2;
    struct Run run;
    bool going = run_begin(&run, &instance);
    while (going && run.step < half)
        going = run_step(&run);
    fmi2FMUstate state = NULL;
    fmi2Status status = fmu.GetFMUstate(instance.c, &state);
    CHECK(status == fmi2OK, "fmi2GetFMUstate in the middle of a run gives %s", status_name(status));

    struct Run kept = run;
    size_t nx = description.n_states + 1, nz = description.n_indicators + 1;
    double *x = malloc(nx * sizeof *x), *z = malloc(nz * sizeof *z);
    memcpy(x, run.x, nx * sizeof *x);
    memcpy(z, run.z_before, nz * sizeof *z);
    while (going && run.step < 2 * half)
        going = run_step(&run);
    unsigned end = run.step;
    uint64_t first[512];
    memcpy(first, run.trace, sizeof first);

    status = fmu.SetFMUstate(instance.c, state);
    CHECK(status == fmi2OK, "fmi2SetFMUstate in the middle of a run gives %s", status_name(status));
    run = kept;
    memcpy(run.x, x, nx * sizeof *x);
    memcpy(run.z_before, z, nz * sizeof *z);
    going = !run.over;
    while (going && run.step < end)
        going = run_step(&run);
    int at = first_difference(first, run.trace, end);
    CHECK(run.step == end && at < 0, "the run repeated from a state differs at step %d of %u", at, end);
    run_end(&run);
    free(x);
    free(z);
    fmu.FreeFMUstate(instance.c, &state);
    instance_close(&instance);
}
