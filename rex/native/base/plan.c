/* The plan: what the caller wants, as NUL-ended "key=value" records in a file. */
#include "base/base.h"

#include <stdarg.h>
#include <sys/resource.h>

struct plan plan = {.duration = UINT64_MAX, .control = -1, .hints = -1, .gate = -1, .mask = -1};

static void add(struct strings *s, char *value)
{
    s->item = grow(s->item, s->count, sizeof *s->item);
    s->item[s->count++] = value;
}

static const struct { const char *key; const char **into; } single[] = {
    {"mode", &plan.mode}, {"log", &plan.log}, {"program", &plan.program}, {"cwd", &plan.cwd},
    {"outdir", &plan.outdir}, {"report", &plan.report}, {"empty", &plan.empty},
    {"work", &plan.work}, {"seed", &plan.seed}, {"objects", &plan.objects},
    {"was_in", &plan.was_in}, {"explain", &plan.explain},
};
static const struct { const char *key; struct strings *into; } many[] = {
    {"arg", &plan.args}, {"env", &plan.env}, {"withhold", &plan.withhold},
    {"from", &plan.map_from}, {"to", &plan.map_to}, {"exec_from", &plan.exec_from},
    {"exec_to", &plan.exec_to}, {"link_from", &plan.link_from}, {"link_to", &plan.link_to}, {"dir", &plan.dirs},
    {"step", &plan.steps}, {"limit", &plan.limits}, {"hidden", &plan.hidden},
    {"time", &plan.times}, {"absent", &plan.absent}, {"refused", &plan.refused}, {"stub", &plan.stubs}, {"listed", &plan.listed}, {"entry", &plan.entries},
};

/* How many of each list there are by now. */
struct marks plan_marks(void)
{
    return (struct marks){plan.map_from.count, plan.link_from.count, plan.dirs.count, plan.times.count,
                          plan.absent.count, plan.refused.count, plan.stubs.count, plan.listed.count, plan.entries.count};
}

static void plan_set(const char *key, char *value)
{
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (!strcmp(key, single[i].key)) {
            *single[i].into = value;
            return;
        }
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        if (!strcmp(key, many[i].key)) {
            add(many[i].into, value);
            return;
        }
    if (!strcmp(key, "world")) {
        plan.worlds = grow(plan.worlds, plan.world_count, sizeof *plan.worlds);
        plan.worlds[plan.world_count++] = plan_marks();
    } else if (!strcmp(key, "control"))
        plan.control = atoi(value);
    else if (!strcmp(key, "hints"))
        plan.hints = atoi(value);
    else if (!strcmp(key, "gate"))
        plan.gate = atoi(value);
    else if (!strcmp(key, "serialize"))
        plan.serialize = atoi(value) != 0;
    else if (!strcmp(key, "duration"))
        plan.duration = strtoull(value, NULL, 10);
    else if (!strcmp(key, "watched"))
        plan.watched = atoi(value) != 0;
    else if (!strcmp(key, "no_stdin"))
        plan.no_stdin = atoi(value) != 0;
    else if (!strcmp(key, "umask"))
        plan.mask = (int)strtol(value, NULL, 8);
    else
        die("unknown key in the plan: %s", key);
}

struct timespec parse_time(char **p)
{
    time_t seconds = strtoll(*p, p, 10);
    return (struct timespec){seconds, strtol(*p, p, 10)};
}

int plan_limit(size_t i, struct rlimit *r)
{
    char *at;
    int number = (int)strtol(plan.limits.item[i], &at, 10);
    r->rlim_cur = (rlim_t)strtoll(at, &at, 10);
    r->rlim_max = (rlim_t)strtoll(at, NULL, 10);
    return number;
}

void plan_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct bytes b = {0};
    size_t n;
    if (!f)
        die("cannot read the plan %s: %s", path, strerror(errno));
    while ((n = fread(bytes_reserve(&b, 1 << 16), 1, 1 << 16, f)) > 0)
        b.used += n;
    fclose(f);
    bytes_add(&b, "", 1);
    for (char *p = (char *)b.data, *end = p + b.used - 1; p < end; ) {
        char *next = p + strlen(p) + 1, *equals = strchr(p, '=');
        if (!equals)
            die("damaged plan");
        *equals = 0;
        plan_set(p, equals + 1);
        p = next;
    }
    if (!plan.mode || (!plan.log && strcmp(plan.mode, "live")) || !plan.program || !plan.args.count)
        die("incomplete plan");
    add(&plan.args, NULL);
    add(&plan.env, NULL);
}
