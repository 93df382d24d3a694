/* The part of the stub that changes a file by its descriptor or name, and, in recordings only, clones one and duplicates descriptors of
 * directories; only fastpath/stub.c includes it.
 * The file's own process has made it, so no content is to be archived before.  Only changes that nobody else can act on are made here:
 * others learn of them by queries, which the log answers.  So their place among the events of other processes does not matter.
 * A replay makes them on the file that stands in: replay/files/overlay.c. */
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
    const uint64_t *of = args + (rule->path < 6 ? rule->path : 0);
    uint32_t uid = (uint32_t)of[1], gid = (uint32_t)of[2];
    if (rule->key == REX_OP_CHMOD)
        return !((of[1] ^ st->st_mode) & SHOWS);
    if (rule->key == REX_OP_CHOWN)
        return (uid == (uint32_t)-1 || uid == st->st_uid) && (gid == (uint32_t)-1 || gid == st->st_gid);
    return rule->key == REX_OP_SETXATTR ? is_acl_private(of, st) : rule->key == REX_OP_UTIME;
}

/* The field of a descriptor's path; NULL: it has none. */
PART struct field *put_path(struct field *f, int64_t fd, uint8_t arg)
{
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

/* A descriptor of what a call changes; of a name one without rights to it, below 0: there is none. */
PART int64_t descriptor_of(const struct rule *rule, const uint64_t *args)
{
    if (rule->path > 5 || (rule->path == 1 && !args[1]))
        return (int64_t)(int)args[0];
    return kernel(REX_NR_openat, rule->path ? args[0] : (uint64_t)AT_FDCWD, args[rule->path], O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
}

/* A directory, or a file of the process's own that others cannot act on. */
PART bool is_changed_here(const struct ring *ring, const struct rule *rule, const uint64_t *args, int64_t fd, struct stat *st)
{
    if (kernel(REX_NR_fstat, (uint64_t)fd, (uint64_t)st, 0, 0))
        return false;
    return rule->key == REX_OP_MKDIR ? (st->st_mode & S_IFMT) == S_IFDIR : is_made(ring, st) && is_private(rule, args, st);
}

/* The name, as the kernel has read it before; NULL: it is too long. */
PART unsigned char *put_name(const struct rule *rule, const uint64_t *args, unsigned char *to)
{
    const char *name = rule->path < 6 ? (const char *)args[rule->path] : NULL;
    uint32_t n = name ? length_of(name) : 0;
    if (n == LONGEST_PATH || (name && hidden_name_end(HIDDEN, name, n)))
        return NULL;
    return name ? put_field(to, rule->path, FIELD_IN, name, n) : to;
}

/* The event's fields, NULL: the change is not made here. */
PART unsigned char *put_change(struct ring *ring, const struct rule *rule, const uint64_t *args, int64_t fd)
{
    struct stat *st = (struct stat *)(ring->data + ring->at);
    unsigned char *to = ring->data + ring->at + sizeof(struct record);
    if (!is_changed_here(ring, rule, args, fd, st) || !(to = put_name(rule, args, to)))
        return NULL;
    struct field *path = put_path((struct field *)to, fd, rule->path < 6 ? rule->path : 0);
    return path && !hidden_has_path(HIDDEN, (char *)path->data, path->length) ? end_of(path) : NULL;
}

PART bool is_by_name(const struct rule *rule, const uint64_t *args)
{
    return rule->path < 6 && (rule->path != 1 || args[1]);
}

PART bool is_same_change(const struct rule *rule, long nr, const uint64_t *args, const struct record *r)
{
    int mode = rule->path < 6 ? rule->path + 1 : 1;
    if (r->call != (uint16_t)nr || (rule->key == REX_OP_CHMOD && (uint32_t)args[mode] != (uint32_t)r->args[mode]))
        return false;
    return is_by_name(rule, args) ? is_same_name(r, (const char *)args[rule->path], args[0]) : (uint32_t)args[0] == (uint32_t)r->args[0];
}

/* A call that names no file gets a descriptor of the stand-in. */
PART void change_stand_in(const struct rule *rule, long nr, const uint64_t *args, const char *name)
{
    uint64_t here[6];
    int64_t fd = rule->path > 5 ? kernel(REX_NR_openat, (uint64_t)AT_FDCWD, (uint64_t)name, O_RDONLY | O_CLOEXEC, 0) : -1;
    for (int i = 0; i < 6; i++)
        here[i] = i == rule->path ? (uint64_t)name : args[i];
    here[0] = fd < 0 ? here[0] : (uint64_t)fd;
    if (fd >= 0 || rule->path < 6)
        rex_stub_call(nr, here);
    if (fd >= 0)
        kernel(REX_NR_close, (uint64_t)fd, 0, 0, 0);
}

/* Times and attributes are in the program's memory, so they are set here.  The engine sets modes, and removes names. */
PART struct answer changed_again(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct record *r = next_of(ring);
    if (ring->replaying != IN_ORDER || ring->at >= ring->end || !is_same_change(rule, nr, args, r))
        return (struct answer){0, STOPS};
    const char *name = rule->key == REX_OP_UTIME || rule->key == REX_OP_SETXATTR ? stand_in_of(r) : NULL;
    if (name)
        change_stand_in(rule, nr, args, name);
    pass(ring, r);
    return (struct answer){r->result, GIVEN};
}

/* Of a name a descriptor is opened for a moment, which other threads could see.  A directory that is there cannot be made, whatever else holds. */
PART struct answer changed(struct ring *ring, const struct rule *rule, long nr, const uint64_t *args)
{
    struct answer none = {0, STOPS};
    bool by_name = is_by_name(rule, args);
    if (ring->at + ROOM > ring->end || (by_name ? ring->asks : rule->key == REX_OP_MKDIR))
        return none;
    int64_t fd = descriptor_of(rule, args);
    unsigned char *to = fd < 0 ? NULL : put_change(ring, rule, args, fd);
    if (by_name && fd >= 0)
        kernel(REX_NR_close, (uint64_t)fd, 0, 0, 0);
    if (!to)
        return none;
    int64_t result = rule->key == REX_OP_MKDIR ? -EEXIST : rex_stub_call(nr, args);
    noted(ring, to, nr, args, result);
    return (struct answer){result, GIVEN};
}

/* As record_result() has it.  Who clones into a file has opened it for writing, so that its content was archived if it needs to be. */
PART struct answer cloned(struct ring *ring, long nr, const uint64_t *args)
{
    uint32_t fd = (uint32_t)args[0] < 63 ? (uint32_t)args[0] : 63;
    if (ring->replaying || ring->external >> fd & 1 || ring->at + ROOM > ring->end)
        return (struct answer){0, STOPS};
    int64_t result = rex_stub_call(nr, args);
    const uint64_t facts[6] = {(uint64_t)nr, args[0], args[1], args[2], args[3], args[4]};
    noted(ring, ring->data + ring->at + sizeof(struct record), EVENT_RESULT, facts, result);
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
    struct field *path = put_path((struct field *)(ring->data + ring->at + sizeof(struct record)), (int64_t)(int)args[0], FIELD_WHOLE);
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
