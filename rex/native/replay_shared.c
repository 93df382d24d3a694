/* Replay of what processes do to files that they share: each takes a lock after those that had it before.
 *
 * Locks are real, so that who waits for one has it when its holder lets go of it, in whatever way.  One that was
 * had at once may have to be waited for here; one that was not had is refused by the log. */
#include "engine.h"

#include <fcntl.h>
#include <sys/file.h>

static struct table locked;              /* path -> what is locked in its place */

static bool is_lock(const struct record *r)
{
    return r->call == EVENT_SHARED && (r->args[0] == REX_NR_flock || r->args[0] == REX_NR_fcntl);
}

void replay_shared_start(void)
{
    static struct table last;
    static char none[] = "";
    for (size_t i = 0; i < event_count; i++) {
        const struct record *r = events[i].record;
        char name[48], *path;
        if (!is_lock(r))
            continue;
        snprintf(name, sizeof name, "%llx %llx", (ull)r->args[3], (ull)r->args[2]);
        struct event **at = (struct event **)table_at(&last, name);
        events[i].before = *at;
        *at = &events[i];
        if (r->args[0] == REX_NR_flock && (path = record_text(r, FIELD_WHOLE, FIELD_RESOLVED))) {
            *table_at(&locked, path) = none;
            free(path);
        }
    }
}

static bool is_same_process(uint32_t a, uint32_t b)
{
    return script_of(a)->tgid == script_of(b)->tgid;
}

/* Whether other processes have had the file before, as when recorded. */
bool replay_shared_ready(struct task *t, const struct event *e)
{
    const struct event *before = e->before;
    while (before && is_same_process(before->record->task, t->script->index))
        before = before->before;
    return !before || before->done;
}

void replay_shared(struct task *t, struct event *e)
{
    struct user_regs_struct r = t->regs;
    if (e->record->result < 0) {
        replay_send_at_return(t, e);
        skip_call(t, e->record->result);
        replay_done(e);
        return;
    }
    if (t->nr == REX_NR_flock)
        r.rsi &= ~(ull)LOCK_NB;
    else if (r.rsi == F_SETLK || r.rsi == F_OFD_SETLK)
        r.rsi++;                          /* the same, and waits */
    regs_set(t, &r);
    t->want_exit = true;
}

void replay_shared_exit(struct task *t, struct event *e, int64_t result)
{
    if (is_interrupted(result)) {
        rewind_call(t);
        return;
    }
    if (result != e->record->result)
        replay_diverged(t, e, "failed here");
    give_result(t, e->record->result);
    replay_done(e);
}

/* ------------------------------------------------------------------ what is locked */

bool replay_is_locked(const char *path)
{
    return table_get(&locked, path);
}

/* Files of equal content are one in the cache, as are all directories; other replays have them open too. */
char *replay_lock_file(const char *path, mode_t kind)
{
    static unsigned made;
    char **at = (char **)(replay_is_locked(path) ? table_at(&locked, path) : NULL);
    if (!at || (kind != S_IFDIR && replay_is_changed(path)))
        return NULL;
    if (!**at) {
        char *place = text("%s/lock%u", plan.work, made++), *file = overlay_read(path);
        int in = kind == S_IFDIR || !file ? -1 : open(file, O_RDONLY | O_CLOEXEC);
        int out = in < 0 ? -1 : open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        bool good = kind == S_IFDIR ? !mkdir(place, 0700) : out >= 0 && copy_bytes(in, out);
        close(in);
        close(out);
        free(file);
        if (!good)
            return NULL;
        *at = place;
    }
    return strdup(*at);
}
