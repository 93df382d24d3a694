/* Randomness by a seed: runs whose states are to be compared draw the same numbers.
 * What the kernel gave is replaced, before anybody sees or logs it, by a stream that depends
 * on the seed, the cell, the task's place among those that the cell has started, and how
 * many numbers the task has drawn. */
#include "engine.h"

#include <sys/sysmacros.h>

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void seed_born(struct task *parent, struct task *t)
{
    t->random = parent ? mix(parent->random ^ mix(++parent->random_children))
                       : hash_bytes(plan.seed ? plan.seed : "", plan.seed ? strlen(plan.seed) : 0, 0);
}

/* The borders of cells, see rex/cells/runner.py. */
void seed_border(struct task *t)
{
    if (!t->path || strncmp(t->path, BORDER, strlen(BORDER))
        || (strncmp(t->path + strlen(BORDER), "begin/", 6) && strncmp(t->path + strlen(BORDER), "end/", 4)))
        return;
    t->random = hash_bytes(t->path, strlen(t->path), hash_bytes(plan.seed, strlen(plan.seed), 0));
    t->random_drawn = t->random_children = 0;
}

static bool is_random_device(struct task *t)
{
    char name[40];
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", t->tid, (int)t->args[0]);
    return !stat(name, &st) && S_ISCHR(st.st_mode)
        && (st.st_rdev == makedev(1, 8) || st.st_rdev == makedev(1, 9));
}

/* At the exit-stop of a call that may have drawn. */
void seed_drawn(struct task *t, int64_t result)
{
    uint64_t at = t->nr == REX_NR_getrandom ? t->args[0] : t->args[1], block[64];
    if (result <= 0 || (t->nr != REX_NR_getrandom && !(t->nr == REX_NR_read && t->stream && is_random_device(t))))
        return;
    for (uint64_t left = (uint64_t)result; left; ) {
        size_t n = left < sizeof block ? left : sizeof block;
        for (size_t i = 0; i < (n + 7) / 8; i++)
            block[i] = mix(t->random + mix(t->random_drawn++));
        mem_write(t->tid, at, block, n);
        at += n;
        left -= n;
    }
}
