/* The half of test 17 beyond one process: a run goes on elsewhere from its bytes, and damaged bytes are found out. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *facts_path;

static fmi2Byte *bytes_of(struct Instance *instance, size_t *size)
{
    fmi2FMUstate state = NULL;
    fmi2Status status = fmu.GetFMUstate(instance->c, &state);
    CHECK(status == fmi2OK, "fmi2GetFMUstate gives %s", status_name(status));
    status = fmu.SerializedFMUstateSize(instance->c, state, size);
    if (!CHECK(status == fmi2OK && *size > 0, "fmi2SerializedFMUstateSize gives %s and %zu", status_name(status), *size))
        return NULL;
    fmi2Byte *bytes = malloc(*size);
    status = fmu.SerializeFMUstate(instance->c, state, bytes, *size);
    CHECK(status == fmi2OK, "fmi2SerializeFMUstate gives %s", status_name(status));
    fmu.FreeFMUstate(instance->c, &state);
    return bytes;
}

static size_t lengths(size_t *nx, size_t *nz)
{
    *nx = description.n_states + 1;
    *nz = description.n_indicators + 1;
    return *nx + *nz;
}

/* What the other process must know of a run, and the bytes. */
static bool write_run(FILE *file, const struct Run *run, unsigned end, const fmi2Byte *bytes, size_t size)
{
    size_t nx, nz;
    lengths(&nx, &nz);
    return fwrite(&tested, sizeof tested, 1, file) == 1 && fwrite(&end, sizeof end, 1, file) == 1 &&
           fwrite(run, sizeof *run, 1, file) == 1 && fwrite(run->x, sizeof(double), nx, file) == nx &&
           fwrite(run->z_before, sizeof(double), nz, file) == nz && fwrite(&size, sizeof size, 1, file) == 1 &&
           fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
}

int continue_run(const char *name)
{
    static struct Run run;
    struct Instance instance;
    size_t nx, nz, size;
    unsigned end;
    lengths(&nx, &nz);
    FILE *file = fopen(name, "r");
    if (!file || fread(&tested, sizeof tested, 1, file) != 1 || fread(&end, sizeof end, 1, file) != 1 ||
        fread(&run, sizeof run, 1, file) != 1)
        return 3;
    run.x = calloc(nx, sizeof(double));
    run.dx = calloc(nx, sizeof(double));
    run.z = calloc(nz, sizeof(double));
    run.z_before = calloc(nz, sizeof(double));
    if (fread(run.x, sizeof(double), nx, file) != nx || fread(run.z_before, sizeof(double), nz, file) != nz ||
        fread(&size, sizeof size, 1, file) != 1)
        return 3;
    fmi2Byte *bytes = malloc(size);
    fmi2FMUstate state = NULL;
    if (fread(bytes, 1, size, file) != size || !instance_open(&instance, "elsewhere", tested, false) ||
        fmu.DeSerializeFMUstate(instance.c, bytes, size, &state) != fmi2OK ||
        fmu.SetFMUstate(instance.c, state) != fmi2OK)
        return 4;
    run.instance = &instance;
    while (run.step < end && run_step(&run))
        ;
    printf("%u %016llx\n", run.step, (unsigned long long)run.digest);
    return 0;
}

