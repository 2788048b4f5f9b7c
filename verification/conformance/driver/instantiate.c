/* Tests 1 and 2: the exported functions, and fmi2Instantiate with wrong and with unusual arguments. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_symbols(void)
{
#define X(name) CHECK(dlsym(fmu.handle, "fmi2" #name) != NULL, "fmi2" #name " is not exported");
    EACH_FUNCTION(X)
#undef X
    CHECK(strcmp(fmu.GetVersion(), "2.0") == 0, "fmi2GetVersion gives '%s', not '2.0'", fmu.GetVersion());
    CHECK(strcmp(fmu.GetTypesPlatform(), "default") == 0, "fmi2GetTypesPlatform gives '%s', not 'default'",
          fmu.GetTypesPlatform());
}

struct Misuse {
    const char *what, *name, *guid;
    int type;
};

static void expect_null(const struct Misuse *m)
{
    struct Instance instance = {0};
    const fmi2CallbackFunctions *callbacks = callbacks_for(&instance);
    AT("fmi2Instantiate with %s", m->what);
    fmi2Component c =
        fmu.Instantiate(m->name, (fmi2Type)m->type, m->guid, resource_uri(), callbacks, fmi2False, fmi2False);
    CHECK(c == NULL, "fmi2Instantiate with %s gives an instance", m->what);
    CHECK(message_of(&instance, fmi2Error) != NULL, "fmi2Instantiate with %s logs no error", m->what);
    if (c)
        fmu.FreeInstance(c);
    /* Without a logger there are no messages, and no crash. */
    fmi2CallbackFunctions silent = {0};
    c = fmu.Instantiate(m->name, (fmi2Type)m->type, m->guid, resource_uri(), &silent, fmi2False, fmi2True);
    CHECK(c == NULL, "fmi2Instantiate with %s and without a logger gives an instance", m->what);
    free((void *)callbacks);
}

void test_instantiate_misuse(void)
{
    const char *guid = description.guid;
    fmi2Type good = first_type();
    char longer[512], shorter[512];
    snprintf(longer, sizeof longer, "%s ", guid);
    snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(guid) - 1, guid);
    struct Misuse misuses[] = {
        {"a null instanceName", NULL, guid, (int)good},
        {"an empty instanceName", "", guid, (int)good},
        {"a blank instanceName", " \t\n ", guid, (int)good},
        {"a null GUID", "wrong", NULL, (int)good},
        {"an empty GUID", "wrong", "", (int)good},
        {"another GUID", "wrong", "{00000000-0000-0000-0000-000000000000}", (int)good},
        {"a GUID with a letter more", "wrong", longer, (int)good},
        {"a GUID with a letter less", "wrong", shorter, (int)good},
        {"an fmuType that is none", "wrong", guid, 2},
        {"an fmuType of -1", "wrong", guid, -1},
    };
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++)
        expect_null(&misuses[i]);
    for (int type = 0; type < 2; type++)
        if (!interface_of((fmi2Type)type)->declared)
            expect_null(&(struct Misuse){type ? "fmi2CoSimulation, which is not declared"
                                              : "fmi2ModelExchange, which is not declared",
                                         "wrong", guid, type});
    AT("fmi2Instantiate with null callbacks");
    fmi2Component c = fmu.Instantiate("wrong", good, guid, resource_uri(), NULL, fmi2False, fmi2False);
    CHECK(c == NULL, "fmi2Instantiate with null callbacks gives an instance");

    AT("a callback struct without memory functions, stepFinished and environment");
    if (interface_of(good)->needs_no_memory_functions) {
        struct Instance instance = {0};
        const fmi2CallbackFunctions *full = callbacks_for(&instance);
        fmi2CallbackFunctions sparse = {full->logger, NULL, NULL, NULL, NULL};
        c = fmu.Instantiate("sparse", good, guid, resource_uri(), &sparse, fmi2False, fmi2True);
        if (CHECK(c != NULL, "fmi2Instantiate wants memory functions although the XML says it cannot use them"))
            fmu.FreeInstance(c);
        free((void *)full);
    }
}

static void expect_instance(const char *what, const char *uri, bool must)
{
    struct Instance instance = {0};
    const fmi2CallbackFunctions *callbacks = callbacks_for(&instance);
    AT("fmi2Instantiate with %s", what);
    instance.c = fmu.Instantiate("resources", first_type(), description.guid, uri, callbacks, fmi2False, fmi2True);
    instance.type = first_type();
    if (must) {
        CHECK(instance.c != NULL, "fmi2Instantiate with %s (%s) gives NULL: %s", what, uri ? uri : "null",
              instance.n_messages ? instance.messages[0].text : "no message");
    } else if (instance.c == NULL) {
        CHECK(message_of(&instance, fmi2Error) != NULL, "fmi2Instantiate with %s gives NULL and no message", what);
    }
    if (instance.c) {
        bring_to(&instance, INITIALIZATION);
        instance_close(&instance);
    }
    free((void *)callbacks);
}

void test_resource_locations(void)
{
    const char *path = description.resources;
    size_t room = 3 * strlen(path) + 64;
    char *uri = malloc(room), *encoded = malloc(room);
    expect_instance("an ordinary resource location", resource_uri(), true);
    snprintf(uri, room, "file:%s", resource_uri() + strlen("file://"));
    expect_instance("file:/ and one slash", uri, true);
    snprintf(uri, room, "file://localhost%s", resource_uri() + strlen("file://"));
    expect_instance("an authority", uri, true);
    char *out = encoded + sprintf(encoded, "file://");
    for (const char *in = path; *in; in++)
        out += *in == '/' ? sprintf(out, "/") : sprintf(out, "%%%02x", (unsigned char)*in);
    expect_instance("every letter percent-encoded", encoded, true);
    snprintf(uri, room, "%s/", resource_uri());
    expect_instance("a slash at the end", uri, true);
    /* A model that reads its resources cannot do without; one that does not must not mind. */
    bool must = !description.reads_resources;
    expect_instance("a null resource location", NULL, must);
    expect_instance("an empty resource location", "", must);
    expect_instance("a folder that is not there", "file:///no/such/folder/resources", must);
    free(uri);
    free(encoded);
}

void test_arguments_are_copied(void)
{
    struct Instance instance = {0};
    const fmi2CallbackFunctions *callbacks = callbacks_for(&instance);
    char *name = strdup("a name on loan"), *guid = strdup(description.guid), *uri = strdup(resource_uri());
    instance.type = first_type();
    instance.c = fmu.Instantiate(name, first_type(), guid, uri, callbacks, fmi2False, fmi2True);
    char *borrowed[] = {name, guid, uri};
    for (int i = 0; i < 3; i++) {
        memset(borrowed[i], '?', strlen(borrowed[i]));
        free(borrowed[i]);
    }
    memset((void *)callbacks, 0xff, sizeof *callbacks);
    free((void *)callbacks);
    if (!CHECK(instance.c != NULL, "fmi2Instantiate gives NULL"))
        return;
    AT("an error after the arguments of fmi2Instantiate are gone");
    provoke_error(&instance);
    const struct Message *m = message_of(&instance, fmi2Error);
    if (CHECK(m != NULL, "the error did not reach the logger"))
        CHECK(m->name && strcmp(m->name, "a name on loan") == 0, "the logger got the instance name '%s'",
              m->name ? m->name : "(null)");
    instance_close(&instance);
}
