/* The part of the stub that opens files, for reading when recorded; only fastpath/stub.c includes it. */
#ifndef REX_STUB_OPENED_H
#define REX_STUB_OPENED_H

PART bool only_reads(const uint64_t *args)
{
    return !(args[2] & (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | O_TMPFILE | O_DIRECT) & ~(uint64_t)O_DIRECTORY);
}

PART bool is_file(const struct stat *st)
{
    return (st->st_mode & S_IFMT) == S_IFREG || (st->st_mode & S_IFMT) == S_IFDIR;
}

/* The path of a descriptor into `to`, its length, 0 if it is longer than others. */
PART uint32_t path_into(char *to, int64_t fd)
{
    char name[SELF_LENGTH + 12];
    copy(name, rex_stub_self, SELF_LENGTH);
    char *end = name + SELF_LENGTH, digits[12];
    int n = 0;
    do
        digits[n++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (n)
        *end++ = digits[--n];
    *end = 0;
    int64_t length = kernel(REX_NR_readlink, (uint64_t)name, (uint64_t)to, LONGEST_PATH, 0);
    return length > 0 && length < LONGEST_PATH ? (uint32_t)length : 0;
}

PART bool starts_with(const char *path, uint32_t word)
{
    uint32_t start;
    copy(&start, path, sizeof start);
    return start == word;
}

/* A library's code is looked at as it is opened. */
PART bool is_library(const char *path, uint32_t n)
{
    bool found = false;
    for (uint32_t i = 0; i + 2 < n; i++) {
        found = path[i] != '/' && (found || (path[i] == '.' && path[i + 1] == 's' && path[i + 2] == 'o'));
        __asm__ volatile("" : "+r"(i));
    }
    return found;
}

/* Below /proc and /sys the kernel makes files up; a name that is relative to a descriptor and not the
 * end of the path goes through links, whose directory cannot be found any more when the event is seen. */
PART bool is_ordinary(const char *path, uint32_t n, const char *given, uint32_t m, bool by_descriptor)
{
    if (n < 4 || path[0] != '/' || is_library(path, n) || starts_with(path, 'o' << 24 | 'r' << 16 | 'p' << 8 | '/')
        || starts_with(path, 's' << 24 | 'y' << 16 | 's' << 8 | '/'))
        return false;
    if (!by_descriptor || given[0] == '/')
        return true;
    if (m >= n || path[n - m - 1] != '/')
        return false;
    for (uint32_t i = 0; i < m; i++)
        if (path[n - m + i] != given[i])
            return false;
    return true;
}

PART bool note_opened(struct ring *ring, const uint64_t *args, int64_t fd)
{
    struct record *r = (struct record *)(ring->data + ring->at);
    const char *given = (const char *)args[1];
    uint32_t m = length_of(given);
    if (fd < FIRST_FD || m == LONGEST_PATH || hidden_name_end(HIDDEN, given, m))
        return false;
    struct field *f = (struct field *)put_field((unsigned char *)(r + 1), 1, FIELD_IN, given, m);
    uint32_t n = path_into((char *)f->data, fd);
    if (!n || hidden_has_path(HIDDEN, (char *)f->data, n)
        || !is_ordinary((char *)f->data, n, given, m, (int)args[0] != AT_FDCWD))
        return false;
    for (uint32_t i = n; i & 7; i++) {
        __asm__ volatile("" : "+r"(i));
        f->data[i] = 0;
    }
    *f = (struct field){.arg = 1, .type = FIELD_RESOLVED, .length = n};
    f = (struct field *)(f->data + ((n + 7) & ~7u));
    if (kernel(REX_NR_fstat, (uint64_t)fd, (uint64_t)f->data, 0, 0) || !is_file((struct stat *)f->data) || !((struct stat *)f->data)->st_nlink)
        return false;                     /* removed since, its name says so: at a stop it is opened again */
    *f = (struct field){.arg = 1, .type = FIELD_STAT, .length = STAT_BYTES};
    noted(ring, f->data + STAT_BYTES, REX_NR_openat, args, fd);
    return true;
}

/* What is no file is left alone: to open it may take long, and others may notice. */
PART struct answer opened(struct ring *ring, const struct rule *rule, const uint64_t *args)
{
    struct answer none = {0, STOPS};
    struct stat *st = (struct stat *)(ring->data + ring->at);
    if (ring->at + ROOM > ring->end)
        return none;
    if (!kernel(REX_NR_newfstatat, args[0], args[1], (uint64_t)st, 0) && !is_file(st))
        return none;
    int64_t fd = rex_stub_call(REX_NR_openat, args);
    unsigned char *to = fd < 0 ? put_fields(ring, rule, args, fd) : NULL;
    if (to)
        noted(ring, to, REX_NR_openat, args, fd);
    if (to || (fd >= 0 && note_opened(ring, args, fd)))
        return (struct answer){fd, GIVEN};
    if (fd >= 0)
        kernel(REX_NR_close, (uint64_t)fd, 0, 0, 0);
    return none;
}

/* The name of the file that stands in, the last field; NULL: none does. */
STUB const char *stand_in_of(const struct record *r)
{
    const unsigned char *at = (const unsigned char *)(r + 1), *end = (const unsigned char *)r + r->size;
    const struct field *f = NULL;
    while (at < end) {
        f = (const struct field *)at;
        at = f->data + ((f->length + 7) & ~7u);
    }
    return f && f->type == FIELD_STAND_IN ? (const char *)f->data : NULL;
}

/* A file that it makes is open to its owner: see replay/files/modes.c. */
STUB int64_t open_stand_in(const struct record *r, const uint64_t *args)
{
    const char *name = stand_in_of(r);
    return name ? kernel(REX_NR_openat, (uint64_t)AT_FDCWD, (uint64_t)name, args[2] & ~(uint64_t)(O_NOATIME | O_NOFOLLOW), args[3] | S_IRUSR | S_IWUSR) : -1;
}

PART bool opens_same(const struct record *r, const uint64_t *args)
{
    int64_t fd = open_stand_in(r, args);
    if (fd != r->result && fd >= 0)
        kernel(REX_NR_close, (uint64_t)fd, 0, 0, 0);
    return fd == r->result;
}

#endif
