/* Replay: names that a thread has drawn otherwise than when recorded.
 *
 * A runtime draws by thread, or mixes in who came first: then a directory or file that it makes for itself has a name that the
 * log does not have.  It stands for the one that the log has there, and all that any process says of it is taken for that. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <ctype.h>
#include <fcntl.h>

enum { DRAWN = 6, LONGER = 4 };          /* letters that differ, at least; how many more of them there may be */

static struct renamed { char *now, *then; } *renamed;      /* a path; the last part of another in its place */
static size_t count;

static bool makes_file(long nr, int flags)
{
    const struct rex_call *c = call_of(nr);
    return c && c->hook == REX_HOOK_OPEN && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
}

/* In one directory, equal up to what looks drawn: how far they are equal, 0 = not so. */
static size_t likeness(const char *one, const char *other)
{
    size_t same = 0, n = strlen(one), m = strlen(other);
    while (one[same] && one[same] == other[same])
        same++;
    bool is_long = n >= same + DRAWN && m >= same + DRAWN && n < m + LONGER && m < n + LONGER;
    return is_long && !strchr(one + same, '/') && !strchr(other + same, '/') ? same : 0;
}

/* The name that the log has a sibling thread make there, and that nobody has made yet. */
static char *made_then(const struct task *t, const char *path)
{
    bool is_directory = replay_makes_directory(t->nr);
    char *best = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < task_log_total(); i++)
        for (size_t k = task_log_of(i)->cursor; replay_is_sibling(t, task_log_of(i)) && k < task_log_of(i)->count; k++) {
            const struct event *e = task_log_of(i)->event[k];
            const struct record *r = e->record;
            if (e->done || r->result < 0 || !(is_directory ? replay_makes_directory(r->call) : makes_file(r->call, flags_in(r))))
                continue;
            char *other = record_text(r, FIELD_WHOLE, FIELD_RESOLVED);
            size_t same = other ? likeness(path, other) : 0;
            if (same > most) {
                free(best);
                best = other;
                most = same;
            } else
                free(other);
        }
    return best;
}

static const char *last_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* The path as given, with the name of then; so are names that are made of it (NAME.c). */
static char *path_then(struct task *t, int dirfd, char *given)
{
    char *full = given && count ? replay_full_name(t, t->args, dirfd, given) : NULL;
    for (size_t i = 0; full && i < count; i++) {
        const char *now = renamed[i].now, *name = last_name(now), *rest = full + strlen(now);
        if (strncmp(full, now, strlen(now)) || isalnum((unsigned char)*rest) || strlen(given) < strlen(name) + strlen(rest))
            continue;
        size_t before = strlen(given) - strlen(rest) - strlen(name);
        if (strncmp(given + before, name, strlen(name)))
            continue;                     /* the call comes from within */
        char *then = text("%.*s%s%s", (int)before, given, renamed[i].then, rest);
        free(given);
        given = then;
        break;
    }
    free(full);
    return given;
}

/* Arguments of a program, with the paths of then. */
void replay_arguments_then(struct bytes *arguments)
{
    for (size_t i = 0; i < count; i++) {
        const char *now = renamed[i].now;
        size_t n = strlen(now), before = (size_t)(last_name(now) - now);
        struct bytes then = {0};
        const unsigned char *from = arguments->data, *end = from + arguments->used, *found;
        while ((found = memmem(from, (size_t)(end - from), now, n))) {
            bool is_whole = found + n < end && !isalnum(found[n]);
            bytes_add(&then, from, (size_t)(found - from) + (is_whole ? before : n));
            if (is_whole)
                bytes_add(&then, renamed[i].then, strlen(renamed[i].then));
            from = found + n;
        }
        bytes_add(&then, from, (size_t)(end - from));
        bytes_free(arguments);
        *arguments = then;
    }
}

static void stand_in(struct task *t)
{
    char *path = replay_opened_name(t);
    char *then = path && !replay_is_changed(path) && !overlay_exists(path) ? made_then(t, path) : NULL;
    if (then) {
        renamed = grow(renamed, count, sizeof *renamed);
        renamed[count++] = (struct renamed){replay_own_name(t), strdup(last_name(then))};
    }
    free(then);
    free(path);
}

/* What the call names, as when recorded. */
void replay_read_names(struct task *t)
{
    struct name_args n = name_args(t->nr);
    read_names(t);
    if (t->path && has_shared_work(t) && (replay_makes_directory(t->nr) || makes_file(t->nr, open_flags(t))))
        stand_in(t);
    t->path = path_then(t, n.dirfd, t->path);
    t->path2 = path_then(t, n.dirfd2, t->path2);
}
