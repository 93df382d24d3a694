/* Replay: the log of connections of threaded processes to external servers.
 *
 * Which thread sends which request, and over which of its connections, is decided by locks that no stop shows.  So an answer of the
 * log does not belong to a connection but to a request: a connection has the answers to what is sent on it now,
 * whichever had them when recorded.  If the same request was sent more than once, the answer is that of the
 * conversation that agrees with this one for longest. */
#include "base/base.h"
#include "log/log.h"
#include "replay/index/index.h"
#include "replay/net/internal.h"
#include "replay/net/net.h"
#include "replay/peers/peers.h"
#include "syscalls/syscalls.h"
#include "tracee/task.h"
#include "tracee/tracee.h"

#include <ctype.h>
#include <sys/socket.h>

struct talk {
    struct event *connect;
    uint64_t place;                  /* the process, and the address */
    const struct field *own;         /* its address, if it was queried */
    int error;
    bool came, is_used, is_datagrams, is_numbered;
    int followers;                   /* connections that are on it */
    struct reply *reply;               /* the answers */
    struct exchange *exchange;
    size_t reply_count, exchange_count;
};

static struct talk *talks;
static size_t talk_count;
static uint32_t *by_stream;              /* 1 + the place of its talk */
static size_t stream_count;
static struct event **options;           /* what getsockopt was answered */
static size_t option_count;

static uint64_t place_of(uint32_t tgid, bool is_datagrams, const void *address, size_t n)
{
    return hash_bytes(address, n, (uint64_t)is_datagrams << 32 | tgid);
}

/* ------------------------------------------------------------------ the log */

static bool is_moment(int64_t result)
{
    return result == -EAGAIN || result == -EINTR || result == -EINPROGRESS || is_interrupted(result);
}

static struct talk *talk_of(uint32_t stream)
{
    return stream < stream_count && by_stream[stream] ? &talks[by_stream[stream] - 1] : NULL;
}

static struct talk *talk_begun(struct event *e)
{
    const struct record *r = e->record;
    const struct address to = address_of(peers_place(r));
    talks = grow(talks, talk_count, sizeof *talks);
    talks[talk_count] = (struct talk){.connect = e, .came = !r->result,
        .place = place_of(tgid_of(e), peers_datagrams(r->stream), &to.a, to.n),
        .error = r->result < 0 && !is_moment(r->result) ? (int)-r->result : 0};
    if (to.n && peers_datagrams(r->stream)) {
        talks[talk_count].is_datagrams = true;
        talks[talk_count].is_numbered = peers_numbered(&to);
    }
    for (; stream_count <= r->stream; stream_count++) {
        by_stream = grow(by_stream, stream_count, sizeof *by_stream);
        by_stream[stream_count] = 0;
    }
    by_stream[r->stream] = (uint32_t)++talk_count;
    return &talks[talk_count - 1];
}

static struct exchange *exchange_begun(struct talk *talk)
{
    talk->exchange = grow(talk->exchange, talk->exchange_count, sizeof *talk->exchange);
    struct exchange *x = &talk->exchange[talk->exchange_count++];
    *x = (struct exchange){.first = talk->reply_count};
    return x;
}

/* Of a call all that it says: many messages, or one. */
static void add_question(const struct talk *talk, struct exchange *x, const struct record *r, uint8_t arg)
{
    for (const struct field *f = field_next(r, NULL); f; f = field_next(r, f)) {
        if (f->arg != arg || f->type != FIELD_IN)
            continue;
        if (talk->is_datagrams)
            datagram_add(&x->question, f->data, f->length, talk->is_numbered ? &x->numbers : NULL);
        else
            bytes_add(&x->question, f->data, f->length);
    }
}

static void note_question(struct talk *talk, struct event *e)
{
    const struct record *r = e->record;
    uint8_t arg = r->call == REX_NR_sendmsg || r->call == REX_NR_sendmmsg ? 1 | PART_DATA : 1;
    const struct field *f = record_field(r, arg, FIELD_IN);
    struct exchange *x = talk->exchange_count ? &talk->exchange[talk->exchange_count - 1] : NULL;
    if (!f)
        return;
    if (!x || x->count)
        x = exchange_begun(talk);
    add_question(talk, x, r, arg);
    x->ask = grow(x->ask, x->ask_count, sizeof *x->ask);
    x->ask[x->ask_count++] = e;
    talk_note(e);
}

