/* Randomness by a seed, and the borders of cells: seed.c. */
#ifndef REX_SEED_H
#define REX_SEED_H

#define BORDER "/.rex-cell/"

void seed_born(struct task *parent, struct task *t);
void seed_border(struct task *t);                    /* a call with a name: maybe the border of a cell */
bool is_random_device(const struct stat *st);
void seed_drawn(struct task *t, int64_t result);
uint64_t seed_number(struct task *t);
void seed_stack(struct task *t, struct stack *s);    /* the initial stack of a new program */

/* Without a recording: */
void seed_opened(struct task *t, int64_t result);
void seed_program(struct task *t);

#endif
