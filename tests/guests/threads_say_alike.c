#include "guest.h"
#include "outside.h"
/* What a job that another thread does now says first that thread says later on as well. */
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
