/* Changes of a live run's file tree: made in the upper layer, where alone it may write. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "tree/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>

/* ------------------------------------------------------------------ directories */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory of this machine, sorted; none if there is no such directory. */
void view_read_directory(const char *directory, struct strings *names)
{
    DIR *d = opendir(directory);
    size_t first = names->count;
    for (struct dirent *e; d && (e = readdir(d)); )
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
            names->item = grow(names->item, names->count, sizeof *names->item);
            names->item[names->count++] = strdup(e->d_name);
        }
    if (d)
        closedir(d);
    if (names->count > first)
        qsort(names->item + first, names->count - first, sizeof *names->item, by_name);
}

/* Every name that a directory has had, in an order that stays: positions in it are places in this list. */
struct listing { struct strings names; struct table known; bool is_begun; };

static void list_name(struct listing *l, const char *name)
{
    void **known = table_at(&l->known, name);
    if (*known)
        return;
    *known = l;
    l->names.item = grow(l->names.item, l->names.count, sizeof *l->names.item);
    l->names.item[l->names.count++] = strdup(name);
}

static void list_directory(struct listing *l, const char *directory)
{
    struct strings names = {0};
    view_read_directory(directory, &names);
    for (size_t i = 0; i < names.count; i++) {
        list_name(l, names.item[i]);
        free(names.item[i]);
    }
    free(names.item);
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(struct node *const *)a)->path, (*(struct node *const *)b)->path);
}

static void list_mapped(struct listing *l, const struct node *n)
{
    struct node **found = NULL;
    size_t count = 0;
    for (struct node *c = n ? n->child : NULL; c; c = c->sibling) {
        found = grow(found, count, sizeof *found);
        found[count++] = c;
    }
    if (count)
        qsort(found, count, sizeof *found, by_path);
    for (size_t i = 0; i < count; i++)
        list_name(l, strrchr(found[i]->path, '/') + 1);
    free(found);
}

/* In the recorded order first, as a program may depend on it. */
static void list_recorded(struct listing *l, const char *path)
{
    size_t n = path[1] ? strlen(path) : 0;
    for (size_t i = view->world->from.entry; i < view->world->to.entry; i++) {
        const char *entry = plan.entries.item[i];
        if (!strncmp(entry, path, n) && entry[n] == '/' && !strchr(entry + n + 1, '/'))
            list_name(l, entry + n + 1);
    }
}

/* Names that a directory has or had, in the order of their positions; brought up to date on request. */
const struct strings *view_names(const struct place *p, bool is_renewed)
{
    struct listing **at = (struct listing **)table_at(&view->listings, p->path), *l = *at;
    if (!l)
        l = *at = zalloc(sizeof *l);
    if (l->is_begun && !is_renewed)
        return &l->names;
    char *above = view_upper(p->path);
    bool is_open = !p->node || !p->node->is_closed;
    if (!l->is_begun)
        list_recorded(l, p->path);
    l->is_begun = true;
    if (!view_is_gone(p->path)) {
        list_mapped(l, p->node);
        if (is_open)
            list_directory(l, p->path);
    }
    list_directory(l, above);
    free(above);
    return &l->names;
}

static bool is_empty(const char *path)
{
    struct place p = {0}, inner;
    bool empty = true;
    strcpy(p.path, path);
    view_look(path, &p);
    const struct strings *names = view_names(&p, true);
    for (size_t i = 0; i < names->count && empty; i++) {
        char *below = view_join(path, names->item[i]);
        empty = view_look(below, &inner) || inner.layer == NOWHERE;
        free(below);
    }
    return empty;
}

/* ------------------------------------------------------------------ copies */

int view_make_parents(const char *path)
{
    struct place p;
    struct stat st;
    char *parent = view_parent(path), *above = view_upper(parent);
    int failed = 0;
    if (parent[1] && lstat(above, &st)) {
        failed = view_make_parents(parent);
        mode_t mode = !view_look(parent, &p) && p.layer != NOWHERE ? p.st.st_mode & 07777 : 0755;
        if (!failed && mkdir(above, 0700) && errno != EEXIST)
            failed = -errno;
        if (!failed)
            chmod(above, mode | 0700);
    }
    if (!failed)
        view_upper_made(parent);
    free(above);
    free(parent);
    return failed;
}

static int copy_file(const char *from, const struct stat *st, const char *to, bool is_empty)
{
    struct timespec times[2] = {{0, UTIME_OMIT}, st->st_mtim};
    int in = is_empty ? -1 : open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), out, failed = 0;
    if (in < 0 && !is_empty)
        return -errno;
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0 || (!is_empty && !copy_bytes(in, out)))
        failed = -errno;
    if (out >= 0) {
        fchmod(out, st->st_mode & 07777);
        futimens(out, times);
        close(out);
    }
    close(in);
    return failed;
}

