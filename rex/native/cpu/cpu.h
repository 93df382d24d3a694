/* cpu: instructions that give what no log can foresee: rdtsc, rdtscp, rdrand, rdseed.
 * Readings of the counter fault (tsc.c) or jump to the fast path (counter_sites.c); loops that spin on the counter are
 * slowed down (spin_loops.c). */
#ifndef REX_CPU_CPU_H
#define REX_CPU_CPU_H

#include "base/base.h"

struct observer;
struct space;
struct task;

/* counter_sites.c */
extern const struct observer counter_observer;
bool counter_lands(struct task *t);  /* a fault that was a jump behind such an instruction, or came before its site was changed */
bool counter_has_sites(const struct task *t);

/* rdrand.c */
/* Random numbers that the processor makes. */
void random_executed(struct task *t);
bool random_concerns(const char *path);  /* a library, whose code is looked at as it is opened */
void random_opened(struct task *t, int fd, const char *path);
void random_returned(struct task *t);
bool random_emulate(struct task *t);  /* a fault that was a drawing of one */
uint64_t random_number(void);

/* spin_loops.c */
bool polls_hold(const struct task *t);  /* it is not to be resumed */
ull polls_left_ns(void);  /* until one is, as those are whose time has come; 0: none is held */

/* tsc.c */
void tsc_start(void);
void tsc_executed(struct task *t);
uint64_t tsc_caller(struct task *t);
bool tsc_emulate(struct task *t);  /* a fault that was a reading of it */
uint64_t tsc_read(bool with_aux, uint32_t *aux);  /* by the engine, when recording */
void tsc_allow(bool allowed);  /* to the engine itself */

#endif
