#ifndef REX_PLACEMENT_H
#define REX_PLACEMENT_H

/* Where tracer and tracees run, see placement.c. */

void place_start(void);                              /* before there are tracees */
void place_stopped(const struct task *t);
void place_rest(bool rests);                         /* around a wait for reports */
void place_opened(const char *path, uint32_t stream);
void place_asked(const struct task *t);

#endif
