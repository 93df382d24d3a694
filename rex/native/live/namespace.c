/* What a path means to a live run.  Four layers, the first that has a name decides:
 *
 *   upper    OUTDIR/<path>, what the run itself wrote
 *   gone     names of the layers below that the run removed
 *   mapped   archived files, and local ones that replace them or are added
 *   live     this machine, where the archive has no answer
 *
 * Paths of these layers are logical: absolute, without links and dots.  The kernel gets
 * physical paths.  A mapped file or directory gets its place in WORK/tree under its
 * own name, an executed program in WORK/exec, so that the kernel's name of any descriptor
 * or working directory shows its logical path. */
#include "base/base.h"
#include "live/internal.h"
#include "live/live.h"
#include "tracee/tracee.h"
#include "tree/tree.h"

#include <fcntl.h>

struct view *view, *views;
static char *exec_root;
static dev_t own_dev;
static const char absent;                /* a name that the archive knows not to be there */

/* ------------------------------------------------------------------ names */

static bool is_below(const char *path, const char *top)
{
    size_t n = strlen(top);
    return !strncmp(path, top, n) && (path[n] == '/' || !path[n]);
}

char *view_parent(const char *path)
{
    char *copy = strdup(path), *slash = strrchr(copy, '/');
    slash[slash == copy] = 0;
    return copy;
}

char *view_join(const char *directory, const char *name)
{
    return text("%s/%s", directory[1] ? directory : "", name);
}

char *view_upper(const char *path)
{
    return text("%s%s", view->outdir, path);
}

/* File systems of the kernel, which are never covered. */
bool view_is_kernel(const char *path)
{
    return is_below(path, "/proc") || is_below(path, "/sys");
}

/* The logical path that a name of the kernel's stands for. */
char *view_logical(const char *physical)
{
    const char *root = is_below(physical, exec_root) ? exec_root : NULL;
    for (struct view *v = views; v && !root; v = v->next)
        root = is_below(physical, v->outdir) ? v->outdir
            : is_below(physical, v->world->tree_root) ? v->world->tree_root : NULL;
    if (root) {
        const char *rest = physical + strlen(root);
        char *path = strdup(*rest ? rest : "/"), *end = strstr(path, " (deleted)");
        if (end && root == exec_root)     /* a program that was built again */
            *end = 0;
        return path;
    }
    const char *name = table_get(&view->world->local_names, physical);
    return strdup(name ? name : physical);
}

/* ------------------------------------------------------------------ what is mapped */

static struct node *node_at(const char *path)
{
    struct node **at = (struct node **)table_at(&view->world->index_of, path);
    if (*at)
        return *at;
    struct node *n = *at = zalloc(sizeof *n);
    n->path = strdup(path);
    n->mode = S_IFDIR | 0755;
    if (path[1]) {
        char *above = view_parent(path);
        struct node *parent = node_at(above);
        n->sibling = parent->child;
        parent->child = n;
        free(above);
    }
    return n;
}

static void add_file(const char *path, char *description)
{
    struct node *n = node_at(path);
    char *p = description;
    n->mode = S_IFREG | ((mode_t)strtoul(p, &p, 8) & 07777);
    n->mtime = parse_time(&p);
    n->file = *p ? p + 1 : p;
    n->is_local = !is_below(n->file, plan.objects);
    if (n->is_local)
        *table_at(&view->world->local_names, n->file) = n->path;
}

/* Reads the world's part of the plan. */
static void fill(struct world *w)
{
    struct marks a = w->from, b = w->to;
    node_at("/");
    for (size_t i = a.map; i < b.map && i < plan.map_to.count; i++)
        add_file(plan.map_from.item[i], plan.map_to.item[i]);
    for (size_t i = a.link; i < b.link && i < plan.link_to.count; i++) {
        struct node *n = node_at(plan.link_from.item[i]);
        n->mode = S_IFLNK | 0777;
        n->target = plan.link_to.item[i];
    }
    for (size_t i = a.dir; i < b.dir; i++) {
        char *p = plan.dirs.item[i];
        unsigned long mode = strtoul(p, &p, 8);
        node_at(*p ? p + 1 : p)->mode = S_IFDIR | ((mode_t)mode & 07777);
    }
    for (size_t i = a.time; i < b.time; i++) {
        char *p = plan.times.item[i];
        struct timespec when = parse_time(&p);
        node_at(*p ? p + 1 : p)->mtime = when;
    }
    for (size_t i = a.stub; i < b.stub; i++) {
        char *p = plan.stubs.item[i];
        mode_t mode = S_IFREG | ((mode_t)strtoul(p, &p, 8) & 07777);
        struct timespec when = parse_time(&p);
        long long size = strtoll(p, &p, 10);
        struct node *n = node_at(*p ? p + 1 : p);
        n->mode = mode;
        n->mtime = when;
        n->size = (off_t)size;
        n->is_stub = true;
    }
    for (size_t i = a.refused; i < b.refused; i++) {
        char *p = plan.refused.item[i] + 1;
        long code = strtol(p, &p, 10);
        *p = *plan.refused.item[i];          /* the letter, in the place of the space before the path */
        *table_at(&w->refused, p) = (void *)(intptr_t)code;
    }
    for (size_t i = a.listed; i < b.listed; i++)
        node_at(plan.listed.item[i])->is_closed = true;
    for (size_t i = a.entry; i < b.entry; i++)
        *table_at(&w->listed, plan.entries.item[i]) = w;
    for (size_t i = a.absent; i < b.absent; i++)              /* also of names that the experiment made before it listed them */
        *table_at(&w->listed, plan.absent.item[i]) = (void *)&absent;
}

