#include "guest.h"
#include "outside.h"
/* A pool's thread does a job when recorded, as the first thread hears from outside too late; in a replay it hears at once,
 * and does the job itself.  What the job asks of the clock is not what the first thread asks next. */
static int taken;
static time_t when;
static __attribute__((noinline)) void do_job(void)
{
    struct timespec now;
    volatile char much[3000];
    much[0] = much[2999] = 1;
    if (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST))
        return;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    when = now.tv_sec + much[0] - much[2999];
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
    struct timespec now;
    char line[64];
    FILE *f = called();
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(fputs("something\n", f) >= 0 && fflush(f) == 0 && fgets(line, sizeof line, f));
    do_job();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    printf("%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    CHECK(when <= now.tv_sec);
    return guest_done();
}
