#include "guest.h"
#include "outside.h"
/* What a job that another thread does now asks of the clock is not what that thread asks next. */
static time_t when;
static __attribute__((noinline)) void look_when(void)
{
    struct timespec now;
    volatile char much[3000];
    much[0] = much[2999] = 1;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    when = now.tv_sec + much[0] - much[2999];
}
int main(void)
{
    struct timespec now;
    hear_and_work(look_when);
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    printf("%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    CHECK(when <= now.tv_sec);
    return guest_done();
}
