/* Functions that must exist, instantiation, values with arrays, and silence. */
#include "host_3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_functions(void)
{
    CHECK(missing_function == NULL, "the library does not export %s", missing_function);
    CHECK(strncmp(fmi.GetVersion(), "3.0", 3) == 0, "the version is %s", fmi.GetVersion());
}

static struct Log refused;

static void take_refusal(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment, (void)status, (void)category, (void)message;
    refused.messages++;
}

static void check_refused(const char *what, const char *name, const char *token, bool logging)
{
    AT("%s", what);
    const char *resources = facts.resources[0] ? facts.resources : NULL;
    refused.messages = 0;
    fmi3Instance one = fmi.InstantiateModelExchange(name, token, resources, false, logging, NULL, take_refusal);
    fmi3Instance other = fmi.InstantiateCoSimulation(name, token, resources, false, logging, false, false, NULL, 0, NULL,
                                                     take_refusal, NULL);
    CHECK(!one && !other, "%s: there is an instance", what);
    CHECK((refused.messages >= 2) == logging, "%s: %u messages", what, refused.messages);
}

void test_instantiation(void)
{
    check_refused("another token", "one", "{of another FMU}", true);
    check_refused("another token, without logging", "one", "{of another FMU}", false);
    check_refused("no token", "one", NULL, true);
    check_refused("no name", NULL, facts.token, true);
    check_refused("a blank name", "  ", facts.token, true);
    const char *resources = facts.resources[0] ? facts.resources : NULL;
    refused.messages = 0;
    fmi3Instance scheduled = fmi.InstantiateScheduledExecution("one", facts.token, resources, false, true, NULL, take_refusal,
                                                               NULL, NULL, NULL);
    CHECK(!scheduled && refused.messages > 0, "Scheduled Execution is not refused with a message");
    fmi.FreeInstance(NULL);
}

void test_values(void)
{
    struct Instance instance;
    create(&instance, false, false, false, true);
    lead_to(&instance, 'Z');
    fmi3Instance i = instance.i;
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        AT("variable %u", v->reference);
        bool is_float = strcmp(v->type, "Float64") == 0;
        double *values = malloc((v->count + 1) * sizeof *values);
        for (size_t e = 0; e <= v->count; e++) {
            values[e] = -12345.0;
        }
        fmi3Status status = fmi.GetFloat64(i, &v->reference, 1, values, v->count);
        CHECK((status == fmi3OK) == is_float, "fmi3GetFloat64 on a variable of type %s returns %s", v->type, status_name(status));
        if (is_float) {
            CHECK(same_bits(values[v->count], -12345.0), "a value beyond the array was written");
            values[0] = -12345.0;
            status = fmi.GetFloat64(i, &v->reference, 1, values, v->count + 1);
            CHECK(status == fmi3Error, "nValues too large by 1: %s", status_name(status));
            status = fmi.GetFloat64(i, &v->reference, 1, values, v->count - 1);
            CHECK(status == fmi3Error, "nValues too small by 1: %s", status_name(status));
            CHECK(same_bits(values[0], -12345.0), "a refused call has written");
            CHECK(fmi.GetFloat64(i, &v->reference, 1, NULL, v->count) == fmi3Error, "null values are not refused");
        }
        fmi3Int8 wrong;
        CHECK(fmi.GetInt8(i, &v->reference, 1, &wrong, 1) == fmi3Error, "fmi3GetInt8 is not refused");
        CHECK(fmi.GetClock(i, &v->reference, 1, (fmi3Clock[1]){false}) == fmi3Error, "fmi3GetClock is not refused");
        free(values);
    }
    double value;
    fmi3ValueReference unknown = 4000000000u;
    CHECK(fmi.GetFloat64(i, &unknown, 1, &value, 1) == fmi3Error, "an unknown value reference is not refused");
    CHECK(fmi.SetFloat64(i, &unknown, 1, &value, 1) == fmi3Error, "an unknown value reference is not refused");
    CHECK(fmi.GetFloat64(i, NULL, 1, &value, 1) == fmi3Error, "null references are not refused");
    CHECK(fmi.GetFloat64(NULL, &unknown, 0, &value, 0) == fmi3Error, "a null instance is not refused");
    /* What may be set is read back. */
    for (size_t k = 0; k < facts.variable_count; k++) {
        const struct Variable *v = &facts.variables[k];
        if (strcmp(v->type, "Float64") != 0 || strcmp(v->causality, "input") != 0) {
            continue;
        }
        double *written = malloc(v->count * sizeof *written), *read = malloc(v->count * sizeof *read);
        for (size_t e = 0; e < v->count; e++) {
            written[e] = 0.25 + 0.5 * (double)e / (double)v->count;
        }
        fmi3Status status = fmi.SetFloat64(i, &v->reference, 1, written, v->count);
        if (status == fmi3OK && CHECK(fmi.GetFloat64(i, &v->reference, 1, read, v->count) == fmi3OK, "cannot be read")) {
            for (size_t e = 0; e < v->count; e++) {
                CHECK(same_bits(written[e], read[e]), "element %zu of input %u is %g, not %g", e, v->reference, read[e], written[e]);
            }
        }
        free(written);
        free(read);
    }
    dispose(&instance);
}

void test_silence(void)
{
    struct Instance instance;
    create(&instance, false, false, false, false);
    double value;
    fmi3ValueReference unknown = 4000000000u;
    CHECK(fmi.GetFloat64(instance.i, &unknown, 1, &value, 1) == fmi3Error, "an unknown value reference is not refused");
    CHECK(instance.log.messages == 0, "without logging there are %u messages", instance.log.messages);
    CHECK(fmi.SetDebugLogging(instance.i, true, 0, NULL) == fmi3OK, "logging cannot be switched on");
    CHECK(fmi.GetFloat64(instance.i, &unknown, 1, &value, 1) == fmi3Error, "an unknown value reference is not refused");
    CHECK(instance.log.messages > 0, "with logging there is no message");
    dispose(&instance);
}
