/* Bytes in and out of a tracee, and growing byte buffers. */
#include "engine.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/uio.h>

enum { PAGE = 4096 };

int mem_open(pid_t tid, int flags)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/mem", tid);
    return open(name, flags | O_CLOEXEC);
}

bool mem_read(pid_t tid, uint64_t at, void *to, size_t n)
{
    struct iovec here = {to, n}, there = {(void *)at, n};
    if (n == 0 || process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)n)
        return true;
    int fd = mem_open(tid, O_RDONLY);
    bool good = fd >= 0 && pread(fd, to, n, (off_t)at) == (ssize_t)n;
    if (fd >= 0)
        close(fd);
    return good;
}

bool is_syscall_at(pid_t tid, uint64_t rip)
{
    unsigned char code[2];
    return mem_read(tid, rip, code, sizeof code) && code[0] == 0x0f && code[1] == 0x05;
}

/* Through /proc where the page is read-only: the kernel then copies it first. */
bool mem_write(pid_t tid, uint64_t at, const void *from, size_t n)
{
    struct iovec here = {(void *)from, n}, there = {(void *)at, n};
    if (n == 0 || process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)n)
        return true;
    int fd = mem_open(tid, O_RDWR);
    bool good = fd >= 0 && pwrite(fd, from, n, (off_t)at) == (ssize_t)n;
    if (fd >= 0)
        close(fd);
    return good;
}

/* A tracee's memory to the end of a page: what lies together there is read once. */
struct rest { uint64_t at; size_t n; unsigned char data[PAGE]; };

static const unsigned char *rest_of_page(pid_t tid, struct rest *rest, uint64_t at, size_t *n)
{
    if (at < rest->at || at >= rest->at + rest->n) {
        rest->at = at;
        rest->n = PAGE - at % PAGE;
        if (!mem_read(tid, at, rest->data, rest->n)) {
            rest->n = 0;
            return NULL;
        }
    }
    *n = rest->at + rest->n - at;
    return rest->data + (at - rest->at);
}

/* With its end; page by page, as the next one may not be there. */
static bool add_string(pid_t tid, struct rest *rest, uint64_t at, size_t limit, struct bytes *b)
{
    const unsigned char *part, *end;
    size_t n = 0;
    for (size_t before = b->used; at && b->used - before < limit && (part = rest_of_page(tid, rest, at, &n)); at += n) {
        end = memchr(part, 0, n);
        bytes_add(b, part, end ? (size_t)(end + 1 - part) : n);
        if (end)
            return true;
    }
    return false;
}

char *mem_string(pid_t tid, uint64_t at, size_t limit)
{
    struct bytes b = {0};
    struct rest rest;
    rest.at = rest.n = 0;
    if (add_string(tid, &rest, at, limit, &b))
        return (char *)b.data;
    bytes_free(&b);
    return NULL;
}

static bool read_pointer(pid_t tid, struct rest *rest, uint64_t at, uint64_t *pointer)
{
    size_t n;
    const unsigned char *place = rest_of_page(tid, rest, at, &n);
    if (!place || n < sizeof *pointer)
        return mem_read(tid, at, pointer, sizeof *pointer);
    memcpy(pointer, place, sizeof *pointer);
    return true;
}

/* What an array of pointers names, up to the one that is null. */
void mem_strings(pid_t tid, uint64_t at, struct bytes *b)
{
    static struct rest pointers, strings;
    size_t whole = b->used;
    pointers.n = strings.n = 0;
    for (uint64_t pointer; read_pointer(tid, &pointers, at, &pointer) && pointer; at += sizeof pointer) {
        if (!add_string(tid, &strings, pointer, 1 << 20, b))
            break;
        whole = b->used;
    }
    b->used = whole;
}

/* From the first line of /proc/TID/FILE that the format fits; else what it points to stays as it is. */
void proc_value(pid_t tid, const char *file, const char *format, ...)
{
    char name[64], line[256];
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/%s", tid, file);
    FILE *f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        va_list list;
        va_start(list, format);
        found = vsscanf(line, format, list) == 1;
        va_end(list);
    }
    if (f)
        fclose(f);
}

/* One number of what /proc tells of a descriptor; left as it is where that can not be told. */
static void fd_value(pid_t tid, int fd, const char *format, void *value)
{
    char file[24];
    snprintf(file, sizeof file, "fdinfo/%d", fd);
    proc_value(tid, file, format, value);
}

unsigned flags_of_fd(pid_t tid, int fd, unsigned unknown)
{
    unsigned flags = unknown;
    fd_value(tid, fd, "flags: %o", &flags);
    return flags;
}

uint64_t position_of_fd(pid_t tid, int fd, uint64_t unknown)
{
    ull position = unknown;
    fd_value(tid, fd, "pos: %llu", &position);
    return position;
}

bool is_caught(pid_t tid, int sig)
{
    ull caught = 0;
    proc_value(tid, "status", "SigCgt: %llx", &caught);
    return caught >> (sig - 1) & 1;
}

unsigned char *bytes_room(struct bytes *b, size_t n)
{
    if (b->used + n > b->size) {
        b->size = (b->used + n) * 2;
        b->data = realloc(b->data, b->size);
        if (!b->data)
            die("out of memory");
    }
    return b->data + b->used;
}

void bytes_add(struct bytes *b, const void *data, size_t n)
{
    unsigned char *room = bytes_room(b, n);
    if (n)
        memcpy(room, data, n);
    b->used += n;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

void *zalloc(size_t size)
{
    void *p = calloc(1, size);
    if (!p)
        die("out of memory");
    return p;
}

/* Room for one more item, doubling at powers of two. */
void *grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    items = realloc(items, (count ? 2 * count : 1) * size);
    if (!items)
        die("out of memory");
    return items;
}

void streams_add(struct streams *s, uint32_t stream)
{
    s->id = grow(s->id, s->count, sizeof *s->id);
    s->id[s->count++] = stream;
}

bool streams_have(const struct streams *s, uint32_t stream)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->id[i] == stream)
            return true;
    return false;
}

char *text(const char *format, ...)
{
    char *result;
    va_list list;
    va_start(list, format);
    if (vasprintf(&result, format, list) < 0)
        die("out of memory");
    va_end(list);
    return result;
}

ull hash_bytes(const void *data, size_t n, ull seed)
{
    const unsigned char *p = data;
    ull h = 0xcbf29ce484222325ULL ^ seed;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ULL;
    return h ^ h >> 29;
}

static struct slot *table_find(const struct table *t, const char *key)
{
    size_t i = hash_bytes(key, strlen(key), 0) & (t->size - 1);
    while (t->slot[i].key && strcmp(t->slot[i].key, key))
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

void *table_get(const struct table *t, const char *key)
{
    return t->size ? table_find(t, key)->value : NULL;
}

void **table_at(struct table *t, const char *key)
{
    if (2 * (t->used + 1) > t->size) {
        struct table bigger = {.size = t->size ? 2 * t->size : 64};
        bigger.slot = zalloc(bigger.size * sizeof *bigger.slot);
        bigger.used = t->used;
        for (size_t i = 0; i < t->size; i++)
            if (t->slot[i].key)
                *table_find(&bigger, t->slot[i].key) = t->slot[i];
        free(t->slot);
        *t = bigger;
    }
    struct slot *s = table_find(t, key);
    if (!s->key) {
        s->key = strdup(key);
        t->used++;
    }
    return &s->value;
}

void **table_at_file(struct table *t, uint64_t device, uint64_t inode)
{
    char name[48];
    snprintf(name, sizeof name, "%llx %llx", (ull)device, (ull)inode);
    return table_at(t, name);
}