void test_serialization(void)
{
    if (!interface_of(tested)->serialization)
        return;
    struct Instance instance;
    struct Run run;
    if (!instance_open(&instance, "serialized", tested, false) || !run_begin(&run, &instance))
        return;
    unsigned half = affordable_steps() / 2;
    for (bool going = true; going && run.step < half;)
        going = run_step(&run);
    size_t size = 0;
    char name[] = "/tmp/fmu-state-XXXXXX", command[4096], program[2048];
    fmi2Byte *bytes = bytes_of(&instance, &size);
    int descriptor = mkstemp(name);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!bytes || !CHECK(file && length > 0 && write_run(file, &run, 2 * half, bytes, size), "no file for a state"))
        return;
    program[length] = '\0';
    fclose(file);
    AT("another process goes on from the bytes");
    snprintf(command, sizeof command, "'%s' '%s' --continue %s", program, facts_path, name);
    FILE *other = popen(command, "r");
    unsigned steps = 0;
    unsigned long long digest = 0;
    int read = other ? fscanf(other, "%u %llx", &steps, &digest) : 0;
    int code = other ? pclose(other) : -1;
    unlink(name);
    for (bool going = !run.over; going && run.step < 2 * half;)
        going = run_step(&run);
    CHECK(read == 2 && code == 0, "the other process cannot go on (it ends with %d)", code);
    CHECK(steps == run.step && digest == run.digest, "the run in another process differs from the one here");
    free(bytes);
    run_end(&run);
    instance_close(&instance);
}

static void expect_damaged(struct Instance *instance, const fmi2Byte *bytes, size_t size, const char *what, size_t at)
{
    fmi2FMUstate state = NULL;
    AT("bytes with %s at %zu", what, at);
    forget_messages(instance);
    fmi2Status status = fmu.DeSerializeFMUstate(instance->c, bytes, size, &state);
    CHECK(status == fmi2Error, "fmi2DeSerializeFMUstate of bytes with %s at %zu gives %s", what, at, status_name(status));
    CHECK(has_explained(instance), "bytes with %s are refused without a message", what);
    if (state)
        fmu.FreeFMUstate(instance->c, &state);
}

void test_damaged_bytes(void)
{
    if (!interface_of(tested)->serialization)
        return;
    struct Instance instance;
    struct Run run;
    if (!instance_open(&instance, "damaged", tested, false) || !run_begin(&run, &instance))
        return;
    run_step(&run);
    size_t size = 0;
    fmi2Byte *bytes = bytes_of(&instance, &size), *bad = malloc(size + 64);
    if (!bytes)
        return;
    size_t stride = size / 300 + 1;
    for (size_t at = 0; at < size; at += at < 64 || at + 64 > size ? 1 : stride) {
        memcpy(bad, bytes, size);
        bad[at] ^= (fmi2Byte)(1 << at % 8);
        expect_damaged(&instance, bad, size, "a flipped bit", at);
        expect_damaged(&instance, bytes, at, "their end", at);
    }
    memset(bad, 0, size);
    expect_damaged(&instance, bad, size, "zeros", 0);
    memset(bad, 0xff, size);
    expect_damaged(&instance, bad, size, "ones", 0);
    memcpy(bad, bytes, size);
    memset(bad + size, 1, 64);
    expect_damaged(&instance, bad, size + 64, "more", size);
    expect_damaged(&instance, NULL, size, "nothing", 0);

    AT("too little room, and a state that is none");
    fmi2FMUstate state = NULL, none = NULL;
    fmi2Status status = fmu.GetFMUstate(instance.c, &state);
    CHECK(status == fmi2OK || status == fmi2Error, "fmi2GetFMUstate after errors gives %s", status_name(status));
    status = fmu.DeSerializeFMUstate(instance.c, bytes, size, &state);
    CHECK(status == fmi2OK, "good bytes after bad ones give %s", status_name(status));
    status = fmu.SerializeFMUstate(instance.c, state, bad, size - 1);
    CHECK(status == fmi2Error, "fmi2SerializeFMUstate with too little room gives %s", status_name(status));
    size_t other = 0;
    status = fmu.SerializedFMUstateSize(instance.c, none, &other);
    CHECK(status == fmi2Error, "fmi2SerializedFMUstateSize of a null state gives %s", status_name(status));
    status = fmu.SetFMUstate(instance.c, state);
    CHECK(status == fmi2OK, "fmi2SetFMUstate of a state from bytes gives %s", status_name(status));
    CHECK(run_step(&run), "no step from a state from bytes");
    free(bytes), free(bad);
    fmu.FreeFMUstate(instance.c, &state);
    run_end(&run);
    instance_close(&instance);
}
