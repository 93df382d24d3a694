/* Replay: the recorded order of external requests and answers. */
#include "base/base.h"
#include "log/log.h"
#include "replay/net/internal.h"
#include "replay/peers/peers.h"

static struct { struct event *event; bool is_given_up; } *said;   /* in the log's order: requests and answers */
static size_t said_count, said_head;

void talk_note(struct event *e)
{
    e->unsaid = true;
    said = grow(said, said_count, sizeof *said);
    said[said_count].is_given_up = false;
    said[said_count++].event = e;
}

/* The index of what its process had sent or received before it when recorded, and has not yet; said_count: nothing. */
static size_t said_before(const struct event *e)
{
    while (said_head < said_count && !said[said_head].event->unsaid)
        said_head++;
    for (size_t i = said_head; i < said_count && said[i].event->number < e->number; i++)
        if (said[i].event->unsaid && !said[i].is_given_up && tgid_of(said[i].event) == tgid_of(e))
            return i;
    return said_count;
}

/* Whether its process sent a request between two events that it has not sent yet. */
static bool asks_between(uint32_t after, const struct event *e)
{
    for (size_t i = said_head; i < said_count && said[i].event->number < e->number; i++)
        if (said[i].event->unsaid && said[i].event->number > after && peers_says(said[i].event->record->call) && tgid_of(said[i].event) == tgid_of(e))
            return true;
    return false;
}

/* The thread that is answered first goes on first.  What follows an answer may depend on another thread's request
 * meanwhile: one that subscribes receives what others publish. */
bool talk_is_next(const struct reply *reply)
{
    return reply->after ? !asks_between(reply->after, reply->event) : said_before(reply->event) == said_count;
}

/* What was before it will not come. */
void talk_give_up(const struct reply *reply)
{
    for (size_t i; !reply->after && (i = said_before(reply->event)) < said_count; )
        said[i].is_given_up = true;
}
