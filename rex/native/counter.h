/* The processor's counter: readings that fault, and sites that read it without a stop. */
#ifndef REX_COUNTER_H
#define REX_COUNTER_H

struct pace;
struct user_regs_struct;

void tsc_start(void);
void tsc_executed(struct task *t);
uint64_t tsc_asker(struct task *t);
uint64_t tsc_asker_at(struct task *t, uint64_t at);
bool tsc_emulate(struct task *t);                     /* a fault that was a reading of it */
uint64_t tsc_read(bool with_aux, uint32_t *aux);      /* by the engine, when recording */
const struct pace *tsc_pace(void);                    /* NULL: not yet known */
void tsc_allow(bool allowed);                         /* to the engine itself */

void counter_met(struct task *t, uint64_t at, size_t size);   /* a site faulted: rdtsc, or rdtscp, which is longer */
bool counter_lands(struct task *t);                   /* a fault that was a jump behind such an instruction, or came before its site was changed */
bool counter_has_sites(const struct task *t);
uint64_t counter_asker(const struct task *t, uint64_t at);    /* who reads, by the slot that faults; 0: it is none */
void counter_restore(struct task *t, uint64_t at, unsigned char *code, size_t n);   /* what sites were, among code read there */
void counter_copy(struct space *to, const struct space *from);

/* Loops that only read it and look at memory, see polls.c. */
bool polls_read(struct task *t, const struct user_regs_struct *at_reading, size_t size);     /* it is in one: is not to come round faster */
bool polls_hold(const struct task *t);                /* it is not to be resumed */
ull polls_left_ns(void);                              /* until one is, as those are whose time has come; 0: none is held */

#endif
