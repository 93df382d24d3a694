/* A call's data, read from and put into a tracee by the declaration in the table. */
#include "base/base.h"
#include "log/log.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <asm/sockios.h>
#include <linux/futex.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { FEW_VECTORS = 1024, LARGEST = 1 << 30 };

uint32_t stream_of(const struct files *f, const struct rex_call *c, const uint64_t *args)
{
    uint32_t stream = 0;
    for (int i = 0; c && i < 6 && !stream; i++)
        if (c->fd_args & 1 << i)
            stream = files_stream(f, (int)args[i]);
    return stream;
}

bool call_streams(struct task *t)
{
    t->stream = stream_of(t->files, call_of(t->nr), t->args);
    return t->stream != 0;
}

/* What must be equal for a call of a replay to be answered by a call of the log. */
uint64_t call_key(const struct rex_call *c, long nr, const char *path, uint32_t stream, const uint64_t *args)
{
    uint64_t key = (uint64_t)nr << 48;
    if (c->key == REX_KEY_PATH && path)
        return key ^ (*path ? hash_bytes(path, strlen(path), 0) >> 16 : (uint32_t)args[0]);
    if (c->key == REX_KEY_STREAM)
        return key ^ stream;
    if (c->key == REX_KEY_ARG)
        return key ^ (uint32_t)args[c->key_arg];
    return key;
}

uint64_t fork_flags(struct task *t)
{
    uint64_t flags = 0;
    if (t->nr == REX_NR_vfork)
        return CLONE_VM | CLONE_VFORK | SIGCHLD;
    if (t->nr == REX_NR_clone)
        return t->args[0];
    if (t->nr == REX_NR_clone3 && mem_read(t->tid, t->args[0], &flags, sizeof flags))
        return flags;
    return SIGCHLD;
}

/* A program that demands that its child is not traced, as memory sanitizers do, has a child whose calls fail: the filter applies to it
 * as well, and it has no tracer. */
static void fork_traced(struct task *t)
{
    uint64_t flags = fork_flags(t);
    if (!(flags & CLONE_UNTRACED))
        return;
    flags &= ~(uint64_t)CLONE_UNTRACED;
    if (t->nr == REX_NR_clone3) {
        mem_write(t->tid, t->args[0], &flags, sizeof flags);
        return;
    }
    t->args[0] = t->regs.rdi = flags;
    regs_set(t, &t->regs);
}

void take_arguments(struct task *t)
{
    t->args[0] = t->regs.rdi;
    t->args[1] = t->regs.rsi;
    t->args[2] = t->regs.rdx;
    t->args[3] = t->regs.r10;
    t->args[4] = t->regs.r8;
    t->args[5] = t->regs.r9;
    fork_traced(t);
}

/* Requests that name a process. */
const uint32_t process_ioctls[] = {FIOSETOWN, SIOCSPGRP, FIOGETOWN, SIOCGPGRP, 0};

static bool is_process_ioctl(uint32_t cmd)
{
    for (const uint32_t *i = process_ioctls; *i; i++)
        if (*i == cmd)
            return true;
    return (cmd & 0xffff) == PIDFD_INFO;
}

bool names_process(const struct task *t)
{
    int cmd = (int)t->args[1];
    if (t->nr == REX_NR_ioctl)
        return is_process_ioctl((uint32_t)cmd);
    return t->nr == REX_NR_fcntl && (cmd == F_GETLK || cmd == F_OFD_GETLK || cmd == F_SETOWN || cmd == F_GETOWN
                                     || cmd == F_SETOWN_EX || cmd == F_GETOWN_EX);
}

/* ------------------------------------------------------------------ scattered memory */

static int vectors(struct task *t, uint64_t at, uint64_t count, struct iovec *v)
{
    if (count > FEW_VECTORS || !mem_read(t->tid, at, v, count * sizeof *v))
        return 0;
    return (int)count;
}

static void gather(struct task *t, const struct iovec *v, int count, size_t n, struct bytes *into)
{
    for (int i = 0; i < count && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        if (!mem_read(t->tid, (uint64_t)v[i].iov_base, bytes_reserve(into, part), part))
            return;
        into->used += part;
        n -= part;
    }
}

static void scatter(struct task *t, const struct iovec *v, int count, const unsigned char *data, size_t n)
{
    for (int i = 0; i < count && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        mem_write(t->tid, (uint64_t)v[i].iov_base, data, part);
        data += part;
        n -= part;
    }
}

