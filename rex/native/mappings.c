/* Where large files are mapped, so that a replay maps them there.
 *
 * Without a wish the kernel takes the highest gap, but some file systems (ext4, xfs, btrfs) ask it to align files of
 * two megabytes or more to huge pages, and others (tmpfs, overlays of it) do not; nor do all kernels.  In a replay the
 * file may lie on another, and all that is mapped later would lie elsewhere. */
#include "engine.h"
#include "queues.h"

/* The kernel hands out a page at a time, a stream would ask for a quarter of it. */
FILE *mappings_open(pid_t tid)
{
    static char buffer[4096], name[32];
    snprintf(name, sizeof name, "/proc/%d/maps", tid);
    FILE *f = fopen(name, "re");
    if (f)
        setvbuf(f, buffer, _IOFBF, sizeof buffer);
    return f;
}

/* Processes may have a thousand: sscanf() takes five times as long. */
bool mappings_next(FILE *f, struct mapping *m)
{
    static char line[PATH_MAX + 128];
    char *at;
    if (!f || !fgets(line, sizeof line, f))
        return false;
    *m = (struct mapping){.from = strtoull(line, &at, 16)};
    m->to = strtoull(at + (*at == '-'), &at, 16);
    if (strlen(at) < 6)
        return true;
    memcpy(m->rights, at + 1, sizeof m->rights);
    m->offset = strtoull(at + 6, &at, 16);
    at += strspn(at, " ");
    at += strcspn(at, " ");               /* the device */
    m->inode = strtoull(at, NULL, 10);
    return true;
}

/* As the filter has it, see emit_mmap(). */
bool maps_large_file(const struct task *t)
{
    return t->nr == REX_NR_mmap && !t->args[0] && t->args[1] >= LARGE_MAPPING && !(t->args[3] & MAPPING_CHOSEN);
}

uint64_t mapping_key(const uint64_t *args)
{
    return (uint64_t)EVENT_MAPPED << 48 ^ args[0] >> 12 ^ args[1] << 12;
}

/* Returns whether the call is one. */
bool record_mapping(struct task *t)
{
    t->want_exit |= maps_large_file(t);
    return maps_large_file(t);
}

void record_mapped(struct task *t, int64_t result)
{
    struct bytes b = {0};
    if (result < 0)
        return;
    log_begin(&b, EVENT_MAPPED, t->index);
    struct record *r = (struct record *)b.data;
    r->result = result;
    r->args[0] = t->args[1];
    r->args[1] = t->args[5];
    log_end(&b);
    bytes_free(&b);
}

/* ------------------------------------------------------------------ replay */

void replay_mappings_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (events[i].record->call == EVENT_MAPPED)
            queue_add(&events[i], queue_id(script_of(events[i].record->task), EVENT_MAPPED, events[i].key, 0), PLAIN);
}

/* Nothing else depends on these events: a program that maps otherwise than when recorded takes what it gets. */
static struct event *left_in(const struct script *s, uint64_t key)
{
    struct event *e = queue_at(queue_id(s, EVENT_MAPPED, key, 0))->first;
    while (e && e->taker)
        e = e->next[PLAIN];
    return e;
}

void replay_mapping(struct task *t)
{
    const uint64_t args[2] = {t->args[1], t->args[5]};
    if (!maps_large_file(t) || !t->script)
        return;
    struct event *e = left_in(t->script, mapping_key(args));
    for (uint32_t i = 0; !e && has_shared_work(t) && i < script_total(); i++)
        if (replay_is_mate(t, script_of(i)))
            e = left_in(script_of(i), mapping_key(args));
    if (!e)
        return;
    e->taker = t;
    change_call(t, t->nr, (uint64_t)e->record->result, t->args[1], t->args[2], t->args[3] | MAP_FIXED_NOREPLACE);
}

/* Where something is already, as another thread may have mapped there, the kernel is to choose. */
void replay_mapped(struct task *t, int64_t result)
{
    if (result == -EEXIST)
        rewind_call(t);
    else
        give_result(t, result);
}
