/* What the tests of FMI 3.0 share: the facts of an FMU, its functions, and instances that remember what they logged. */
#ifndef HOST_3_H
#define HOST_3_H

#include "../driver/check.h"
#include "fmi3Functions.h"

#define MOST_VARIABLES 4096
#define MOST_CALLS 128

/* A variable of modelDescription.xml. */
struct Variable {
    fmi3ValueReference reference;
    char type[16], causality[24], variability[16];
    size_t count;
    bool is_derivative, is_state, is_indicator;
};

/* A row of the standard's table of calls: the states of each interface in which a function is allowed. */
struct Call {
    char name[48], model_exchange[16], co_simulation[16], tolerant[16];
};

struct Facts {
    char token[64], library[1024], resources[1024];
    double stop, step;
    size_t states, indicators;
    struct Variable variables[MOST_VARIABLES];
    size_t variable_count;
    struct Call calls[MOST_CALLS];
    size_t call_count;
};

extern struct Facts facts;
void facts_read(const char *path);
const struct Variable *find(const char *causality, const char *type);

/* All functions, by the names of the standard without their prefix. */
#define FUNCTIONS(X)                                                                                                        \
    X(GetVersion) X(SetDebugLogging) X(InstantiateModelExchange) X(InstantiateCoSimulation)                                 \
    X(InstantiateScheduledExecution) X(FreeInstance) X(EnterInitializationMode) X(ExitInitializationMode)                   \
    X(EnterEventMode) X(Terminate) X(Reset) X(GetFloat32) X(GetFloat64) X(GetInt8) X(GetUInt8) X(GetInt16) X(GetUInt16)     \
    X(GetInt32) X(GetUInt32) X(GetInt64) X(GetUInt64) X(GetBoolean) X(GetString) X(GetBinary) X(GetClock) X(SetFloat32)     \
    X(SetFloat64) X(SetInt8) X(SetUInt8) X(SetInt16) X(SetUInt16) X(SetInt32) X(SetUInt32) X(SetInt64) X(SetUInt64)         \
    X(SetBoolean) X(SetString) X(SetBinary) X(SetClock) X(GetNumberOfVariableDependencies) X(GetVariableDependencies)       \
    X(GetFMUState) X(SetFMUState) X(FreeFMUState) X(SerializedFMUStateSize) X(SerializeFMUState) X(DeserializeFMUState)     \
    X(GetDirectionalDerivative) X(GetAdjointDerivative) X(EnterConfigurationMode) X(ExitConfigurationMode)                  \
    X(GetIntervalDecimal) X(GetIntervalFraction) X(GetShiftDecimal) X(GetShiftFraction) X(SetIntervalDecimal)               \
    X(SetIntervalFraction) X(SetShiftDecimal) X(SetShiftFraction) X(EvaluateDiscreteStates) X(UpdateDiscreteStates)         \
    X(EnterContinuousTimeMode) X(CompletedIntegratorStep) X(SetTime) X(SetContinuousStates)                                 \
    X(GetContinuousStateDerivatives) X(GetEventIndicators) X(GetContinuousStates) X(GetNominalsOfContinuousStates)          \
    X(GetNumberOfEventIndicators) X(GetNumberOfContinuousStates) X(EnterStepMode) X(GetOutputDerivatives) X(DoStep)         \
    X(ActivateModelPartition)

struct Functions {
#define MEMBER(name) fmi3##name##TYPE *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct Functions fmi;
extern const char *missing_function;
void functions_load(void);

/* Replaces one function by a faulty one; false if there is no such fault. */
bool plant(const char *fault);

/* What an instance has logged. */
struct Log {
    unsigned messages;
    char last[512];
};

struct Instance {
    fmi3Instance i;
    struct Log log;
    bool steps, event_mode;
};

/* Creates an instance; with steps for Co-Simulation. */
void create(struct Instance *instance, bool steps, bool event_mode, bool early_return, bool logging);
void dispose(struct Instance *instance);

/* Takes a new instance to a state by its letter: I, Z, E, C, P or T. */
void lead_to(struct Instance *instance, char state);

/* The event iteration; returns the next event time, or infinity. */
double settle(struct Instance *instance, bool *terminate);

/* Steps to `end` as the standard wants it, with events handled where the FMU asks for it. */
double step_to(struct Instance *instance, double time, double end, bool *terminated);

/* All Float64 variables, one after the other, at most `room` numbers; returns how many. */
size_t read_all(struct Instance *instance, double *values, size_t room);

void test_functions(void);
void test_instantiation(void);
void test_sequence_of_model_exchange(void);
void test_sequence_of_co_simulation(void);
void test_values(void);
void test_silence(void);
void test_snapshots(void);
void test_derivatives(void);
void test_steps(void);
void test_interleaved(void);

#endif