static void capture_vectors(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at,
                            uint64_t count, size_t n)
{
    static struct iovec v[FEW_VECTORS];
    struct bytes data = {0};
    gather(t, v, vectors(t, at, count, v), n, &data);
    log_field(b, (uint8_t)arg, type, data.data, data.used);
    bytes_free(&data);
}

static void put_vectors(struct task *t, uint64_t at, uint64_t count, const struct field *f)
{
    static struct iovec v[FEW_VECTORS];
    if (f)
        scatter(t, v, vectors(t, at, count, v), f->data, f->length);
}

void capture_block(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at, size_t n)
{
    struct bytes data = {0};
    if (at && n && n < LARGEST && mem_read(t->tid, at, bytes_reserve(&data, n), n))
        log_field(b, (uint8_t)arg, type, data.data, n);
    bytes_free(&data);
}

/* Where the data of a call lie that moves bytes by a buffer, by vectors or by a message. */
static int data_vectors(struct task *t, struct iovec *v)
{
    struct msghdr m;
    if (call_of(t->nr)->arg[1].word == REX_WORD_IOV)
        return vectors(t, t->args[1], t->args[2], v);
    if (call_of(t->nr)->arg[1].word == REX_WORD_MSGHDR)
        return mem_read(t->tid, t->args[1], &m, sizeof m) ? vectors(t, (uint64_t)m.msg_iov, m.msg_iovlen, v) : 0;
    v->iov_base = (void *)t->args[1];
    v->iov_len = (size_t)t->args[2];
    return 1;
}

void pipe_gather(struct task *t, struct bytes *into, size_t n)
{
    static struct iovec v[FEW_VECTORS];
    gather(t, v, data_vectors(t, v), n, into);
}

/* The data of one of the messages that its call sends together, whose length is written back. */
bool message_gather(struct task *t, uint64_t i, struct bytes *into)
{
    static struct iovec v[FEW_VECTORS];
    struct mmsghdr m;
    uint64_t at = t->args[1] + i * sizeof m;
    size_t before = into->used;
    if (i >= t->args[2] || !mem_read(t->tid, at, &m, sizeof m))
        return false;
    gather(t, v, vectors(t, (uint64_t)m.msg_hdr.msg_iov, m.msg_hdr.msg_iovlen, v), SIZE_MAX, into);
    m.msg_len = (unsigned)(into->used - before);
    mem_write(t->tid, at + offsetof(struct mmsghdr, msg_len), &m.msg_len, sizeof m.msg_len);
    return true;
}

void pipe_scatter(struct task *t, const struct bytes *from)
{
    static struct iovec v[FEW_VECTORS];
    scatter(t, v, data_vectors(t, v), from->data, from->used);
}

/* ------------------------------------------------------------------ messages */

static void capture_message(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at, size_t n)
{
    struct msghdr m;
    if (!mem_read(t->tid, at, &m, sizeof m))
        return;
    log_field(b, (uint8_t)arg, type, &m, sizeof m);
    capture_block(t, b, arg | PART_NAME, type, (uint64_t)m.msg_name, m.msg_name ? m.msg_namelen : 0);
    capture_vectors(t, b, arg | PART_DATA, type, (uint64_t)m.msg_iov, m.msg_iovlen, n);
    capture_block(t, b, arg | PART_CONTROL, type, (uint64_t)m.msg_control, m.msg_controllen);
}

static const struct field *next_part(const struct record *r, const struct field **at, int arg)
{
    for (const struct field *f = *at; f; f = field_next(r, f))
        if (f->arg == arg && f->type == FIELD_OUT) {
            *at = field_next(r, f);
            return f;
        } else if (!(f->arg & 0xf0) && f->type == FIELD_OUT)
            return NULL;              /* the next message begins */
    return NULL;
}

/* The header at `at` in the tracee points to its own buffers; the log's has their new lengths. */
static void put_message(struct task *t, uint64_t at, const struct record *r, const struct field **fields,
                        const struct msghdr *logged, int arg)
{
    struct msghdr m;
    const struct field *f;
    if (!mem_read(t->tid, at, &m, sizeof m))
        return;
    if ((f = next_part(r, fields, arg | PART_NAME)) && m.msg_name)
        mem_write(t->tid, (uint64_t)m.msg_name, f->data, f->length);
    if ((f = next_part(r, fields, arg | PART_DATA)))
        put_vectors(t, (uint64_t)m.msg_iov, m.msg_iovlen, f);
    if ((f = next_part(r, fields, arg | PART_CONTROL)) && m.msg_control)
        mem_write(t->tid, (uint64_t)m.msg_control, f->data, f->length);
    m.msg_namelen = logged->msg_namelen;
    m.msg_controllen = logged->msg_controllen;
    m.msg_flags = logged->msg_flags;
    mem_write(t->tid, at, &m, sizeof m);
}

