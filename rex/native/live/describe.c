/* Live: what names mean to a task, for who decides on what it executes (record/programs.c). */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "tracee/task.h"

#include <fcntl.h>

static void add_text(struct bytes *into, char *made)
{
    bytes_add(into, made ? made : "", made ? strlen(made) + 1 : 1);
    free(made);
}

static char *target_of(const struct place *p)
{
    if (!S_ISLNK(p->st.st_mode))
        return NULL;
    if (p->node && p->layer == MAPPED && p->node->target)
        return strdup(p->node->target);
    char target[PATH_MAX], *file = view_physical(p);
    ssize_t n = file ? readlink(file, target, sizeof target - 1) : -1;
    free(file);
    return n < 0 ? NULL : strndup(target, (size_t)n);
}

static int add_names(struct task *t, const char *path, struct bytes *into)
{
    struct place p, inner;
    int failed = view_find(t, AT_FDCWD, path, true, &p);
    if (failed || p.layer == NOWHERE || !S_ISDIR(p.st.st_mode))
        return failed ? failed : p.layer == NOWHERE ? -ENOENT : -ENOTDIR;
    const struct strings *names = view_names(&p, true);
    for (size_t i = 0; i < names->count; i++) {
        char *below = view_join(p.path, names->item[i]);
        if (!view_look(below, &inner) && inner.layer != NOWHERE)
            bytes_add(into, names->item[i], strlen(names->item[i]) + 1);
        free(below);
    }
    return 0;
}

/* Kinds: f, n: what is there, links followed or not: struct stat, the path that it leads to, where its content lies, the target
 * of a link; d: names in a directory; l: the name of what lies at a path of this machine.  0 or a negative error. */
int live_describe(struct task *t, char kind, const char *path, struct bytes *into)
{
    struct place p;
    if (kind == 'l') {
        add_text(into, view_logical(path));
        return 0;
    }
    if (kind == 'd')
        return add_names(t, path, into);
    int failed = view_find(t, AT_FDCWD, path, kind == 'f', &p);
    if (failed || p.layer == NOWHERE || p.is_magic || view_is_missing(&p))
        return failed ? failed : -ENOENT;
    bytes_add(into, &p.st, sizeof p.st);
    add_text(into, strdup(p.path));
    bool is_archived = p.layer == MAPPED && S_ISREG(p.st.st_mode) && p.node->file && !p.node->is_stub;
    add_text(into, is_archived ? strdup(p.node->file) : view_physical(&p));     /* its name among the unpacked files has its hash */
    add_text(into, target_of(&p));
    return 0;
}
