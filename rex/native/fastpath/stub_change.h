/* The part of the stub that changes a file by its descriptor, and duplicates descriptors of directories, in recordings; only
 * fastpath/stub.c includes it.
 * The file's own process has made it, so no content is to be archived before.  Only changes that nobody else can act on are made here:
 * others learn of them by queries, which the log answers.  So their place among the events of other processes does not matter. */
#ifndef REX_STUB_CHANGE_H
#define REX_STUB_CHANGE_H

#define ACL_NAME "system.posix_acl_access"
enum { ACL_HEAD = 4, ACL_ENTRY = 8, ACL_RIGHTS = 2, ACL_EXECUTES = 1, LONGEST_ACL = 132 };

PART bool is_made(const struct ring *ring, const struct stat *st)
{
    const struct made *m = &ring->made[st->st_ino % MADE_SLOTS];
    return m->inode == st->st_ino && m->device == st->st_dev && st->st_nlink && (st->st_mode & S_IFMT) == S_IFREG;
}

/* What may not be there is read by the kernel. */
PART bool read_safely(void *to, uint64_t from, uint64_t n)
{
    struct iovec here = {to, n}, there = {(void *)from, n};
    const uint64_t args[6] = {(uint64_t)kernel(REX_NR_gettid, 0, 0, 0, 0), (uint64_t)&here, 1, (uint64_t)&there, 1, 0};
    return rex_stub_call(REX_NR_process_vm_readv, args) == (int64_t)n;
}

/* Nobody may execute the file by it who may not do so by its mode. */
PART bool is_acl_private(const uint64_t *args, const struct stat *st)
{
    char name[sizeof ACL_NAME];
    unsigned char value[LONGEST_ACL];
    bool is_private = !(st->st_mode & 0111) && args[3] <= sizeof value && read_safely(name, args[1], sizeof name) && read_safely(value, args[2], args[3]);
    for (uint64_t i = 0; is_private && i < sizeof name; i++)
        is_private = name[i] == rex_stub_acl[i];
    for (uint64_t i = ACL_HEAD; is_private && i + ACL_ENTRY <= args[3]; i += ACL_ENTRY)
        is_private = !(value[i + ACL_RIGHTS] & ACL_EXECUTES);
    return is_private;
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
    return rule->key == REX_OP_SETXATTR ? is_acl_private(args, st) : !args[rule->path];
}

/* The field of a descriptor's path, which is the event's first one; NULL: it has none. */
PART struct field *put_path(struct ring *ring, int64_t fd, uint8_t arg)
{
    struct field *f = (struct field *)(ring->data + ring->at + sizeof(struct record));
    uint32_t n = path_into((char *)f->data, fd);
    if (!n || f->data[0] != '/')
        return NULL;
    for (uint32_t i = n; i & 7; i++) {
        __asm__ volatile("" : "+r"(i));
        f->data[i] = 0;
    }
    *f = (struct field){.arg = arg, .type = FIELD_RESOLVED, .length = n};
    return f;
}

PART unsigned char *end_of(struct field *f)
{
    return f->data + ((f->length + 7) & ~7u);
}

PART struct answer changed(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct stat *st = (struct stat *)(ring->data + ring->at);
    struct field *path = NULL;
    if (!ring->replaying && ring->at + ROOM <= ring->end && !kernel(REX_NR_fstat, args[0], (uint64_t)st, 0, 0)
        && is_made(ring, st) && is_private(rule, args, st))
        path = put_path(ring, (int64_t)(int)args[0], rule->path < 6 ? rule->path : 0);
    if (!path)
        return (struct answer){0, STOPS};
    int64_t result = rex_stub_call(nr, args);
    noted(ring, end_of(path), nr, args, result);
    return (struct answer){result, GIVEN};
}

/* As record_duplicate() has it.  What becomes a standard descriptor stops: the engine must know who writes there. */
PART struct answer duplicated(struct ring *ring, long nr, const uint64_t *args)
{
    struct answer none = {0, STOPS};
    struct stat *st = (struct stat *)(ring->data + ring->at);
    bool duplicates = args[1] == F_DUPFD || args[1] == F_DUPFD_CLOEXEC;
    if (ring->replaying || ring->asks || !duplicates || ring->at + ROOM > ring->end
        || kernel(REX_NR_fstat, args[0], (uint64_t)st, 0, 0) || (st->st_mode & S_IFMT) != S_IFDIR)
        return none;
    struct field *path = put_path(ring, (int64_t)(int)args[0], FIELD_WHOLE);
    int64_t fd = path ? rex_stub_call(nr, args) : -1;
    bool is_standard = fd >= 0 && fd < FIRST_FD;
    if (is_standard)
        kernel(REX_NR_close, (uint64_t)fd, 0, 0, 0);
    if (!path || is_standard)
        return none;
    if (fd >= 0) {
        int64_t flags = kernel(nr, (uint64_t)fd, F_GETFL, 0, 0) | (args[1] == F_DUPFD_CLOEXEC ? O_CLOEXEC : 0);
        const uint64_t facts[6] = {(uint64_t)flags, 1};
        noted(ring, end_of(path), EVENT_DUP, facts, fd);
    }
    return (struct answer){fd, GIVEN};
}

#endif