static void capture_messages(struct task *t, struct bytes *b, int arg, uint8_t type, uint64_t at, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct mmsghdr m;
        uint64_t where = at + (uint64_t)i * sizeof m;
        if (!mem_read(t->tid, where, &m, sizeof m))
            return;
        capture_message(t, b, arg, type, where, m.msg_len);
        capture_block(t, b, arg, type, where + offsetof(struct mmsghdr, msg_len), sizeof m.msg_len);
    }
}

static void put_messages(struct task *t, uint64_t at, const struct record *r, int arg, bool many)
{
    const struct field *f = field_next(r, NULL);
    for (uint64_t where = at; f; ) {
        const struct field *head = f;
        f = field_next(r, f);
        if (head->arg != arg || head->type != FIELD_OUT)
            continue;
        if (head->length == sizeof(struct msghdr)) {
            struct msghdr logged;
            memcpy(&logged, head->data, sizeof logged);
            put_message(t, where, r, &f, &logged, arg);
        } else if (many && head->length == sizeof(unsigned)) {
            mem_write(t->tid, where + offsetof(struct mmsghdr, msg_len), head->data, head->length);
            where += sizeof(struct mmsghdr);
        }
    }
}

/* Of messages that were sent, only how much of each the kernel reports. */
static void put_sent(struct task *t, uint64_t at, const struct record *r, int arg)
{
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f))
        if (f->arg == arg && f->type == FIELD_IN && f->length == sizeof(unsigned)) {
            mem_write(t->tid, at + offsetof(struct mmsghdr, msg_len), f->data, f->length);
            at += sizeof(struct mmsghdr);
        }
}

/* ------------------------------------------------------------------ by declaration */

static size_t ioctl_size(unsigned cmd, uint8_t type)
{
    const struct rex_ioctl *i = ioctl_of(cmd);
    if (i)
        return type == FIELD_IN ? i->in_bytes : i->out_bytes;
    return cmd & (type == FIELD_IN ? 1u << 30 : 1u << 31) ? cmd >> 16 & 0x3fff : 0;
}

/* What its ioctl has behind a pointer; false: nothing that is known. */
static bool inner_block(const struct task *t, uint64_t *at, size_t *n)
{
    for (int i = 0; t->nr == REX_NR_ioctl && i < REX_INNER_COUNT; i++) {
        const struct rex_inner *d = &rex_inners[i];
        uint32_t sub = 0;
        int32_t count = 0;
        int8_t small = 0;
        if (d->cmd != (uint32_t)t->args[1])
            continue;
        if (!mem_read(t->tid, t->args[2] + d->pointer_at, at, sizeof *at) || !*at)
            return false;
        if (d->sub && (!mem_read(t->tid, *at, &sub, sizeof sub) || sub != d->sub))
            continue;
        uint64_t counted = (d->is_count_outside ? t->args[2] : *at) + d->count_at;
        if (d->count_bytes == sizeof small && mem_read(t->tid, counted, &small, sizeof small))
            count = small;
        else if (d->count_bytes)
            mem_read(t->tid, counted, &count, sizeof count);
        *n = d->head + (count > 0 ? (size_t)count * d->unit : 0);
        return true;
    }
    return false;
}

static size_t block_size(struct task *t, const struct rex_arg *a, uint8_t type, int64_t result)
{
    uint32_t now = 0;
    size_t limit = a->size_arg < 6 ? (size_t)t->args[a->size_arg] : SIZE_MAX;
    size_t moved = result > 0 ? (size_t)result : 0;
    switch (a->size_kind) {
    case REX_SIZE_CONST:
        return a->unit;
    case REX_SIZE_ARG:
        return a->unit * limit;
    case REX_SIZE_RET:
        return a->unit * (moved < limit ? moved : limit);
    case REX_SIZE_BITS:
        return ((unsigned)limit + 63) / 64 * 8;
    case REX_SIZE_IOCTL:
        return ioctl_size((unsigned)limit, type);
    case REX_SIZE_DEREF:
        mem_read(t->tid, t->args[a->size_arg], &now, sizeof now);
        return (size_t)a->unit * (t->deref && t->deref < now ? t->deref : now);
    }
    return 0;
}

