/* Reads the text file that holds what the tests need of modelDescription.xml: one record per line, fields
 * separated by tabs, every byte that is not plain written as %XX, a value that is there begins with '='. */
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Description description;

#define FIELDS 16

static void decode(char *text)
{
    char *out = text;
    for (char *in = text; *in; in++) {
        unsigned byte;
        if (*in == '%' && sscanf(in + 1, "%2x", &byte) == 1) {
            *out++ = (char)byte;
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
}

static size_t split(char *line, char *fields[FIELDS])
{
    size_t n = 0;
    char *rest = line;
    while (n < FIELDS && (fields[n] = strsep(&rest, "\t")) != NULL)
        decode(fields[n++]);
    return n;
}

static int one_of(const char *text, const char *const names[])
{
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static bool optional_number(const char *field, double *value, double otherwise)
{
    *value = field[0] == '=' ? strtod(field + 1, NULL) : otherwise;
    return field[0] == '=';
}

static bool read_variable(char *f[])
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String", "Enumeration", NULL};
    static const char *const causalities[] = {"parameter", "calculatedParameter", "input", "output", "local", "independent", NULL};
    static const char *const variabilities[] = {"constant", "fixed", "tunable", "discrete", "continuous", NULL};
    static const char *const initials[] = {"-", "exact", "approx", "calculated", NULL};
    int type = one_of(f[3], types), causality = one_of(f[4], causalities);
    int variability = one_of(f[5], variabilities), initial = one_of(f[6], initials);
    if (type < 0 || causality < 0 || variability < 0 || initial < 0)
        return false;
    struct Variable v = {
        .name = strdup(f[1]),
        .vr = (fmi2ValueReference)strtoul(f[2], NULL, 10),
        .type = type == TYPES ? INTEGER : (enum Type)type,
        .is_enumeration = type == TYPES,
        .causality = (enum Causality)causality,
        .variability = (enum Variability)variability,
        .initial = (enum Initial)initial,
        .has_start = f[7][0] == '=',
        .start = f[7][0] == '=' ? strdup(f[7] + 1) : "",
        .derivative_of = strtoul(f[11], NULL, 10),
    };
    v.has_min = optional_number(f[8], &v.min, -INFINITY);
    v.has_max = optional_number(f[9], &v.max, INFINITY);
    optional_number(f[10], &v.nominal, 1.0);
    description.variables = realloc(description.variables, (description.n_variables + 1) * sizeof v);
    description.variables[description.n_variables++] = v;
    return true;
}

static bool read_interface(char *f[])
{
    struct Interface read = {
        .declared = true,
        .states = f[2][0] == '1',
        .serialization = f[3][0] == '1',
        .directional_derivatives = f[4][0] == '1',
        .needs_no_memory_functions = f[5][0] == '1',
    };
    if (strcmp(f[1], "ModelExchange") == 0)
        description.model_exchange = read;
    else if (strcmp(f[1], "CoSimulation") == 0)
        description.co_simulation = read;
    else
        return false;
    return true;
}

static bool read_state(char *f[])
{
    size_t state = strtoul(f[1], NULL, 10), derivative = strtoul(f[2], NULL, 10);
    if (state < 1 || state > description.n_variables || derivative < 1 || derivative > description.n_variables)
        return false;
    size_t n = description.n_states++;
    description.state_variables = realloc(description.state_variables, (n + 1) * sizeof(size_t));
    description.derivative_variables = realloc(description.derivative_variables, (n + 1) * sizeof(size_t));
    description.state_variables[n] = state - 1;
    description.derivative_variables[n] = derivative - 1;
    description.variables[state - 1].is_state = true;
    return true;
}

static bool read_dependencies(char *f[])
{
    size_t unknown = strtoul(f[2], NULL, 10);
    if (unknown < 1 || unknown > description.n_variables)
        return false;
    description.variables[unknown - 1].dependencies[strcmp(f[1], "initial") == 0] = strdup(f[3]);
    return true;
}

static bool read_record(char *f[], size_t n)
{
    if (strcmp(f[0], "variable") == 0 && n == 12)
        return read_variable(f);
    if (strcmp(f[0], "state") == 0 && n == 3)
        return read_state(f);
    if (strcmp(f[0], "dependencies") == 0 && n == 4)
        return read_dependencies(f);
    if (strcmp(f[0], "interface") == 0 && n == 6)
        return read_interface(f);
    if (strcmp(f[0], "steps") == 0 && n == 4) {
        description.steps.variable_size = f[1][0] == '1';
        description.steps.interpolates = f[2][0] == '1';
        description.steps.output_order = atoi(f[3]);
        return true;
    }
    if (strcmp(f[0], "experiment") == 0 && n == 4) {
        description.start_time = strtod(f[1], NULL);
        description.stop_time = strtod(f[2], NULL);
        description.step_size = strtod(f[3], NULL);
        return true;
    }
    if (n != 2)
        return false;
    if (strcmp(f[0], "category") == 0) {
        size_t bytes = (description.n_categories + 1) * sizeof(char *);
        description.categories = realloc(description.categories, bytes);
        description.categories[description.n_categories++] = strdup(f[1]);
    } else if (strcmp(f[0], "indicators") == 0)
        description.n_indicators = strtoul(f[1], NULL, 10);
    else if (strcmp(f[0], "reads_resources") == 0)
        description.reads_resources = f[1][0] == '1';
    else if (strcmp(f[0], "model") == 0)
        description.model = strdup(f[1]);
    else if (strcmp(f[0], "guid") == 0)
        description.guid = strdup(f[1]);
    else if (strcmp(f[0], "library") == 0)
        description.library = strdup(f[1]);
    else if (strcmp(f[0], "resources") == 0)
        description.resources = strdup(f[1]);
    else
        return false;
    return true;
}

bool description_read(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    char *line = NULL;
    size_t capacity = 0, number = 0;
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        char *fields[FIELDS];
        size_t n = split(line, fields);
        if (n > 0 && fields[0][0] && !read_record(fields, n)) {
            printf("%s:%zu: a record '%s' with %zu fields is not known\n", path, number, fields[0], n);
            good = false;
        }
    }
    free(line);
    fclose(file);
    if (good && !(description.model && description.guid && description.library && description.resources)) {
        printf("%s: model, guid, library or resources is missing\n", path);
        good = false;
    }
    return good;
}

const struct Variable *variable(const char *name)
{
    for (size_t i = 0; i < description.n_variables; i++)
        if (strcmp(description.variables[i].name, name) == 0)
            return &description.variables[i];
    return NULL;
}

bool depends(const struct Variable *unknown, const struct Variable *known, bool initially)
{
    const char *list = unknown->dependencies[initially];
    char entry[32];
    snprintf(entry, sizeof entry, " %zu ", (size_t)(known - description.variables) + 1);
    return !list || strstr(list, entry);
}

bool pure_discrete_time(void)
{
    if (description.n_states > 0 || description.n_indicators > 0)
        return false;
    for (size_t i = 0; i < description.n_variables; i++) {
        const struct Variable *v = &description.variables[i];
        if (v->variability == CONTINUOUS && v->causality != INDEPENDENT)
            return false;
    }
    return true;
}

double start_of(const struct Variable *v)
{
    if (v->type == BOOLEAN)
        return strcmp(v->start, "true") == 0 || strcmp(v->start, "1") == 0;
    return strtod(v->start, NULL);
}

double another_value(const struct Variable *v)
{
    double start = start_of(v), candidates[4];
    if (v->type == BOOLEAN)
        return !start;
    if (v->type == INTEGER) {
        candidates[0] = start + 1;
        candidates[1] = start - 1;
        candidates[2] = candidates[3] = start;
    } else {
        /* Near the start value: a model may have reasons to dislike another order of magnitude. */
        candidates[0] = start != 0.0 ? start * (1.0 - 0x1p-7) : 0x1p-7;
        candidates[1] = start != 0.0 ? start * (1.0 + 0x1p-7) : -0x1p-7;
        candidates[2] = 0.5 * (start + v->min);
        candidates[3] = 0.5 * (start + v->max);
    }
    for (int i = 0; i < 4; i++)
        if (isfinite(candidates[i]) && candidates[i] >= v->min && candidates[i] <= v->max)
            return candidates[i];
    return start;
}
