/* cpu: what its files share with each other only. */
#ifndef REX_CPU_INTERNAL_H
#define REX_CPU_INTERNAL_H

#include "base/base.h"
#include "tracee/task.h"

struct pace;
struct task;
struct user_regs_struct;

/* What this room keeps of a task. */
struct cpu_state {
    /* it reads the counter in a loop, see spin_loops.c */
    uint64_t look;
    unsigned times;
    bool loops;
    ull since, seen, until;
};

static inline struct cpu_state *cpu_state(const struct task *t)
{
    return module_state(t, CPU_STATE, sizeof(struct cpu_state));
}

/* counter_sites.c */
void counter_met(struct task *t, uint64_t at, size_t size);  /* a site faulted: rdtsc, or rdtscp, which is longer */
uint64_t counter_caller(const struct task *t, uint64_t at);  /* who reads, by the slot that faults; 0: it is none */
void counter_restore(struct task *t, uint64_t at, unsigned char *code, size_t n);  /* what sites were, among code read there */

/* spin_loops.c */
/* Loops that only read it and look at memory, see cpu/spin_loops.c. */
bool polls_read(struct task *t, const struct user_regs_struct *at_reading, size_t size);  /* the read is part of a polling loop, which should not run faster */

/* tsc.c */
uint64_t tsc_caller_at(struct task *t, uint64_t at);
const struct pace *tsc_pace(void);  /* NULL: not yet known */

#endif