static void capture_argument(struct task *t, struct bytes *b, int i, const struct rex_arg *a, uint8_t type,
                             int64_t result)
{
    uint64_t at = t->args[i];
    size_t moved = result > 0 ? (size_t)result : 0;
    if (!at)
        return;
    switch (a->size_kind) {
    case REX_SIZE_STRING:
        break;                        /* names are read at entry */
    case REX_SIZE_IOV:
        capture_vectors(t, b, i, type, at, t->args[a->size_arg], moved);
        break;
    case REX_SIZE_MSG:
        capture_message(t, b, i, type, at, moved);
        break;
    case REX_SIZE_MMSG:
        capture_messages(t, b, i, type, at, result);
        break;
    default: {
        size_t n = block_size(t, a, type, result);
        if (type == FIELD_IN && a->word != REX_WORD_SOCKADDR && call_of(t->nr)->policy == REX_STREAM && result > 0 && n > moved)
            n = moved;                /* what a short write took */
        capture_block(t, b, i, type, at, n);
    }
    }
}

void capture_outputs(struct task *t, struct bytes *b, int64_t result)
{
    const struct rex_call *c = call_of(t->nr);
    for (int i = 0; result >= 0 && i < c->nargs; i++)
        if (c->arg[i].dir == REX_OUT || c->arg[i].dir == REX_INOUT)
            capture_argument(t, b, i, &c->arg[i], FIELD_OUT, result);
    uint64_t at;
    size_t n;
    if (result >= 0 && inner_block(t, &at, &n))
        capture_block(t, b, 2 | PART_DATA, FIELD_OUT, at, n);
}

void capture_inputs(struct task *t, struct bytes *b, int64_t result)
{
    const struct rex_call *c = call_of(t->nr);
    bool is_wanted = result >= 0 || t->nr == REX_NR_connect;     /* where to, though it has only begun */
    for (int i = 0; is_wanted && i < c->nargs; i++)
        if (c->arg[i].dir == REX_IN)
            capture_argument(t, b, i, &c->arg[i], FIELD_IN, result);
}

void put_outputs(struct task *t, const struct record *r)
{
    const struct rex_call *c = call_of(t->nr);
    for (int i = 0; i < c->nargs; i++) {
        const struct rex_arg *a = &c->arg[i];
        if (a->dir == REX_IN && a->size_kind == REX_SIZE_MMSG)
            put_sent(t, t->args[i], r, i);
        if ((a->dir != REX_OUT && a->dir != REX_INOUT) || !t->args[i])
            continue;
        const struct field *f = record_field(r, (uint8_t)i, FIELD_OUT);
        if (a->size_kind == REX_SIZE_IOV)
            put_vectors(t, t->args[i], t->args[a->size_arg], f);
        else if (a->size_kind == REX_SIZE_MSG || a->size_kind == REX_SIZE_MMSG)
            put_messages(t, t->args[i], r, i, a->size_kind == REX_SIZE_MMSG);
        else if (f)
            mem_write(t->tid, t->args[i], f->data, f->length);
        else if (t->nr == REX_NR_time)    /* answered as one that had it as its result only */
            mem_write(t->tid, t->args[i], &r->result, sizeof r->result);
    }
    uint64_t at;
    size_t n;
    const struct field *inner = record_field(r, 2 | PART_DATA, FIELD_OUT);
    if (inner && inner_block(t, &at, &n))
        mem_write(t->tid, at, inner->data, inner->length);
}

/* Whether the tracee passes the bytes that it passed when recorded. */
bool compare_inputs(struct task *t, const struct record *r)
{
    struct bytes now = {0};
    bool same = true;
    log_begin(&now, r->call, t->index);
    ((struct record *)now.data)->result = r->result;
    capture_inputs(t, &now, r->result);
    ((struct record *)now.data)->size = (uint32_t)now.used;
    for (const struct field *f = field_next((struct record *)now.data, NULL); f && same;
         f = field_next((struct record *)now.data, f)) {
        const struct field *was = record_field(r, f->arg, FIELD_IN);
        if (f->length != sizeof(struct msghdr))    /* headers hold addresses */
            same = was && was->length == f->length && !memcmp(was->data, f->data, f->length);
    }
    bytes_free(&now);
    return same;
}

/* One task at a time: a wait ended by its timeout or a signal ends so again; others do without. */
bool is_timed_futex(const struct task *t)
{
    switch (t->nr == REX_NR_futex ? t->args[1] & 0x7f : ~0u) {
    case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case FUTEX_LOCK_PI2: case FUTEX_WAIT_REQUEUE_PI:
        return t->args[3] != 0;
    }
    return false;
}
