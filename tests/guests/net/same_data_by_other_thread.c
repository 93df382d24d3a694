/* A job, done by another thread than recorded, sends what that thread also sends later.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, connect, socket, write
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include "outside.h"

static void say(const char *line)
{
    CHECK(write(1, line, strlen(line)) == (ssize_t)strlen(line));
}
static void say_two(void)
{
    say("alike\n");
    say("another\n");
}
int main(void)
{
    hear_and_work(say_two);
    say("alike\n");
    return guest_done();
}
