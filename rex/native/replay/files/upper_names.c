/* Names below OUTDIR: OUTDIR and a recorded path together may be longer than the kernel takes.
 *
 * Such a name begins at a descriptor of the engine's on a directory further down (/proc/PID/fd/N), which tracees may use, too.
 * The last HELD of them stay open: longer than any call needs its name. */
#include "base/base.h"
#include "replay/files/internal.h"

#include <fcntl.h>

enum { HELD = 256, PART = 2048 };

static struct { int fd; char *name, *path; } held[HELD];
static unsigned next;

bool upper_is_long(const char *path)
{
    return strlen(plan.outdir) + strlen(path) >= PATH_MAX;
}

/* The directory that the parts of a path before the last ones lead to, *rest: those; -1: it is not there. */
static int directory_of(const char *path, const char **rest)
{
    int fd = open(plan.outdir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (*rest = path + 1; fd >= 0 && strlen(*rest) >= PART; ) {
        char part[PART];
        memcpy(part, *rest, PART);
        char *slash = memrchr(part, '/', PART);
        *slash = 0;
        *rest += slash - part + 1;
        int deeper = openat(fd, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = deeper;
    }
    return fd;
}

char *upper(const char *path)
{
    const char *rest;
    if (!upper_is_long(path))
        return text("%s%s", plan.outdir, path);
    int fd = directory_of(path, &rest);
    if (fd < 0)
        return strdup("/proc/self/fd/none");        /* there is no such file */
    unsigned i = next++ % HELD;
    if (held[i].name)
        close(held[i].fd);
    free(held[i].name);
    free(held[i].path);
    held[i].fd = fd;
    held[i].path = strdup(path);
    held[i].name = text("/proc/%d/fd/%d/%s", getpid(), fd, rest);
    return strdup(held[i].name);
}

/* The recorded path of a name made here; NULL: it is none. */
const char *overlay_name(const char *file)
{
    size_t n = strlen(plan.outdir);
    if (file && !strncmp(file, plan.outdir, n) && file[n] == '/')
        return file + n;
    for (unsigned i = 0; file && i < HELD && held[i].name; i++)
        if (!strcmp(held[i].name, file))
            return held[i].path;
    return NULL;
}
