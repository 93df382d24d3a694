/* The syscall log: docs/formats/log.md.  Written through one buffer, read by mapping it. */
#include "engine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static const char magic[8] = "REXLOG\r\n";
enum { OLDEST = 1, NEWEST = LOG_WITH_MADE_PIPES, HEADER = 32, COMPLETE = 1, ONE_AT_A_TIME = 2, BUFFER = 1 << 18 };

static struct { char magic[8]; uint32_t version, flags; uint64_t start, events; } header;
static int log_fd = -1;
static unsigned char buffer[BUFFER];
static size_t buffered;
static uint64_t began;
uint64_t log_events;
uint32_t log_version;

/* Not by the vDSO: it reads the time-stamp counter, which this process may not (see trace()). */
uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    syscall(SYS_clock_gettime, id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t log_now(void)
{
    return clock_ns(CLOCK_MONOTONIC) - began;
}

/* In steps of 1024 ns: nobody needs more, and the rest is noise that would be most of a stored log. */
uint64_t log_stamp(void)
{
    return log_now() & ~(uint64_t)1023;
}

/* CLOCK_REALTIME as the recording began. */
uint64_t log_start(void)
{
    return header.start;
}

static void write_all(const void *data, size_t n)
{
    for (const unsigned char *p = data; n; ) {
        ssize_t done = write(log_fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            report_line("log_error=%s", strerror(errno));
            die("cannot write the log: %s", strerror(errno));
        }
        p += done;
        n -= (size_t)done;
    }
}

void log_create(const char *path)
{
    log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log_fd < 0)
        die("cannot write the log %s: %s", path, strerror(errno));
    memcpy(header.magic, magic, sizeof magic);
    header.version = log_version = NEWEST;
    header.flags = plan.serialize ? ONE_AT_A_TIME : 0;
    header.start = clock_ns(CLOCK_REALTIME);
    began = clock_ns(CLOCK_MONOTONIC);
    write_all(&header, sizeof header);
}

void log_flush(void)
{
    if (log_fd >= 0)
        write_all(buffer, buffered);
    buffered = 0;
}

void log_begin(struct bytes *b, uint16_t call, uint32_t task)
{
    struct record r = {.call = call, .task = task, .time = log_stamp()};
    b->used = 0;
    bytes_add(b, &r, sizeof r);
}

void log_field(struct bytes *b, uint8_t arg, uint8_t type, const void *data, size_t n)
{
    struct field f = {arg, type, 0, (uint32_t)n};
    bytes_add(b, &f, sizeof f);
    bytes_add(b, data, n);
    bytes_add(b, "\0\0\0\0\0\0\0", -n & 7);
}

void log_put(const void *record, size_t n)
{
    if (buffered + n > BUFFER)
        log_flush();
    if (n > BUFFER)
        write_all(record, n);
    else {
        memcpy(buffer + buffered, record, n);
        buffered += n;
    }
    log_events++;
}

void log_end(struct bytes *b)
{
    ((struct record *)b->data)->size = (uint32_t)b->used;
    log_put(b->data, b->used);
    b->used = 0;
}

/* t: NULL where none is left: of the recording as a whole. */
void log_note(struct task *t, const char *format, ...)
{
    static struct bytes b;
    char *message;
    va_list list;
    va_start(list, format);
    if (vasprintf(&message, format, list) < 0)
        die("out of memory");
    va_end(list);
    log_begin(&b, EVENT_NOTE, t ? t->index : 0);
    log_field(&b, FIELD_WHOLE, FIELD_TEXT, message, strlen(message));
    log_end(&b);
    free(message);
}

void log_close(void)
{
    log_flush();
    header.flags |= COMPLETE;
    header.events = log_events;
    if (pwrite(log_fd, &header, sizeof header, 0) != sizeof header || fsync(log_fd))
        die("cannot finish the log: %s", strerror(errno));
    report_line("events=%llu", (ull)log_events);
    report_line("duration_ns=%llu", (ull)log_now());
}

/* ------------------------------------------------------------------ reading */

struct event *events;
size_t event_count;
static struct script *scripts;
static size_t script_count;

struct script *script_of(uint32_t task)
{
    if (task > script_count)              /* the log names each as it begins */
        die("task %u is not in the log", task);
    for (; script_count <= task; script_count++) {
        scripts = grow(scripts, script_count, sizeof *scripts);
        scripts[script_count] = (struct script){.index = (uint32_t)script_count};
    }
    return &scripts[task];
}

uint32_t script_total(void)
{
    return (uint32_t)script_count;
}

/* By thread id as recorded; of several, the last to begin. */
struct script *script_named(uint32_t tid)
{
    for (size_t i = script_count; i-- > 0; )
        if (scripts[i].tid == tid && scripts[i].birth)
            return &scripts[i];
    return NULL;
}

/* Where a script has an event; its count if it is another's. */
size_t script_place(const struct script *s, const struct event *e)
{
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->event[middle]->number < e->number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->count && s->event[from] == e ? from : s->count;
}