/* The last wait with a limit that ran out after its thread had done what has that number. */
static struct event *fruitless_wait(const struct event *e, uint32_t number)
{
    const struct task_log *s = task_log_of(e->record->task);
    for (size_t i = task_log_place(s, e); i-- > 0 && s->event[i]->number > number; ) {
        const struct record *r = s->event[i]->record;
        const struct rex_call *c = call_of(r->call);
        bool looks = only_looks(r->call, r->args);
        if (c && !r->result && is_readiness_wait(c) && !looks)
            return s->event[i];
    }
    return NULL;
}

static void note_answer(struct talk *talk, struct event *e)
{
    const struct record *r = e->record;
    const struct field *f = record_field(r, r->call == REX_NR_recvmsg ? 1 | PART_DATA : 1, FIELD_OUT);
    uint64_t flags = r->call == REX_NR_recvfrom ? r->args[3] : r->call == REX_NR_recvmsg ? r->args[2] : 0;
    bool is_buffer = r->call == REX_NR_read || r->call == REX_NR_recvfrom;
    if (flags & MSG_PEEK || (r->result > 0 && !f) || (is_buffer && !r->args[2]))
        return;
    if (!talk->exchange_count)
        exchange_begun(talk);
    talk->reply = grow(talk->reply, talk->reply_count, sizeof *talk->reply);
    struct exchange *x = &talk->exchange[talk->exchange_count - 1];
    uint32_t after = x->count++ ? talk->reply[talk->reply_count - 1].event->number : 0;
    uint32_t since = after || !x->ask_count ? after : x->ask[x->ask_count - 1]->number;
    struct event *fruitless = since ? fruitless_wait(e, since) : NULL;
    talk->reply[talk->reply_count++] = (struct reply){e, f ? f->data : NULL, r->result > 0 ? f->length : 0, after, fruitless};
    if (r->result > 0)
        talk_note(e);
}

static void note_option(struct talk *talk, struct event *e)
{
    const struct record *r = e->record;
    const struct field *f = record_field(r, 3, FIELD_OUT);
    int error = 0;
    options = grow(options, option_count, sizeof *options);
    options[option_count++] = e;
    if (r->args[1] != SOL_SOCKET || r->args[2] != SO_ERROR || r->result || !f || f->length < sizeof error)
        return;
    memcpy(&error, f->data, sizeof error);
    talk->came |= !error;
    talk->error = error && !talk->came ? error : talk->error;
}

static void note(struct event *e)
{
    const struct record *r = e->record;
    struct talk *talk = talk_of(r->stream);
    if (!talk && (r->call == REX_NR_connect || (peers_says(r->call) && peers_place(r))))
        talk = talk_begun(e);
    if (!talk)
        return;
    talk->came |= (r->call == REX_NR_connect || r->call == REX_NR_getpeername) && (!r->result || r->result == -EISCONN);
    if (peers_says(r->call) && r->result > 0)
        note_question(talk, e);
    else if (pipe_takes(r->call) && !is_moment(r->result))
        note_answer(talk, e);
    else if (r->call == REX_NR_getsockopt)
        note_option(talk, e);
    else if (r->call == REX_NR_getsockname && !r->result)
        talk->own = record_field(r, 1, FIELD_OUT);
}

static void finish(struct talk *talk)
{
    talk->came |= talk->exchange_count > 0;
    for (size_t i = 0; i < talk->exchange_count; i++) {
        talk->exchange[i].talk = talk;
        talk->exchange[i].hash = hash_bytes(talk->exchange[i].question.data, talk->exchange[i].question.used, 0);
    }
}

void replay_talks_start(void)
{
    for (size_t i = 0; i < event_count; i++)
        if (peers_played(events[i].record->stream))
            note(&events[i]);
    for (size_t i = 0; i < talk_count; i++)
        finish(&talks[i]);
}

bool talks_known(uint32_t tgid)
{
    for (size_t i = 0; i < talk_count; i++)
        if (tgid_of(talks[i].connect) == tgid)
            return true;
    return false;
}

bool peers_decide_late(const struct task_log *s)
{
    return peers_share(s) || (s->birth && peers_call_inside(s)) || (s->tgid && talks_known(s->tgid));
}

/* ------------------------------------------------------------------ connections */

