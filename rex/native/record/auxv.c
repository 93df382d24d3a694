/* Record: what /proc shows of a program's auxiliary vector does not name the vDSO, as the vector on its stack does not.
 * A program that found the vDSO there would read the time and the processor from it without a stop. */
#include "base/base.h"
#include "log/log.h"
#include "record/internal.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <elf.h>

static struct streams showing;            /* that show such a vector */

void auxv_opened(const char *path, uint32_t stream)
{
    const char *name = strrchr(path, '/');
    if (!strncmp(path, "/proc/", 6) && name && !strcmp(name, "/auxv"))
        streams_add(&showing, stream);
}

/* A read of a stream has come to its end, and its event has what it took, however few bytes from wherever. */
void auxv_read(struct task *t, struct bytes *b)
{
    struct record *r = (struct record *)b->data;
    if (!showing.count || !streams_have(&showing, t->stream))
        return;
    r->size = (uint32_t)b->used;
    const struct field *f = record_field(r, 1, FIELD_OUT);
    if (!f)
        return;
    bool goes_on = op_of(t->nr) == REX_OP_READ;
    uint64_t place = goes_on ? position_of_fd(t->tid, (int)t->args[0], 0) - f->length : t->args[3];
    unsigned char *data = b->data + (f->data - b->data);
    for (size_t i = (size_t)(-place % sizeof(Elf64_auxv_t)); i < f->length; i += sizeof(Elf64_auxv_t))
        if (data[i] == AT_SYSINFO_EHDR)
            data[i] = AT_IGNORE;
    put_outputs(t, r);
}
