/* Record: what /proc tells of a program's auxiliary vector does not name the vDSO, as the vector on its stack does not:
 * who finds it there would ask it for the time and the processor, past the tracer. */
#include "engine.h"

#include <elf.h>
#include <sys/uio.h>

static uint32_t *showing;                 /* streams that tell of such a vector */
static size_t showing_count;

void auxv_opened(const char *path, uint32_t stream)
{
    const char *name = strrchr(path, '/');
    if (strncmp(path, "/proc/", 6) || !name || strcmp(name, "/auxv"))
        return;
    showing = grow(showing, showing_count, sizeof *showing);
    showing[showing_count++] = stream;
}

static bool is_vector(uint32_t stream)
{
    for (size_t i = 0; i < showing_count; i++)
        if (stream == showing[i])
            return true;
    return false;
}

/* Bytes of the vector from this place on, however few. */
static void hide(struct task *t, uint64_t at, size_t size, uint64_t place)
{
    static const unsigned char ignored = AT_IGNORE;
    unsigned char type;
    for (size_t i = (size_t)(-place % sizeof(Elf64_auxv_t)); i < size; i += sizeof(Elf64_auxv_t))
        if (mem_read(t->tid, at + i, &type, 1) && type == AT_SYSINFO_EHDR)
            mem_write(t->tid, at + i, &ignored, 1);
}

static uint64_t position(const struct task *t, int fd)
{
    char file[32];
    ull at = 0;
    snprintf(file, sizeof file, "fdinfo/%d", fd);
    proc_value(t->tid, file, "pos: %llu", &at);
    return at;
}

/* A read has come to its end. */
void auxv_read(struct task *t, int64_t result)
{
    struct iovec v;
    bool is_vectors = t->nr == REX_NR_readv || t->nr == REX_NR_preadv || t->nr == REX_NR_preadv2;
    if (result <= 0 || !t->stream || !showing_count || !is_vector(t->stream))
        return;
    uint64_t left = (uint64_t)result, place = t->nr == REX_NR_read || t->nr == REX_NR_readv
        ? position(t, (int)t->args[0]) - left : t->args[3];
    if (!is_vectors) {
        hide(t, t->args[1], left, place);
        return;
    }
    for (uint64_t i = 0; left && i < t->args[2] && mem_read(t->tid, t->args[1] + i * sizeof v, &v, sizeof v); i++) {
        size_t part = v.iov_len < left ? v.iov_len : left;
        hide(t, (uint64_t)v.iov_base, part, place);
        place += part;
        left -= part;
    }
}