static struct talk *first_talk(struct task *t, uint64_t place, bool is_used)
{
    struct talk *best = NULL;
    for (size_t i = 0; i < talk_count; i++) {
        struct talk *talk = &talks[i];
        bool is_own = talk->connect->record->task == t->task_log->index;
        if (talk->place == place && talk->is_used == is_used && (!best || (is_own && best->connect->record->task != t->task_log->index)))
            best = talk;
    }
    return best;
}

/* That of the same thread, else the first left in its process, else one that there was: a pool may open more. */
struct talk *talk_next(struct task *t, const struct address *to, bool is_datagrams)
{
    uint64_t place = place_of(t->task_log->tgid, is_datagrams, &to->a, to->n);
    struct talk *talk = first_talk(t, place, false);
    if (!talk)
        return first_talk(t, place, true);
    talk->is_used = true;
    return talk;
}

int talk_error(const struct talk *talk)
{
    return talk->came ? 0 : talk->error;
}

bool talk_fails_later(const struct talk *talk)
{
    return talk_error(talk) && talk->connect->record->result == -EINPROGRESS;
}

bool talk_never_came(const struct talk *talk)
{
    return !talk->came && !talk->error;
}

unsigned talk_own_port(const struct talk *talk)
{
    return talk->connect->record->call == REX_NR_connect ? (unsigned)talk->connect->record->args[4] : 0;
}

bool talk_own_address(const struct talk *talk, struct address *a)
{
    if (!talk->own || talk->own->length > sizeof a->a)
        return false;
    memset(a, 0, sizeof *a);
    memcpy(&a->a, talk->own->data, a->n = (socklen_t)talk->own->length);
    return true;
}

/* The next answer of the same conversation is preferred, then its last, then one of another conversation. */
struct event *talk_option(const struct task *t, const struct talk *talk)
{
    struct event *same = NULL, *other = NULL;
    for (size_t i = 0; i < option_count && !(same && !same->done); i++) {
        const struct record *r = options[i]->record;
        if (r->args[1] != t->args[1] || r->args[2] != t->args[2] || tgid_of(options[i]) != t->task_log->tgid)
            continue;
        if (talk_of(r->stream) == talk)
            same = options[i];
        else if (!other)
            other = options[i];
    }
    return same ? same : other;
}

/* ------------------------------------------------------------------ questions */

enum fit { NOT, SO_FAR, FITS };

static enum fit fit_of(const struct exchange *x, const struct bytes *asked)
{
    size_t both = x->question.used < asked->used ? x->question.used : asked->used;
    if (!x->question.used || memcmp(x->question.data, asked->data, both))
        return NOT;
    return x->question.used <= asked->used ? FITS : SO_FAR;
}

/* How far they are alike, numbers aside. */
static size_t common(const struct exchange *x, const struct bytes *asked)
{
    const unsigned char *was = x->question.data, *now = asked->data, *was_end = was + x->question.used, *now_end = now + asked->used;
    for (size_t n = 0; ; n++, was++, now++) {
        for (; was < was_end && isdigit(*was); was++) ;
        for (; now < now_end && isdigit(*now); now++) ;
        if (was == was_end || now == now_end || *was != *now)
            return n;
    }
}

/* How many requests before it are those that the caller has sent, from the last backwards. */
static size_t history(const struct caller *c, const struct exchange *x)
{
    size_t at = (size_t)(x - x->talk->exchange), k = 0;
    while (k < at && k < c->had_count && x[-1 - (ptrdiff_t)k].hash == c->had[c->had_count - 1 - k]->hash)
        k++;
    return k + (k == at && k == c->had_count);
}

/* What came next on the connection that it is on. */
static struct exchange *own_next(const struct caller *c)
{
    struct exchange *last = c->had_count ? c->had[c->had_count - 1] : NULL;
    struct talk *talk = last ? last->talk : c->talk;
    size_t at = last ? (size_t)(last - talk->exchange) + 1 : talk->exchange_count && !talk->exchange[0].question.used;
    return at < talk->exchange_count && !talk->exchange[at].is_taken ? &talk->exchange[at] : NULL;
}

static bool is_better(const struct caller *c, const struct exchange *x, const struct exchange *than)
{
    size_t a = history(c, x), b = than ? history(c, than) : 0;
    return !than || a > b || (a == b && x->ask[0]->number < than->ask[0]->number);
}

