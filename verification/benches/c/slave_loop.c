/* The baseline of `cargo xtask bench importer`: fmi2SetReal, fmi2DoStep, fmi2GetReal in plain C. */
#include "slave.h"

void *slave_new(const char *path, const char *guid)
{
    struct Slave *s = calloc(1, sizeof *s);
    return s && slave_open(s, path, guid) ? s : NULL;
}

/* Seconds of so many steps, and the last output; negative if a call fails. */
double slave_loop(void *slave, long steps, double h, double *output)
{
    struct Slave *s = slave;
    const fmi2ValueReference rate[] = {1}, state[] = {0};
    if (s->reset(s->component) > fmi2Warning || s->setup(s->component, fmi2False, 0, 0, fmi2False, 0) > fmi2Warning ||
        s->enter(s->component) > fmi2Warning || s->leave(s->component) > fmi2Warning)
        return -1;
    double time = 0, x[] = {0};
    const double begin = now();
    for (long k = 0; k < steps; k++) {
        const double k_now[] = {1.0 + x[0]};
        if (s->set_real(s->component, rate, 1, k_now) > fmi2Warning ||
            s->do_step(s->component, time, h, fmi2True) > fmi2Warning ||
            s->get_real(s->component, state, 1, x) > fmi2Warning)
            return -1;
        time += h;
    }
    const double seconds = now() - begin;
    *output = x[0];
    return seconds;
}
