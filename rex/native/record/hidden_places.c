/* Record: where names lead, as far as a look at their directories tells, for record/hidden.c.
 * The same directories are on the way of most names.  Where they lead is kept by names that mean the same to every
 * process, until a link is made or a directory moves. */
#include "base/base.h"
#include "record/internal.h"
#include "tracee/hidden.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <fcntl.h>

enum { MOST_PLACES = 4096 };

struct place { uint64_t until; char *real; };        /* until: as hidden_all()->changes counts, + 1 */

/* A name from the root on, if it means the same to every process. */
static char *whole_name(struct task *t, int dirfd, const char *path)
{
    char *base = *path == '/' ? NULL : path_of_fd(t->tid, dirfd);
    char *whole = *path == '/' ? strdup(path) : base ? text("%s/%s", base, path) : NULL;
    free(base);
    if (whole && path_is_common(whole))
        return whole;
    free(whole);
    return NULL;
}

/* The directory that a name leads to; NULL: there is none, which is not kept, as those of an archive come to be. */
static const char *directory_at(const char *name)
{
    static struct table places;
    static char *passing;
    uint64_t now = hidden_all()->changes + 1;
    struct place *p = table_get(&places, name);
    if (p && p->until == now)
        return p->real;
    char *real = path_real(name);
    if (!real || (!p && places.used >= MOST_PLACES)) {
        free(passing);
        return passing = real;
    }
    if (!p)
        *table_at(&places, name) = p = zalloc(sizeof *p);
    free(p->real);
    *p = (struct place){now, real};
    return real;
}

static bool is_link(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* Whether a name leads to what is hidden, then *found.  False: only a look at the whole name tells. */
bool hidden_by_place(struct task *t, int dirfd, const char *path, bool follow, const char **found)
{
    char *whole = whole_name(t, dirfd, path), *slash = whole ? strrchr(whole, '/') : NULL, *real = NULL;
    bool is_clear = slash && slash[1] && strcmp(slash, "/.") && strcmp(slash, "/..");
    if (is_clear) {
        *slash = 0;
        const char *directory = directory_at(slash == whole ? "/" : whole);
        is_clear = directory && strncmp(directory, "/proc/", 6);       /* the engine's own, not the task's */
        real = is_clear ? text("%s/%s", strcmp(directory, "/") ? directory : "", slash + 1) : NULL;
    }
    *found = real ? hidden_of(real) : NULL;
    is_clear = is_clear && (*found || !follow || !is_link(real));
    free(real);
    free(whole);
    return is_clear;
}