/* What came next on a connection that nobody is on any more. */
static bool is_left_alone(const struct exchange *x)
{
    return !x->is_taken && !x->talk->followers && x > x->talk->exchange && x[-1].is_taken;
}

/* One that was before what is next here, on a connection that had gone as this one, and that nobody else will come to. */
static struct exchange *left_alone(const struct caller *c, const struct bytes *asked, struct exchange *own)
{
    struct exchange *best = own;
    for (size_t i = 0; i < talk_count; i++)
        for (size_t k = 1; talks[i].place == c->talk->place && !talks[i].followers && k < talks[i].exchange_count; k++) {
            struct exchange *x = &talks[i].exchange[k];
            if (is_left_alone(x) && x->ask[0]->number < best->ask[0]->number && fit_of(x, asked) == FITS && history(c, x) == history(c, own))
                best = x;
        }
    return best;
}

/* The best of those that fit; *may_come: some may yet. */
static struct exchange *fitting(const struct caller *c, const struct bytes *asked, bool is_taken, bool *may_come)
{
    struct exchange *best = NULL;
    for (size_t i = 0; i < talk_count; i++)
        for (size_t k = 0; talks[i].place == c->talk->place && k < talks[i].exchange_count; k++) {
            struct exchange *x = &talks[i].exchange[k];
            enum fit fit = x->is_taken == is_taken ? fit_of(x, asked) : NOT;
            *may_come |= fit == SO_FAR;
            if (fit == FITS && is_better(c, x, best))
                best = x;
        }
    return best;
}

/* A request may contain the time, or a random number that another thread drew: then the one that is equal but for these. */
static struct exchange *nearest(const struct caller *c, const struct bytes *asked)
{
    struct exchange *best = own_next(c);
    for (size_t i = 0; i < talk_count; i++)
        for (size_t k = 0; talks[i].place == c->talk->place && k < talks[i].exchange_count; k++) {
            struct exchange *x = &talks[i].exchange[k];
            if (!x->is_taken && x->question.used && common(x, asked) > (best ? common(best, asked) : 0))
                best = x;
        }
    return best;
}

struct exchange *talk_exchange(const struct caller *c, const struct bytes *asked, bool waits)
{
    struct exchange *own = c->had_count ? own_next(c) : NULL, *best;
    enum fit fit = own && asked->used ? fit_of(own, asked) : NOT;
    bool may_come = fit == SO_FAR;
    if (!asked->used || fit == FITS || (may_come && !waits))
        return fit == FITS ? left_alone(c, asked, own) : NULL;
    best = fitting(c, asked, false, &may_come);
    if (!best && (waits || !may_come))
        best = fitting(c, asked, true, &may_come);
    return best || !waits ? best : nearest(c, asked);
}

/* Whether what has been sent may be the beginning of a request. */
bool talk_may_go_on(const struct caller *c, const struct bytes *asked)
{
    bool may_come = false;
    return asked->used && !fitting(c, asked, false, &may_come) && may_come;
}

void talk_left(struct caller *c)
{
    if (c->had_count)
        c->had[c->had_count - 1]->talk->followers--;
}

void talk_take(struct caller *c, struct exchange *x)
{
    talk_left(c);
    x->talk->followers++;
    x->is_taken = true;
    c->had = grow(c->had, c->had_count, sizeof *c->had);
    c->had[c->had_count++] = x;
    for (size_t i = 0; i < x->ask_count; i++)
        x->ask[i]->unsaid = false;
}

/* Of a request that is not whole yet: others may begin in the same way. */
void talk_said(const struct caller *c, const struct bytes *asked)
{
    const struct exchange *own = own_next(c);
    size_t n = 0;
    if (own && fit_of(own, asked) == SO_FAR)
        for (size_t i = 0; i < own->ask_count && (n += (size_t)own->ask[i]->record->result) <= asked->used; i++)
            own->ask[i]->unsaid = false;
}

/* What the server sends before the first request. */
struct exchange *talk_greeting(const struct caller *c)
{
    return c->talk->exchange_count && !c->talk->exchange[0].question.used ? c->talk->exchange : NULL;
}

const struct reply *exchange_reply(const struct exchange *x, size_t i)
{
    return i < x->count ? &x->talk->reply[x->first + i] : NULL;
}
