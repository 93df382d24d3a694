/* The syscall log: docs/formats/log.md.  Written through one buffer, read by mapping it. */
#include "base/base.h"
#include "log/log.h"
#include "log/repeats.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static const char magic[8] = "REXLOG\r\n";
enum { VERSION = 1, HEADER = 32, COMPLETE = 1, ONE_AT_A_TIME = 2, PLAIN = 4, BUFFER = 1 << 18 };

static struct { char magic[8]; uint32_t version, flags; uint64_t start, events; } header;
static int log_fd = -1;
static unsigned char buffer[BUFFER];
static size_t buffered;
static uint64_t written;                 /* bytes before those of the buffer */
static struct log_place *kept;
static uint64_t began;
uint64_t log_events, log_records;
bool log_is_plain;

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
    if (write_whole(log_fd, data, n))
        return;
    report_line("log_error=%s", strerror(errno));
    die("cannot write the log: %s", strerror(errno));
}

void log_create(const char *path)
{
    log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log_fd < 0)
        die("cannot write the log %s: %s", path, strerror(errno));
    memcpy(header.magic, magic, sizeof magic);
    header.version = VERSION;
    header.flags = plan.serialize ? ONE_AT_A_TIME : 0;
    header.start = clock_ns(CLOCK_REALTIME);
    began = clock_ns(CLOCK_MONOTONIC);
    write_all(&header, sizeof header);
}

static void write_buffered(size_t n)
{
    if (log_fd >= 0)
        write_all(buffer, n);
    buffered -= n;
    memmove(buffer, buffer + n, buffered);
    written += n;
}

void log_flush(void)
{
    write_buffered(buffered);
}

/* Leaves room for a record.  What comes after a kept place stays in the buffer, unless that is most of it. */
static void make_room(size_t n)
{
    uint64_t to = written + buffered;
    for (const struct log_place *p = kept; p; p = p->next)
        to = p->at < to ? p->at : to;
    if (to > written + BUFFER / 2)
        write_buffered((size_t)(to - written));
    if (buffered + n > BUFFER)
        log_flush();
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
        make_room(n);
    if (n > BUFFER) {
        write_all(record, n);
        written += n;
    } else {
        memcpy(buffer + buffered, record, n);
        buffered += n;
    }
    log_records++;
    log_events += 1 + repeats_in(record);
}

void log_end(struct bytes *b)
{
    ((struct record *)b->data)->size = (uint32_t)b->used;
    log_put(b->data, b->used);
    b->used = 0;
}

/* ------------------------------------------------------------------ events in the order of their causes */

void log_drop_place(struct log_place *p)
{
    struct log_place **at = &kept;
    while (p->is_kept && *at != p)
        at = &(*at)->next;
    if (p->is_kept)
        *at = p->next;
    p->is_kept = false;
}

static void keep(struct log_place *p, uint64_t at)
{
    log_drop_place(p);
    *p = (struct log_place){at, true, kept};
    kept = p;
}

void log_keep_place(struct log_place *p)
{
    keep(p, written + buffered);
}

void log_keep_behind(struct log_place *p, const struct log_place *of)
{
    keep(p, of->at);
}

/* Times never go back in the log: an event has that of the one which it precedes.  Of equal places the one that was kept earlier
 * comes first, and that is further down the list. */
static void insert(struct bytes *b, size_t at, const struct log_place *place)
{
    bool is_later = true;
    struct record *r = (struct record *)b->data;
    if (at < buffered)
        r->time = ((const struct record *)(buffer + at))->time;
    memmove(buffer + at + b->used, buffer + at, buffered - at);
    memcpy(buffer + at, b->data, b->used);
    buffered += b->used;
    log_events++;
    log_records++;
    for (struct log_place *p = kept; p; p = p->next) {
        is_later &= p != place;
        p->at += p->at >= written + at + !is_later ? b->used : 0;
    }
}

void log_end_at(struct bytes *b, struct log_place *p)
{
    bool is_kept = p->is_kept;
    if (buffered + b->used > BUFFER)
        make_room(b->used);
    size_t at = p->at > written ? (size_t)(p->at - written) : 0, end = at + b->used;
    if (is_kept && at <= buffered && b->used <= BUFFER) {
        ((struct record *)b->data)->size = (uint32_t)b->used;
        insert(b, at, p);
        b->used = 0;
    } else {
        log_end(b);
        end = buffered;
    }
    log_drop_place(p);
    p->at = written + end;
}

/* Of task 0 also where none is left: of the recording as a whole. */
void log_note(uint32_t task, const char *format, ...)
{
    static struct bytes b;
    char *message;
    va_list list;
    va_start(list, format);
    if (vasprintf(&message, format, list) < 0)
        die("out of memory");
    va_end(list);
    log_begin(&b, EVENT_NOTE, task);
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

const unsigned char *log_map(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st))
        die("cannot read the log %s: %s", path, strerror(errno));
    *size = (size_t)st.st_size;
    const unsigned char *data = *size ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED || *size < HEADER || memcmp(data, magic, sizeof magic))
        log_is_damaged("%s is not a syscall log", path);
    memcpy(&header, data, sizeof header);
    if (header.version != VERSION)
        die("the log has format %u, this engine reads %d", header.version, VERSION);
    log_is_plain = header.flags & PLAIN;
    return data;
}

/* The next whole record at *at, or NULL at the end. */
const struct record *log_next(const unsigned char *data, size_t size, size_t *at)
{
    *at = *at ? *at : HEADER;
    const struct record *r = (const void *)(data + *at);
    if (size - *at < sizeof *r || r->size < sizeof *r || r->size % 8 || r->size > size - *at
        || r->task > 0xffffff)
        return NULL;
    *at += r->size;
    return r;
}

void log_clock_start(void)
{
    began = clock_ns(CLOCK_MONOTONIC);
}

bool log_is_serialized(void)
{
    return header.flags & ONE_AT_A_TIME;
}
