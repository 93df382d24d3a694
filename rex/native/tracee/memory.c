/* Bytes in and out of a tracee, and growing byte buffers. */
#include "base/base.h"
#include "tracee/tracee.h"

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

static ull refused;

ull mem_refused(void)
{
    return refused;
}

bool mem_read(pid_t tid, uint64_t at, void *to, size_t n)
{
    struct iovec here = {to, n}, there = {(void *)at, n};
    if (n == 0 || process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)n)
        return true;
    bool is_denied = errno == EPERM;
    int fd = mem_open(tid, O_RDONLY);
    bool good = fd >= 0 && pread(fd, to, n, (off_t)at) == (ssize_t)n;
    refused += is_denied && !good && !kill(tid, 0);
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
