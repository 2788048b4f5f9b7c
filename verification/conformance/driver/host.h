/* What every test of the driver uses: the FMU's library, its description, instances with a captured log,
 * and a small simulation whose every value is recorded. */
#ifndef HOST_H
#define HOST_H

#include "fmi2FunctionTypes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- library.c: the functions of FMI 2.0, in the order of the standard's header ---- */

#define EACH_COMMON_FUNCTION(X)                                                                              \
    X(GetTypesPlatform) X(GetVersion) X(SetDebugLogging) X(Instantiate) X(FreeInstance) X(SetupExperiment)   \
    X(EnterInitializationMode) X(ExitInitializationMode) X(Terminate) X(Reset) X(GetReal) X(GetInteger)      \
    X(GetBoolean) X(GetString) X(SetReal) X(SetInteger) X(SetBoolean) X(SetString) X(GetFMUstate)            \
    X(SetFMUstate) X(FreeFMUstate) X(SerializedFMUstateSize) X(SerializeFMUstate) X(DeSerializeFMUstate)     \
    X(GetDirectionalDerivative)
#define EACH_MODEL_EXCHANGE_FUNCTION(X)                                                                      \
    X(EnterEventMode) X(NewDiscreteStates) X(EnterContinuousTimeMode) X(CompletedIntegratorStep) X(SetTime)  \
    X(SetContinuousStates) X(GetDerivatives) X(GetEventIndicators) X(GetContinuousStates)                    \
    X(GetNominalsOfContinuousStates)
#define EACH_CO_SIMULATION_FUNCTION(X)                                                                       \
    X(SetRealInputDerivatives) X(GetRealOutputDerivatives) X(DoStep) X(CancelStep) X(GetStatus)              \
    X(GetRealStatus) X(GetIntegerStatus) X(GetBooleanStatus) X(GetStringStatus)
#define EACH_FUNCTION(X)                                                                                     \
    EACH_COMMON_FUNCTION(X) EACH_MODEL_EXCHANGE_FUNCTION(X) EACH_CO_SIMULATION_FUNCTION(X)

struct Library {
    void *handle;
#define X(name) fmi2##name##TYPE *name;
    EACH_FUNCTION(X)
#undef X
};

/* The functions of the FMU under test. */
extern struct Library fmu;

/* Loads a library; prints why and returns false if it cannot be, or if a function is missing. */
bool library_open(struct Library *library, const char *path);
void library_close(struct Library *library);

/* ---- description.c: modelDescription.xml, as the Rust side wrote it down ---- */

enum Type { REAL, INTEGER, BOOLEAN, STRING, TYPES };
enum Causality { PARAMETER, CALCULATED_PARAMETER, INPUT, OUTPUT, LOCAL, INDEPENDENT };
enum Variability { CONSTANT, FIXED, TUNABLE, DISCRETE, CONTINUOUS };
enum Initial { NO_INITIAL, EXACT, APPROX, CALCULATED };

struct Variable {
    const char *name;
    fmi2ValueReference vr;
    enum Type type; /* an enumeration is an INTEGER here, as in the C interface */
    enum Causality causality;
    enum Variability variability;
    enum Initial initial; /* with the defaults of the standard filled in */
    bool has_start, has_min, has_max, is_state, is_enumeration;
    const char *start;         /* the text; valid if has_start */
    double min, max, nominal;  /* with those of the declared type, or of its items, filled in */
    size_t derivative_of;      /* index + 1 of the state, 0 if this is no derivative */
    /* What it depends on, as indices + 1 in text between spaces, in simulation and in initialization; NULL: on all. */
    const char *dependencies[2];
};

struct Interface {
    bool declared, states, serialization, directional_derivatives, needs_no_memory_functions;
};

/* What only Co-Simulation has. */
struct Steps {
    bool variable_size, interpolates;
    int output_order; /* the highest derivative of outputs */
};

struct Description {
    const char *model, *guid, *library, *resources;
    struct Interface model_exchange, co_simulation;
    struct Steps steps;
    size_t n_variables, n_states, n_indicators, n_categories;
    struct Variable *variables;
    size_t *state_variables, *derivative_variables; /* indices into variables */
    const char **categories;
    double start_time, stop_time, step_size;
    bool reads_resources; /* the archive has a resources folder with something in it */
};

extern struct Description description;

/* Reads the file; prints what is wrong and returns false if it cannot. */
bool description_read(const char *path);

/* The variable of that name, or NULL. */
const struct Variable *variable(const char *name);

/* Whether the XML lists the known among what the unknown depends on. */
bool depends(const struct Variable *unknown, const struct Variable *known, bool initially);

