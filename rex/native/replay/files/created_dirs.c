/* Replay: what is in directories that the experiment makes.
 *
 * All of it lies below the output directory.  Threads may have given other names than when recorded.  A process with threads that uses
 * the names of a listing gets the present names. */
#include "base/base.h"
#include "log/log.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"
#include "replay/index/index.h"
#include "replay/order/order.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <dirent.h>

/* Whether a name is of such a directory, or below it: what is there now is all that there is. */
bool replay_is_within_made(const char *path)
{
    char *dir = strdup(path), *slash;
    bool is_within = false;
    while (!is_within && (slash = strrchr(dir, '/')) && slash != dir) {
        *slash = 0;
        is_within = replay_is_made(dir) && overlay_exists(dir);
    }
    free(dir);
    return is_within;
}

static bool is_there(const char *dir, const char *name)
{
    char *path = text("%s/%s", dir, name);
    bool is = overlay_exists(path);
    free(path);
    return is;
}

static bool is_of_log(const char *dir, const char *name)
{
    char *path = text("%s/%s", dir, name);
    bool is = replay_is_changed(path);
    free(path);
    return is;
}

/* The first name of that kind, in alphabetical order after the last one given, that the log does not have. */
static bool next_name(const char *dir, unsigned char type, char *last, size_t size)
{
    char *above = upper(dir), best[NAME_MAX + 1] = "";
    DIR *d = opendir(above);
    for (struct dirent *e; d && (e = readdir(d)); )
        if (e->d_type == type && strcmp(e->d_name, last) > 0 && (!*best || strcmp(e->d_name, best) < 0) && e->d_name[0] != '.' && !is_of_log(dir, e->d_name))
            snprintf(best, sizeof best, "%s", e->d_name);
    if (d)
        closedir(d);
    free(above);
    snprintf(last, size, "%s", *best ? best : last);
    return *best;
}

struct given { char files[NAME_MAX + 1], dirs[NAME_MAX + 1]; };

static bool rename_entries(const char *dir, unsigned char *data, size_t size, struct given *given)
{
    bool renames = false;
    struct dirent64 entry;
    const size_t head = offsetof(struct dirent64, d_name);
    for (size_t at = 0; at + head < size; at += entry.d_reclen) {
        memcpy(&entry, data + at, head);
        if (entry.d_reclen <= head || entry.d_reclen > size - at)
            break;
        char *name = (char *)data + at + head, *last = entry.d_type == DT_DIR ? given->dirs : given->files;
        size_t room = entry.d_reclen - head;
        bool is_gone = (entry.d_type == DT_DIR || entry.d_type == DT_REG) && memchr(name, 0, room) && !is_there(dir, name) && is_of_log(dir, name);
        if (is_gone && next_name(dir, entry.d_type, last, sizeof given->files) && strlen(last) < room) {
            snprintf(name, room, "%s", last);
            renames = true;
        }
    }
    return renames;
}

/* A directory was listed: a file that has another name now is listed by it, if it is no longer than the log's entry allows. */
void replay_names_now(struct task *t, const struct event *e)
{
    struct opened *o = t->nr == REX_NR_getdents64 && has_shared_work(t) && e->record->result > 0 ? replay_opened(t, (int)t->args[0]) : NULL;
    const struct field *f = o && o->event ? record_field(e->record, 1, FIELD_OUT) : NULL;
    char *dir = f ? record_text(o->event->record, FIELD_WHOLE, FIELD_RESOLVED) : NULL;
    if (dir && replay_is_made(dir)) {
        static struct table by_open;
        struct given **given = (struct given **)table_at_file(&by_open, t->leader->index, o->file);
        *given = *given ? *given : zalloc(sizeof **given);
        unsigned char *data = zalloc(f->length);
        memcpy(data, f->data, f->length);
        if (rename_entries(dir, data, f->length, *given))
            mem_write(t->tid, t->args[1], data, f->length);
        free(data);
    }
    free(dir);
}
