/* Test 3: what reaches the logger, and what does not. */
#include "check.h"
#include "host.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static bool declared(const char *category)
{
    for (size_t i = 0; i < description.n_categories; i++)
        if (category && strcmp(description.categories[i], category) == 0)
            return true;
    return false;
}

static void check_messages(const struct Instance *instance)
{
    for (size_t i = 0; i < instance->n_messages; i++) {
        const struct Message *m = &instance->messages[i];
        CHECK(m->name && strcmp(m->name, instance->name) == 0, "the logger got the instance name '%s', not '%s'",
              m->name ? m->name : "(null)", instance->name);
        if (description.n_categories == 0)
            CHECK(m->category == NULL, "no category is declared, yet '%s' has one", m->text);
        else
            CHECK(declared(m->category), "the category '%s' of '%s' is not in the XML",
                  m->category ? m->category : "(null)", m->text);
        size_t length = strlen(m->text);
        CHECK(length > 0 && m->text[length - 1] != '\n', "the message '%s' is empty or ends with a line break", m->text);
    }
    CHECK(!instance->bad_escape, "a message has a lone '#', or names a variable that is not there");
}

void test_logger(void)
{
    for (int logging = 0; logging < 2; logging++) {
        struct Instance instance;
        /* An instance name is somebody else's text: it must never be read as a format. */
        if (!instance_open(&instance, "50 %s %n #r0# done", first_type(), logging))
            return;
        uint64_t trace[512];
        if (first_type() == fmi2ModelExchange)
            run_whole(&instance, affordable_steps(), trace);
        else
            bring_to(&instance, STEP_COMPLETE);
        if (!logging)
            CHECK(instance.n_messages == 0, "with loggingOn false a good run logs '%s'", instance.messages[0].text);
        check_messages(&instance);
        forget_messages(&instance);

        AT("an error with loggingOn %d", logging);
        provoke_error(&instance);
        CHECK(message_of(&instance, fmi2Error) != NULL, "an fmi2Error with loggingOn %s is not logged",
              logging ? "true" : "false");
        check_messages(&instance);
        instance_close(&instance);
    }
}

void test_debug_logging(void)
{
    struct Instance instance;
    if (!instance_open(&instance, "debug", first_type(), true))
        return;
    fmi2Status status = fmu.SetDebugLogging(instance.c, fmi2False, 0, NULL);
    CHECK(status == fmi2OK, "fmi2SetDebugLogging(false, 0, NULL) gives %s", status_name(status));
    for (size_t i = 0; i < description.n_categories; i++) {
        fmi2String category = description.categories[i];
        status = fmu.SetDebugLogging(instance.c, fmi2True, 1, &category);
        CHECK(status == fmi2OK, "fmi2SetDebugLogging of '%s' gives %s", category, status_name(status));
    }
    status = fmu.SetDebugLogging(instance.c, fmi2True, description.n_categories, description.categories);
    CHECK(status == fmi2OK, "fmi2SetDebugLogging of all categories gives %s", status_name(status));

    AT("fmi2SetDebugLogging with bad categories");
    fmi2String unknown = "no such category 100%s", nothing = NULL;
    status = fmu.SetDebugLogging(instance.c, fmi2True, 1, &unknown);
    CHECK(status == fmi2Error || status == fmi2Warning, "fmi2SetDebugLogging of an unknown category gives %s",
          status_name(status));
    CHECK(message_of(&instance, fmi2Warning) != NULL, "an unknown category is not logged");
    check_messages(&instance);
    fmu.Reset(instance.c);
    status = fmu.SetDebugLogging(instance.c, fmi2True, 1, &nothing);
    CHECK(status == fmi2Error, "fmi2SetDebugLogging of a null category gives %s", status_name(status));
    fmu.Reset(instance.c);
    status = fmu.SetDebugLogging(instance.c, fmi2True, 1, NULL);
    CHECK(status == fmi2Error, "fmi2SetDebugLogging of a null array gives %s", status_name(status));
    instance_close(&instance);
}

/* Messages that repeat themselves: ten are logged, then the 100th, and the end says how many there were. Only of
 * those who have the category 'logAll' it is known that they do so. */
void test_repeated_messages(void)
{
    struct Instance instance;
    if (!declared("logAll") || !instance_open(&instance, "repeats", first_type(), false) ||
        !bring_to(&instance, INITIALIZATION))
        return;
    fmi2ValueReference vr = unknown_reference(REAL);
    double value;
    for (int i = 0; i < 150; i++, vr++)
        fmu.GetReal(instance.c, &vr, 1, &value);
    CHECK(instance.n_messages == 11, "150 messages of one kind are logged %zu times, not 11 times", instance.n_messages);
    forget_messages(&instance);
    fmu.GetInteger(instance.c, &vr, 1, (fmi2Integer[]){0});
    CHECK(instance.n_messages == 1, "a new message after many others is logged %zu times", instance.n_messages);
    forget_messages(&instance);
    fmu.ExitInitializationMode(instance.c);
    fmu.Terminate(instance.c);
    CHECK(some_message_contains(&instance, "150 messages"), "the end does not say how many messages there were");
    check_messages(&instance);
    instance_close(&instance);
}