/* True for an FMU with neither continuous states nor event indicators nor continuous Real outputs or inputs. */
bool pure_discrete_time(void);

double start_of(const struct Variable *v); /* the start of a Real, Integer, Boolean as a number */

/* A value that may be set: different from start where the range leaves room. */
double another_value(const struct Variable *v);

/* ---- instance.c: instances, their log, and the way into each state ---- */

struct Message {
    fmi2Status status;
    char *name, *category, *text, *raw; /* text: formatted and unescaped as an environment would show it */
};

struct Instance {
    fmi2Component c;
    const char *name;
    fmi2Type type;
    bool bad_escape; /* a message had a lone "#", or named a variable that is not there */
    size_t n_messages, n_explained;
    struct Message messages[64];
    fmi2FMUstate snapshot; /* taken right after instantiation, where the FMU can */
};

/* The states of the tables in the order of their columns. */
enum State { INSTANTIATED, INITIALIZATION, EVENT, CONTINUOUS_TIME, TERMINATED, FAILED, STEP_COMPLETE, STATES };
extern const char *const state_names[STATES];
/* Whether an instance of the FMU under test can be brought into the state. */
bool state_exists(fmi2Type type, enum State state);

extern const fmi2CallbackFunctions *callbacks_for(struct Instance *instance);
bool instance_open(struct Instance *instance, const char *name, fmi2Type type, bool logging);
void instance_close(struct Instance *instance);
void forget_messages(struct Instance *instance);
/* The first message with a status at least this bad, or NULL. */
const struct Message *message_of(const struct Instance *instance, fmi2Status at_least);
/* Whether a refusal was logged. Of messages that differ in numbers only, ten are promised for one instance. */
bool has_explained(struct Instance *instance);
bool some_message_contains(const struct Instance *instance, const char *text);
/* Brings a new or reset instance into a state; false (and a failed check) if the way there is blocked. */
bool bring_to(struct Instance *instance, enum State state);
/* The statuses of the calls that lead from 'instantiated' to continuous-time mode, for those who know. */
fmi2Status event_iteration(struct Instance *instance, fmi2EventInfo *info);
/* Causes fmi2Error in any state and changes nothing: an unknown value reference. */
fmi2Status provoke_error(struct Instance *instance);
/* The interface that the running test is about, for tests that are about either. */
extern fmi2Type tested;
/* The interface that the FMU offers first: Model Exchange where declared. */
fmi2Type first_type(void);
const struct Interface *interface_of(fmi2Type type);
/* The URI of the resources folder, percent-encoded. */
const char *resource_uri(void);

/* A value reference that no variable of that type has. */
fmi2ValueReference unknown_reference(enum Type type);
/* Reads, writes any one variable as a number; strings have their own functions. */
fmi2Status get_number(fmi2Component c, const struct Variable *v, double *value);
fmi2Status set_number(fmi2Component c, const struct Variable *v, double value);
fmi2Status get_text(fmi2Component c, const struct Variable *v, const char **value);
fmi2Status set_text(fmi2Component c, const struct Variable *v, const char *value);
/* Sets a variable to the value that its start gives. */
fmi2Status set_start(fmi2Component c, const struct Variable *v);

/* ---- heap.c ---- */

/* Blocks of memory that were allocated and not freed in this process. */
long blocks_alive(void);

/* ---- run.c: a simulation, everything seen on the way condensed into one number a step ---- */

struct Run {
    struct Instance *instance;
    double t, t_next, h;
    bool next_defined, over;
    double *x, *dx, *z, *z_before;
    unsigned step, events;
    fmi2Status worst;
    uint64_t digest;
    uint64_t trace[512];
};

/* Steps that a test of many instances can afford for this FMU. */
unsigned affordable_steps(void);
/* A step for which forward Euler is stable, from continuous-time mode. */
double stable_step(struct Instance *instance, const double *x);
/* The communication step of a run as Co-Simulation. */
double communication_step(void);
/* From 'instantiated' to continuous-time mode or, as Co-Simulation, to where steps can be made; allocates. */
bool run_begin(struct Run *run, struct Instance *instance);
/* One step, with events; false when over or failed. */
bool run_step(struct Run *run);
void run_end(struct Run *run);
/* Whole run on a fresh or reset instance: fills trace, returns the number of steps. */
unsigned run_whole(struct Instance *instance, unsigned steps, uint64_t trace[]);
/* Index of the first difference, or -1. */
int first_difference(const uint64_t a[], const uint64_t b[], unsigned steps);
/* All variables of the FMU in one number. */
uint64_t digest_of_values(fmi2Component c, uint64_t digest, fmi2Status *worst);

#endif