/* An existing file, link or directory gets its place in the upper layer; 0 or -errno. */
int view_copy_up(struct task *t, const struct place *p, bool is_empty)
{
    if (p->layer == UPPER)
        return 0;
    char *to = view_upper(p->path), *from = view_physical(p), *target = NULL;
    int failed = view_make_parents(p->path);
    if (failed)
        ;
    else if (S_ISREG(p->st.st_mode)) {
        if (!is_empty && view_is_missing(p))
            failed = -EIO;
        if (p->layer == LIVE)
            live_use(LIVE_FILE, p->path);
        if (!failed)
            failed = copy_file(from, &p->st, to, is_empty);
    } else if (S_ISDIR(p->st.st_mode)) {
        failed = mkdir(to, p->st.st_mode & 07777) && errno != EEXIST ? -errno : 0;
        view_upper_made(p->path);
    } else if (S_ISLNK(p->st.st_mode) && (target = view_target(t, p)))
        failed = symlink(target, to) ? -errno : 0;
    else
        failed = -EPERM;
    free(target);
    free(from);
    free(to);
    return failed;
}

static int copy_tree(struct task *t, const struct place *p)
{
    int failed = view_copy_up(t, p, false);
    if (failed || !S_ISDIR(p->st.st_mode))
        return failed;
    const struct strings *names = view_names(p, true);
    for (size_t i = 0; i < names->count && !failed; i++) {
        struct place inner = {0};
        char *path = view_join(p->path, names->item[i]);
        strcpy(inner.path, path);
        failed = view_look(path, &inner);
        if (!failed && inner.layer != NOWHERE)
            failed = copy_tree(t, &inner);
        free(path);
    }
    return failed;
}

/* ------------------------------------------------------------------ removing, moving */

int view_unlink(const struct place *p)
{
    char *above = view_upper(p->path);
    int failed = S_ISDIR(p->st.st_mode) ? -EISDIR : p->layer == UPPER && unlink(above) ? -errno : 0;
    if (!failed && view_is_lower(p->path))
        view_remove(p->path);
    free(above);
    return failed;
}

int view_rmdir(const struct place *p)
{
    char *above = view_upper(p->path);
    int failed = !S_ISDIR(p->st.st_mode) ? -ENOTDIR : !is_empty(p->path) ? -ENOTEMPTY
        : p->layer == UPPER && rmdir(above) ? -errno : 0;
    if (!failed && view_is_lower(p->path))
        view_remove(p->path);
    free(above);
    return failed;
}

static int may_replace(const struct place *from, const struct place *to)
{
    if (to->layer == NOWHERE)
        return 0;
    if (S_ISDIR(from->st.st_mode) != S_ISDIR(to->st.st_mode))
        return S_ISDIR(to->st.st_mode) ? -EISDIR : -ENOTDIR;
    return S_ISDIR(to->st.st_mode) && !is_empty(to->path) ? -ENOTEMPTY : 0;
}

int view_rename(struct task *t, const struct place *from, const struct place *to, unsigned flags)
{
    if (to->layer != NOWHERE && flags & RENAME_NOREPLACE)
        return -EEXIST;
    if (to->layer == NOWHERE && flags & RENAME_EXCHANGE)
        return -ENOENT;
    if (!strcmp(from->path, to->path))
        return 0;
    if (!strncmp(to->path, from->path, strlen(from->path)) && to->path[strlen(from->path)] == '/')
        return -EINVAL;
    bool from_lower = view_is_lower(from->path), to_lower = view_is_lower(to->path);
    int failed = flags & RENAME_EXCHANGE ? copy_tree(t, to) : may_replace(from, to);
    if (!failed)
        failed = copy_tree(t, from);
    if (!failed)
        failed = view_make_parents(to->path);
    char *a = view_upper(from->path), *b = view_upper(to->path);
    if (!failed && renameat2(AT_FDCWD, a, AT_FDCWD, b, flags & (RENAME_EXCHANGE | RENAME_NOREPLACE)))
        failed = -errno;
    if (!failed) {
        if (from_lower)
            view_remove(from->path);
        if (to_lower)
            view_remove(to->path);
        view_upper_moved(to->path);
        if (flags & RENAME_EXCHANGE)
            view_upper_moved(from->path);
    }
    free(a);
    free(b);
    return failed;
}

/* file: what the kernel is given for it, where that is not the place's own. */
int view_hard_link(struct task *t, const struct place *from, const char *file, const struct place *to)
{
    if (to->layer != NOWHERE)
        return -EEXIST;
    if (!file && S_ISDIR(from->st.st_mode))
        return -EPERM;
    int failed = file ? 0 : view_copy_up(t, from, false);
    if (!failed)
        failed = view_make_parents(to->path);
    char *a = file ? strdup(file) : view_upper(from->path), *b = view_upper(to->path);
    if (!failed && linkat(AT_FDCWD, a, AT_FDCWD, b, file ? AT_SYMLINK_FOLLOW : 0))
        failed = -errno;
    free(a);
    free(b);
    return failed;
}
