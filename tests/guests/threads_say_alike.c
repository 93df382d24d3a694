#include "guest.h"
#include "outside.h"
/* A pool's thread does a job when recorded, as the first thread hears from outside too late; in a replay it hears at once,
 * and does the job itself.  What the job says first the first thread says later on as well. */
static int taken;
static void say(const char *line)
{
    CHECK(write(1, line, strlen(line)) == (ssize_t)strlen(line));
}
static void do_job(void)
{
    if (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST))
        return;
    say("alike\n");
    say("another\n");
}
static void *work(void *unused)
{
    usleep(30000);
    do_job();
    return unused;
}
int main(void)
{
    pthread_t thread;
    char line[64];
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(fputs("something\n", f) >= 0 && fflush(f) == 0 && fgets(line, sizeof line, f));
    do_job();
    CHECK(pthread_join(thread, NULL) == 0);
    say("alike\n");
    return guest_done();
}
