/* Random numbers that the processor makes. */
#ifndef REX_RDRAND_H
#define REX_RDRAND_H

void random_executed(struct task *t);
bool random_concerns(const char *path);             /* a library, whose code is looked at as it is opened */
void random_opened(struct task *t, int fd, const char *path);
void random_returned(struct task *t);
bool random_emulate(struct task *t);                  /* a fault that was a drawing of one */
uint64_t random_number(void);

#endif
