/* The directories that the plan hides from the tracee. */
#include "base/base.h"
#include "tracee/hidden.h"
#include "tracee/tracee.h"

static struct hidden_all all;

static void add(const char *path)
{
    struct hidden *h = &all.item[all.count++];
    struct stat above = {0};
    const char *slash = strrchr(path, '/');
    char *parent = slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    if (stat(parent, &above))
        die("cannot look at %s: %s", parent, strerror(errno));
    *h = (struct hidden){.above_dev = above.st_dev, .above_ino = above.st_ino};
    h->name_length = (uint32_t)strlen(slash + 1);
    h->length = strlen(path) < sizeof h->path ? (uint32_t)strlen(path) : 0;
    memcpy(h->name, slash + 1, h->name_length);
    memcpy(h->path, path, h->length);
    free(parent);
}

void hidden_start(void)
{
    for (size_t i = 0; i < plan.hidden.count && i < MOST_HIDDEN; i++)
        add(plan.hidden.item[i]);
}

/* Names may mean something else from now on. */
void hidden_names_change(void)
{
    all.changes++;
}

const struct hidden_all *hidden_all(void)
{
    return &all;
}

/* The one of the plan that a path, as the kernel has it, is or lies below; NULL: none. */
const char *hidden_of(const char *path)
{
    for (size_t i = 0; i < plan.hidden.count; i++) {
        size_t n = strlen(plan.hidden.item[i]);
        if (!strncmp(path, plan.hidden.item[i], n) && (path[n] == '/' || !path[n]))
            return plan.hidden.item[i];
    }
    return NULL;
}

/* The one that lies below a directory. */
const char *hidden_below(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < plan.hidden.count; i++)
        if (!strncmp(plan.hidden.item[i], path, n) && plan.hidden.item[i][n] == '/')
            return plan.hidden.item[i];
    return NULL;
}
