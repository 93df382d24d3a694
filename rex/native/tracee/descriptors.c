/* The external descriptors of a process; those that are not listed are plain or internal. */
#include "base/base.h"
#include "mode/mode.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <sys/wait.h>

static uint32_t streams = 3;             /* 1, 2, 3 are the standard ones */

struct files *files_copy(const struct files *f)
{
    struct files *copy = zalloc(sizeof *copy);
    *copy = *f;
    copy->refs = 1;
    copy->item = NULL;
    for (int i = 0; i < f->count; i++) {
        copy->item = grow(copy->item, (size_t)i, sizeof *copy->item);
        copy->item[i] = f->item[i];
    }
    copy->copies |= f->reserved;
    copy->reserved = 0;
    copy->opened = NULL;
    copy->opened_count = 0;
    for (int fd = 0; fd < f->opened_count; fd++)
        files_open(copy, fd, f->opened[fd].event, f->opened[fd].file);
    return copy;
}

void files_drop(struct files *f)
{
    if (--f->refs == 0) {
        free(f->item);
        free(f->opened);
        free(f);
    }
}

/* After exec: close-on-exec. */
void files_prune(struct files *f, pid_t tid)
{
    for (int i = f->count - 1; i >= 0; i--) {
        char name[40];
        struct stat st;
        snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, f->item[i].fd);
        if (lstat(name, &st))
            files_set(f, f->item[i].fd, 0);
    }
}

uint32_t files_mark(const struct files *f, int fd)
{
    for (int i = 0; i < f->count; i++)
        if (f->item[i].fd == fd)
            return f->item[i].stream;
    return 0;
}

uint32_t files_stream(const struct files *f, int fd)
{
    uint32_t mark = files_mark(f, fd);
    return mark < SHARED_FILE ? mark : 0;
}

uint32_t files_shared(const struct files *f, int fd)
{
    uint32_t mark = files_mark(f, fd);
    return mark >= SHARED_FILE && mark < (uint32_t)BOUNDED_FILE ? mark - SHARED_FILE : 0;
}

bool files_has_shared(const struct files *f, uint32_t mark)
{
    for (int i = 0; i < f->count; i++)
        if (f->item[i].stream == SHARED_FILE + mark)
            return true;
    return false;
}

void files_share(struct files *f, int fd, uint32_t mark)
{
    files_set(f, fd, SHARED_FILE + mark);
}

void files_unshare(struct files *f, uint32_t mark)
{
    for (int i = f->count - 1; i >= 0; i--)
        if (f->item[i].stream == SHARED_FILE + mark)
            files_set(f, f->item[i].fd, 0);
}

bool files_piped(const struct files *f, int fd)
{
    return files_mark(f, fd) >= (uint32_t)PIPE_BYTES;
}

bool files_inside(const struct files *f, int fd)
{
    return files_mark(f, fd) == (uint32_t)SOCKET_INSIDE;
}

bool files_counts(const struct files *f, int fd)
{
    return files_mark(f, fd) == (uint32_t)PIPE_COUNTER;
}

void files_duplicate(struct files *f, int from, int to)
{
    uint32_t mark = files_mark(f, from);
    files_set(f, to, mark == (uint32_t)PIPE_WRITTEN && from <= 2 && to > 2 ? 0 : mark);
}

uint64_t files_external(const struct files *f)
{
    uint64_t fds = 0;
    for (int i = 0; i < f->count; i++)
        fds |= 1ULL << (f->item[i].fd < 63 ? f->item[i].fd : 63);
    return fds;
}

uint64_t files_outputs(const struct files *f)
{
    uint64_t fds = 0;
    for (int i = 0; i < f->count; i++)
        fds |= f->item[i].fd < 63 && is_output(f->item[i].stream) ? 1ULL << f->item[i].fd : 0;
    return fds;
}

void files_set(struct files *f, int fd, uint32_t stream)
{
    int i = 0;
    uint32_t before = files_mark(f, fd);
    while (i < f->count && f->item[i].fd != fd)
        i++;
    if (i == f->count && stream) {
        f->item = grow(f->item, (size_t)f->count, sizeof *f->item);
        f->item[f->count++] = (struct external){fd, stream};
        f->high += fd > 2;
    } else if (stream)
        f->item[i].stream = stream;
    else if (i < f->count) {
        f->high -= fd > 2;
        f->item[i] = f->item[--f->count];
    }
    f->waited = f->high ? f->waited : 0;
    if (stream != before)
        TELL_OBSERVERS(files_changed, f);
}

void files_open(struct files *f, int fd, struct event *e, uint64_t file)
{
    for (; f->opened_count <= fd; f->opened_count++) {
        f->opened = grow(f->opened, (size_t)f->opened_count, sizeof *f->opened);
        f->opened[f->opened_count] = (struct opened){0};
    }
    f->opened[fd] = (struct opened){.event = e, .file = file};
}

struct opened *files_opened(const struct files *f, int fd)
{
    return fd >= 0 && fd < f->opened_count && (f->opened[fd].event || f->opened[fd].file) ? &f->opened[fd] : NULL;
}

uint32_t stream_new(void)
{
    return ++streams;
}

bool filter_watches(const struct task *t)
{
    return !(files_external(t->files) & ~7ULL & ~t->watched);
}
