/* The part of the stub that changes owner, mode and times of a file by its descriptor, in recordings; only fastpath/stub.c includes it.
 * Its own process has made the file, so no content is to be archived before.  Only changes that nobody else can act on are made here:
 * others learn of them by queries, which the log answers.  So their place among the events of other processes does not matter. */
#ifndef REX_STUB_CHANGE_H
#define REX_STUB_CHANGE_H

PART bool is_made(const struct ring *ring, const struct stat *st)
{
    const struct made *m = &ring->made[st->st_ino % MADE_SLOTS];
    return m->inode == st->st_ino && m->device == st->st_dev && st->st_nlink && (st->st_mode & S_IFMT) == S_IFREG;
}

/* The file can be executed, and by whom, as before; it has its owner and group. */
PART bool is_private(const struct rule *rule, const uint64_t *args, const struct stat *st)
{
    enum { SHOWS = 07111 };
    uint32_t uid = (uint32_t)args[1], gid = (uint32_t)args[2];
    if (rule->key == REX_OP_CHMOD)
        return !((args[1] ^ st->st_mode) & SHOWS);
    if (rule->key == REX_OP_CHOWN)
        return (uid == (uint32_t)-1 || uid == st->st_uid) && (gid == (uint32_t)-1 || gid == st->st_gid);
    return !args[rule->path];
}

PART struct answer changed(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct answer none = {0, STOPS};
    struct stat *st = (struct stat *)(ring->data + ring->at);
    struct field *f = (struct field *)(ring->data + ring->at + sizeof(struct record));
    if (ring->replaying || ring->at + ROOM > ring->end || kernel(REX_NR_fstat, args[0], (uint64_t)st, 0, 0)
        || !is_made(ring, st) || !is_private(rule, args, st))
        return none;
    uint32_t n = path_into((char *)f->data, (int64_t)(int)args[0]);
    if (!n || f->data[0] != '/')
        return none;
    for (uint32_t i = n; i & 7; i++) {
        __asm__ volatile("" : "+r"(i));
        f->data[i] = 0;
    }
    *f = (struct field){.arg = rule->path < 6 ? rule->path : 0, .type = FIELD_RESOLVED, .length = n};
    int64_t result = rex_stub_call(nr, args);
    noted(ring, f->data + ((n + 7) & ~7u), nr, args, result);
    return (struct answer){result, GIVEN};
}

#endif