/* The world of that number; read when it is first needed. */
struct world *view_world(size_t number)
{
    static struct world **known;
    if (!known)
        known = zalloc((plan.world_count + 1) * sizeof *known);
    struct world *w = known[number];
    if (!w) {
        w = known[number] = zalloc(sizeof *w);
        w->tree_root = number ? text("%s/tree%zu", plan.work, number) : text("%s/tree", plan.work);
        w->from = plan.world_count ? plan.worlds[number] : (struct marks){0};
        w->to = number + 1 < plan.world_count ? plan.worlds[number + 1] : plan_marks();
        struct world *before = view->world;
        view->world = w;
        fill(w);
        view->world = before;
    }
    return w;
}

static void walk_upper(const char *path);

void view_start(void)
{
    struct stat st;
    exec_root = text("%s/exec", plan.work);
    if (!stat(plan.outdir, &st))
        own_dev = st.st_dev;
    view = views = zalloc(sizeof *view);
    view->outdir = plan.outdir;
    view->world = view_world(0);
    walk_upper("/");
}

/* ------------------------------------------------------------------ upper */

/* Directories that are in the upper layer: below others there is no need to look. */
void view_upper_made(const char *path)
{
    *table_at(&view->uppers, path) = view;
}

static void walk_upper(const char *path)
{
    char *above = view_upper(path);
    struct strings names = {0};
    view_upper_made(path);
    view_read_directory(above, &names);
    for (size_t i = 0; i < names.count; i++) {
        struct stat st;
        char *inner = view_join(path, names.item[i]), *file = view_upper(inner);
        if (!lstat(file, &st) && S_ISDIR(st.st_mode))
            walk_upper(inner);
        free(inner);
        free(file);
        free(names.item[i]);
    }
    free(names.item);
    free(above);
}

void view_upper_moved(const char *path)
{
    struct stat st;
    char *above = view_upper(path);
    if (!lstat(above, &st) && S_ISDIR(st.st_mode))
        walk_upper(path);
    free(above);
}

/* ------------------------------------------------------------------ gone */

bool view_is_gone(const char *path)
{
    if (!view->gone.used)
        return false;
    char *p = strdup(path);
    bool result = false;
    for (char *slash; !result && *p; *slash = 0) {
        result = table_get(&view->gone, p) != NULL;
        if (!(slash = strrchr(p, '/')))
            break;
    }
    free(p);
    return result;
}

/* The layers below have nothing at this path and below it any more. */
void view_remove(const char *path)
{
    *table_at(&view->gone, path) = view;
}

void view_report(void)
{
    const struct table *gone = &view->gone;
    for (size_t i = 0; i < gone->size; i++)
        if (gone->slot[i].value)
            report_line("gone=%s", gone->slot[i].key);
}

/* ------------------------------------------------------------------ one name */

/* A number for a path that has no inode of its own, outside of what file systems give. */
static ino_t number_of(const char *path)
{
    return (hash_bytes(path, strlen(path), 0) >> 2 | 1ULL << 62) & ~(1ULL << 63);
}

static void mapped_stat(const struct node *n, struct stat *st)
{
    struct stat own;
    const char *file = n->file ? n->file : plan.outdir;
    if (n->is_stub && n->size < 0 && !stat(n->path, st) && S_ISREG(st->st_mode))
        return;                           /* this machine knows more of it */
    memset(st, 0, sizeof *st);
    if (!stat(file, &own)) {
        st->st_uid = n->is_local ? own.st_uid : geteuid();
        st->st_gid = n->is_local ? own.st_gid : getegid();
        st->st_blksize = own.st_blksize;
        st->st_size = S_ISLNK(n->mode) ? (off_t)strlen(n->target) : S_ISDIR(n->mode) ? 4096
            : n->is_stub ? (n->size < 0 ? 0 : n->size) : own.st_size;
        st->st_blocks = S_ISREG(n->mode) ? own.st_blocks : 8 * S_ISDIR(n->mode);
    }
    st->st_mode = n->mode;
    st->st_nlink = 1;
    st->st_dev = own_dev;
    st->st_ino = number_of(n->path);
    st->st_mtim = n->mtime;
    st->st_atim = st->st_ctim = st->st_mtim;
}

