/* The baseline of `cargo xtask bench coupling`: two FMUs that feed each other, in plain C that only calls them. */
#include "slave.h"

/* One FMU of the pair, with its variables and its snapshot. */
struct Half {
    struct Slave slave;
    fmi2ValueReference input, output;
    fmi2FMUstate state;
};

struct Pair {
    int count;
    struct Half halves[2];
};

void *pair_add(void *pair, const char *path, const char *guid, unsigned input, unsigned output)
{
    struct Pair *p = pair ? pair : calloc(1, sizeof *p);
    if (!p || p->count == 2)
        return NULL;
    struct Half *half = &p->halves[p->count++];
    half->input = input;
    half->output = output;
    return slave_open(&half->slave, path, guid) ? p : NULL;
}

#define TRY(call)                                                                                                      \
    if ((call) > fmi2Warning)                                                                                          \
    return -1

static int set(struct Half *half, double u)
{
    const struct Slave *s = &half->slave;
    TRY(s->set_real(s->component, &half->input, 1, &u));
    return 0;
}

static int get(struct Half *half, double *y)
{
    const struct Slave *s = &half->slave;
    TRY(s->get_real(s->component, &half->output, 1, y));
    return 0;
}

static int step(struct Half *half, double t, double h, fmi2Boolean final, double u, double *y)
{
    const struct Slave *s = &half->slave;
    TRY(s->set_real(s->component, &half->input, 1, &u));
    TRY(s->do_step(s->component, t, h, final));
    TRY(s->get_real(s->component, &half->output, 1, y));
    return 0;
}

/* Seconds of so many steps, and the last outputs; negative if a call fails. `repeated`: each step is made twice, one
 * slave after the other, the second time with what the first has given. */
double pair_loop(void *pair, long steps, double h, int repeated, double *y)
{
    struct Half *a = &((struct Pair *)pair)->halves[0], *b = a + 1;
    const double stop = (double)steps * h;
    for (struct Half *half = a; half <= b; half++) {
        const struct Slave *s = &half->slave;
        if (repeated && (!s->get_state || !s->set_state))
            return -1;
        TRY(s->reset(s->component));
        TRY(s->setup(s->component, fmi2False, 0, 0, fmi2True, stop));
        TRY(s->enter(s->component));
    }
    TRY(get(a, &y[0]));
    TRY(get(b, &y[1]));
    TRY(set(a, y[1]));
    TRY(set(b, y[0]));
    TRY(a->slave.leave(a->slave.component));
    TRY(b->slave.leave(b->slave.component));
    const double begin = now();
    for (long k = 0; k < steps; k++) {
        const double t = (double)k * h, size = h;
        const double u0 = y[1], u1 = y[0];
        if (!repeated) {
            TRY(step(a, t, size, fmi2True, u0, &y[0]));
            TRY(step(b, t, size, fmi2True, u1, &y[1]));
            continue;
        }
        TRY(a->slave.get_state(a->slave.component, &a->state));
        TRY(b->slave.get_state(b->slave.component, &b->state));
        TRY(step(a, t, size, fmi2False, u0, &y[0]));
        TRY(step(b, t, size, fmi2False, y[0], &y[1]));
        TRY(a->slave.set_state(a->slave.component, a->state));
        TRY(b->slave.set_state(b->slave.component, b->state));
        TRY(step(a, t, size, fmi2False, y[1], &y[0]));
        TRY(step(b, t, size, fmi2False, y[0], &y[1]));
    }
    return now() - begin;
}
