/* Randomness by a seed: runs whose states are to be compared draw the same numbers.
 * What the kernel gave is replaced, before anybody sees or logs it, by a stream that depends
 * on the seed, the cell, the task's place among those that the cell has started, and how
 * many numbers the task has drawn. */
#include "base/base.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"
#include "track/internal.h"
#include "track/track.h"

#include <sys/sysmacros.h>
#include <sys/uio.h>

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void seed_born(struct task *parent, struct task *t)
{
    track_state(t)->random = parent ? mix(track_state(parent)->random ^ mix(++track_state(parent)->random_children))
                       : hash_bytes(plan.seed ? plan.seed : "", plan.seed ? strlen(plan.seed) : 0, 0);
}

/* The borders of cells, see rex/cells/runner.py. */
void seed_border(struct task *t)
{
    if (!t->path || strncmp(t->path, BORDER, strlen(BORDER))
        || (strncmp(t->path + strlen(BORDER), "begin/", 6) && strncmp(t->path + strlen(BORDER), "end/", 4)))
        return;
    track_state(t)->random = hash_bytes(t->path, strlen(t->path), hash_bytes(plan.seed, strlen(plan.seed), 0));
    track_state(t)->random_drawn = track_state(t)->random_children = 0;
}

bool is_random_device(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && (st->st_rdev == makedev(1, 8) || st->st_rdev == makedev(1, 9));
}

uint64_t seed_number(struct task *t)
{
    return mix(track_state(t)->random + mix(track_state(t)->random_drawn++));
}

static bool reads_device(struct task *t)
{
    struct stat st;
    return (op_of(t->nr) == REX_OP_READ || op_of(t->nr) == REX_OP_PREAD) && t->stream && stat_of_fd(t->tid, (int)t->args[0], &st) && is_random_device(&st);
}

static void fill(struct task *t, uint64_t at, uint64_t left)
{
    uint64_t block[64];
    while (left) {
        size_t n = left < sizeof block ? left : sizeof block;
        for (size_t i = 0; i < (n + 7) / 8; i++)
            block[i] = seed_number(t);
        mem_write(t->tid, at, block, n);
        at += n;
        left -= n;
    }
}

static void fill_vector(struct task *t, uint64_t left)
{
    struct iovec part;
    for (uint64_t i = 0; left && i < t->args[2] && mem_read(t->tid, t->args[1] + i * sizeof part, &part, sizeof part); i++) {
        uint64_t n = part.iov_len < left ? part.iov_len : left;
        fill(t, (uint64_t)part.iov_base, n);
        left -= n;
    }
}

/* At the exit-stop of a call that may have drawn. */
void seed_drawn(struct task *t, int64_t result)
{
    if (result <= 0)
        return;
    if (t->nr == REX_NR_getrandom)
        fill(t, t->args[0], (uint64_t)result);
    else if (reads_device(t) && call_of(t->nr)->arg[1].word == REX_WORD_BUF)
        fill(t, t->args[1], (uint64_t)result);
    else if (reads_device(t))
        fill_vector(t, (uint64_t)result);
}

/* The kernel gives every new program 16 bytes, for hash tables and canaries. */
void seed_stack(struct task *t, struct stack *s)
{
    uint64_t at = stack_random(s), bytes[2];
    for (size_t i = 0; i < 2; i++)
        bytes[i] = seed_number(t);
    if (at < s->at || at + sizeof bytes > s->at + s->image.used)
        return;
    memcpy(s->image.data + (at - s->at), bytes, sizeof bytes);
    mem_write(t->tid, at, bytes, sizeof bytes);
}

/* A new program, without a recording: its random bytes, and no way to draw more that we do not see. */
void seed_program(struct task *t)
{
    struct stack s = {0};
    if (stack_read(t, &s)) {
        stack_hide_vdso(t, &s);
        seed_stack(t, &s);
    }
    bytes_free(&s.image);
}

/* Without a recording, only reads of the device stop: while a process has it open, all its calls do. */
void seed_opened(struct task *t, int64_t result)
{
    struct stat st;
    if (result >= 0 && stat_of_fd(t->tid, (int)result, &st) && is_random_device(&st))
        files_set(t->files, (int)result, stream_new());
}