/* What a mapped path was, whatever the layers above have now. */
bool view_mapped_stat(const char *path, struct stat *st)
{
    const struct node *n = table_get(&view->world->index_of, path);
    if (n)
        mapped_stat(n, st);
    return n;
}

/* A directory is one thing in all its layers. */
static void as_directory(const char *path, struct stat *st)
{
    st->st_ino = number_of(path);
    st->st_dev = own_dev;
    st->st_nlink = 1;
}

/* The archive knows that there was nothing: not at the path, or not at a directory above it, which the run may have made
 * since. */
static bool is_denied(const char *path)
{
    if (table_get(&view->world->listed, path))
        return table_get(&view->world->listed, path) == &absent;
    char *above = view_parent(path);
    struct node *parent = table_get(&view->world->index_of, above);
    bool is_denied_above = parent ? parent->is_closed : above[1] && is_denied(above);
    free(above);
    return is_denied_above;
}

static bool in_upper(const char *path, struct stat *st)
{
    char *parent = view_parent(path);
    bool possible = table_get(&view->uppers, parent) != NULL;
    free(parent);
    if (!possible)
        return false;
    char *above = view_upper(path);
    bool found = !lstat(above, st);
    free(above);
    return found;
}

/* What is at a logical path whose parents are no links; 0 or -errno. */
int view_look(const char *path, struct place *p)
{
    p->layer = NOWHERE;
    p->node = NULL;
    if (view_is_hidden(path))
        return 0;
    p->node = table_get(&view->world->index_of, path);
    if (in_upper(path, &p->st))
        p->layer = UPPER;
    else if (view_is_gone(path))
        return 0;
    else if (p->node) {
        p->layer = MAPPED;
        mapped_stat(p->node, &p->st);
        return 0;
    } else if (is_denied(path))
        return 0;
    else if (!lstat(path, &p->st))
        p->layer = LIVE;
    else
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    if (S_ISDIR(p->st.st_mode) && !view_is_kernel(path))
        as_directory(path, &p->st);
    return 0;
}

/* Whether a layer below the upper one has the path. */
bool view_is_lower(const char *path)
{
    struct stat st;
    if (view_is_gone(path))
        return false;
    return table_get(&view->world->index_of, path) || (!is_denied(path) && !lstat(path, &st));
}

/* ------------------------------------------------------------------ physical files */

static void make_tree(const char *path)
{
    if (table_get(&view->world->trees, path))
        return;
    if (path[1]) {
        char *above = view_parent(path);
        make_tree(above);
        free(above);
    }
    char *directory = text("%s%s", view->world->tree_root, path);
    if (mkdir(directory, 0700) && errno != EEXIST)
        die("cannot make %s: %s", directory, strerror(errno));
    *table_at(&view->world->trees, path) = view;
    free(directory);
}

/* A link has the content's inode; where the file system has no more of them, a copy. */
int view_link(const char *from, const char *to)
{
    if (!link(from, to) || errno == EEXIST)
        return 0;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
    int failed = in < 0 || out < 0 || !copy_bytes(in, out) ? -errno : 0;
    close(in);
    close(out);
    return failed;
}

/* This machine may have the content. */
bool view_is_missing(const struct place *p)
{
    struct stat st;
    if (p->layer != MAPPED || !p->node->is_stub)
        return false;
    bool is_there = !stat(p->path, &st) && S_ISREG(st.st_mode) && (p->node->size < 0 || p->node->size == st.st_size);
    live_use(is_there ? LIVE_FILE : LIVE_MISSING, p->path);
    return !is_there;
}

/* What the kernel is to be given for a place that is there. */
char *view_physical(const struct place *p)
{
    if (p->layer == UPPER)
        return view_upper(p->path);
    if (p->layer != MAPPED)
        return strdup(p->path);
    if (S_ISDIR(p->st.st_mode)) {
        make_tree(p->path);
        return text("%s%s", view->world->tree_root, p->path);
    }
    if (p->node->is_local || p->node->is_stub)
        return strdup(p->node->is_stub ? p->path : p->node->file);
    char *file = text("%s%s", view->world->tree_root, p->path), *above = view_parent(p->path);
    if (!p->node->is_placed) {
        make_tree(above);
        p->node->is_placed = true;
        if (p->node->target ? symlink(p->node->target, file) : view_link(p->node->file, file))
            die("cannot place %s: %s", file, strerror(errno));
    }
    free(above);
    return file;
}

const char *view_exec_root(void)
{
    return exec_root;
}

/* Whether a path of the kernel's is of the upper layer. */
bool view_is_upper(const char *physical)
{
    for (const struct view *v = views; v; v = v->next)
        if (is_below(physical, v->outdir))
            return true;
    return false;
}

/* What belongs to the run itself is not there for the program. */
bool view_is_hidden(const char *path)
{
    return is_below(path, plan.work) || view_is_upper(path) || hidden_of(path);
}