/* Of the first thread of its process; itself where the log does not say. */
struct script *script_leader(uint32_t task)
{
    struct script *s = script_of(task), *leader = s->birth ? script_named(s->tgid) : NULL;
    return leader ? leader : s;
}

struct script *script_child(uint32_t parent, uint32_t ordinal)
{
    for (size_t i = 0; i < script_count; i++) {
        const struct record *r = scripts[i].birth;
        if (r && parent != UINT32_MAX && (uint32_t)r->args[0] == parent && r->args[1] == ordinal)
            return &scripts[i];
    }
    return NULL;
}

const struct field *field_next(const struct record *r, const struct field *f)
{
    const unsigned char *end = (const unsigned char *)r + r->size;
    const unsigned char *p = f ? f->data + ((f->length + 7u) & ~7u) : (const unsigned char *)(r + 1);
    const struct field *next = (const void *)p;
    if (end - p < (ptrdiff_t)sizeof *next || next->length > (size_t)(end - next->data))
        return NULL;
    return next;
}

const struct field *record_field(const struct record *r, uint8_t arg, uint8_t type)
{
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->type == type && (f->arg == arg || arg == FIELD_WHOLE))
            return f;
    return NULL;
}

/* A field's data as a string, or NULL. */
char *record_text(const struct record *r, uint8_t arg, uint8_t type)
{
    const struct field *f = record_field(r, arg, type);
    return f ? strndup((const char *)f->data, f->length) : NULL;
}

static uint64_t key_of_record(const struct record *r)
{
    const struct rex_call *c = call_of(r->call);
    if (r->call == EVENT_PIPE)
        return pipe_key(r->args);
    if (r->call == EVENT_SHARED)
        return shared_key(r->args);
    if (r->call == EVENT_MAPPED)
        return mapping_key(r->args);
    if (!c)
        return 0;
    char *path = c->key == REX_KEY_PATH ? record_text(r, FIELD_WHOLE, FIELD_IN) : NULL;
    uint64_t key = call_key(c, r->call, path, r->stream, r->args);
    free(path);
    return key;
}

static void add_record(const struct record *r)
{
    if (r->task > script_count)
        die("the log is damaged at event %zu: task %u was never born", event_count, r->task);
    if (r->call == EVENT_SIGNAL) {      /* archives come from strangers: others rely on what is checked here */
        const struct field *f = record_field(r, FIELD_WHOLE, FIELD_OUT);
        if (!f || f->length < sizeof(siginfo_t))
            die("the log is damaged at event %zu: a signal without its facts", event_count);
    }
    struct script *s = script_of(r->task);
    struct event *e = &events[event_count];
    bool is_note = r->call == EVENT_NOTE || r->call == EVENT_DUP || r->call == EVENT_MAPPED;
    *e = (struct event){.record = r, .key = key_of_record(r), .number = (uint32_t)event_count, .done = is_note};
    event_count++;
    if (r->call == EVENT_TASK) {
        s->birth = r;
        s->tid = (uint32_t)r->args[3];
        s->tgid = (uint32_t)r->args[4];
        script_leader(r->task)->has_threads |= (r->args[2] & CLONE_THREAD) != 0;
        e->done = true;
    } else if (r->call == EVENT_SWITCH) {
        serial_load(r);
        e->done = true;
    } else if (r->call == EVENT_EXIT)
        s->exit = e;
    else if (!is_note) {
        s->event = grow(s->event, s->count, sizeof *s->event);
        s->event[s->count++] = e;
        s->signals_to = replay_is_signal(e) ? s->count : s->signals_to;
    }
}

static const unsigned char *map_log(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st))
        die("cannot read the log %s: %s", path, strerror(errno));
    *size = (size_t)st.st_size;
    const unsigned char *data = *size ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED || *size < HEADER || memcmp(data, magic, sizeof magic))
        die("%s is not a syscall log", path);
    memcpy(&header, data, sizeof header);
    log_version = header.version;
    if (log_version < OLDEST || log_version > NEWEST)
        die("the log has format %u, this engine reads %d to %d", log_version, OLDEST, NEWEST);
    if (log_version == LOG_SERIALIZED || (log_version > LOG_SERIALIZED && header.flags & ONE_AT_A_TIME))
        serial_start();
    return data;
}

/* The next whole record at *at, or NULL at the end. */
static const struct record *next_record(const unsigned char *data, size_t size, size_t *at)
{
    const struct record *r = (const void *)(data + *at);
    if (size - *at < sizeof *r || r->size < sizeof *r || r->size % 8 || r->size > size - *at
        || r->task > 0xffffff)
        return NULL;
    *at += r->size;
    return r;
}

void log_load(const char *path)
{
    size_t size, at = HEADER, count = 0;
    const unsigned char *data = map_log(path, &size);
    while (next_record(data, size, &at))
        count++;
    events = zalloc((count + 1) * sizeof *events);
    at = HEADER;
    for (const struct record *r; (r = next_record(data, size, &at)); )
        add_record(r);
    if (!script_total() || !script_of(0)->birth)
        die("the log is damaged: nothing begins in it");
    began = clock_ns(CLOCK_MONOTONIC);
}
