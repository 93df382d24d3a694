/* The order in which threads have come somewhere, a letter for each. */
#ifndef ORDER_H
#define ORDER_H

static char order[4096];

static inline void note(char who)
{
    static int used;
    int at = __atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST);
    if (at < (int)sizeof order - 1)
        order[at] = who;
}

#endif
