/* Writes a log some of whose events keep places: each line of standard input is "put N", "keep PLACE", "end N PLACE" or "drop PLACE".
 * N becomes an event's task, and its time is the line's number. */
#include "base/base.h"
#include "log/log.h"

enum { PLACES = 4, FILL = 1 << 16 };
struct plan plan;

static void put(unsigned task, struct log_place *place, unsigned line)
{
    static const char nothing[FILL];
    struct bytes b = {0};
    log_begin(&b, EVENT_TASK, task);
    ((struct record *)b.data)->time = line;
    log_field(&b, 0, FIELD_TEXT, nothing, task >= 100 ? FILL : 0);
    place ? log_end_at(&b, place) : log_end(&b);
    bytes_free(&b);
}

int main(int count, char **args)
{
    struct log_place places[PLACES] = {0};
    char word[8];
    unsigned n, place;
    log_create(count > 1 ? args[1] : "");
    for (unsigned line = 1; scanf("%7s %u", word, &n) == 2; line++)
        if (!strcmp(word, "put"))
            put(n, NULL, line);
        else if (!strcmp(word, "end") && scanf("%u", &place) == 1)
            put(n, &places[place % PLACES], line);
        else
            (*word == 'k' ? log_keep_place : log_drop_place)(&places[n % PLACES]);
    log_close();
    return 0;
}
